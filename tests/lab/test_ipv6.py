#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Linux router forwards IPv6 between the ports: neighbour discovery, echo, counters, errors."""
import re
import signal
import sys
import time

from lab import check, equal, run, settings
from truth import COUNTING, check_none

PORTS = [{"name": f"ether{i}", "device": f"auto:ether{i}",
          "address": [f"2001:db8:{i}::{i}/64", f"{i}.{i}.{i}.{i}/24"]} for i in (1, 2, 3)]
UDP6 = {"header-stack": "mac,ipv6,udp", "udp-checksum": "good"}
CONFIG = {
    "ports": PORTS,
    "packet-templates": [
        {"name": "r12", "ipv6-gateway": "2001:db8:1::254", "ipv6-dst": "2001:db8:2::2", **UDP6},
        {"name": "r21", "ipv6-src": "2001:db8:2::2", "ipv6-dst": "2001:db8:1::1",
         "ipv6-gateway": "2001:db8:2::254", **UDP6},
        {"name": "r13", "port": "ether1", "ipv6-gateway": "fe80::254", "ipv6-dst": "2001:db8:3::3",
         "header-stack": "mac,ipv6,tcp"},
        {"name": "direct", "port": "ether1", "ipv6-dst": "2001:db8:1::254", **UDP6},
        {"name": "nobody", "port": "ether1", "ipv6-gateway": "2001:db8:1::77", "ipv6-dst": "2001:db8:2::2", **UDP6},
        {"name": "anywhere", "ipv6-gateway": "fe80::254", "ipv6-dst": "2001:db8:2::2", **UDP6},
    ],
}
STREAMS = {"r12": ("2001:db8:1::1", "2001:db8:2::2"), "r21": ("2001:db8:2::2", "2001:db8:1::1"),
           "r13": ("2001:db8:1::1", "2001:db8:3::3")}


def ruleset(verdicts=None):
    verdicts = verdicts or {}
    counters = "".join(f"counter {name} {{ }}\n" for name in [*STREAMS, "errors"])
    rules = "".join(f"ip6 saddr {s} ip6 daddr {d} counter name {name} {verdicts.get(name, '')}\n"
                    for name, (s, d) in STREAMS.items())
    return f"""table ip6 truth {{
        {counters}
        chain forward {{ type filter hook forward priority 0; policy accept;
            {rules}
        }}
        chain output {{ type filter hook output priority 0; policy accept;
            icmpv6 type {{ destination-unreachable, time-exceeded }} counter name errors
        }}
    }}"""


def measure(lab, *words, names=tuple(STREAMS)):
    return lab.quick_clean(CONFIG, f"tx-template={','.join(names)}", *COUNTING, *words, before=lab.reset_counters)


def check_lossless(result, names):
    for name in names:
        check_none(result, name, "lost-packet", "rx-bad-csum", "rx-ooo", "duplicate", "misrouted", "returned")
        s = result.streams[name]
        check(0 < s["lat-min"] <= s["lat-avg"] <= s["lat-max"] < 10**9, f"{name}: latency {s}")


def routed(lab):
    """three streams through the router: sent is what it forwarded, received is all of it"""
    for size in (92, 1514):
        with settings(lab, ruleset()):
            result = measure(lab, f"packet-size={size}", "pps=1000", "duration=2s")
            counters = lab.counters()
        equal(result.status, 0, f"status\n{result.text()}")
        for name in STREAMS:
            equal(result.stream(name, "tx-packet"), counters[name], f"{name}, {size} bytes: sent, against forwarded")
        check_lossless(result, STREAMS)
        for name, port in result.ports.items():
            equal(port["unknown"], 0, f"{name} unknown\n{result.text()}")


