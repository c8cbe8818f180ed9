#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference.md is what tgen says of itself. usage: check_reference.py TGEN REFERENCE"""
import difflib
import os
import subprocess
import sys


def main():
    tgen, path = sys.argv[1:]
    told = subprocess.run([tgen, "help", "format=markdown"], stdout=subprocess.PIPE, check=True)
    with open(path, encoding="utf-8") as file:
        kept = file.read()
    new = told.stdout.decode("utf-8")
    if new == kept:
        print(f"{len(new.splitlines())} lines are the same")
        return 0 if new else 1
    sys.stdout.writelines(difflib.unified_diff(
        kept.splitlines(keepends=True), new.splitlines(keepends=True), "docs/reference.md",
        "tgen help format=markdown"))
    print("\ndocs/reference.md is not up to date; refresh it with:")
    print(f"  {os.path.relpath(tgen)} help format=markdown >{os.path.relpath(path)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
