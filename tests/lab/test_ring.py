#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""ring:NAME, a port in memory that hears itself: no lab, no interface."""
import json
import os
import subprocess
import sys
import tempfile

from lab import ATTEMPTS, TGEN, Failure, Run, check, equal, kebab, run_case

CONFIG = {
    "ports": [{"name": "loop", "device": "ring:loop", "address": ["1.1.1.1/24"]}],
    "packet-templates": [
        {"name": "one", "header-stack": "mac,ip,udp", "port": "loop", "mac-dst": "02:00:00:00:00:01",
         "ip-dst": "1.1.1.9"},
        {"name": "two", "header-stack": "mac,ip,udp", "port": "loop", "mac-dst": "02:00:00:00:00:01",
         "ip-dst": "1.1.1.9", "udp-checksum": "compute"},
    ],
}


def quick(*words):
    with tempfile.TemporaryDirectory(prefix="tgen-ring-") as tmp:
        config, out = os.path.join(tmp, "c.json"), os.path.join(tmp, "r.json")
        with open(config, "w", encoding="utf-8") as f:
            json.dump(CONFIG, f)
        argv = [TGEN, "--config", config, "quick", *words, "--output", f"json={out}"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
        result = None
        if os.path.exists(out):
            with open(out, encoding="utf-8") as f:
                result = kebab(json.load(f))
    return Run(argv, done.returncode, done.stdout, done.stderr, result)


def quick_clean(*words):
    for _ in range(ATTEMPTS):
        result = quick(*words)
        check(result.json is not None, f"no result\n{result.text()}")
        result.check_sums()
        if result.clean:
            return result
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


def all_return(_):
    """all that is sent into a ring comes back, in order, at every size"""
    for size in (60, 508, 1514):
        result = quick_clean("tx-template=one,two", f"packet-size={size}", "pps=2000", "packet-count=1000")
        equal(result.status, 0, f"status\n{result.text()}")
        for name in ("one", "two"):
            s = result.streams[name]
            equal((s["tx-packet"], s["rx-packet"], s["rx-ooo"], s["rx-bad-csum"]), (1000, 1000, 0, 0),
                  f"{name}, {size} bytes: tx, rx, ooo, bad\n{result.text()}")


def other_forms(_):
    """the machine forms on stdout parse, and say the same"""
    result = quick_clean("tx-template=one", "packet-size=60", "pps=1000", "packet-count=100", "--output", "jsonl")
    records = [json.loads(line) for line in result.out.splitlines()]
    equal(records[0]["type"], "start", f"first record\n{result.text()}")
    totals = [kebab(r) for r in records if r.get("name") == "one" and r.get("seq") == "TOT"]
    equal([t["rx-packet"] for t in totals], [100], f"received, in the records of the total\n{result.text()}")


if __name__ == "__main__":
    sys.exit(0 if all([run_case(case, None) for case in (all_return, other_forms)]) else 1)
