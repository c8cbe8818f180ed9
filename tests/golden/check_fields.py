#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every field of every header, its lowest, highest and other values, read back by tshark.

usage: check_fields.py WORDS

WORDS lists the field tables; a field that FIELDS below does not know is an error, so that no new one
is forgotten.
"""

import json
import os
import subprocess
import sys
import tempfile
from typing import NamedTuple

import tshark

ADDRESSES = ["ip-dst=198.51.100.1", "ipv6-dst=2001:db8::2", "arp-dst-ip=198.51.100.1"]

# Where each header is, when the field does not say otherwise.
STACKS = {
    "mac": "mac", "vlan": "mac,vlan,ip,udp", "mpls": "mac,mpls,ip,udp",
    "pppoe": "mac,pppoe,ip,udp", "arp": "mac,arp", "ip": "mac,ip,udp", "ipv6": "mac,ipv6,udp",
    "hop-by-hop": "mac,ipv6,hop-by-hop,udp", "routing": "mac,ipv6,routing,udp",
    "fragment": "mac,ipv6,fragment,udp", "destination": "mac,ipv6,destination,udp",
    "udp": "mac,ip,udp", "tcp": "mac,ip,tcp", "sctp": "mac,ip,sctp", "icmp": "mac,ip,icmp",
    "icmpv6": "mac,ipv6,icmpv6", "igmp": "mac,ip,igmp", "esp": "mac,ip,esp",
    "gre": "mac,ip,gre,ip,udp", "vxlan": "mac,ip,udp,vxlan,mac,ip,udp",
    "geneve": "mac,ip,udp,geneve,ip,udp", "gtpu": "mac,ip,udp,gtpu,ip,udp",
    "l2tp": "mac,ip,udp,l2tp,ip,udp", "raw": "mac,raw",
}


class Field(NamedTuple):
    """How tshark shows a field."""
    name: str  # of tshark's field, the first one in the frame; several are joined by +
    read: object = None  # from tshark's text to the value given; None: a number
    values: tuple = ()  # other ones than lowest, highest and one between
    stack: str = ""  # another than the header's
    more: tuple = ()  # words
    odd: bool = False  # other values than the default mean another protocol: it may be malformed


def same(text):
    return text


def bits(shift):
    return lambda text: int(text, 0) >> shift


def frag_off(text):
    flags, offset = text.split("+")
    return int(flags, 0) << 13 | int(offset, 0)


MACS = ("00:00:00:00:00:00", "02:ab:cd:ef:01:23", "ff:ff:ff:ff:ff:ff")
IPS = ("0.0.0.0", "10.1.2.3", "255.255.255.255")
IP6S = ("::", "2001:db8:1:2:3:4:5:6", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")
ETHERTYPES = (0x0600, 0x88b6, 0xffff)
CHECKSUM = ("good", "bad", 0, 0x1234, 0xffff)
LENGTH = ("good", "bad", 60)

FIELDS = {
    "mac-dst": Field("eth.dst", same, MACS),
    "mac-src": Field("eth.src", same, ("00:00:00:00:00:00", "02:ab:cd:ef:01:23",
                                       "fe:ff:ff:ff:ff:ff")),
    "mac-protocol": Field("eth.type", None, ETHERTYPES, odd=True),
    "vlan-id": Field("vlan.id"),
    "vlan-priority": Field("vlan.priority"),
    "vlan-dei": Field("vlan.dei"),
    "vlan-protocol": Field("vlan.etype", None, ETHERTYPES, odd=True),
    "vlan-tpid": Field("eth.type", None, (0x8100, 0x88a8, 0x9100)),
    "mpls-label": Field("mpls.label", None, (16, 0x12345, 0xfffff)),
    "mpls-exp": Field("mpls.exp"),
    "mpls-bottom": Field("mpls.bottom", None, (1,)),
    "mpls-ttl": Field("mpls.ttl"),
    "pppoe-code": Field("pppoe.code", odd=True),
    "pppoe-session-id": Field("pppoe.session_id"),
    "pppoe-length": Field("pppoe.payload_length", None, LENGTH, odd=True),
    "pppoe-protocol": Field("ppp.protocol", None, (0x1, 0x4003, 0xfefd), odd=True),
    "arp-hardware": Field("arp.hw.type"),
    "arp-protocol": Field("arp.proto.type"),
    "arp-hardware-length": Field("arp.hw.size", odd=True),
    "arp-protocol-length": Field("arp.proto.size", odd=True),
    "arp-operation": Field("arp.opcode", None, (0, 2, 0x1234, 0xffff)),
    "arp-src-mac": Field("arp.src.hw_mac", same, MACS),
    "arp-src-ip": Field("arp.src.proto_ipv4", same, IPS),
    "arp-dst-mac": Field("arp.dst.hw_mac", same, MACS),
    "arp-dst-ip": Field("arp.dst.proto_ipv4", same, IPS),
    "ip-src": Field("ip.src", same, IPS),
    "ip-dst": Field("ip.dst", same, IPS),
    "ip-dscp": Field("ip.dsfield"),
    "dscp": Field("ip.dsfield.dscp", None, (0, "ef", "af41", "cs6", "le", 63)),
    "ecn": Field("ip.dsfield.ecn"),
    "ip-length": Field("ip.len", None, ("good", "bad", 40), odd=True),
    "ip-id": Field("ip.id"),
    "ip-frag-off": Field("ip.flags+ip.frag_offset", frag_off, (0, 0x4000, 0x2001, 0xffff), odd=True),
    "ip-ttl": Field("ip.ttl"),
    "ip-protocol": Field("ip.proto", stack="mac,ip", odd=True),
    "ip-checksum": Field("ip.checksum", None, CHECKSUM),
    "ipv6-src": Field("ipv6.src", same, IP6S),
    "ipv6-dst": Field("ipv6.dst", same, IP6S),
    "ipv6-traffic-class": Field("ipv6.tclass"),
    "ipv6-dscp": Field("ipv6.tclass.dscp", None, (0, "ef", "af13", "cs1", 63)),
    "ipv6-ecn": Field("ipv6.tclass.ecn"),
    "ipv6-flow-label": Field("ipv6.flow"),
    "ipv6-payload-length": Field("ipv6.plen", None, ("good", "bad", 24), odd=True),
    "ipv6-next-header": Field("ipv6.nxt", None, (59, 17, 253, 255), stack="mac,ipv6", odd=True),
    "ipv6-hop-limit": Field("ipv6.hlim"),
    "hop-by-hop-next-header": Field("ipv6.hopopts.nxt", None, (59, 253, 255),
                                    stack="mac,ipv6,hop-by-hop"),
    "hop-by-hop-options": Field("ipv6.opt.router_alert", lambda t: f"0502{int(t, 0):04x}",
                                ("05020000", "0502ffff")),
    "routing-next-header": Field("ipv6.routing.nxt", None, (59, 253, 255),
                                 stack="mac,ipv6,routing"),
    "routing-type": Field("ipv6.routing.type", odd=True),
    "routing-segments-left": Field("ipv6.routing.segleft", None, (0, 1), odd=True),
    "routing-last-entry": Field("ipv6.routing.srh.last_entry", None, (0,)),
    "routing-flags": Field("ipv6.routing.srh.flags"),
    "routing-tag": Field("ipv6.routing.srh.tag", lambda t: int(t, 16),
                         (0, 0x1234, 0xffff)),
    "routing-address": Field("ipv6.routing.srh.addr", same, IP6S),
    "fragment-next-header": Field("ipv6.fraghdr.nxt", None, (59, 253, 255),
                                  stack="mac,ipv6,fragment"),
    "fragment-offset": Field("ipv6.fraghdr.offset", odd=True),
    "fragment-more": Field("ipv6.fraghdr.more"),
    "fragment-id": Field("ipv6.fraghdr.ident"),
    "destination-next-header": Field("ipv6.dstopts.nxt", None, (59, 253, 255),
                                     stack="mac,ipv6,destination"),
    "destination-options": Field("ipv6.opt.tel", lambda t: f"0401{int(t, 0):02x}",
                                 ("040100", "0401ff")),
    "udp-src-port": Field("udp.srcport", None, (0, 40001, 65535)),
    "udp-dst-port": Field("udp.dstport", None, (0, 40001, 65535)),
    "udp-length": Field("udp.length", None, ("good", "bad", 12), odd=True),
    "udp-checksum": Field("udp.checksum", None, CHECKSUM),
    "tcp-src-port": Field("tcp.srcport", None, (0, 40001, 65535)),
    "tcp-dst-port": Field("tcp.dstport", None, (0, 40001, 65535)),
    "tcp-syn": Field("tcp.seq_raw"),
    "tcp-ack": Field("tcp.ack_raw", more=("tcp-flags=ack",)),
    "tcp-data-offset": Field("tcp.hdr_len", bits(2), (5, 6, 15)),
    "tcp-flags": Field("tcp.flags", None, (0, "syn+ack", "fin+psh+ns", "rst", "urg+ece+cwr", 0x1ff)),
    "tcp-window-size": Field("tcp.window_size_value"),
    "tcp-checksum": Field("tcp.checksum", None, CHECKSUM),
    "tcp-urgent-pointer": Field("tcp.urgent_pointer", more=("tcp-flags=urg",)),
    "sctp-src-port": Field("sctp.srcport", None, (0, 40001, 65535)),
    "sctp-dst-port": Field("sctp.dstport", None, (0, 40001, 65535)),
    "sctp-vtag": Field("sctp.verification_tag"),
    "sctp-checksum": Field("sctp.checksum", None, ("good", "bad", 0, 0x12345678, 0xffffffff)),
    "sctp-chunk-type": Field("sctp.chunk_type", None, (0, 0x3f, 0xff), odd=True),
    "sctp-chunk-flags": Field("sctp.chunk_flags"),
    "sctp-chunk-length": Field("sctp.chunk_length", None, ("good", "bad", 20), odd=True),
    "sctp-tsn": Field("sctp.data_tsn_raw"),
    "sctp-stream-id": Field("sctp.data_sid"),
    "sctp-stream-seq": Field("sctp.data_ssn"),
    "sctp-ppid": Field("sctp.data_payload_proto_id", None, (0, 0x12345678, 0xffffffff)),
    "icmp-type": Field("icmp.type", None, (0, 3, "echo-request", 200, 255), odd=True),
    "icmp-code": Field("icmp.code"),
    "icmp-checksum": Field("icmp.checksum", None, CHECKSUM),
    "icmp-id": Field("icmp.ident"),
    "icmp-seq": Field("icmp.seq"),
    "icmpv6-type": Field("icmpv6.type", None, (0, "echo-reply", 200, 255), odd=True),
    "icmpv6-code": Field("icmpv6.code"),
    "icmpv6-checksum": Field("icmpv6.checksum", None, CHECKSUM),
    "icmpv6-id": Field("icmpv6.echo.identifier"),
    "icmpv6-seq": Field("icmpv6.echo.sequence_number"),
    # a query with a payload is one of version 3 (RFC 3376 §7.1)
    "igmp-type": Field("igmp.type", None, ("query", "v1-report", "v2-report", "leave"), odd=True),
    "igmp-max-resp": Field("igmp.max_resp"),
    "igmp-checksum": Field("igmp.checksum", None, CHECKSUM),
    "igmp-group": Field("igmp.maddr", same, ("0.0.0.0", "239.1.2.3", "255.255.255.255")),
    "esp-spi": Field("esp.spi"),
    "esp-seq": Field("esp.sequence"),
    "gre-protocol": Field("gre.proto", None, (0x88b6, 0xfffe), stack="mac,ip,gre", odd=True),
    "gre-checksum": Field("gre.checksum", None, CHECKSUM, more=("gre-key=7", "gre-sequence=9")),
    "gre-key": Field("gre.key", more=("gre-checksum=good", "gre-sequence=9")),
    "gre-sequence": Field("gre.sequence_number", more=("gre-checksum=good", "gre-key=7")),
    "vxlan-flags": Field("vxlan.flags", bits(8), (0, 8, 255), odd=True),
    "vxlan-vni": Field("vxlan.vni"),
    "geneve-flags": Field("geneve.flags", None, (0, 64, 128, 192)),
    "geneve-protocol": Field("geneve.proto_type", None, (0x88b6, 0xffff), stack="mac,ip,udp,geneve",
                             odd=True),
    "geneve-vni": Field("geneve.vni"),
    "gtpu-message-type": Field("gtp.message", None, (1, 100, 255), odd=True),
    "gtpu-length": Field("gtp.length", None, ("good", "bad", 46), odd=True),
    "gtpu-teid": Field("gtp.teid"),
    "l2tp-tunnel-id": Field("l2tp.tunnel"),
    "l2tp-session-id": Field("l2tp.session"),
    "l2tp-protocol": Field("ppp.protocol", None, (0x1, 0x4003, 0xfefd), odd=True),
    "raw-header": Field("data.data", lambda t: t[:12], ("0123456789ab", "ffffffffffff")),
}

# What a checksum or length that is good is, by the stack: tshark judges the checksums itself.
GOOD_LENGTHS = {"pppoe-length": 48, "ip-length": 46, "ipv6-payload-length": 26, "udp-length": 26,
                "sctp-chunk-length": 34, "gtpu-length": 46}


class Case(NamedTuple):
    name: str
    value: object
    line: str


def values_of(field, entry):
    if entry.values:
        return entry.values
    top = field["max"] or (1 << field["bits"]) - 1
    return sorted({field["min"], (top * 2 // 3) | 1, top})


def number_of(field, value):
    """The number a word stands for; flags are joined by +."""
    if not isinstance(value, str):
        return value
    words = dict((name, number) for name, number in field["words"])
    return sum(words[name] for name in value.split("+"))


def cases_of(field):
    name = field["field"]
    entry = FIELDS[name]
    stack = entry.stack or STACKS[field["header"]]
    base = [f"header-stack={stack}"] + list(entry.more)
    if "udp" in stack and name != "udp-checksum":
        base.append("udp-checksum=good")
    given = name.split("=", maxsplit=1)[0]
    headers = stack.split(",")
    for word in ADDRESSES:
        owner = {"ip-dst": "ip", "ipv6-dst": "ipv6", "arp-dst-ip": "arp"}[word.split("=")[0]]
        if owner in headers and word.split("=")[0] != given:
            base.append(word)
    count = headers.count(field["header"])
    for value in values_of(field, entry):
        item = str(value)
        # only the first of several headers of a type; the others keep what they have by default
        if count > 1:
            others = field["default"] or {"ip-dst": "198.51.100.2"}.get(name)
            item += f",{others}" * (count - 1) if others else ""
        yield Case(name, value, "\t".join(["0", "1", f"{name}={item}"] + base))


def want_of(field, value):
    name = field["field"]
    if value in ("good", "bad"):
        if name not in GOOD_LENGTHS:
            return None  # a checksum: tshark says whether it is
        return GOOD_LENGTHS[name] + (value == "bad")
    entry = FIELDS[name]
    if entry.read is None or not isinstance(value, str):
        return number_of(field, value)
    return value


def judge(case, field, row):
    entry = FIELDS[case.name]
    where = f"{case.name}={case.value}"
    wrong = []
    texts = [row[name].split(",")[0] for name in entry.name.split("+")]
    if "" in texts:
        return [f"{where}: tshark shows no {entry.name}"]
    text = "+".join(texts)
    got = tshark.number(text) if entry.read is None else entry.read(text)
    want = want_of(field, case.value)
    if want is not None and got != want:
        wrong.append(f"{where}: {entry.name} is {text} instead of {want}")
    if row["malformed"] and not entry.odd:
        wrong.append(f"{where}: malformed")
    is_checksum = case.name.endswith("-checksum")
    bad = tshark.bad_checksums(row)
    if is_checksum and case.value == "bad" and not bad:
        wrong.append(f"{where}: tshark takes it for good")
    if bad and not entry.odd and not (is_checksum and case.value != "good"):
        wrong.append(f"{where}: bad checksum: {bad}")
    if is_checksum and case.value == "good" and not tshark.good_checksums(row):
        wrong.append(f"{where}: tshark checks nothing")
    return wrong


def listed(words):
    out = subprocess.run([words, "list"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def check_tables(fields):
    known = {field["field"] for field in fields}
    wrong = [f"{name}: a new field that FIELDS in check_fields.py does not know"
             for name in sorted(known - set(FIELDS))]
    wrong += [f"{name}: no field any more" for name in sorted(set(FIELDS) - known)]
    wrong += [f"{field['header']}: a new header that STACKS does not know" for field in fields
              if field["header"] not in STACKS]
    return wrong


def main():
    words = sys.argv[1]
    fields = listed(words)
    wrong = check_tables(fields)
    if wrong:
        print("\n".join(wrong))
        return 1
    by_name = {field["field"]: field for field in fields}
    cases = [case for field in fields for case in cases_of(field)]
    columns = sorted({name for entry in FIELDS.values() for name in entry.name.split("+")})
    with tempfile.TemporaryDirectory() as directory:
        pcap = os.path.join(directory, "fields.pcap")
        tshark.render(words, pcap, [case.line for case in cases])
        rows = tshark.read(pcap, columns)
    if len(rows) != len(cases):
        wrong.append(f"{len(rows)} frames instead of {len(cases)}")
    for case, row in zip(cases, rows):
        wrong += judge(case, by_name[case.name], row)
    print("\n".join(wrong))
    print(f"{len(fields)} fields, {len(rows)} frames, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
