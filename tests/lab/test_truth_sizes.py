#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mixes of sizes on the wire: each size as often as asked over whole periods, bytes that are tgen's and the
kernel's, and a rate that is the one asked for on every layer; with checksums right at every size."""
import collections
import math
import sys
from fractions import Fraction

import wire
from lab import check, equal, run
from values import UDP, UDP6
from wire import about

VARYING = {**UDP, "udp-src-port": "1000-1036"}
VLAN = {**VARYING, "header-stack": "mac,vlan,ip,udp", "vlan-id": "5"}
TCP = {"header-stack": "mac,ip,tcp", "ip-dst": "2.2.2.1-2.2.2.9"}
# template, packet-size, the sizes of a period with their numbers; or a list: their very order
MIXES = {
    "imix": (VARYING, "imix", {60: 7, 590: 4, 1514: 1}),
    "imix-570": (VARYING, "imix-570", {60: 7, 566: 4, 1514: 1}),
    "imix-576": (VARYING, "imix-576", {60: 7, 572: 4, 1514: 1}),
    "imix-ipv6": (UDP6, "imix-ipv6", {80: 7, 566: 4, 1514: 1}),
    "imix-tolly": (VARYING, "imix-tolly", {60: 55, 74: 5, 572: 17, 1514: 23}),
    "range": (VARYING, "60-199", {k: 1 for k in range(60, 200)}),
    "range-ipv6": (UDP6, "80-139", {k: 1 for k in range(80, 140)}),
    "range-tcp": (TCP, "72-133", {k: 1 for k in range(72, 134)}),
    "weights": (VARYING, "60=7+1514=1", {60: 7, 1514: 1}),
    "weights-3": (VARYING, "100=3+200=2+301=5", {100: 3, 200: 2, 301: 5}),
    "weighted-range": (VLAN, "64-67=2+1514=1", {64: 1, 65: 1, 66: 1, 67: 1, 1514: 2}),
    "genome": (VARYING, "genome:aaafg", [60, 60, 60, 1276, 1514]),
    "genome-runs": (TCP, "genome:3xbc+2xggb", [124, 252] * 3 + [1514, 1514, 124] * 2),
    "genome-mtu": (VARYING, "genome:adez", [60, 508, 1020, 1514]),
    "odd": (VARYING, "63=1+61=1", {63: 1, 61: 1}),
}
PERIODS, PPS = 6, 500


def period(mix):
    sizes = MIXES[mix][2]
    return sizes if isinstance(sizes, dict) else collections.Counter(sizes)


def conf(names):
    return wire.config({n: MIXES[n][0] for n in names})


def whole_periods(lab):
    """over every period exactly the sizes asked for, at every moment each within one of its share"""
    for cpus in (wire.cpus(1), wire.cpus(2)):
        if cpus:
            counts = [str(PERIODS * sum(period(n).values())) for n in MIXES]
            sent = wire.send(lab, conf(MIXES), f"packet-size={','.join(m[1] for m in MIXES.values())}", f"pps={PPS}",
                             f"packet-count={','.join(counts)}", cpus)
            for name, seen in sent.streams.items():
                with about(name):
                    check_mix(name, [f.size for f in wire.in_stream_order(seen)])
    check_two_queues(lab)


def check_two_queues(lab):
    """The same from two queues, each of which has every other frame."""
    for name in ("imix", "range", "genome-runs"):
        if wire.cpus(2):
            sent = wire.send(lab, conf([name]), f"packet-size={MIXES[name][1]}", f"pps={PPS}",
                             f"packet-count={PERIODS * sum(period(name).values())}", wire.cpus(2))
            with about(f"{name} from two queues"):
                equal(len({f.lane for f in sent.streams[name]}), 2, "lanes")
                check_mix(name, [f.size for f in wire.in_stream_order(sent.streams[name])])


def check_mix(name, sizes):
    asked, n = period(name), sum(period(name).values())
    equal(len(sizes), PERIODS * n, "frames")
    for k in range(PERIODS):
        equal(collections.Counter(sizes[k * n:(k + 1) * n]), asked, f"sizes of period {k}")
    if isinstance(MIXES[name][2], list):
        equal(sizes, MIXES[name][2] * PERIODS, "sizes in their order")
    elif name.startswith(("imix", "weights")):
        so_far = collections.Counter()
        for i, size in enumerate(sizes, 1):
            so_far[size] += 1
            for value, weight in asked.items():
                check(abs(so_far[value] - Fraction(i * weight, n)) < 1, f"{so_far[value]} of {value} bytes in {i}")


def with_fcs(lab):
    """frame-size counts the FCS, a list of sizes goes stream by stream, and a seed is another order"""
    conf_ = wire.config({"a": VARYING, "b": VARYING, "c": VARYING})
    sent = wire.send(lab, conf_, "frame-size=64-127,64-127,128", f"pps={PPS}", "packet-count=64", "seed=1,2,0")
    a, b, c = ([f.size for f in sent.streams[name]] for name in "abc")
    equal((sorted(a), sorted(b), set(c)), (list(range(60, 124)), list(range(60, 124)), {124}), "sizes")
    check(a != b, "two seeds, one order")


def rates(lab):
    """mbps of any mix is bytes over time, to the frame, counted on the layer asked for"""
    names, mbps, ms = ("imix", "range", "weights-3", "genome", "imix-ipv6"), Fraction(1), 1500
    for layer, more in (("packet", 0), ("l1", 24), ("l2", 4), ("l3", -14)):
        sent = wire.send(lab, conf(names), f"packet-size={','.join(MIXES[n][1] for n in names)}", f"mbps={mbps}",
                         f"rate-layer={layer}", f"duration={ms}ms")
        for name, seen in sent.streams.items():
            with about(f"{name}, {layer}"):
                check_rate(sent.result.streams[name], seen, period(name), mbps * 10**6, Fraction(ms, 1000), more)


def check_rate(stream, seen, asked, bps, seconds, more):
    n = sum(asked.values())
    mean = Fraction(sum(size * nb for size, nb in asked.items()), n)
    pps = bps / 8 / (mean + more)
    # Where the stream begins within its first interval is not said: one frame more or less.
    due = pps * seconds
    check(math.floor(due) <= len(seen) <= math.ceil(due), f"{len(seen)} frames, not {float(due)}")
    whole = len(seen) // n * n
    equal(sum(f.size for f in seen[:whole]), mean * whole, "bytes of whole periods")
    rate = sum(f.size + more for f in seen) * 8 / seconds
    slack = (max(asked) + more + 24) * 8 * 2 / seconds
    check(abs(rate - bps) <= slack, f"{float(rate)} bit/s on the wire, not {bps}")
    check(abs(stream["tx-rate"] - rate) <= rate / 200, f"tx-rate {stream['tx-rate']}, on the wire {float(rate)}")


if __name__ == "__main__":
    sys.exit(run([whole_periods, with_fcs, rates], kind="relay", ports=2))
