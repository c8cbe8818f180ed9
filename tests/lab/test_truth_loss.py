#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lost frames: tgen's figure is the DUT's, to the frame, in rows and in totals."""
import sys

from lab import check, equal, settings
from truth import (COUNTING, Sent, check_none, check_only, check_outage, check_row_losses, check_rows, measure,
                   originals, run_both, stations)

WORDS = ("tx-template=s12,s21", "packet-size=60", "pps=2000,1000", "duration=1500ms", *COUNTING)
DIRECTIONS = {"s12": ("ab", 2000), "s21": ("ba", 1000)}
DROP = """table ip probe {
    counter lost { }
    counter passed { }
    chain forward {
        type filter hook forward priority 0; policy accept;
        ip daddr 2.2.2.2 meta l4proto udp numgen random mod 100 < 1 counter name lost drop
        ip daddr 2.2.2.2 meta l4proto udp counter name passed
    }
}"""


def check_lost(result, relay, name):
    """Frame by frame: the sum, each second by the epoch that the frames carry, and the outage."""
    direction, pps = DIRECTIONS[name]
    sent = originals(relay, direction)
    lost = [x for x in sent if "lose" in x.decision]
    equal(result.stream(name, "tx-packet"), len(sent), f"{name}: sent, against what came to the relay")
    check_only(result, name, lost_packet=len(lost))
    check_row_losses(result, list(DIRECTIONS).index(name), (x.epoch for x in lost))
    good = {x.seq for x in sent} - {x.seq for x in lost}
    check_outage(result, name, [Sent(x.seq, x.sig_time_ns) for x in sent], good, pps)


def logged(lab):
    """1 % there and 3 % back: lost is what the relay lost, in each row by the second of sending"""
    result, relay = measure(lab, stations("s12", "s21"), ("--ab", "--loss", "1%", "--ba", "--loss", "3%"), *WORDS)
    equal(result.status, 0, f"status\n{result.text()}")
    check(relay.count("ab", "lost") > 10 and relay.count("ba", "lost") > 10, "the relay lost next to nothing")
    for name in DIRECTIONS:
        check_lost(result, relay, name)
    check_rows(result)
    total = result.json["total"]
    equal(total["lost-packet"], relay.count("ab", "lost") + relay.count("ba", "lost"), "lost of all streams")
    equal(total["outage"], max(result.stream(n, "outage") for n in DIRECTIONS), "outage of all streams")


def each_fifth(lab):
    """each fifth is lost: not a frame more"""
    result, relay = measure(lab, stations("s12", "s21"), ("--ab", "--loss-every", "5"), *WORDS)
    equal(result.stream("s12", "lost-packet"), 600, f"lost of 3000\n{result.text()}")
    equal(result.stream("s12", "lost-ratio"), 0.2, "ratio")
    check_lost(result, relay, "s12")
    check_only(result, "s21")


def nothing_lost(lab):
    """nothing is lost: 0, the outage too"""
    result, relay = measure(lab, stations("s12", "s21"), (), *WORDS)
    equal((relay.count("ab", "lost"), relay.count("ba", "lost")), (0, 0), "lost in the relay")
    check_rows(result)
    for name in DIRECTIONS:
        check_only(result, name)
        check_none(result, name, "outage", "outage-lost")
        equal(result.stream(name, "outage-begin"), None, f"{name}: begin of no outage")


def everything_lost(lab):
    """everything of one stream is lost: it, and nothing of the other; the outage is the whole run"""
    result, relay = measure(lab, stations("s12", "s21"), ("--ab", "--loss", "100"), *WORDS)
    check_lost(result, relay, "s12")
    equal(result.stream("s12", "rx-packet"), 0, "received")
    # By send time, to the log: from the first frame to an interval after the last.
    times = [x.sig_time_ns for x in originals(relay, DIRECTIONS["s12"][0])]
    whole = max(times) - min(times) + 1000000000 // DIRECTIONS["s12"][1]
    check(abs(result.stream("s12", "outage") - whole) <= 2000, f"outage, not {whole} ns\n{result.text()}")
    check_only(result, "s21")


def by_rule(lab):
    """a rule of the Linux router drops 1 %: lost is the rule's counter"""
    with settings(lab, DROP):
        result = lab.quick_clean("mikrotik-routing.json", "tx-template=r12,r21", "packet-size=60", "pps=3000,500",
                                 "duration=1500ms", *COUNTING, before=lab.reset_counters)
        counters = lab.counters()
    check(counters["lost"] > 10, f"the rule dropped next to nothing: {counters}")
    check_only(result, "r12", lost_packet=counters["lost"])
    equal(result.stream("r12", "rx-packet"), counters["passed"], "received, against what the router let pass")
    check_only(result, "r21")
    check_rows(result)


if __name__ == "__main__":
    sys.exit(run_both([logged, each_fifth, nothing_lost, everything_lost], [by_rule]))
