#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions stay under 80 lines, files under 500: what is longer is hard to read and to change."""
from source import TREE, c_files, finish, name

FUNCTION_LINES = 80
FILE_LINES = 500


def functions(lines):
    """(line of the opening brace, lines from it to the closing one). In our format a function, and
    nothing else, begins with a brace alone in the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start is not None:
            yield start, number - start + 1
            start = None


def main():
    complaints = []
    scripts = [p for p in sorted((TREE / "scripts").iterdir()) if p.is_file()]
    files = c_files((".c", ".h", ".py")) + scripts
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        if len(lines) > FILE_LINES:
            complaints.append(f"{name(path)}: {len(lines)} lines, {FILE_LINES} at most")
        complaints += [f"{name(path)}:{start}: a function of {nb} lines, {FUNCTION_LINES} at most"
                       for start, nb in functions(lines) if nb > FUNCTION_LINES]
    finish(complaints, len(files))


if __name__ == "__main__":
    main()