def neighbours(lab):
    """the DUT learns the ports' MACs, of their link-local addresses as well, and they answer echo"""
    with lab.start(CONFIG, "quick", "tx-template=r12", "packet-size=80", "pps=500") as p:
        lab.wait_for_traffic()
        mac = lab.mac("gen", "ether1")
        octets = [int(x, 16) for x in mac.split(":")]
        local = "fe80::%02x%02x:%02xff:fe%02x:%02x%02x" % (octets[0] ^ 2, *octets[1:])
        for address in ("2001:db8:1::1", f"{local}%dut1", "2001:db8:3::3"):
            lab.dut("ip", "-6", "neigh", "flush", "all")
            pinged = lab.dut("ping", "-6", "-n", "-c", "3", "-i", "0.2", "-W", "1", address, must=False)
            check(" 3 received, 0% packet loss" in pinged.stdout, pinged.stdout + pinged.stderr)
        shown = lab.dut("ip", "-6", "neigh", "show").stdout
        check(re.search(rf"2001:db8:3::3 dev dut3 .*{lab.mac('gen', 'ether3')}", shown), shown)
        p.signal(signal.SIGINT)
        result = p.wait()
    result.check_sums()
    check(result.ports["ether1"]["host"] >= 8, f"host frames\n{result.text()}")
    equal(result.ports["ether1"]["unknown"], 0, f"unknown\n{result.text()}")
    equal(result.json["total"]["lost-packet"], 0, f"lost\n{result.text()}")


def ping(lab):
    """tgen ping asks with neighbour discovery and ICMPv6 echo, global and link-local"""
    for address in ("2001:db8:1::254", "fe80::254"):
        result = lab.tgen(CONFIG, "ping", "port=ether1", f"address={address}", "count=3", "interval=100ms")
        equal(result.status, 0, f"status\n{result.text()}")
        lines = [s for s in result.out.splitlines() if re.search(rf"from {address}: .*time=[\d.]+(us|ms)", s)]
        equal(len(lines), 3, f"lines with a reply\n{result.text()}")
        check(f"{address} is at 02:64:75:74:00:01 on ether1 (ND answer" in result.out, result.text())


def nobody(lab):
    """an address that nobody has: the line says that ND got no reply; status 4, of ping 1"""
    for status, words in (
            (4, ("quick", "tx-template=nobody", "pps=1", "arp-timeout=300ms", "packet-size=80")),
            (1, ("ping", "port=ether1", "address=2001:db8:1::77", "arp-timeout=300ms"))):
        result = lab.tgen(CONFIG, *words)
        result.check_error(status, r"no ND reply from 2001:db8:1::77 on ether1 within 300ms \(link up, \d+ frames received")


def link_local_needs_port(lab):
    """a link-local gateway without a port is refused, with the remedy"""
    result = lab.tgen(CONFIG, "quick", "tx-template=anywhere", "pps=1")
    result.check_error(2, r"fe80::254 is a link-local address.*port=")


def rejected(lab):
    """ICMPv6 errors are returned, each, by type, code and sender, whether they quote the signature or not"""
    for size in (100, 1514):
        with settings(lab, ruleset({"r12": "reject with icmpv6 admin-prohibited"}), net__ipv6__icmp__ratelimit=0):
            result = measure(lab, f"packet-size={size}", "pps=300", "duration=2s")
            counters = lab.counters()
        r12 = result.streams["r12"]
        equal((r12["rx-packet"], r12["lost-packet"]), (0, r12["tx-packet"]), f"r12\n{result.text()}")
        equal(r12["returned"], counters["errors"], "returned, against the errors that the DUT sent")
        kinds = [(r["type"], r["code"], r["from"], r["count"]) for r in result.json["returned"]]
        equal(kinds, [(1, 1, "2001:db8:1::254", counters["errors"])], "type, code, sender and number")
        check_lossless(result, ("r21", "r13"))


def silent(lab):
    """what is known of a silent stream is told with IPv6 addresses"""
    with settings(lab, ruleset(), net__ipv6__conf__all__forwarding=0):
        time.sleep(0.2)
        result = measure(lab, "packet-size=80", "pps=100", "duration=1s", names=("r12",))
    lab.sysctl(net__ipv6__conf__all__forwarding=1)
    equal(result.status, 1, f"status\n{result.text()}")
    said = result.out + result.err
    check("ND: 2001:db8:1::254 is at 02:64:75:74:00:01 on ether1" in said, f"next hop\n{result.text()}")


if __name__ == "__main__":
    sys.exit(run([routed, neighbours, ping, nobody, link_local_needs_port, rejected, silent], options=("--ipv6",)))
