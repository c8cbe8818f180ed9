#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A DUT that puts something around our frames, or takes it off: they are received all the same, each.
A capture where the DUT lets go of them is the witness that it did so to every one."""
import struct
import sys

import frames
from lab import Lab, check, equal, run
from ovs import Ovs
from truth import check_none, check_rows
from witness import COUNTING, Capture

PPS = 500
VNI = 42
ETH_TEB = 0x6558


def config(lab, **template):
    """From ether1 to ether2 by way of a switch: no gateway."""
    return {
        "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]}
                  for i in (1, 2)],
        "packet-templates": [{"name": "r12", "port": "ether1", "rx-port": "ether2",
                              "mac-dst": lab.mac("gen", "ether2"), **template}],
    }


UDP = {"header-stack": "mac,ip,udp", "ip-dst": "2.2.2.2", "udp-checksum": "compute"}


# ---- what is wanted on the wire behind the DUT: the frame of ours that it holds, or None ----

def inner_udp(frame):
    """Itself, when it is one of ours as we sent it."""
    return frame if len(frame) >= 60 and frames.is_udp(frame, "1.1.1.1", "2.2.2.2") else None


def inside_vlan(frame):
    tagged = frame[12:16] == struct.pack("!HH", 0x8100, 7 | 3 << 13)
    return inner_udp(frame[:12] + frame[16:]) if tagged else None


def inside_ip(frame, proto):
    """What an IPv4 packet from the DUT to ether2 carries."""
    ok = frame[12:15] == b"\x08\0\x45" and frame[23] == proto and frame[26:34] == bytes([2, 2, 2, 254, 2, 2, 2, 2])
    return frame[34:] if ok else b""


def inside_gre(frame):
    """RFC 2890: flags with a key, Ethernet in GRE."""
    gre = inside_ip(frame, 47)
    return inner_udp(gre[8:]) if gre[:8] == struct.pack("!HHI", 0x2000, ETH_TEB, VNI) else None


def inside_geneve(frame):
    """RFC 8926, no options."""
    udp = inside_ip(frame, 17)
    ok = udp[2:4] == struct.pack("!H", 6081) and udp[8:16] == struct.pack("!HHI", 0, ETH_TEB, VNI << 8)
    return inner_udp(udp[16:]) if ok else None


def inside_vxlan(frame):
    """RFC 7348."""
    udp = inside_ip(frame, 17)
    ok = udp[2:4] == struct.pack("!H", 4789) and udp[8:16] == struct.pack("!II", 8 << 24, VNI << 8)
    return inner_udp(udp[16:]) if ok else None


# ---- measuring ----

def measure(lab, conf, inner, sizes=(508,), data="yes"):
    """At each size: all that is sent leaves the DUT as it should, once, and is received, payload and all."""
    for size in sizes:
        seen = []

        def before():
            while seen:
                seen.pop().__exit__()
            seen.append(Capture(lab, "dut", "dut2", lambda f: inner(f) is not None).__enter__())

        try:
            result = lab.quick_clean(conf, "tx-template=r12", f"packet-size={size}", f"pps={PPS}",
                                     "duration=1200ms", "drain=500ms", f"verify-data={data}", *COUNTING, before=before)
        finally:
            for capture in seen:
                capture.__exit__()
        sent = result.stream("r12", "tx-packet")
        equal(seen[0].count(), sent, f"{size} bytes: frames that left the DUT as they should, against sent")
        equal({len(inner(f)) for f in seen[0].seen}, {size}, "sizes of our frames inside")
        equal(result.status, 0, f"status\n{result.text()}")
        equal(result.stream("r12", "rx-packet"), sent, f"received\n{result.text()}")
        check_none(result, "r12", "lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted")
        check_rows(result)


def vlan_pushed(lab, ovs):
    ovs.bridge("br0", "dut1", "dut2")
    ovs.replace_flows("br0", "udp,in_port=dut1,actions="
                      "push_vlan:0x8100,set_field:4103->vlan_vid,set_field:3->vlan_pcp,output:dut2")
    measure(lab, config(lab, **UDP), inside_vlan, sizes=(60, 1500))


def vlan_popped(lab, ovs):
    """The tag is the payload's beginning here: PCP 4, VLAN 0x888, then an EtherType of 0x8888."""
    conf = config(lab, **{"header-stack": "mac", "mac-protocol": "vlan", "data": "specific-byte", "data-byte": "88"})
    ovs.replace_flows("br0", "in_port=dut1,dl_vlan=2184,actions=pop_vlan,output:dut2")

    def untagged(frame):
        """As it was sent: with the tag that was taken off."""
        tail = frame[14:-frames.SIGNATURE.size]
        ours = frame[12:14] == b"\x88\x88" and frame[-18:-16] == b"\x74\x67" and tail == b"\x88" * len(tail)
        return frames.add_tag(frame, 0x8888) if ours else None

    measure(lab, conf, untagged, sizes=(64,), data="no")  # its beginning is taken off


def tunnel(lab, ovs, kind, inner):
    """The tunnel's outer side is a bridge with the address that the DUT's port would have."""
    ovs.bridge("br-int", "dut1")
    ovs.vsctl("add-port", "br-int", "tun0", "--", "set", "interface", "tun0", f"type={kind}",
              "options:remote_ip=2.2.2.2", f"options:key={VNI}", "options:df_default=false")
    ovs.replace_flows("br-int", "udp,in_port=dut1,actions=output:tun0")
    measure(lab, config(lab, **UDP), inner)
    ovs.vsctl("del-br", "br-int")


def switch(_):
    """Open vSwitch pushes a VLAN tag, pops one: received"""
    with Lab("relay", ports=2) as lab, Ovs(lab) as ovs:
        vlan_pushed(lab, ovs)
        vlan_popped(lab, ovs)


def tunnels(_):
    """Open vSwitch puts GRE, Geneve around the frames: received"""
    with Lab("relay", ports=2) as lab, Ovs(lab) as ovs:
        ovs.bridge("br-phy", "dut2")
        ovs.replace_flows("br-phy", "actions=normal")
        lab.dut("ip", "address", "add", "2.2.2.254/24", "dev", "br-phy")
        lab.dut("ip", "link", "set", "br-phy", "up")
        ovs.appctl("tnl/neigh/set", "br-phy", "2.2.2.2", lab.mac("gen", "ether2"))
        tunnel(lab, ovs, "gre", inside_gre)
        tunnel(lab, ovs, "geneve", inside_geneve)


def vxlan(lab):
    """the kernel puts VXLAN around the frames: received"""
    lab.dut("ip", "address", "flush", "dev", "dut1")
    lab.dut("ip", "link", "add", "vx0", "type", "vxlan", "id", str(VNI), "local", "2.2.2.254", "remote", "2.2.2.2",
            "dstport", "4789", "dev", "dut2")
    lab.dut("ip", "link", "add", "br0", "type", "bridge", "stp_state", "0", "forward_delay", "0", "mcast_snooping", "0")
    for device in ("vx0", "dut1"):
        lab.dut("ip", "link", "set", device, "master", "br0")
    for device in ("vx0", "br0"):
        lab.dut("ip", "link", "set", device, "up")
    lab.dut("ip", "neigh", "replace", "2.2.2.2", "lladdr", lab.mac("gen", "ether2"), "dev", "dut2")
    measure(lab, config(lab, **UDP), inside_vxlan, sizes=(60, 1464))  # the inner MTU is 50 less
    check(lab.link("dut", "vx0")["tx"]["dropped"] == 0, "vx0 dropped frames")


if __name__ == "__main__":
    sys.exit(run([switch, tunnels, vxlan], ports=2))
