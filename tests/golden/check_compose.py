#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random stacks, varying fields and sizes, read by tshark: every field of every header has its value,
lengths and checksums are right, the signature is at the end.

usage: check_compose.py COMPOSE WORDS [COUNT [SEED]]
"""

import ipaddress
import os
import struct
import subprocess
import sys
import tempfile

import check_fields
import tshark

COUNT, SEED = 2000, 1
FRAMES = 3  # of a template
NUMBERS = (0, 1, 2 * 199)  # which ones; words knows them too
SIGNATURE = 18
MAGIC = b"\x74\x67"

HEADER_BYTES = {
    "mac": 14, "vlan": 4, "mpls": 4, "pppoe": 8, "arp": 28, "ip": 20, "ipv6": 40, "hop-by-hop": 8,
    "routing": 24, "fragment": 8, "destination": 8, "udp": 8, "tcp": 20, "sctp": 28, "icmp": 8,
    "icmpv6": 8, "igmp": 8, "esp": 8, "gre": 4, "vxlan": 8, "geneve": 8, "gtpu": 8, "l2tp": 10,
}
# tshark's name of a length, and from which byte of the header it counts.
LENGTHS = {"ip": ("ip.len", 0), "ipv6": ("ipv6.plen", 40), "udp": ("udp.length", 0),
           "pppoe": ("pppoe.payload_length", 6), "gtpu": ("gtp.length", 8),
           "sctp": ("sctp.chunk_length", 12)}
CHECKSUMS = {"ip": "ip.checksum.status", "udp": "udp.checksum.status",
             "tcp": "tcp.checksum.status", "sctp": "sctp.checksum.status",
             "icmp": "icmp.checksum.status", "icmpv6": "icmpv6.checksum.status"}
NOT_PRESENT = "3"


def number_of(text):
    """Addresses and numbers alike, as a number."""
    if text.count(".") == 3 or (":" in text and text.count(":") != 5) or "::" in text:
        return int(ipaddress.ip_address(text))
    if text.count(":") == 5:
        return int(text.replace(":", ""), 16)
    return int(text, 0)


def value_at(item, n):
    """What an item of a field says of frame n."""
    form, _, rest = item.partition(":")
    if form in ("inc", "dec"):
        span, _, by = rest.partition("+step=")
        first, last = (number_of(text) for text in span.split("-"))
        by = int(by or 1)
        step = n % ((last - first) // by + 1) * by
        return first + step if form == "inc" else last - step
    if form == "list":
        values = rest.split("+")
        return number_of(values[n % len(values)])
    return number_of(item)


class Template:
    def __init__(self, line):
        size, _, *words = line.split("\t")
        self.line = line
        self.words = dict(word.split("=", 1) for word in words)
        self.stack = self.words["header-stack"].split(",")
        self.offsets = []
        off = 0
        for header in self.stack:
            self.offsets.append(off)
            off += HEADER_BYTES[header]
            if header == "gre":
                off += 4 * sum(word in self.words for word in
                               ("gre-key", "gre-sequence", "gre-checksum"))
        self.signed = "arp" not in self.stack
        least = max(60 + 4 * self.stack.count("vlan"), off + (SIGNATURE if self.signed else 0))
        self.sizes = [least + int(item) for item in size.split(",")]

    def items(self, name, header):
        items = self.words[name].split(",")
        return items if len(items) > 1 else items * self.stack.count(header)


def expected_fields(template, fields, n):
    """tshark's column and its values, for every plain field of every header of the stack."""
    for field in fields:
        name, header = field["field"], field["header"]
        entry = check_fields.FIELDS[name]
        count = template.stack.count(header)
        if count == 0 or "+" in entry.name or name.endswith("-checksum"):
            continue
        read = tshark.number if entry.read in (None, check_fields.same) else entry.read
        if name in template.words and name != "vlan-tpid":
            values = [value_at(item, n) for item in template.items(name, header)]
        elif (field["default"] or "x").isdigit() and name != "udp-dst-port":
            values = [int(field["default"])] * count
        else:
            continue
        yield name, entry.name, values, read


