#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual page is set without a warning. usage: check_man.py FILE"""
import os
import shutil
import subprocess
import sys

SKIPPED = 77
SECTIONS = ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXIT STATUS",
            "FIGURES", "FILES")


def formatter(path):
    if shutil.which("man"):
        return ["man", "--warnings", "-E", "UTF-8", "-l", path]
    if shutil.which("groff"):
        return ["groff", "-man", "-ww", "-Tutf8", "-k", "-P-cbou", path]
    return None


def main():
    command = formatter(sys.argv[1])
    if command is None:
        print("neither man nor groff is here")
        return SKIPPED
    environment = dict(os.environ, MANWIDTH="100", MANPAGER="cat", LC_ALL="C.UTF-8")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                          check=False)
    text = done.stdout.decode("utf-8")
    wrong = [line for line in done.stderr.decode("utf-8").splitlines() if line]
    wrong += [f"there is no section {name}" for name in SECTIONS if f"\n{name}\n" not in f"\n{text}"]
    if done.returncode != 0:
        wrong.append(f"{command[0]} ended with {done.returncode}")
    print("\n".join(wrong))
    print(f"{len(text.splitlines())} lines set, {len(wrong)} complaints")
    return 1 if wrong or not text else 0


if __name__ == "__main__":
    sys.exit(main())
