#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Somebody else's test frames on the segment: told from our own by test-id, and by what cannot be ours
where the test-id is the same (docs/methodology.md)."""
import os
import signal
import struct
import sys
import time

import frames
from lab import ATTEMPTS, Failure, Skip, check, equal, run
from truth import COUNTING, MASK48, Tap, check_only, check_rows, is_clean, port_sum, relay, stations

NB = 200  # of frames that are not ours


def cpus():
    """One each: two workers that poll would take turns on one CPU."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise Skip("two tgen at once need two CPUs")
    return allowed[0], allowed[1]


def ours(lab, pps, meanwhile, *words):
    """A run from ether1 to ether2, in the midst of which something else is done: from when it is well
    under way until that is over."""
    words = ("quick", "tx-template=s12", "packet-size=60", f"pps={pps}", "duration=60s", f"cpu-core={cpus()[0]}",
             *COUNTING, *words)
    with relay(lab), lab.start(stations("s12"), *words) as p:
        lab.wait_for_traffic("dut1", 100)
        meanwhile()
        lab.wait_for_traffic("dut1", 100)
        p.signal(signal.SIGINT)
        return p.wait()


def ours_clean(*args):
    for _ in range(ATTEMPTS):
        result = ours(*args)
        if is_clean(result):
            return result
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


def check_foreign(result):
    """Not clean, because frames came that we never sent; that alone is enough."""
    equal(result.status, 3, f"status\n{result.text()}")
    found = [r for r in result.json["reasons"] if "not been sent" in r and "test-id 7" in r]
    equal(len(found), 1, f"reasons that name the test-id\n{result.text()}")


def other_generator(lab, *words, nb=NB):
    """A second tgen sends its frames from ether3 to ether2, on the wire of the first one."""
    config = stations("s32")
    config["ports"] = config["ports"][2:]
    del config["packet-templates"][0]["rx-port"]
    config["packet-templates"][0]["mac-dst"] = lab.mac("gen", "ether2")
    with relay(lab, "--one-way", ports=("dut3", "dut2")) as r:
        sent = lab.quick(config, "tx-template=s32", "packet-size=60", f"packet-count={nb}", f"cpu-core={cpus()[1]}",
                         *COUNTING, *words)
    r.check_clean()
    equal(sent.stream("s32", "tx-packet"), nb, f"frames of the other generator\n{sent.text()}")
    equal(r.count("ab", "forwarded"), nb, "frames of the other generator that reached the wire")


def another_id(lab):
    """another tgen with another test-id: its frames are unknown, each, and nothing else changes"""
    result = ours_clean(lab, 1000, lambda: other_generator(lab, "test-id=9", "pps=1000"), "test-id=7")
    check_only(result, "s12")
    equal(result.ports["ether2"]["unknown"], NB, f"unknown\n{result.text()}")
    equal(sum(u["count"] for u in result.json["unknown"] if "1.1.1.3" in u["text"]), NB, "unknown from 1.1.1.3")
    check_rows(result)


def same_id_ahead(lab):
    """the same test-id and sequences ahead of ours: unknown, none of ours is lost, not clean, and why"""
    nb = 3000
    result = ours(lab, 100, lambda: other_generator(lab, "test-id=7", "pps=5000", nb=nb), "test-id=7")
    check_foreign(result)
    s = result.streams["s12"]
    check(result.ports["ether2"]["unknown"] > nb // 4, f"unknown\n{result.text()}")
    equal(result.ports["ether2"]["unknown"] + s["duplicate"], nb, f"unknown and duplicates\n{result.text()}")
    equal((s["lost-packet"], s["rx-ooo"], s["misrouted"]), (0, 0, 0), f"ours\n{result.text()}")


def same_id_behind(lab):
    """the same test-id and sequences that we sent before: duplicates"""
    def meanwhile():
        lab.wait_for_traffic("dut1", NB)
        other_generator(lab, "test-id=7", "pps=500")

    # Slow enough for the window in which copies are told, 4096 frames, to hold all of the run.
    check_only(ours_clean(lab, 200, meanwhile, "test-id=7"), "s12", duplicate=NB)


# ---- frames that are made or replayed ----

def signed(frame, **changes):
    """With another lane, seq or time in its signature, and the complement made right."""
    at = 14 + struct.unpack("!H", frame[16:18])[0] - frames.SIGNATURE.size
    names = ("magic", "test_id", "epoch", "lane", "seq", "time")
    fields = dict(zip(names, frames.SIGNATURE.unpack(frame[at:at + frames.SIGNATURE.size]))) | changes
    body = frames.SIGNATURE.pack(*[fields[n] for n in names], 0)[:-2]
    return frame[:at] + body + struct.pack("!H", 0xFFFF ^ frames.ones_sum(body)) + frame[at + frames.SIGNATURE.size:]


def now():
    return (time.monotonic_ns() & MASK48).to_bytes(6, "big")


def replayed(lab):
    """frames of an earlier run with the same test-id are stray, each"""
    with Tap(lab, "dut1", False) as tap:
        with relay(lab):
            first = lab.quick(stations("s12"), "tx-template=s12", "packet-size=60", "pps=2000", f"packet-count={NB}",
                              *COUNTING)
        old = tap.raw()
    equal((first.stream("s12", "rx-packet"), len(old)), (NB, NB), f"frames recorded\n{first.text()}")
    with lab.packet_socket("dut", "dut2") as wire:
        result = ours_clean(lab, 1000, lambda: [wire.send(f) for f in old])
    check_only(result, "s12", stray=NB)
    equal(port_sum(result, "stray"), NB, "stray on all ports")


def made(lab):
    """frames made with our test-id: of a lane that we have not, unknown; of a sequence to come, not clean"""
    def other_lanes():
        frame = tap.raw()[-1]
        for i in range(NB):
            wire.send(signed(frame, lane=1 + i % 100, seq=i, time=now()))

    def to_come():
        wire.send(signed(tap.raw()[-1], seq=1 << 20, time=now()))

    with Tap(lab, "dut1", False) as tap, lab.packet_socket("dut", "dut2") as wire:
        result = ours_clean(lab, 1000, other_lanes, "test-id=7")
        check_only(result, "s12")
        equal(result.ports["ether2"]["unknown"], NB, f"unknown\n{result.text()}")
        result = ours(lab, 1000, to_come, "test-id=7")
    check_foreign(result)
    check_only(result, "s12")
    equal(result.ports["ether2"]["unknown"], 1, f"unknown\n{result.text()}")


if __name__ == "__main__":
    sys.exit(run([another_id, same_id_ahead, same_id_behind, replayed, made], kind="relay"))
