#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Linux router between three ports: tgen's numbers against the DUT's own."""
import sys

from lab import LONG, check, equal, run, settings

CONFIG = "mikrotik-routing.json"
STREAMS = [f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3) if i != j]
ALL = "tx-template=" + ",".join(STREAMS)
SECONDS = 60 if LONG else 2


def match(stream):
    i, j = stream[1], stream[2]
    return f"ip saddr {'.'.join(i * 4)} ip daddr {'.'.join(j * 4)} meta l4proto udp"


def ruleset(verdicts=None, more=""):
    """A counter per stream where the DUT forwards, and verdicts for some of them."""
    verdicts = verdicts or {}
    counters = "".join(f"counter {s} {{ }}\n" for s in [*STREAMS, "errors"])
    rules = "".join(f"{match(s)} counter name {s} {verdicts.get(s, '')}\n" for s in STREAMS)
    return f"""table ip probe {{
        {counters}
        chain forward {{
            type filter hook forward priority 0; policy accept;
            {rules}
        }}
        chain output {{
            type filter hook output priority 0; policy accept;
            icmp type destination-unreachable counter name errors
        }}
        {more}
    }}"""


def measure(lab, *words):
    return lab.quick_clean(CONFIG, ALL, *words, before=lab.reset_counters, timeout=SECONDS + 60)


def check_lossless(result, names):
    for name in names:
        s = result.streams[name]
        for key in ("lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted", "returned"):
            equal(s[key], 0, f"{name} {key}\n{result.text()}")
        equal(s["rx-packet"], s["tx-packet"], f"{name} rx-packet")


def light(lab, size, mbps):
    with settings(lab, ruleset()):
        result = measure(lab, f"packet-size={size}", f"mbps={mbps}", f"duration={SECONDS}s")
        counters = lab.counters()
    equal(result.status, 0, f"status\n{result.text()}")
    check_lossless(result, STREAMS)
    asked = mbps * 1e6 / 8 / size * SECONDS
    for name in STREAMS:
        s = result.streams[name]
        equal(counters[name], s["tx-packet"], f"{name}: frames that the DUT forwarded, against sent")
        check(abs(s["tx-packet"] - asked) <= max(1, asked / 1000), f"{name}: sent {s['tx-packet']}, asked {asked}")
        check(0 < s["lat-min"] <= s["lat-avg"] <= s["lat-max"], f"{name}: latency {s}")


def light_60(lab):
    """light load, 60 bytes: nothing lost, and sent is what the DUT forwarded, to the frame"""
    light(lab, 60, 1)


def light_1514(lab):
    """light load, 1514 bytes: nothing lost, and sent is what the DUT forwarded, to the frame"""
    light(lab, 1514, 4)


def packet_count(lab):
    """packet-count sends exactly that many of each stream"""
    with settings(lab, ruleset()):
        result = measure(lab, "packet-size=60", "pps=1000", "packet-count=777")
        counters = lab.counters()
    for name in STREAMS:
        equal(result.stream(name, "tx-packet"), 777, f"{name} tx-packet")
        equal(counters[name], 777, f"{name} at the DUT")
    check_lossless(result, STREAMS)


def dropped(lab):
    """a stream that the firewall drops is lost to the last frame, the others lose none"""
    with settings(lab, ruleset({"r12": "drop"})):
        result = measure(lab, "packet-size=60", "mbps=0.5", "duration=2s", "drain=500ms")
        counters = lab.counters()
    equal(result.status, 0, f"status\n{result.text()}")
    r12 = result.streams["r12"]
    equal(r12["rx-packet"], 0, "r12 rx-packet")
    equal(r12["lost-packet"], r12["tx-packet"], "r12 lost-packet")
    equal(r12["returned"], 0, "r12 returned")
    equal(counters["r12"], r12["tx-packet"], "r12 at the DUT")
    check_lossless(result, [s for s in STREAMS if s != "r12"])


CODES = {"port-unreachable": 3, "admin-prohibited": 13}  # of ICMP type 3


def rejected(lab, size, how, limited):
    limits = {"net__ipv4__icmp_ratelimit": 1000, "net__ipv4__icmp_ratemask": 6168}
    if not limited:
        limits = {k: 0 for k in limits}
    with settings(lab, ruleset({"r12": f"reject with icmp {how}"}), **limits):
        result = measure(lab, f"packet-size={size}", "pps=500", "duration=2s", "drain=500ms")
        counters = lab.counters()
    r12 = result.streams["r12"]
    equal(r12["rx-packet"], 0, f"r12 rx-packet\n{result.text()}")
    equal(r12["lost-packet"], r12["tx-packet"], "r12 lost-packet")
    equal(r12["returned"], counters["errors"], "r12 returned, against the ICMP errors that the DUT sent")
    equal(result.ports["ether1"]["returned"], counters["errors"], "ether1 returned")
    kinds = [(r["type"], r["code"], r["from"], r["count"]) for r in result.json["returned"]]
    equal(kinds, [(3, CODES[how], "1.1.1.254", counters["errors"])], "type, code, sender and number of errors")
    if limited:
        check(0 < counters["errors"] < r12["tx-packet"], f"the rate limit held back nothing: {counters}")
    else:
        equal(counters["errors"], r12["tx-packet"], "ICMP errors, against sent")
    check_lossless(result, [s for s in STREAMS if s != "r12"])


def rejected_60(lab):
    """ICMP errors about 60-byte frames are `returned`, each, and never received"""
    rejected(lab, 60, "port-unreachable", False)


def rejected_1514(lab):
    """ICMP errors about 1514-byte frames, which quote no signature, are `returned` as well"""
    rejected(lab, 1514, "admin-prohibited", False)


def rejected_limited(lab):
    """with the kernel's ICMP rate limit, `returned` is what came back, the rest is only lost"""
    rejected(lab, 60, "port-unreachable", True)


def translated(lab):
    """frames whose source the DUT translates are still their stream's"""
    nat = f"chain nat {{ type nat hook postrouting priority 100; {match('r12')} snat to 2.2.2.254; }}"
    with settings(lab, ruleset(more=nat)):
        result = measure(lab, "packet-size=60", "mbps=0.5", "duration=1s")
    check_lossless(result, STREAMS)


def nothing_arrives(lab):
    """when nothing arrives the status is 1 and what is known is said: link, ARP, frames accepted"""
    with settings(lab, ruleset(), net__ipv4__ip_forward=0):
        result = measure(lab, "packet-size=60", "mbps=0.5", "duration=1s", "drain=500ms")
    equal(result.status, 1, f"status\n{result.text()}")
    equal(result.json["total"]["rx-packet"], 0, "rx-packet")
    said = result.out + result.err
    for word in ("link", "ARP", "accepted"):
        check(word.lower() in said.lower(), f"'{word}' is not in the explanation\n{result.text()}")


if __name__ == "__main__":
    SHORT = [packet_count, dropped, rejected_60, rejected_1514, rejected_limited, translated, nothing_arrives]
    sys.exit(run([light_60, light_1514] + ([] if LONG else SHORT)))
