#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A DUT that translates addresses: tgen's streams against what the DUT's connection tracking counted."""
import sys

from lab import check, equal, run, settings
from truth import check_none, check_rows
from witness import COUNTING, flows

FLOWS, FIRST = 1000, 10000
RANGE = f"{FIRST}-{FIRST + FLOWS - 1}"
PPS, SECONDS = 1500, 2
WORDS = ("packet-size=60", f"pps={PPS}", f"duration={SECONDS}s", *COUNTING)
FAULTS = ("lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted", "returned")
CONFIG = {
    "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]} for i in (1, 2)],
    "packet-templates": [
        {"name": "out", "header-stack": "mac,ip,udp", "ip-gateway": "1.1.1.254", "ip-dst": "2.2.2.2",
         "udp-src-port": RANGE, "udp-dst-port": "53", "udp-checksum": "compute"},
        {"name": "in", "header-stack": "mac,ip,udp", "port": "ether2", "reply-to": "out", "udp-checksum": "compute"},
    ],
}


def ruleset(masquerade):
    """Counts where the DUT lets go of them: translated on the way out, translated back on the way in."""
    return f"""table ip probe {{
        counter out_translated {{ }}
        counter out_plain {{ }}
        counter in_translated {{ }}
        counter in_plain {{ }}
        chain nat {{ type nat hook postrouting priority 100; oifname "dut2" meta l4proto udp {masquerade}; }}
        chain seen {{
            type filter hook postrouting priority 300; policy accept;
            oifname "dut2" ip saddr 2.2.2.254 udp dport 53 counter name out_translated
            oifname "dut2" ip saddr != 2.2.2.254 udp dport 53 counter name out_plain
            oifname "dut1" ip daddr 1.1.1.1 udp sport 53 udp dport {RANGE} counter name in_translated
            oifname "dut1" ip daddr != 1.1.1.1 counter name in_plain
        }}
    }}"""


def measure(lab, templates):
    """One clean run: it, what the rules counted, and by how much each tracked flow grew."""
    known = {}

    def before():
        lab.reset_counters()
        known.clear()
        known.update(flows(lab))

    with settings(lab, ruleset("masquerade random"), net__netfilter__nf_conntrack_acct=1,
                  net__netfilter__nf_conntrack_udp_timeout=600, net__netfilter__nf_conntrack_udp_timeout_stream=600):
        result = lab.quick_clean(CONFIG, f"tx-template={','.join(templates)}", *WORDS, before=before)
        grown = {port: (there - known.get(port, (0, 0))[0], back - known.get(port, (0, 0))[1], answered)
                 for port, (there, back, answered) in flows(lab).items()}
        return result, lab.counters(), grown


def check_stream(result, name):
    check(result.stream(name, "tx-packet") >= FLOWS, f"{name}: not every flow was sent\n{result.text()}")
    equal(result.stream(name, "rx-packet"), result.stream(name, "tx-packet"), f"{name} rx-packet\n{result.text()}")
    check_none(result, name, *FAULTS)


def check_even(counts, total, what):
    """Every flow in its turn."""
    equal(sum(counts), total, what)
    check(max(counts) - min(counts) <= 1, f"{what}: between {min(counts)} and {max(counts)} a flow")


def outwards(lab):
    """masquerade, one way: every frame of 1000 flows is received though the DUT changed its source"""
    result, counters, grown = measure(lab, ["out"])
    sent = result.stream("out", "tx-packet")
    equal(result.status, 0, f"status\n{result.text()}")
    check_stream(result, "out")
    check_rows(result)
    equal((counters["out_translated"], counters["out_plain"]), (sent, 0), "frames that left translated, and not so")
    equal(sorted(grown), list(range(FIRST, FIRST + FLOWS)), "source ports of the tracked flows")
    check_even([there for there, _, _ in grown.values()], sent, "frames of the tracked flows")
    equal(sum(back for _, back, _ in grown.values()), 0, "frames back")


def both_ways(lab):
    """masquerade random, both ways: 1000 flows are learned, each is answered in turn, nothing is lost"""
    result, counters, grown = measure(lab, ["out", "in"])
    sent = {name: result.stream(name, "tx-packet") for name in ("out", "in")}
    equal(result.status, 0, f"status\n{result.text()}")
    for name in sent:
        check_stream(result, name)
    check_rows(result)
    equal(len(grown), FLOWS, "tracked flows")
    check(all(answered for _, _, answered in grown.values()), "a flow was not answered")
    check_even([back for _, back, _ in grown.values()], sent["in"], "frames back")
    equal((counters["in_translated"], counters["in_plain"]), (sent["in"], 0), "frames translated back, and not so")
    # Learning sends each flow once, and again only what did not come.
    learned = counters["out_translated"] - sent["out"]
    check(FLOWS <= learned <= 5 * FLOWS, f"{learned} frames to learn {FLOWS} flows by")
    equal(sum(there for there, _, _ in grown.values()), sent["out"] + learned, "frames of the tracked flows")
    equal(counters["out_plain"], 0, "frames that left as they came")
    equal(result.ports["ether1"]["unknown"] + result.ports["ether2"]["unknown"], 0, "unknown frames")


def not_back(lab):
    """answers that the DUT does not let in are lost, to the frame, and the way out loses nothing"""
    block = ruleset("masquerade random") + """
        table ip filter {
            counter blocked { }
            chain forward { type filter hook forward priority 0; ct direction reply counter name blocked drop; }
        }"""
    with settings(lab, block):
        result = lab.quick_clean(CONFIG, "tx-template=out,in", *WORDS, "drain=500ms", before=lab.reset_counters)
        blocked = lab.counters()["blocked"]
    equal(result.status, 0, f"status\n{result.text()}")
    check_stream(result, "out")
    equal((result.stream("in", "rx-packet"), result.stream("in", "lost-packet")), (0, blocked), "in: received, lost")
    equal(blocked, result.stream("in", "tx-packet"), "frames that the DUT blocked")


if __name__ == "__main__":
    sys.exit(run([outwards, both_ways, not_back], ports=2))
