#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""One stream through two queue pairs of a port, a worker each: the figures are those of one stream."""
import contextlib
import json
import os
import subprocess
import sys

import frames
from lab import ATTEMPTS, TGEN, Failure, Run, Skip, check, equal, kebab, run, settings, wait_until
from truth import check_none, check_rows
from witness import COUNTING, Capture

PPS, COUNT = 2000, 4000
NB_FLOWS = 100
# With a UDP checksum: nftables mends one when it sets a port, and makes a wrong one of none.
TEMPLATE = {"name": "loop", "header-stack": "mac,ip,udp", "udp-src-port": f"5000-{5000 + NB_FLOWS - 1}",
            "udp-checksum": "compute"}
# Out by the port it came in by: the DUT sends it back where it came from.
ROUTED = {
    "ports": [{"name": "ether1", "device": "auto:ether1", "address": ["1.1.1.1/24"]}],
    "packet-templates": [{**TEMPLATE, "ip-gateway": "1.1.1.254", "ip-src": "1.1.1.9", "ip-dst": "1.1.1.1"}],
}
RING = {
    "ports": [{"name": "loop", "device": "ring:loop", "address": ["1.1.1.1/24"]}],
    "packet-templates": [{**TEMPLATE, "port": "loop", "mac-dst": "02:00:00:00:00:01", "ip-dst": "1.1.1.9"}],
}


def words():
    """All of packet-count goes, late or not: two workers that poll want more than a busy machine has."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Skip("two workers need two CPUs")
    return ("tx-template=loop", "packet-size=60", f"pps={PPS}", f"packet-count={COUNT}",
            f"cpu-core={cpus[0]},{cpus[1]}", *COUNTING)


def check_whole(result, copies=0):
    s = result.streams["loop"]
    equal(result.status, 0, f"status\n{result.text()}")
    equal((s["tx-packet"], s["rx-packet"], s["duplicate"]), (COUNT, COUNT, copies),
          f"sent, received, duplicate\n{result.text()}")
    check_none(result, "loop", "lost-packet", "rx-ooo", "rx-bad-csum", "misrouted", "stray", "returned")
    equal(s["lat-count"] + s["lat-negative"], COUNT, "frames in the latency figures")
    check_rows(result)


def check_lanes(seen):
    """Two lanes, each with all its sequence numbers in order, and all flows between them in turn."""
    lanes = {}
    for frame in map(frames.TestFrame, seen):
        lanes.setdefault(frame.lane, []).append(frame)
    equal({lane: len(sent) for lane, sent in lanes.items()}, {0: COUNT // 2, 1: COUNT // 2}, "frames of the lanes")
    for lane, sent in lanes.items():
        equal([f.seq for f in sent], list(range(COUNT // 2)), f"sequence numbers of lane {lane}")
    ports = [f.ports[0] for sent in lanes.values() for f in sent]
    equal({port: ports.count(port) for port in set(ports)}, {5000 + i: COUNT // NB_FLOWS for i in range(NB_FLOWS)},
          "frames of each flow")


def sockets(pid):
    """Packet sockets for every kind of frame in tgen's namespace: af_packet has one a queue."""
    with open(f"/proc/{pid}/net/packet", encoding="utf-8") as f:
        return sum(line.split()[3] == "0003" for line in f)


def measure(lab, rules):
    """A clean run: it, the rules' counters, and what the DUT received. While it runs, two sockets are there."""
    for _ in range(ATTEMPTS):
        with contextlib.ExitStack() as stack:
            stack.enter_context(settings(lab, rules))
            capture = stack.enter_context(
                Capture(lab, "dut", "dut1", lambda f: frames.is_udp(f, "1.1.1.9", "1.1.1.1"), outgoing=False))
            with lab.start(ROUTED, "quick", *words()) as p:
                wait_until(lambda: len(capture.seen) > 0, "traffic")
                equal(sockets(p.pid), 2, "queues: packet sockets")
                result = p.wait()
            counters = lab.counters()
        check(result.json is not None, f"no result\n{result.text()}")
        result.check_sums()
        if result.clean:
            equal(capture.count(), COUNT, "frames that came to the DUT")
            return result, counters, capture.seen
        equal(result.status, 3, f"status of a run that is not clean\n{result.text()}")
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


def in_order(lab):
    """two queue pairs: nothing lost, doubled or out of order, and the lanes share the stream evenly"""
    result, _, seen = measure(lab, "table ip probe { }")
    check_whole(result)
    check_lanes(seen)


def copies(lab, output):
    rules = f"""table ip probe {{
        counter copied {{ }}
        chain forward {{
            type filter hook forward priority 0; policy accept;
            udp dport 200 numgen inc mod 10 == 3 counter name copied dup to 1.1.1.1 device "dut1"
        }}
        chain output {{ type filter hook output priority 0; policy accept; {output}; }}
    }}"""
    result, counters, _ = measure(lab, rules)
    equal(counters["copied"], COUNT // 10, "frames that the DUT doubled")
    check_whole(result, counters["copied"])


def copies_in_flow(lab):
    """each copy that the DUT makes is a duplicate, and costs nothing else"""
    copies(lab, "continue")


def copies_across_queues(lab):
    """a copy of another source port, which may take the other rx queue, is a duplicate as well"""
    copies(lab, "udp dport 200 udp sport set numgen inc mod 1000 offset 20000")


def ring(lab):
    """two queue pairs of a ring: all that is sent comes back, in order, once"""
    for _ in range(ATTEMPTS):
        out = os.path.join(lab.dir, "ring.json")
        argv = [TGEN, "--config", lab.config(RING), "quick", *words(), "--output", f"json={out}"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
        check(os.path.exists(out), f"no result\n{done.stdout}{done.stderr}")
        with open(out, encoding="utf-8") as f:
            result = Run(argv, done.returncode, done.stdout, done.stderr, kebab(json.load(f)))
        result.check_sums()
        if result.clean:
            check_whole(result)
            return
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


if __name__ == "__main__":
    sys.exit(run([in_order, copies_in_flow, copies_across_queues, ring], ports=2))
