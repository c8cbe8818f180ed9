#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A DUT that is out for a while in mid-run: tgen's outage is what was lost, by the times of sending."""
import subprocess
import sys
import time

from lab import ATTEMPTS, Failure, check, equal
from truth import (COUNTING, MASK48, MS, Sent, Tap, check_only, check_outage, check_row_losses, check_rows, is_clean,
                   measure, originals, run_both, stations)

PPS = 1000
OUT_NS = 300 * MS
WORDS = (f"pps={PPS}", "packet-size=60", "duration=2500ms", *COUNTING)


def relayed(lab):
    """300 ms of loss there: length, begin and frames lost are the log's, the other way loses nothing"""
    words = ("--ab", "--loss-from", "600ms", "--loss-for", "300ms")
    result, relay = measure(lab, stations("s12", "s21"), words, "tx-template=s12,s21", *WORDS)
    sent = originals(relay)
    lost = [x for x in sent if "lose" in x.decision]
    check_only(result, "s12", lost_packet=len(lost))
    length, begin, nb = check_outage(result, "s12", [Sent(x.seq, x.sig_time_ns) for x in sent],
                                     {x.seq for x in sent if "lose" not in x.decision}, PPS)
    equal(nb, len(lost), "frames lost in the outage: all that were")
    lag_ns = result.json["lag-max-ns"]
    for what, ns in (("first to last frame lost", lost[-1].sig_time_ns - lost[0].sig_time_ns),
                     ("as asked of the relay", OUT_NS)):
        check(abs(length - ns) <= 5 * MS + lag_ns, f"outage of {length} ns; {what}: {ns} ns\n{result.text()}")
    check(abs(lost[0].sig_time_ns - begin) <= 5 * MS + lag_ns, "begin, against the first frame lost")
    check_only(result, "s21")
    equal(result.stream("s21", "outage"), 0, "outage the other way")
    equal(result.json["total"]["outage"], result.stream("s12", "outage"), "outage of all streams")
    check_rows(result)
    check_row_losses(result, 0, (x.epoch for x in lost))


def shorter_ones(lab):
    """with loss all the time, the outage is the longest of all gaps, with the frames of that gap alone"""
    words = ("--ab", "--loss", "10", "--loss-from", "600ms", "--loss-for", "300ms")
    result, relay = measure(lab, stations("s12"), words, "tx-template=s12", *WORDS)
    sent = originals(relay)
    good = {x.seq for x in sent if "lose" not in x.decision}
    _, _, nb = check_outage(result, "s12", [Sent(x.seq, x.sig_time_ns) for x in sent], good, PPS)
    check(nb < relay.count("ab", "lost") - 100, "the relay lost too little beside")


def at_the_ends(lab):
    """an outage from the first frame on, and one that lasts until the last"""
    for start, length in (("0s", "300ms"), ("700ms", "60s")):
        words = ("--ab", "--loss-from", start, "--loss-for", length)
        result, relay = measure(lab, stations("s12"), words, "tx-template=s12", f"pps={PPS}", "packet-size=60",
                                "duration=1s", *COUNTING)
        sent = originals(relay)
        good = {x.seq for x in sent if "lose" not in x.decision}
        length, _, nb = check_outage(result, "s12", [Sent(x.seq, x.sig_time_ns) for x in sent], good, PPS)
        equal(nb, relay.count("ab", "lost"), f"loss from {start}: frames lost in the outage")
        check(length > 250 * MS, f"loss from {start}: {length} ns")


# ---- a link that goes down ----

def set_link(lab, device, state):
    """When it was, at the earliest and at the latest. Not by scripts/lab, which takes longer."""
    before = time.monotonic_ns()
    subprocess.run(["ip", "-n", f"{lab.name}-dut", "link", "set", device, state], check=True)
    return before & MASK48, time.monotonic_ns() & MASK48


def link_down(lab, device, wait_on):
    """Some 300 ms without the link, a while after the traffic began."""
    lab.wait_for_traffic("dut1", 2 * PPS // 3)
    down = set_link(lab, device, "down")
    time.sleep(0.3)  # the length of the outage: not to wait for anything
    up = set_link(lab, device, "up")
    wait_on()
    return down, up


def measure_link(lab):
    """A clean run with the link down meanwhile: its result, the frames that came in by dut1 and left by
    dut2 and dut3, and when the link went down and up."""
    mac = lab.mac("gen", "ether2")

    def neighbour():
        # The kernel forgot it with the link: without this the outage would last until ARP is through.
        lab.dut("ip", "neigh", "replace", "2.2.2.2", "lladdr", mac, "dev", "dut2")

    for _ in range(ATTEMPTS):
        with Tap(lab, "dut1", False) as came, Tap(lab, "dut2", True) as left, Tap(lab, "dut3", True) as other:
            with lab.start("mikrotik-routing.json", "quick", "tx-template=r12,r13", *WORDS) as p:
                times = link_down(lab, "dut2", neighbour)
                result = p.wait()
            if is_clean(result):
                return result, came.test_frames(), left.test_frames(), other.test_frames(), times
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


def link(lab):
    """the router's way out is down for 300 ms: outage and frames lost are those that did not leave"""
    result, came, left, other, (down, up) = measure_link(lab)
    sent = [Sent(f.seq, f.time_ns) for f in came if f.lane == 0]
    good = {f.seq for f in left}
    equal(len(sent), result.stream("r12", "tx-packet"), f"sent, against what came in by dut1\n{result.text()}")
    equal({f.lane for f in left}, {0}, "streams that left by dut2")
    lost = [s for s in sent if s.seq not in good]
    check_only(result, "r12", lost_packet=len(lost), returned=result.stream("r12", "returned"))
    length, begin, nb = check_outage(result, "r12", sent, good, PPS)
    equal(nb, len(lost), "frames lost in the outage: all that were")
    lag_ns = result.json["lag-max-ns"]
    check(down[0] - 5 * MS - lag_ns <= begin <= down[1] + 5 * MS + lag_ns,
          f"began {begin - down[0]} ns after the link was to go down\n{result.text()}")
    check(begin + length >= up[0] - 5 * MS - lag_ns, f"ended {up[0] - begin - length} ns before the link was to go up")
    check(abs(length - (lost[-1].time_ns - lost[0].time_ns)) <= 5 * MS + lag_ns, "first to last frame lost")
    # The rest of the run is as it was.
    check_only(result, "r13")
    equal(len(other), result.stream("r13", "tx-packet"), "r13, against what left by dut3")
    check_rows(result)
    check_row_losses(result, 0, (f.epoch for f in came if f.lane == 0 and f.seq not in good))
    check(result.ports["ether2"]["link-changed"], "it is not told that the link of ether2 went down")


if __name__ == "__main__":
    sys.exit(run_both([relayed, shorter_ones, at_the_ends], [link]))
