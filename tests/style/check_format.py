#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""All C is as .clang-format says, and begins with its licence."""
import shutil
import subprocess
import sys

from source import SKIPPED, TREE, c_files, finish, name

LICENCE = "/* SPDX-License-Identifier: BSD-3-Clause */"


def main():
    # The version that the tree's rules were written for; others differ in details.
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if tool is None:
        print("skipped: clang-format is missing, run scripts/setup")
        sys.exit(SKIPPED)
    files = c_files()
    done = subprocess.run([tool, "--dry-run", "-Werror", "--style=file", *map(str, files)], cwd=TREE,
                          capture_output=True, text=True)
    complaints = [line.replace(f"{TREE}/", "") for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode != 0 and not complaints:
        complaints = [done.stderr]
    for path in files:
        with open(path, encoding="utf-8") as f:
            if f.readline().rstrip("\n") != LICENCE:
                complaints.append(f"{name(path)}:1: does not begin with {LICENCE}")
    finish(complaints, len(files))


if __name__ == "__main__":
    main()
