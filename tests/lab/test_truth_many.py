#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""65 535 streams in one run: each sends its frames and receives them, and the sums are right."""
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time

from lab import ATTEMPTS, SKIPPED, TGEN, Failure, Run, check, equal, kebab, run_case

NB, FRAMES = 65535, 3
MEMORY = 4 << 30  # tgen takes 2.8 GiB of it: plans, rows, histograms, the result


def available():
    with open("/proc/meminfo", encoding="utf-8") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("MemAvailable:"))


def config():
    """One template, of which each stream has a size, and so frames, of its own."""
    return {
        "ports": [{"name": "loop", "device": "ring:loop", "address": ["1.1.1.1/24"]}],
        "packet-templates": [{"name": "t", "port": "loop", "rx-port": "loop", "mac-dst": "02:00:00:00:00:01",
                              "ip-dst": "1.1.1.9", "udp-src-port": "1-7"}],
        "streams": [{"name": f"s{i}", "tx-template": "t", "packet-count": FRAMES, "packet-size": 60 + i % 50}
                    for i in range(NB)],
    }


def quick(directory, *words):
    path, out = os.path.join(directory, "c.json"), os.path.join(directory, "r.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(config(), f)
    argv = [TGEN, "--config", path, "quick", *words, "--output", f"json={out}"]
    began = time.time()
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as proc:
        _, status, usage = os.wait4(proc.pid, 0)
        proc.returncode = os.waitstatus_to_exitcode(status)
        err = proc.stderr.read()
    took, setup, result = time.time() - began, 0, None
    if os.path.exists(out):
        with open(out, encoding="utf-8") as f:
            result = kebab(json.load(f))
        setup = datetime.datetime.fromisoformat(result["start"].replace("Z", "+00:00")).timestamp() - began
        os.unlink(out)
    return Run(argv, proc.returncode, "", err, result), f"{setup:.1f} s to set up, {took:.1f} s in all", usage.ru_maxrss << 10


def every_stream(_):
    """65 535 streams over a ring: every one's frames are sent and come back, in order, and add up"""
    with tempfile.TemporaryDirectory(prefix="tgen-many-") as directory:
        for _ in range(ATTEMPTS):
            result, took, memory = quick(directory, "pps=1", "drain=2s", "max-lag=0s", "max-steal=100")
            check(result.json is not None, f"no result\n{result.text()}")
            result.check_sums()
            if result.clean:
                break
        else:
            raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.json['reasons']}")
    print(f"      {took}, {result.json['send-ns'] / 1e9:.1f} s of sending; {memory >> 20} MiB")
    equal(result.status, 0, "status")
    equal(len(result.streams), NB, "streams in the result")
    wrong = [(n, s) for n, s in result.streams.items()
             if (s["tx-packet"], s["rx-packet"], s["rx-ooo"], s["duplicate"], s["misrouted"]) != (FRAMES, FRAMES, 0, 0, 0)]
    equal([n for n, _ in wrong[:5]], [], f"streams without their {FRAMES} frames, of {len(wrong)}")
    sizes = [(n, s["tx-byte"], s["rx-byte"]) for n, s in result.streams.items()
             if {s["tx-byte"], s["rx-byte"]} != {FRAMES * (60 + int(n[1:]) % 50)}]
    equal(sizes[:3], [], "streams, their bytes sent and received")
    equal(result.json["total"]["rx-packet"], NB * FRAMES, "frames received in all")
    equal(result.json["ports"][0]["good"], NB * FRAMES, "good frames of the port")


if __name__ == "__main__":
    if available() < MEMORY:
        print(f"skipped: {available() >> 20} MiB of memory are free, {MEMORY >> 20} are needed")
        sys.exit(SKIPPED)
    sys.exit(0 if run_case(every_stream, None) else 1)
