#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""`meson install` puts everything in its place, and nothing else.
usage: check_install.py SOURCE BUILD PREFIX BINDIR MANDIR DATADIR"""
import os
import pathlib
import subprocess
import sys
import tempfile

DOCS = ("architecture.md", "ci.md", "configuration.md", "console.md", "criteria.md", "methodology.md", "output.md",
        "performance.md", "quick.schema.json", "results.schema.json", "reference.md", "troubleshooting.md",
        "ECHARTS-LICENSE", "ECHARTS-NOTICE")


def expected(source, prefix, bindir, mandir, datadir):
    data = prefix / datadir
    files = {prefix / bindir / "tgen", prefix / mandir / "man1" / "tgen.1"}
    files |= {data / "bash-completion" / "completions" / "tgen", data / "zsh" / "site-functions" / "_tgen"}
    files |= {data / "doc" / "tgen" / name for name in DOCS}
    files |= {data / "doc" / "tgen" / "tests" / path.name for path in (source / "docs" / "tests").iterdir()}
    files |= {data / "tgen" / "probes" / name for name in ("probe-linux", "probe-snmp")}
    for top in ("config", "templates"):
        for path in (source / top).rglob("*"):
            if path.is_file():
                files.add(data / "tgen" / path.relative_to(source))
    return files


def installed(root):
    return {pathlib.Path("/") / path.relative_to(root) for path in root.rglob("*") if path.is_file()}


def main():
    source, build, prefix, *places = (pathlib.Path(word) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="tgen-install-") as directory:
        root = pathlib.Path(directory)
        done = subprocess.run(
            ["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", root],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout)
        want, got = expected(source, prefix, *places), installed(root)
        program = root / (prefix / places[0] / "tgen").relative_to("/")
        version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True,
                                 check=False).stdout if program in root.rglob("tgen") else ""
    wrong = [f"missing: {path}" for path in sorted(want - got)]
    wrong += [f"should not be there: {path}" for path in sorted(got - want)]
    wrong += [f"hidden: {path}" for path in sorted(got) if path.name.startswith(".")]
    if not version.startswith("tgen "):
        wrong.append("the installed tgen does not tell its version")
    print("\n".join(wrong))
    print(f"{len(got)} files installed, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
