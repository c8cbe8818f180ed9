#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Varying fields: the values on the wire are those asked for, each as often as asked, checksums right in
every frame; and the same words are the same frames, run after run, from one queue or from two."""
import collections
import sys

import values
import wire
from lab import Skip, equal, run
from values import CASES

PPS = 1000
# Of every kind of sequence one or two, by two queues alone: a stream has several when it is the port's only one.
SHARED = ("inc-ip", "weights", "shuffle", "uneven", "nest", "nest-groups", "length", "rand-count", "rfc4814-ipv6",
          "qinq-ipv6", "tcp", "bits", "ranges", "masks")
seen_first = {}


def in_order(sent):
    return {name: wire.in_stream_order(seen) for name, seen in sent.streams.items()}


def one_queue(lab):
    """sets, orders, shares and ranges are those asked for, and every checksum is right"""
    sent = wire.send(lab, values.conf(CASES), *values.words(CASES, PPS), wire.cpus(1))
    seen_first.update(in_order(sent))
    for name, case in CASES.items():
        values.check_case(name, case, seen_first[name])


def check_same(again):
    """But for the destination MAC, which is the template's number in this test."""
    for name, seen in again.items():
        wrong = [i for i, (a, b) in enumerate(zip(seen_first[name], seen)) if a.data[6:] != b.data[6:]]
        equal((len(seen), wrong[:3]), (len(seen_first[name]), []), f"{name}: frames, and which of them differ")


def again(lab):
    """the same words once more are the same frames, byte for byte but for the signature"""
    check_same(in_order(wire.send(lab, values.conf(CASES), *values.words(CASES, PPS), wire.cpus(1))))


def two_workers(lab):
    """so they are when two workers have half of the streams each"""
    check_same(in_order(wire.send(lab, values.conf(CASES), *values.words(CASES, PPS), two_cpus())))


def two_cpus():
    if wire.cpus(2) is None:
        raise Skip("two workers need two CPUs")
    return wire.cpus(2)


def two_queues(lab):
    """so they are when one stream leaves by two queues, number for number"""
    for name in SHARED:
        one = {name: CASES[name]}
        sent = wire.send(lab, values.conf(one), *values.words(one, PPS), two_cpus())
        equal({f.lane for f in sent.streams[name]}, {0, 1}, "lanes of the stream")
        check_same(in_order(sent))


def other_seed(lab):
    """another seed is another sequence"""
    conf = wire.config({f"seed{k}": {**values.UDP, "udp-src-port": f"rand:0-65535+seed={k}",
                                     "udp-dst-port": f"shuffle:1-300+seed={k}"} for k in (1, 2)})
    sent = in_order(wire.send(lab, conf, "packet-size=60", "pps=2000", "packet-count=300"))
    for key in (values.sport, values.dport):
        alike = sum(key(a) == key(b) for a, b in zip(sent["seed1"], sent["seed2"]))
        equal(alike < 12, True, f"{alike} of 300 alike")


def composed(lab):
    """all at once: tags, IPv6, TCP, nested and random fields, random payload, a range of sizes, random gaps"""
    conf = wire.config({"all": {
        "header-stack": "mac,vlan,ipv6,tcp", "ipv6-dst": "2001:db8:2::1-2001:db8:2::7", "vlan-id": "10-14",
        "tcp-src-port": "1-11", "tcp-dst-port": "rand:1-65535", "nest": "vlan-id+tcp-src-port,ipv6-dst",
        "data": "random", "random-ranges": "80:16:0-65535"}})
    runs = []
    for cpus in (wire.cpus(1), wire.cpus(2)):
        if cpus:
            sent = wire.send(lab, conf, "packet-size=100-799", "pps=1000", "gaps=poisson", "packet-count=1400", cpus)
            runs.append(wire.in_stream_order(sent.streams["all"]))
    equal(collections.Counter(f.size for f in runs[0]), {size: 2 for size in range(100, 800)}, "sizes")
    # 55 steps of the first group, 7 of the other
    flows = [(f.vlans[0], f.sport, int(f.ip_dst) & 0xFF) for f in runs[0][:385]]
    equal(flows, [(10 + i % 5, 1 + i % 11, 1 + i // 55) for i in range(385)], "VLAN, source port, destination")
    equal([f.data for f in runs[-1]] == [f.data for f in runs[0]], True, "the same frames from two queues")


if __name__ == "__main__":
    sys.exit(run([one_queue, again, two_workers, two_queues, other_seed, composed], kind="relay", ports=2))
