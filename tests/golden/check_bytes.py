#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of every header type, and of every ready template, stay what they are, and tshark finds
nothing wrong with them.

usage: check_bytes.py WORDS SOURCE

TGEN_GOLDEN_UPDATE=1 in the environment writes tests/golden/frames.hex anew: look at what changed.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import check_fields
import tshark

FRAMES = 2
ADDRESSES = {"ip": "ip-dst=198.51.100.1", "ipv6": "ipv6-dst=2001:db8::2",
             "arp": "arp-dst-ip=198.51.100.1", "raw": "raw-header=0123456789abcdef"}
# Stacks that the headers' own do not show: name, stack, words.
MORE = [
    ("ipip", "mac,ip,ip,udp", []), ("sit", "mac,ip,ipv6,udp", []),
    ("ip6ip6", "mac,ipv6,ipv6,udp", []), ("4in6", "mac,ipv6,ip,udp", []),
    ("gre-all", "mac,ip,gre,mac,ip,udp",
     ["gre-checksum=good", "gre-key=1", "gre-sequence=2"]),
    ("segment", "mac,ipv6,routing,tcp", ["routing-segments-left=1", "routing-address=2001:db8::3"]),
    ("sctp-in-vxlan", "mac,ip,udp,vxlan,mac,ip,sctp", ["udp-checksum=good"]),
    ("raw-before-ip", "mac,raw,ip,udp", ["mac-protocol=0x9999"]),
    ("sixteen", "mac,vlan,vlan,mpls,mpls,ip,gre,mac,vlan,ipv6,hop-by-hop,udp,geneve,ipv6,fragment,udp",
     []),
]


def header_lines(words):
    headers = dict.fromkeys(field["header"] for field in check_fields.listed(words))
    stacks = [(name, check_fields.STACKS[name], []) for name in headers] + MORE
    for name, stack, more in stacks:
        given = [word for header, word in ADDRESSES.items() if header in stack.split(",")]
        yield f"header {name}", [f"header-stack={stack}"] + given + more


def word_of(key, value):
    if isinstance(value, bool):
        return f"{key}={'yes' if value else 'no'}"
    if isinstance(value, list):
        return f"{key}={','.join(str(item) for item in value)}"
    return f"{key}={value}"


def template_lines(source):
    for path in sorted(source.glob("templates/*.json")):
        for template in json.loads(path.read_text())["packet-templates"]:
            words = [word_of(key, value) for key, value in template.items()]
            yield f"{path.stem} {template['name']}", words


def bytes_of(words, lines):
    given = "".join("\t".join(["0", str(FRAMES)] + line) + "\n" for _, line in lines)
    done = subprocess.run([words, "bytes"], input=given, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"words: {done.stderr}")
    out = done.stdout.split()
    return [f"{name} {n}: {out[i * FRAMES + n]}" for i, (name, _) in enumerate(lines)
            for n in range(FRAMES)]


def judged(words, lines):
    with tempfile.TemporaryDirectory() as directory:
        pcap = os.path.join(directory, "bytes.pcap")
        tshark.render(words, pcap, ["\t".join(["0", str(FRAMES)] + line) for _, line in lines])
        rows = tshark.read(pcap, ["frame.protocols"])
    for i, row in enumerate(rows):
        name = lines[i // FRAMES][0]
        if row["malformed"]:
            yield f"{name}: malformed"
        for column in tshark.bad_checksums(row):
            yield f"{name}: {column} is bad ({row['frame.protocols']})"
    if len(rows) != len(lines) * FRAMES:
        yield f"{len(rows)} frames instead of {len(lines) * FRAMES}"


def compare(path, got):
    want = path.read_text().splitlines() if path.exists() else []
    if os.environ.get("TGEN_GOLDEN_UPDATE") == "1":
        path.write_text("\n".join(got) + "\n")
        return
    known = dict(line.split(": ") for line in want)
    for line in got:
        name, frame = line.split(": ")
        if known.pop(name, None) != frame:
            yield f"{name}: now {frame}"
    for name in known:
        yield f"{name}: no longer there"


def main():
    words, source = sys.argv[1], pathlib.Path(sys.argv[2])
    lines = list(header_lines(words)) + list(template_lines(source))
    got = bytes_of(words, lines)
    wrong = list(compare(source / "tests" / "golden" / "frames.hex", got))
    wrong += judged(words, lines)
    for line in wrong:
        print(line)
    print(f"{len(got)} frames, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
