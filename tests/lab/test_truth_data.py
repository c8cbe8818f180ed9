#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Payloads: the bytes on the wire are those asked for, and verify-data=yes counts bad exactly the frames in
which the relay flipped a bit of them, without any checksum to help, at every size of a mix."""
import collections
import os
import random
import sys

import wire
from lab import ATTEMPTS, Failure, check, equal, run
from truth import COUNTING, check_rows, is_clean, originals, relay

HEADERS, SIZES, PPS = 42, "70-269", 400
FILE = random.Random(4).randbytes(1003)  # no divisor of anything: it is repeated within no frame, across sizes


def repeated(pattern):
    return lambda nb: (pattern * (nb // len(pattern) + 1))[:nb]


KINDS = {
    "zeros": ({}, repeated(b"\0")),
    "byte": ({"data": "specific-byte", "data-byte": "a5"}, repeated(b"\xa5")),
    "incrementing": ({"data": "incrementing"}, repeated(bytes(range(256)))),
    "hex": ({"data": "hex", "data-hex": "0123456789abcd"}, repeated(bytes.fromhex("0123456789abcd"))),
    "file": ({"data": "file"}, repeated(FILE)),
    "random": ({"data": "random", "data-seed": 1}, None),
    "random-2": ({"data": "random", "data-seed": 2}, None),
    # Bytes of the payload that change from frame to frame are what was sent, too.
    "varying": ({"data": "incrementing", "random-ranges": "45:16:1-65535"}, repeated(bytes(range(256)))),
}


def config(lab):
    path = os.path.join(lab.dir, "payload")
    with open(path, "wb") as f:
        f.write(FILE)
    common = {"header-stack": "mac,ip,udp", "ip-dst": "1.1.1.2", "rx-port": "ether2"}
    conf = wire.config({name: {**common, **fields, **({"data-file": path} if name == "file" else {})}
                        for name, (fields, _) in KINDS.items()})
    conf["ports"].append({"name": "ether2", "device": "auto:ether2", "address": ["1.1.1.2/24"]})
    return conf


def measure(lab, relay_words, *words):
    """A clean run: result, relay, and the frames of each stream as they came to the relay."""
    for _ in range(ATTEMPTS):
        captured = wire.Wire(lab)
        with relay(lab, *relay_words) as r:
            result = lab.quick(config(lab), f"tx-template={','.join(KINDS)}", f"packet-size={SIZES}", f"pps={PPS}",
                               "packet-count=500", *words, wire.cpus(1), *COUNTING)
        found = captured.stop(wire.ours)
        r.check_clean()
        if is_clean(result):
            streams = {name: [] for name in KINDS}
            for frame in found:
                streams[list(KINDS)[int.from_bytes(frame.raw[4:6], "big")]].append(frame)
            return result, r, streams
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


def check_payloads(streams):
    """Behind the headers up to the signature, in every frame."""
    payloads = {name: [f.data[HEADERS:] for f in seen] for name, seen in streams.items()}
    check(len({p[3:5] for p in payloads["varying"]}) > 450, "bytes that hardly vary")
    payloads["varying"] = [p[:3] + b"\3\4" + p[5:] for p in payloads["varying"]]
    for name, (_, made) in KINDS.items():
        equal(len(payloads[name]), 500, f"{name}: frames")
        longest = max(payloads[name], key=len)
        wrong = [p.hex() for p in payloads[name] if p != (made(len(p)) if made else longest[:len(p)])]
        equal(wrong[:2], [], f"{name}: payloads that are not those asked for")
    one, other = (max(payloads[name], key=len) for name in ("random", "random-2"))
    check(sum(a == b for a, b in zip(one, other)) < 10, "two seeds, one payload")
    check(len(set(one)) > 80, f"only {len(set(one))} different bytes of {len(one)}")


def untouched(lab):
    """the bytes on the wire are those asked for, and none is bad when the relay changes none"""
    result, _, streams = measure(lab, (), "verify-data=yes")
    check_payloads(streams)
    equal(result.status, 0, f"status\n{result.text()}")
    for name, s in result.streams.items():
        equal((s["rx-packet"], s["rx-bad-csum"], s["lost-packet"]), (500, 0, 0), f"{name}: good, bad, lost\n{result.text()}")


def flipped(lab):
    """one bit of the payload flipped in every third frame: exactly those are bad"""
    result, r, _ = measure(lab, ("--ab", "--corrupt", "30%", "--corrupt-field", "payload"), "verify-data=yes")
    bad = collections.Counter(x.lane for x in originals(r) if "corrupt" in x.decision)
    check(min(bad.values()) > 80, f"corrupted: {bad}")
    for lane, (name, s) in enumerate(result.streams.items()):
        equal((s["rx-packet"], s["rx-bad-csum"], s["lost-packet"]), (500 - bad[lane], bad[lane], bad[lane]),
              f"{name}: good, bad, lost\n{result.text()}")
    equal(result.ports["ether2"]["bad"], sum(bad.values()), "bad of the port")
    check_rows(result)


def unseen(lab):
    """the same without verify-data: all good, as no checksum covers them"""
    result, r, _ = measure(lab, ("--ab", "--corrupt", "30%", "--corrupt-field", "payload"))
    check(len(r.having("corrupt")) > 600, "hardly any corrupted")
    equal({(s["rx-packet"], s["rx-bad-csum"]) for s in result.streams.values()}, {(500, 0)}, f"good, bad\n{result.text()}")


if __name__ == "__main__":
    sys.exit(run([untouched, flipped, unseen], kind="relay", ports=2))
