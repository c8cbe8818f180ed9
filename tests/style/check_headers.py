#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every header compiles alone, cleanly, and guards itself with #pragma once."""
import concurrent.futures
import os
import subprocess

from source import TREE, c_files, finish, name

WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Werror",
            "-Wno-unused-parameter", "-Wno-missing-field-initializers", "-Wno-unused-function",
            "-Wno-unused-variable"]


def package_flags(package):
    done = subprocess.run(["pkg-config", "--cflags", package], capture_output=True, text=True)
    return [f.replace("-I", "-isystem", 1) if f.startswith("-I") else f for f in done.stdout.split()]


def complaint_about(header, dpdk):
    """Compiled twice in one unit: #pragma once in action. None when it is well."""
    if "#pragma once" not in header.read_text(encoding="utf-8").splitlines():
        return f"{name(header)}: has no #pragma once"
    # DPDK's include path is for engine (and what wires it) alone, as in the build.
    flags = dpdk if header.parent.name in ("engine", "cli") else []
    done = subprocess.run(
        [os.environ.get("CC", "gcc"), "-fsyntax-only", "-std=gnu17", "-D_GNU_SOURCE", '-DTGEN_VERSION="0"',
         '-DTGEN_SYSCONFDIR="/etc"', *WARNINGS, f"-I{TREE / 'include'}", f"-I{header.parent}", *flags,
         "-x", "c", "-"],
        input=f'#include "{header}"\n#include "{header}"\n', capture_output=True, text=True)
    return None if done.returncode == 0 else f"{name(header)}: does not compile alone\n{done.stderr}"


def main():
    dpdk = package_flags("libdpdk")
    headers = c_files((".h",))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda h: complaint_about(h, dpdk), headers)
    finish([text for text in found if text], len(headers))


if __name__ == "__main__":
    main()
