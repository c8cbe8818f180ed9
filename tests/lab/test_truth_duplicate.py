#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Copies, and frames that leave by the wrong port: duplicates and misrouted are the DUT's, to the frame."""
import contextlib
import sys

from lab import check, equal, settings
from truth import COUNTING, check_only, check_rows, measure, port_sum, run_both, stations

WORDS = ("tx-template=s12,s21", "packet-size=60", "pps=2000,1000", "duration=1500ms", *COUNTING)
ROUTED = ("mikrotik-routing.json", "tx-template=r12,r13", "packet-size=60", "pps=2000,500", "duration=1500ms",
          *COUNTING)


def copied(lab):
    """5 % twice: duplicates are the relay's copies, nothing is lost or out of order"""
    result, relay = measure(lab, stations("s12", "s21"), ("--ab", "--duplicate", "5", "--ba", "--duplicate", "2"),
                            *WORDS)
    check(relay.count("ab", "duplicated") > 50, "the relay made next to no copies")
    check_rows(result)
    for name, direction, port in (("s12", "ab", "ether2"), ("s21", "ba", "ether1")):
        nb = relay.count(direction, "duplicated")
        check_only(result, name, duplicate=nb)
        equal(result.ports[port]["duplicate"], nb, f"{port} duplicate")
        equal(result.stream(name, "outage"), 0, f"{name}: outage")


def copied_and_lost(lab):
    """copies do not make up for what is lost"""
    result, relay = measure(lab, stations("s12", "s21"), ("--ab", "--duplicate", "20", "--loss", "10"), *WORDS)
    check_only(result, "s12", duplicate=relay.count("ab", "duplicated"), lost_packet=relay.count("ab", "lost"))
    check_rows(result)
    check_only(result, "s21")


def copied_elsewhere(lab):
    """a copy that leaves by another port is misrouted, and no duplicate"""
    result, relay = measure(lab, stations("s12", "s21"), ("--ab", "--duplicate", "5", "--duplicate-to", "dut3"), *WORDS)
    nb = relay.count("ab", "duplicated")
    check(nb > 50, "the relay made next to no copies")
    equal(len(relay.left("ab", out="dut3")), nb, "frames that left by dut3")
    check_only(result, "s12", misrouted=nb)
    check_only(result, "s21")
    equal(result.ports["ether3"]["misrouted"], nb, "ether3 misrouted")
    equal(port_sum(result, "misrouted"), nb, "misrouted on all ports")
    check_rows(result)


def rule(statement):
    """5 of 100 of what leaves dut2, counted. A copy by the same port comes by here once more, with its mark:
    were it copied again, and that copy too, the kernel would count the third and not send it."""
    return f"""table netdev probe {{
        counter copied {{ }}
        chain egress {{
            type filter hook egress device dut2 priority 0; policy accept;
            ip protocol udp meta mark 0 numgen random mod 100 < 5 meta mark set 1 counter name copied {statement}
        }}
    }}"""


def measure_routed(lab, ruleset):
    with settings(lab, ruleset):
        result = lab.quick_clean(*ROUTED, before=lab.reset_counters)
        return result, lab.counters()


def copied_by_rule(lab):
    """a rule of the Linux router sends 5 % twice: duplicates are the rule's counter"""
    result, counters = measure_routed(lab, rule("dup to dut2"))
    check(counters["copied"] > 50, f"the rule made next to no copies: {counters}")
    check_only(result, "r12", duplicate=counters["copied"])
    check_only(result, "r13")
    check_rows(result)


def copied_elsewhere_by_rule(lab):
    """a rule sends copies by another port: misrouted is the rule's counter"""
    result, counters = measure_routed(lab, rule("dup to dut3"))
    check(counters["copied"] > 50, f"the rule made next to no copies: {counters}")
    check_only(result, "r12", misrouted=counters["copied"])
    check_only(result, "r13")
    equal(result.ports["ether3"]["misrouted"], counters["copied"], "ether3 misrouted")


LEFT_BY = """table ip probe {
    counter right { }
    counter wrong { }
    chain arriving {
        type filter hook prerouting priority -150; policy accept;
        ip daddr 2.2.2.2 meta l4proto udp numgen inc mod 7 < 3 meta mark set 1
    }
    chain leaving {
        type filter hook postrouting priority 0; policy accept;
        ip daddr 2.2.2.2 meta l4proto udp oifname "dut2" counter name right
        ip daddr 2.2.2.2 meta l4proto udp oifname "dut3" counter name wrong
    }
}"""


@contextlib.contextmanager
def detour(lab, *selector):
    """What the selector chooses goes to 3.3.3.3, by dut3."""
    lab.dut("ip", "route", "add", "default", "via", "3.3.3.3", "dev", "dut3", "table", "100")
    lab.dut("ip", "rule", "add", *selector, "table", "100")
    try:
        yield
    finally:
        lab.dut("ip", "rule", "del", *selector, "table", "100")
        lab.dut("ip", "route", "flush", "table", "100")


def wrong_port(lab):
    """three of seven frames of a stream are routed out of the wrong port: misrouted, and lost"""
    with detour(lab, "fwmark", "1"):
        result, counters = measure_routed(lab, LEFT_BY)
    check(counters["wrong"] > 1000, f"next to nothing went astray: {counters}")
    check_only(result, "r12", misrouted=counters["wrong"], lost_packet=counters["wrong"])
    equal(result.stream("r12", "rx-packet"), counters["right"], "received, against what left by dut2")
    check_only(result, "r13")
    check_rows(result)


def all_wrong_port(lab):
    """a stream that is routed out of the wrong port is misrouted and not received"""
    with detour(lab, "to", "2.2.2.2"):
        result, counters = measure_routed(lab, LEFT_BY.replace("meta mark set 1", ""))
    equal(counters["right"], 0, "frames by dut2")
    check_only(result, "r12", misrouted=counters["wrong"], lost_packet=result.stream("r12", "tx-packet"))
    equal(counters["wrong"], result.stream("r12", "tx-packet"), "frames by dut3, against sent")
    equal(result.stream("r12", "rx-packet"), 0, f"received\n{result.text()}")
    check_only(result, "r13")


if __name__ == "__main__":
    sys.exit(run_both([copied, copied_and_lost, copied_elsewhere],
                      [copied_by_rule, copied_elsewhere_by_rule, wrong_port, all_wrong_port]))
