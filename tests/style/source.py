# SPDX-License-Identifier: BSD-3-Clause
"""What the style checks share: the tree, its C files, and how a check ends."""
import pathlib
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def c_files(suffixes=(".c", ".h")):
    found = [p for top in ("src", "include", "tests") for p in sorted((TREE / top).rglob("*"))]
    return [p for p in found if p.suffix in suffixes]


def name(path):
    return str(path.relative_to(TREE))


def finish(complaints, nb_checked):
    """Prints the complaints; ends the check. One that looked at nothing has not passed."""
    for text in complaints:
        print(text)
    print(f"{nb_checked} checked, {len(complaints)} complaints")
    sys.exit(1 if complaints or nb_checked == 0 else 0)
