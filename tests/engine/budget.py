#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions a frame of the sender and the receiver against what they may take.

usage: budget.py PROGRAM      PROGRAM: budget of this build

Counted, not timed: the same in every run. callgrind knows no AVX-512, so the sender's base form is
what is counted; the table is that of gcc 12 with -O2 on x86-64. Without valgrind: skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
TOLERANCE = 1.02

# case: instructions a frame it may take
BUDGET = {
    "tx-one": 41.7,  # one lane, flat out
    "tx-line": 55.3,  # six
    "tx-any": 92.0,  # 200 bytes
    "tx-vary1": 56.2,  # one varying field, checksum kept right
    "tx-vary3": 87.9,
    "tx-imix": 109.2,  # six lanes
    "tx-one-rate": 68.5,  # 1 000 lanes of one rate, their schedules and gaps recorded
    "tx-1000-rates": 176.4,  # of a rate each
    "rx-csum-0": 276.7,  # six lanes
    "rx-csum": 306.7,
    "rx-vlan": 374.7,  # the same behind a tag
    "rx-ip6": 396.7,
    "rx-imix": 298.9,  # without a checksum
    "rx-1000-csum": 417.1,
}


def counts(program, directory):
    """Of each case: frames and instructions."""
    out = os.path.join(directory, "callgrind")
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=budget_run",
         "--dump-before=budget_end", "--combine-dumps=no", f"--callgrind-out-file={out}", program],
        env=dict(os.environ, TGEN_TX_FORM="base"), capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{program}: status {run.returncode}\n{run.stdout}{run.stderr}")
    frames = [line.split() for line in run.stdout.splitlines() if re.fullmatch(r"[\w-]+ \d+", line)]
    found = {}
    for number, (name, nb) in enumerate(frames, 1):
        with open(f"{out}.{number}", encoding="ascii") as dump:
            found[name] = int(re.search(r"^totals: (\d+)", dump.read(), re.M)[1]) / int(nb)
    return found


def main():
    if shutil.which("valgrind") is None:
        print("SKIP: no valgrind here (package valgrind)")
        return SKIP
    with tempfile.TemporaryDirectory() as directory:
        found = counts(sys.argv[1], directory)
    over = [name for name in BUDGET if found.get(name, float("inf")) > BUDGET[name] * TOLERANCE]
    missing = sorted(found.keys() ^ BUDGET.keys())
    for name, instructions in found.items():
        print(f'    "{name}": {instructions:.1f},  # was {BUDGET.get(name, "not there")}')
    for name in over:
        print(f"FAIL: {name}: {found.get(name, 'not run')} instructions a frame, "
              f"{BUDGET[name]} at most")
    for name in missing:
        print(f"FAIL: {name}: in the table or in the program, not in both")
    if over or missing:
        print("what was measured is above in the form of the table, tests/engine/budget.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
