#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""VLANs: a trunk that is routed between its tags (Open vSwitch in user space before a Linux router, as
the kernel has no 802.1Q), QinQ through a bridge; ARP, ND and echo within the tags."""
import re
import signal
import sys

import frames
from lab import check, equal, run, settings
from ovs import Ovs
from tagged import receive, tagged_socket, within
from truth import COUNTING, check_none

NET = {100: "10.0.100", 200: "10.0.200"}
TRUNK = {
    "ports": [
        {"name": "ether1", "device": "auto:ether1",
         "address": ["10.0.100.1/24@100", "2001:db8:100::1/64@100", "10.0.9.1/24"]},
        {"name": "ether2", "device": "auto:ether2", "address": ["10.0.200.2/24@200", "2001:db8:200::2/64@200"]},
    ],
    "packet-templates": [
        {"name": "v12", "header-stack": "mac,vlan,ip,udp", "vlan-id": 100, "vlan-priority": 5,
         "ip-gateway": "10.0.100.254", "ip-dst": "10.0.200.2", "udp-checksum": "good"},
        {"name": "v21", "header-stack": "mac,vlan,ip,udp", "vlan-id": 200,
         "ip-gateway": "10.0.200.254", "ip-dst": "10.0.100.1"},
        {"name": "s12", "header-stack": "mac,vlan,ipv6,udp", "vlan-id": 100, "udp-checksum": "good",
         "ipv6-gateway": "2001:db8:100::254", "ipv6-dst": "2001:db8:200::2"},
        {"name": "elsewhere", "header-stack": "mac,vlan,ip,udp", "vlan-id": 300, "port": "ether1",
         "ip-gateway": "10.0.100.254", "ip-dst": "10.0.200.2"},
    ],
}
FLOWS = {"v12": "ip saddr 10.0.100.1 ip daddr 10.0.200.2", "v21": "ip saddr 10.0.200.2 ip daddr 10.0.100.1",
         "s12": "ip6 saddr 2001:db8:100::1 ip6 daddr 2001:db8:200::2"}
COUNTERS = "\n".join([
    "table inet truth {", *[f"counter {name} {{ }}" for name in FLOWS], "chain forward {",
    "type filter hook forward priority 0; policy accept;",
    *[f"meta l4proto udp {match} counter name {name}" for name, match in FLOWS.items()], "}", "}"])


def router_on_a_stick(lab, ovs):
    """Ports v100 and v200 of the switch are the router's, each untagged in its VLAN; dut1, dut2 are trunks."""
    ovs.bridge("br0", "dut1", "dut2")
    ovs.replace_flows("br0", "actions=normal")
    lab.sysctl(net__ipv4__ip_forward=1, net__ipv4__conf__all__arp_ignore=1, net__ipv4__conf__all__rp_filter=0,
               net__ipv6__conf__default__accept_dad=0, net__ipv6__conf__default__router_solicitations=0)
    for vid, net in NET.items():
        name = f"v{vid}"
        ovs.vsctl("add-port", "br0", name, f"tag={vid}", "--", "set", "interface", name, "type=internal")
        lab.dut("ip", "link", "set", name, "up")
        lab.dut("ip", "addr", "add", f"{net}.254/24", "dev", name)
        lab.dut("sysctl", "-qw", f"net.ipv6.conf.{name}.disable_ipv6=0", f"net.ipv6.conf.{name}.rp_filter=0", must=False)
        lab.dut("ip", "addr", "add", f"2001:db8:{vid}::254/64", "dev", name, "nodad")
    lab.dut("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1")


def routed(lab):
    """frames in VLAN 100 come back in VLAN 200, IPv4 and IPv6: all, and as many as the router forwarded"""
    for size in (100, 1514):
        with settings(lab, COUNTERS):
            result = lab.quick_clean(TRUNK, "tx-template=v12,v21,s12", f"packet-size={size}", "pps=300", "duration=2s",
                                     *COUNTING, before=lab.reset_counters)
            counters = lab.counters()
        equal(result.status, 0, f"status\n{result.text()}")
        for name in FLOWS:
            equal(result.stream(name, "tx-packet"), counters[name], f"{name}, {size} bytes: sent, against forwarded")
            check_none(result, name, "lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted")
            check(0 < result.stream(name, "lat-min") < 10**9, f"{name}: latency\n{result.text()}")


def answers(lab):
    """the router's pings within the VLANs are answered during a measurement"""
    with lab.start(TRUNK, "quick", "tx-template=v12", "packet-size=100", "pps=200") as p:
        lab.wait_for_traffic(packets=100)
        for address in ("10.0.100.1", "10.0.200.2", "2001:db8:100::1", "2001:db8:200::2"):
            lab.dut("ip", "neigh", "flush", "all")
            pinged = lab.dut("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", address, must=False)
            check(" 3 received, 0% packet loss" in pinged.stdout, pinged.stdout + pinged.stderr)
        p.signal(signal.SIGINT)
        result = p.wait()
    result.check_sums()
    equal(result.json["total"]["lost-packet"], 0, f"lost\n{result.text()}")


def ping(lab):
    """tgen ping asks within vlan=, and without it nobody answers"""
    for address in ("10.0.100.254", "2001:db8:100::254"):
        result = lab.tgen(TRUNK, "ping", "port=ether1", f"address={address}", "vlan=100", "count=2", "interval=100ms")
        equal(result.status, 0, f"status\n{result.text()}")
        equal(len(re.findall(rf"from {address}: .*time=", result.out)), 2, f"replies\n{result.text()}")
    result = lab.tgen(TRUNK, "ping", "port=ether1", "address=10.0.100.254", "arp-timeout=300ms")
    result.check_error(1, r"no ARP reply from 10\.0\.100\.254 on ether1 within 300ms")


