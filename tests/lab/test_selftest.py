#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""tgen selftest on a ring: what it finds is kept, and quick cites it. No lab, no interface."""
import json
import os
import subprocess
import sys
import tempfile

from lab import ATTEMPTS, TGEN, Failure, check, equal, run_case

CONFIG = {
    "ports": [{"name": "loop", "device": "ring:loop", "address": ["1.1.1.1/24"]},
              {"name": "hole", "device": "null:", "disabled": True}],
    "packet-templates": [
        {"name": "one", "header-stack": "mac,ip,udp", "port": "loop", "mac-dst": "02:00:00:00:00:01",
         "ip-dst": "1.1.1.9"},
    ],
}
# No rate is too high for `lots` to be above it, and none too low for `few`.
LOTS, FEW = "pps=400M", "pps=100"


class Place:
    """A directory with a configuration, and a state directory of its own."""

    def __init__(self, path):
        self.path = path
        self.book = os.path.join(path, "state", "tgen", "selftest.json")
        self.config = os.path.join(path, "c.json")
        self.env = dict(os.environ, XDG_STATE_HOME=os.path.join(path, "state"))
        with open(self.config, "w", encoding="utf-8") as f:
            json.dump(CONFIG, f)

    def tgen(self, *words):
        return subprocess.run([TGEN, "--config", self.config, *words], env=self.env, cwd=self.path,
                              capture_output=True, text=True, timeout=100)

    def selftest(self, *words):
        """Repeated while the machine is too busy for any clean rate (status 3)."""
        for _ in range(ATTEMPTS):
            done = self.tgen("selftest", "duration=200ms", "resolution=20", *words)
            if done.returncode != 3:
                return done
        raise Failure(f"clean at no rate, {ATTEMPTS} times\n{text(done)}")

    def entries(self):
        with open(self.book, encoding="utf-8") as f:
            book = json.load(f)
        equal(book["schema"], "tgen.selftest/1", "schema of the file")
        check(all(book["host"][key] for key in ("cpu-model", "kernel", "dpdk")), f"host: {book['host']}")
        return book["entries"]


def text(done):
    return f"{' '.join(done.args)}: status {done.returncode}\n{done.stdout}{done.stderr}"


def check_entry(e, device, size):
    equal((e["device"], e["rx-device"], e["driver"], e["packet-size"]), (device, device, "net_ring", size),
          "device, its receiver, driver, size")
    check(e["clean-pps"] > 0, f"no clean rate: {e}")
    equal(e["clean-l1-bps"], e["clean-pps"] * 8 * (size + 24), "the same rate on the wire")
    if e["floor-count"] is not None:
        check(0 < e["floor-min-ns"] <= e["floor-p50-ns"] <= e["floor-p99-ns"], f"floor out of order: {e}")


def finds_and_keeps(_):
    """without a port it tests a ring of its own, needs no configuration, and keeps what it found"""
    with tempfile.TemporaryDirectory(prefix="tgen-selftest-") as tmp:
        place = Place(tmp)
        os.unlink(place.config)
        done = place.selftest("packet-size=60")
        equal(done.returncode, 0, f"status\n{text(done)}")
        check("CLEAN-PPS" in done.stdout and "FLOOR-P50" in done.stdout, f"no table\n{text(done)}")
        check("flat out" in done.stderr, f"no progress\n{text(done)}")
        entries = place.entries()
        equal(len(entries), 1, "entries")
        check_entry(entries[0], "ring:", 60)


def merges_and_prints_json(_):
    """json on stdout is this selftest's; the file has those of earlier ones as well"""
    with tempfile.TemporaryDirectory(prefix="tgen-selftest-") as tmp:
        place = Place(tmp)
        for size in (60, 508):
            done = place.selftest("port=loop", f"packet-size={size}", "max-rate=20k", "--output", "json")
            equal(done.returncode, 0, f"status\n{text(done)}")
            found = json.loads(done.stdout)["entries"]
            equal([e["packet-size"] for e in found], [size], "sizes on stdout")
            check(found[0]["clean-pps"] <= 20000, f"above max-rate: {found[0]}")
            check("flat out" not in done.stderr, f"flat out in spite of max-rate\n{text(done)}")
        for e, size in zip(place.entries(), (60, 508), strict=True):
            check_entry(e, "ring:", size)


def quick_cites(_):
    """quick says the floor, and warns of a rate above the clean one"""
    with tempfile.TemporaryDirectory(prefix="tgen-selftest-") as tmp:
        place = Place(tmp)
        result = os.path.join(tmp, "r.json")
        argv = ["quick", "tx-template=one", "packet-size=64", "duration=100ms", "--output", f"json={result}"]

        def floor_of_quick(*words):
            done = place.tgen(*argv, *words)
            with open(result, encoding="utf-8") as f:
                return done, json.load(f)["floor-ns"]

        done, floor = floor_of_quick(LOTS)
        equal(floor, None, f"floor before any selftest\n{text(done)}")
        check("selftest found" not in done.stderr, f"warning before any selftest\n{text(done)}")
        for _ in range(ATTEMPTS):
            equal(place.selftest("packet-size=60").returncode, 0, "status of selftest")
            entry = place.entries()[0]
            if entry["floor-count"] is not None:
                break
        check(entry["floor-count"] is not None, f"never a clean floor: {entry}")
        done, floor = floor_of_quick(LOTS)
        equal(floor, entry["floor-p50-ns"], f"floor\n{text(done)}")
        check("port loop: 400 000 000 pps asked, but selftest found " in done.stderr, f"no warning\n{text(done)}")
        done, floor = floor_of_quick(FEW)
        check("selftest found" not in done.stderr, f"a warning of few frames\n{text(done)}")


def nothing_comes_back(_):
    """a port that is not looped is named, with status 1, and is not flooded"""
    with tempfile.TemporaryDirectory(prefix="tgen-selftest-") as tmp:
        place = Place(tmp)
        done = place.tgen("selftest", "port=hole", "duration=50ms", "packet-size=60")
        equal(done.returncode, 1, f"status\n{text(done)}")
        check("nothing came back" in done.stderr and "hole (null:)" in done.stderr, f"message\n{text(done)}")
        check("flat out" not in done.stderr, f"flooded\n{text(done)}")
        check(not os.path.exists(place.book), "something was kept")
        done = place.tgen("selftest", "port=hol")
        equal(done.returncode, 2, f"status of an unknown port\n{text(done)}")


if __name__ == "__main__":
    CASES = (finds_and_keeps, merges_and_prints_json, quick_cites, nothing_comes_back)
    sys.exit(0 if all([run_case(case, None) for case in CASES]) else 1)
