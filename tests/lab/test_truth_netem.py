#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same with the kernel's netem instead of the relay, where the kernel has it: loss, copies, disorder
and delay. netem keeps no log: the truth is what comes in by dut1 and leaves by dut2."""
import contextlib
import sys

from lab import ATTEMPTS, SKIPPED, Failure, Lab, Skip, check, equal, run
from truth import COUNTING, MS, Sent, Tap, check_only, check_outage, check_rows, is_clean

PPS = 2000
CLOCK_NS = 10000


@contextlib.contextmanager
def netem(lab, *words):
    """On the way out to ether2, with the neighbour known: ARP is not impaired."""
    lab.dut("ip", "neigh", "replace", "2.2.2.2", "lladdr", lab.mac("gen", "ether2"), "dev", "dut2")
    # 64 Ki packets of room: none is dropped that was not to be.
    lab.dut("tc", "qdisc", "add", "dev", "dut2", "root", "netem", "limit", "65536", *words)
    try:
        yield
    finally:
        lab.dut("tc", "qdisc", "del", "dev", "dut2", "root")


def lacks_netem():
    """Why there is no netem in a lab; None: there is."""
    try:
        with Lab("router", ports=2) as lab:
            done = lab.dut("tc", "qdisc", "add", "dev", "dut2", "root", "netem", "delay", "1ms", must=False)
            return None if done.returncode == 0 else f"no netem here, tc says: {done.stderr.strip()}"
    except Skip as why:
        return str(why)


def measure(lab, *words):
    """A clean run: its result, what was sent, and the frames that left, in their order."""
    with netem(lab, *words):
        for _ in range(ATTEMPTS):
            with Tap(lab, "dut1", False) as came, Tap(lab, "dut2", True) as left:
                result = lab.quick("mikrotik-routing.json", "tx-template=r12", "packet-size=60", f"pps={PPS}",
                                   "duration=1500ms", *COUNTING)
                sent = [Sent(f.seq, f.time_ns) for f in came.test_frames()]
                if is_clean(result):
                    equal(len(sent), result.stream("r12", "tx-packet"), "sent, against what came in by dut1")
                    check_rows(result)
                    return result, sent, [f.seq for f in left.test_frames()]
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


def out_of_order(seqs):
    """Of the first copies, as a receiver counts."""
    highest, seen, nb = -1, set(), 0
    for seq in seqs:
        if seq not in seen:
            nb += seq < highest
            highest = max(highest, seq)
            seen.add(seq)
    return nb


def loss(lab):
    """loss 5 %: lost and outage are those that did not leave"""
    result, sent, left = measure(lab, "loss", "5%")
    lost = len(sent) - len(left)
    check(0.02 * len(sent) < lost < 0.1 * len(sent), f"netem lost {lost} of {len(sent)}")
    check_only(result, "r12", lost_packet=lost)
    check_outage(result, "r12", sent, set(left), PPS)


def duplicate(lab):
    """duplicate 5 %: duplicates are those that left twice"""
    result, sent, left = measure(lab, "duplicate", "5%")
    check(len(left) > 1.02 * len(sent), f"{len(left)} of {len(sent)} left")
    check_only(result, "r12", duplicate=len(left) - len(sent))


def reorder(lab):
    """delay 5 ms, reorder 5 %: RX-OOO is what left out of order"""
    result, _, left = measure(lab, "delay", "5ms", "reorder", "5%")
    check(out_of_order(left) > 20, "next to nothing left out of order")
    check_only(result, "r12", rx_ooo=out_of_order(left))


def delay(lab):
    """delay 10 ms: not less at the least, and P50 by no more than 1 % and what it is without delay"""
    floor_ns = measure(lab)[0].stream("r12", "lat-p50")
    result, sent, left = measure(lab, "delay", "10ms")
    equal(left, [s.seq for s in sent], "frames that left")
    check_only(result, "r12")
    least, median = result.stream("r12", "lat-min"), result.stream("r12", "lat-p50")
    late = result.json["health"]["lag"]["p90"]
    check(least >= 10 * MS - CLOCK_NS, f"least {least} ns\n{result.text()}")
    check(median <= 10.1 * MS + floor_ns + late, f"P50 {median} ns, floor {floor_ns}, lag {late}\n{result.text()}")


if __name__ == "__main__":
    WHY = lacks_netem()
    if WHY:
        print(f"skipped: {WHY}")
        sys.exit(SKIPPED)
    sys.exit(run([loss, duplicate, reorder, delay]))