def nobody_there(lab):
    """a gateway that is not in the template's VLAN: the message names the VLAN"""
    result = lab.tgen(TRUNK, "quick", "tx-template=elsewhere", "packet-size=100", "pps=1", "arp-timeout=300ms")
    result.check_error(4, r"elsewhere: no ARP reply from 10\.0\.100\.254 on ether1 in VLAN 300 within 300ms")


def af_xdp_refused(lab):
    """a plan with tags on an af_xdp port, which loses them, is refused, and the remedy named"""
    config = {**TRUNK, "ports": [{**TRUNK["ports"][0], "device": "af_xdp:ether1", "address": ["10.0.100.1/24"]},
                                 TRUNK["ports"][1]]}
    result = lab.tgen(config, "quick", "tx-template=v12", "packet-size=100", "pps=1")
    result.check_error(2, r"VLAN tags.*af_xdp:ether1 of port ether1 loses VLAN tags.*device=af_packet:ether1")


def trunk(lab):
    """a trunk routed between tags"""
    with Ovs(lab) as ovs:
        router_on_a_stick(lab, ovs)
        for case in (routed, answers, ping, nobody_there, af_xdp_refused):
            case(lab)
            print(f"    ok: {case.__doc__}", flush=True)


# ---- without a router: two stations of ours on one wire ----

QINQ = {
    "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}",
               "address": [f"10.9.0.{i}/24@100.200", f"2001:db8:9::{i}/64@100.200", f"10.7.0.{i}/24@7"]}
              for i in (1, 2)],
    "packet-templates": [
        {"name": "q12", "header-stack": "mac,vlan,vlan,ip,udp", "vlan-id": [100, 200], "vlan-tpid": ["802.1ad", "802.1q"],
         "port": "ether1", "ip-dst": "10.9.0.2", "udp-checksum": "good"},
        {"name": "q21", "header-stack": "mac,vlan,vlan,ipv6,tcp", "vlan-id": [100, 200],
         "vlan-tpid": ["802.1ad", "802.1q"], "port": "ether2", "ipv6-dst": "2001:db8:9::1"},
        {"name": "t12", "header-stack": "mac,vlan,ip,udp", "vlan-id": 7, "port": "ether1", "ip-dst": "10.7.0.2"},
    ],
}


def qinq(lab):
    """QinQ through a bridge: our ports find each other within both tags, and nothing is lost"""
    before = lab.link("dut", "dut1")["rx"]["packets"]
    result = lab.quick_clean(QINQ, "tx-template=q12,q21,t12", "packet-size=120", "pps=300", "duration=2s", *COUNTING)
    equal(result.status, 0, f"status\n{result.text()}")
    for name in ("q12", "q21", "t12"):
        check_none(result, name, "lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted")
    arrived = lab.link("dut", "dut1")["rx"]["packets"] - before
    sent = result.stream("q12", "tx-packet") + result.stream("t12", "tx-packet")
    check(sent <= arrived, f"dut1 received {arrived} frames, of {sent} sent")
    for port in ("ether1", "ether2"):
        equal(result.ports[port]["unknown"], 0, f"{port} unknown\n{result.text()}")


def only_in_its_vlan(lab):
    """ARP is answered in the address's VLANs, with the template's tags, and in no others"""
    request = frames.arp_request("02:00:00:00:00:99", "10.9.0.99", "10.9.0.1")
    with lab.start(QINQ, "quick", "tx-template=q12", "packet-size=100", "pps=50") as p:
        lab.wait_for_traffic(packets=20)
        with tagged_socket(lab, "dut", "dut1") as sock:
            for pairs, answered in (((), False), (((0x8100, 100),), False), (((0x8100, 200),), False),
                                    (((0x88A8, 100), (0x8100, 201)), False), (((0x88A8, 100), (0x8100, 200)), True)):
                sock.send(within(request, *pairs))
                got = receive(sock, lambda f: b"\x08\x06\0\1\x08\0\6\4\0\2" in f[:40], 0.5)
                equal(len(got), int(answered), f"replies within {pairs}")
                if answered:
                    equal(got[0][12:22], within(request, *pairs)[12:22], "tags and EtherType of the reply")
        p.signal(signal.SIGINT)
        p.wait()


def byte_counts(lab):
    """unknown frames are counted with their tags, one or two"""
    plain = frames.ethernet(lab.mac("gen", "ether2"), lab.mac("dut", "dut2"), frames.ETH_TEST, b"tagged")
    one, two = within(plain, (0x8100, 9)), within(plain, (0x88A8, 8), (0x8100, 9))
    with lab.packet_socket("dut", "dut2", 0) as sock, lab.start(
            QINQ, "quick", "tx-template=t12", "packet-size=64", "pps=200") as p:
        lab.wait_for_traffic(packets=50)
        for _ in range(50):
            sock.send(one)
            sock.send(two)
        p.signal(signal.SIGINT)
        result = p.wait()
    result.check_sums()
    equal(result.ports["ether2"]["unknown"], 100, f"ether2 unknown\n{result.text()}")
    equal(result.ports["ether2"]["unknown-byte"], 50 * (len(one) + len(two)), "their bytes, tags included")


if __name__ == "__main__":
    statuses = [run([trunk], kind="relay", ports=2),
                run([qinq, only_in_its_vlan, byte_counts], kind="bridge", ports=2)]
    sys.exit(1 if 1 in statuses else max(statuses))
