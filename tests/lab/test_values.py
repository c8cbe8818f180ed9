#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Some varying fields, a mix of sizes and a schedule, on the wire: the short form of truth-values, -sizes
and -schedule."""
import collections
import sys

import values
import wire
from lab import equal, run

CASES = {name: values.CASES[name] for name in (
    "inc", "dec", "weights", "shuffle", "tuple", "nest", "length", "rfc4814", "inc-ipv6", "vlan", "tcp", "ranges", "masks")}


def on_the_wire(lab):
    """the values on the wire are those asked for, and every checksum is right"""
    sent = wire.send(lab, values.conf(CASES), *values.words(CASES, 1000))
    for name, case in CASES.items():
        values.check_case(name, case, wire.in_stream_order(sent.streams[name]))


def sizes_and_bursts(lab):
    """imix, a range and a genome in whole periods; bursts of so many frames"""
    conf = wire.config({name: values.UDP for name in ("imix", "range", "genome", "bursts")})
    sent = wire.send(lab, conf, "packet-size=imix,60-159,genome:aaafg,60", "pps=400", "packet-count=120,200,100,90",
                     "burst-packets=0,0,0,30", "inter-burst-gap=200ms")
    sizes = {name: [f.size for f in seen] for name, seen in sent.streams.items()}
    equal(collections.Counter(sizes["imix"]), {60: 70, 590: 40, 1514: 10}, "sizes of imix")
    equal(collections.Counter(sizes["range"]), {k: 2 for k in range(60, 160)}, "sizes of a range")
    equal(sizes["genome"], [60, 60, 60, 1276, 1514] * 20, "sizes of a genome")
    times = [f.time_ns for f in sent.streams["bursts"]]
    # Two pauses of 200 ms, which a late burst can only shorten by its lateness.
    long = [i for i, (a, b) in enumerate(zip(times, times[1:]), 1) if b - a > 150 * 10**6]
    equal(long, [30, 60], "frames before a pause")


if __name__ == "__main__":
    sys.exit(run([on_the_wire, sizes_and_bursts], kind="relay", ports=2))
