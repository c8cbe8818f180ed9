#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""ICMP errors about our frames: counted by type and code, as many as the DUT says it sent; never received."""
import sys

from lab import equal, run, settings
from truth import check_none
from witness import COUNTING, added, snmp

PPS = 500
NO_LIMIT = {"net__ipv4__icmp_ratelimit": 0, "net__ipv4__icmp_ratemask": 0}
DONT_FRAGMENT = "16384"
SMALL_MTU = 1000


def config(**victim):
    """`good`, and beside it `victim`, of many flows: only addresses and protocol tell whose an error is."""
    common = {"header-stack": "mac,ip,udp", "ip-gateway": "1.1.1.254"}
    return {
        "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]}
                  for i in (1, 2)],
        "packet-templates": [
            {"name": "good", **common, "ip-dst": "2.2.2.2"},
            {"name": "victim", **common, "ip-dst": "2.2.2.3", "rx-port": "ether2", "mac-dst": "02:64:75:74:00:01",
             "udp-src-port": "5000-5099", **victim},
        ],
    }


def ruleset(victim=""):
    return f"""table ip probe {{
        counter victim {{ }}
        counter errors {{ }}
        chain forward {{
            type filter hook forward priority 0; policy accept;
            ip daddr 2.2.2.3 udp sport 5000-5099 counter name victim {victim}
        }}
        chain output {{
            type filter hook output priority 0; policy accept;
            icmp type {{ destination-unreachable, time-exceeded }} counter name errors
        }}
    }}"""


def measure(lab, conf, rules, size, good_size=60):
    """A clean run: it, the rules' counters, and the growth of the DUT's /proc/net/snmp."""
    start = {}

    def before():
        lab.reset_counters()
        start.update(snmp(lab))

    with settings(lab, rules, **NO_LIMIT):
        result = lab.quick_clean(conf, "tx-template=good,victim", f"packet-size={good_size},{size}", f"pps={PPS}",
                                 "duration=1s", "drain=300ms", *COUNTING, before=before)
        return result, lab.counters(), added(start, snmp(lab))


def check_returned(result, kind, errors):
    """Every frame of `victim` came back as an error of this kind, and none was received."""
    victim = result.streams["victim"]
    equal(result.status, 0, f"status\n{result.text()}")
    equal(errors, victim["tx-packet"], "errors that the DUT sent, against frames sent")
    equal(victim["returned"], errors, f"returned\n{result.text()}")
    equal(result.ports["ether1"]["returned"], errors, "ether1 returned")
    equal((victim["rx-packet"], victim["lost-packet"]), (0, victim["tx-packet"]), "received, lost")
    ids = {s["name"]: i for i, s in enumerate(result.json["streams"])}
    equal([(r["stream"], r["type"], r["code"], r["from"], r["count"]) for r in result.json["returned"]],
          [(ids["victim"], *kind, "1.1.1.254", errors)], "stream, type, code, sender and number of errors")
    check_none(result, "good", "lost-packet", "returned", "misrouted", "duplicate")
    equal(result.ports["ether1"]["good"] + result.ports["ether1"]["unknown"], 0, "received or unknown on ether1")


def rejected(lab):
    """reject: type 3 with the code that the rule says, also when the error quotes no signature"""
    for how, code, size in (("host-prohibited", 10, 60), ("net-unreachable", 0, 1514)):
        result, counters, kernel = measure(lab, config(), ruleset(f"reject with icmp {how}"), size)
        equal(counters["victim"], counters["errors"], "rejected, against errors")
        equal(kernel["Icmp:OutDestUnreachs"], counters["errors"], "the kernel's own count")
        check_returned(result, (3, code), counters["errors"])


def expired(lab):
    """ip-ttl=1: time exceeded in transit, 11/0, for every frame"""
    result, counters, kernel = measure(lab, config(**{"ip-ttl": "1"}), ruleset(), 60)
    equal(counters["victim"], 0, "forwarded with a TTL of 1")
    equal(kernel["Icmp:OutTimeExcds"], counters["errors"], "the kernel's own count")
    equal(kernel["Ip:InHdrErrors"], counters["errors"], "frames that the kernel gave up")
    check_returned(result, (11, 0), counters["errors"])


def too_big(lab):
    """one byte over the MTU behind the DUT, don't-fragment: 3/4 for each; what just fits passes"""
    conf = config(**{"ip-frag-off": DONT_FRAGMENT})
    just = SMALL_MTU + 14
    lab.dut("ip", "link", "set", "dut2", "mtu", str(SMALL_MTU))
    try:
        result, counters, kernel = measure(lab, conf, ruleset(), just + 1, good_size=just)
    finally:
        lab.dut("ip", "link", "set", "dut2", "mtu", "1500")
    equal(kernel["Icmp:OutDestUnreachs"], counters["errors"], "the kernel's own count")
    equal(kernel["Ip:FragFails"], counters["errors"], "frames that could not be fragmented")
    equal(kernel["Ip:FragCreates"], 0, "fragments made")
    check_returned(result, (3, 4), counters["errors"])


if __name__ == "__main__":
    sys.exit(run([rejected, expired, too_big], ports=2))
