#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the manual page. usage: make_man.py TGEN VERSION HEAD TAIL OUTPUT"""
import subprocess
import sys


def main():
    tgen, version, head, tail, output = sys.argv[1:]
    told = subprocess.run([tgen, "help", "format=man"], stdout=subprocess.PIPE, check=True).stdout
    with open(head, encoding="utf-8") as file:
        before = file.read().replace("@VERSION@", version)
    with open(tail, encoding="utf-8") as file:
        after = file.read()
    with open(output, "w", encoding="utf-8") as file:
        file.write(before + told.decode("utf-8") + after)


if __name__ == "__main__":
    main()
