#!/bin/sh
# Puts the bundle of the charts into the tarball that meson dist makes.
set -eu
bundle=src/report/web/report.bundle.js
ninja -C "$MESON_BUILD_ROOT" "$bundle" >/dev/null
mkdir -p "$MESON_DIST_ROOT/src/report/web/bundle"
cp "$MESON_BUILD_ROOT/$bundle" "$MESON_DIST_ROOT/src/report/web/bundle/report.bundle.js"