def lengths(row, template, size):
    """One value for each header, since tshark found them all."""
    for header, (column, start) in LENGTHS.items():
        want = [size - off - start for off, have in zip(template.offsets, template.stack)
                if have == header]
        got = [tshark.number(text) for text in row[column].split(",") if text != ""]
        if got != want:
            yield f"{column} is {got} instead of {want}"


def checksums(row, template):
    for header, column in CHECKSUMS.items():
        want = []
        version = ""
        for have in template.stack:
            version = have if have in ("ip", "ipv6") else version
            if have == header:
                zero = header == "udp" and version == "ip" and "udp-checksum" not in template.words
                want.append(NOT_PRESENT if zero else tshark.GOOD)
        got = [text for text in row[column].split(",") if text != ""]
        if got != want:
            yield f"{column} is {got} instead of {want}"
    if "gre-checksum" in template.words:
        got = row["gre.checksum.status"].split(",")
        if got != [tshark.GOOD] * template.stack.count("gre"):
            yield f"gre.checksum.status is {got}"


def normal(text, read):
    value = read(text)
    return number_of(value) if isinstance(value, str) else value


def igmp(frame, template):
    """RFC 2236 §2: it covers the whole payload; tshark looks at the header alone."""
    if template.stack[-1] == "igmp":
        message = frame[template.offsets[-1]:]
        message += b"\0" * (len(message) % 2)
        if sum(struct.unpack(f">{len(message) // 2}H", message)) % 0xffff != 0:
            yield "wrong checksum of igmp"


def signature(frame, template):
    last = frame[-SIGNATURE:]
    if template.signed and (last[:2] != MAGIC or sum(struct.unpack(">9H", last)) % 0xffff != 0):
        yield f"no signature: {last.hex()}"


def judge(template, n, row, frame, fields):
    wrong = ["malformed"] if row["malformed"] else []
    size = template.sizes[n % len(template.sizes)]
    if len(frame) != size:
        wrong.append(f"{len(frame)} bytes instead of {size}")
    for name, column, want, read in expected_fields(template, fields, n):
        got = [normal(text, read) for text in row[column].split(",") if text != ""]
        if got != want:
            wrong.append(f"{name}: {column} is {row[column]} instead of {want}")
    wrong += list(lengths(row, template, size)) + list(checksums(row, template))
    wrong += list(igmp(frame, template)) + list(signature(frame, template))
    return wrong


def main():
    compose, words = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else COUNT
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else SEED
    out = subprocess.run([compose, str(seed), str(count), str(FRAMES)], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    templates = [Template(line) for line in out.splitlines()]
    fields = check_fields.listed(words)
    columns = {name for entry in check_fields.FIELDS.values() for name in entry.name.split("+")}
    columns |= {column for column, _ in LENGTHS.values()}
    with tempfile.TemporaryDirectory() as directory:
        pcap = os.path.join(directory, "compose.pcap")
        tshark.render(words, pcap, [template.line for template in templates])
        rows = tshark.read(pcap, sorted(columns))
        frames = tshark.frames(pcap)
    failed = 0
    if len(rows) != count * FRAMES or len(frames) != len(rows):
        print(f"{len(rows)} frames instead of {count * FRAMES}")
        failed += 1
    for i, (row, frame) in enumerate(zip(rows, frames)):
        template = templates[i // FRAMES]
        wrong = judge(template, NUMBERS[i % FRAMES], row, frame, fields)
        failed += bool(wrong)
        if wrong and failed < 20:
            print(f"frame {NUMBERS[i % FRAMES]} of {template.line}")
            for text in wrong:
                print(f"    {text}")
    print(f"{count} templates, {len(rows)} frames, {failed} wrong (seed {seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
