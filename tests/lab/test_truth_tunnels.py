#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Frames of tunnel templates, taken out of the tunnel by the DUT: what is in them arrives, each, and is
counted good. A capture where the DUT lets go of them is the witness. Labels that it pushes hide nothing."""
import struct
import sys

import frames
from lab import check, equal, run
from ovs import Ovs
from truth import check_none, check_rows
from witness import COUNTING, Capture

VNI = 42
LABEL = 100


def config(lab, name, **template):
    """Outer header from ether1 to the DUT, inner frame from ether1 to ether2."""
    return {
        "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]}
                  for i in (1, 2)],
        "packet-templates": [{"name": name, "port": "ether1", "rx-port": "ether2", "udp-checksum": "good", **template}],
    }


def nested(lab, name, stack, **template):
    """A whole frame within a tunnel to 1.1.1.254, itself from 1.1.1.1 to 2.2.2.2."""
    return config(lab, name, **{
        "header-stack": stack, "mac-dst": [outer_mac(lab), lab.mac("gen", "ether2")],
        "mac-src": [lab.mac("gen", "ether1")] * 2, "ip-dst": ["1.1.1.254", "2.2.2.2"], **template})


def outer_mac(lab):
    return lab.mac("dut", "br-phy" if "br-phy" in lab.dut("ls", "/sys/class/net").stdout.split() else "dut1")


def plain(frame):
    """One of ours without anything around it."""
    return frames.is_udp(frame, "1.1.1.1", "2.2.2.2")


def labelled(frame):
    return (frame[12:18] == struct.pack("!HI", 0x8847, LABEL << 12 | 1 << 8 | 64)[:6]
            and plain(frame[:12] + b"\x08\0" + frame[18:]))


def measure(lab, conf, wanted, sizes, shorter):
    """All that is sent leaves dut2 `shorter` bytes shorter, once, and is received, payload and all."""
    for size in sizes:
        seen = []

        def before():
            while seen:
                seen.pop().__exit__()
            seen.append(Capture(lab, "dut", "dut2", wanted).__enter__())

        name = conf["packet-templates"][0]["name"]
        try:
            result = lab.quick_clean(conf, f"tx-template={name}", f"packet-size={size}", "pps=500", "duration=1200ms",
                                     "drain=500ms", "verify-checksum=software", *COUNTING, before=before)
        finally:
            for capture in seen:
                capture.__exit__()
        sent = result.stream(name, "tx-packet")
        equal(seen[0].count(), sent, f"{name}, {size} bytes: frames that left the DUT, against sent\n{result.text()}")
        equal({len(f) for f in seen[0].seen}, {size - shorter}, f"{name}: their sizes")
        equal(result.status, 0, f"status\n{result.text()}")
        equal(result.stream(name, "rx-packet"), sent, f"received\n{result.text()}")
        check_none(result, name, "lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted")
        check(0 < result.stream(name, "lat-min") < 10**9, f"latency\n{result.text()}")
        equal(result.ports["ether2"]["unknown"], 0, f"unknown\n{result.text()}")
        check_rows(result)


def vxlan(lab):
    """the kernel ends a VXLAN tunnel: the inner frames are received"""
    lab.dut("ip", "link", "add", "vx0", "type", "vxlan", "id", str(VNI), "local", "1.1.1.254", "dstport", "4789",
            "dev", "dut1", "nolearning")
    lab.dut("ip", "link", "add", "br0", "type", "bridge", "stp_state", "0", "forward_delay", "0", "mcast_snooping", "0")
    lab.dut("ip", "address", "flush", "dev", "dut2")
    for device in ("vx0", "dut2"):
        lab.dut("ip", "link", "set", device, "master", "br0")
    for device in ("vx0", "br0"):
        lab.dut("ip", "link", "set", device, "up")
    before = lab.link("dut", "vx0")["rx"]["packets"]
    conf = nested(lab, "vxlan", "mac,ip,udp,vxlan,mac,ip,udp".split(","), **{"vxlan-vni": VNI})
    measure(lab, conf, plain, sizes=(128, 1514), shorter=50)
    check(lab.link("dut", "vx0")["rx"]["packets"] > before, "vx0 received nothing")
    for device in ("vx0", "br0"):
        lab.dut("ip", "link", "del", device)


def ended_by_ovs(lab, ovs, kind, conf, overhead):
    ovs.bridge("br-int", "dut2")
    ovs.vsctl("add-port", "br-int", "tun0", "--", "set", "interface", "tun0", f"type={kind}",
              "options:remote_ip=1.1.1.1", "options:local_ip=1.1.1.254", f"options:key={VNI}")
    ovs.replace_flows("br-int", "udp,in_port=tun0,actions=output:dut2")
    measure(lab, conf, plain, sizes=(140, 1514), shorter=overhead)
    ovs.vsctl("del-br", "br-int")


def tunnels(lab):
    """Open vSwitch ends GRE and Geneve tunnels: the inner frames are received"""
    with Ovs(lab) as ovs:
        lab.dut("ip", "address", "flush", "dev", "dut1")
        ovs.bridge("br-phy", "dut1")
        ovs.replace_flows("br-phy", "actions=normal")
        lab.dut("ip", "address", "add", "1.1.1.254/24", "dev", "br-phy")
        lab.dut("ip", "link", "set", "br-phy", "up")
        ovs.appctl("tnl/neigh/set", "br-phy", "1.1.1.1", lab.mac("gen", "ether1"))
        gre = nested(lab, "gre", "mac,ip,gre,mac,ip,udp".split(","), **{"gre-key": VNI})
        ended_by_ovs(lab, ovs, "gre", gre, 14 + 20 + 8)
        geneve = nested(lab, "geneve", "mac,ip,udp,geneve,mac,ip,udp".split(","), **{"geneve-vni": VNI})
        ended_by_ovs(lab, ovs, "geneve", geneve, 50)


def labels(lab):
    """Open vSwitch takes an MPLS label off, and puts one on: received both ways"""
    lab.dut("ip", "address", "flush", "dev", "dut1")
    direct = {"mac-dst": lab.mac("gen", "ether2"), "ip-dst": "2.2.2.2"}
    with Ovs(lab) as ovs:
        ovs.bridge("br0", "dut1", "dut2")
        ovs.replace_flows("br0", f"mpls,in_port=dut1,mpls_label={LABEL},actions=pop_mpls:0x0800,output:dut2",
                          f"udp,in_port=dut1,actions=push_mpls:0x8847,set_field:{LABEL}->mpls_label,output:dut2")
        popped = config(lab, "popped", **{"header-stack": ["mac", "mpls", "ip", "udp"], "mpls-label": LABEL, **direct})
        measure(lab, popped, plain, sizes=(64, 1514), shorter=4)
        pushed = config(lab, "pushed", **{"header-stack": ["mac", "ip", "udp"], **direct})
        measure(lab, pushed, labelled, sizes=(60, 1500), shorter=-4)


if __name__ == "__main__":
    sys.exit(run([vxlan, tunnels, labels], ports=2))
