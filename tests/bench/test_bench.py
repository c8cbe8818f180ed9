#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench: its JSON keeps its shape, its statuses are as said, and the machine is as it was before.

usage: test_bench.py TGEN BENCH
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TGEN, BENCH = sys.argv[1:3]
VERDICTS = {"met", "missed", "too noisy", "not known", "shown", "left out", "failed"}
SHORT = ("--tgen", TGEN, "--quick", "--seconds", "0.05")
WHOLE = {"schema", "quick", "runs", "run-seconds", "core", "machine", "hugepages-free", "rows", "too-noisy",
         "complete"}
RATE = {"name", "title", "target", "against", "verdict", "why"}
MEASURED = RATE | {"mpps", "runs-mpps", "cycles"}
VALUE = {"name", "title", "value", "unit", "target", "verdict", "reached", "why"}
PAGES = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"


def bench(*words, path=None):
    env = {**os.environ, "PATH": path} if path else os.environ
    return subprocess.run([BENCH, *words], capture_output=True, text=True, check=False, env=env)


def rows_of(*words, **how):
    done = bench(*SHORT, "--json", *words, **how)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == WHOLE, set(found) ^ WHOLE
    assert found["schema"] == "tgen.bench/2"
    for row in found["rows"]:
        assert row["verdict"] in VERDICTS, row
    return found, {row["name"]: row for row in found["rows"]}


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except OSError:
        return None


def shape():
    """a row of each kind: rate, cycles, of another row, and values"""
    found, rows = rows_of("--only", "tx-1,tx-1514,loop-6,gaps,paced,precision")
    for name in ("tx-1514", "loop-6"):
        assert MEASURED <= set(rows[name]), rows[name]
    assert "ratio" in rows["tx-1514"] and rows["loop-6"]["against"] == "cycles"
    for name in ("alone-5000", "alone-10000", "gap-1-of-100", "paced-kept"):
        assert VALUE <= set(rows[name]), rows[name]
    assert rows["alone-10000"]["frames"] == 500, rows["alone-10000"]
    assert {"gap-500000", "gap-1000000"} <= set(rows)
    assert found["machine"]["tsc-hz"] > 0 and not found["complete"]
    return found


def model(found):
    """--model computes from a file that --json printed"""
    found["rows"] = [{"name": "tx-6", "cycles": 20.0}, {"name": "loop-6", "cycles": 60.0}]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(found, f)
        f.flush()
        done = bench("--model", f.name, "--driver-cycles", "0")
    assert done.returncode == 0, done.stderr
    # 100G of 64 byte frames: 148.8 Mpps; at 2 GHz and 20 cycles 1.5 cores
    line = next(line for line in done.stdout.splitlines() if line.startswith("| 100G | 64 |"))
    assert "148.8" in line and " 1.5 / 1.0 / 0.7 " in line, line


def without_testpmd():
    """rows beside it are left out, and it is said how to get it; others are measured"""
    with tempfile.TemporaryDirectory() as empty:
        _, rows = rows_of("--only", "tx-1,loop-6", path=empty)
    assert rows["tx-1"]["verdict"] == "left out" and "scripts/setup --all" in rows["tx-1"]["why"][0], rows
    assert rows["loop-6"]["mpps"] > 0


def beside_testpmd():
    """a ratio to a testpmd that ran in the same turn"""
    _, rows = rows_of("--only", "tx-1")
    row = rows["tx-1"]
    assert row["reference-mpps"] > 0 and row["ratio"] > 0, row


def statuses():
    """2 for usage, 4 for what cannot be measured, each with the remedy"""
    done = bench(*SHORT, "--only", "tx-7")
    assert done.returncode == 2 and "there is no row tx-7" in done.stderr, done
    done = bench("--tgen", "/nonexistent/tgen")
    assert done.returncode == 4 and "there is no such program" in done.stderr, done


def main():
    before = read(PAGES), subprocess.run(["ip", "netns"], capture_output=True, text=True, check=False).stdout
    model(shape())
    without_testpmd()
    statuses()
    if shutil.which("dpdk-testpmd") and len(os.sched_getaffinity(0)) > 1:
        beside_testpmd()
    else:
        print("SKIP beside_testpmd: dpdk-testpmd or a second CPU is missing")
    after = read(PAGES), subprocess.run(["ip", "netns"], capture_output=True, text=True, check=False).stdout
    assert before == after, (before, after)


if __name__ == "__main__":
    main()
