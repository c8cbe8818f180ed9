#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Have tshark judge the frames that render writes. usage: check.py RENDER"""

import os
import struct
import subprocess
import sys
import tempfile

import tshark

FRAMES = 5  # of each template
FIELDS = """frame.len eth.dst eth.src eth.type ip.src ip.dst ip.dsfield ip.id ip.flags ip.ttl
ip.proto ip.len ip.checksum.status udp.srcport udp.dstport udp.length udp.checksum
udp.checksum.status""".split()
MAGIC = b"\x74\x67"
TEST_ID = b"\x07"

# What tshark says of a checksum.
BAD, GOOD, UNVERIFIED, NOT_PRESENT = "0", "1", "2", "3"


def udp(size, **more):
    """Fields of a UDP frame; more: those that differ, a list for one value a frame."""
    fields = {
        "frame.len": size, "eth.dst": "02:00:00:00:00:02", "eth.src": "02:00:00:00:00:01",
        "eth.type": "0x0800", "ip.src": "192.0.2.1", "ip.dst": "198.51.100.1",
        "ip.dsfield": "0x00", "ip.id": "0x0000", "ip.flags": "0x00", "ip.ttl": 64, "ip.proto": 17,
        "ip.len": size - 14, "ip.checksum.status": GOOD, "udp.srcport": 100, "udp.dstport": 200,
        "udp.length": size - 34, "udp.checksum": "0x0000", "udp.checksum.status": NOT_PRESENT,
    }
    fields.update({name.replace("__", "."): value for name, value in more.items()})
    return fields


def computed(size, **more):
    """The same with a computed checksum."""
    fields = udp(size, udp__checksum__status=GOOD, **more)
    del fields["udp.checksum"]
    return fields


def mac(**more):
    fields = {"frame.len": 60, "eth.dst": "02:00:00:00:00:02", "eth.src": "02:00:00:00:00:01",
              "eth.type": "0x88b5", "ip.src": "", "udp.srcport": ""}
    fields.update({name.replace("__", "."): value for name, value in more.items()})
    return fields


def incrementing(nb):
    return bytes(i % 256 for i in range(nb)).hex()


# In render's order: name, fields, payload in hex before the signature.
CASES = [
    ("defaults", udp(60), ""),
    ("compute 60", computed(60), ""),
    ("compute 61", computed(61), incrementing(1)),
    ("compute 508", computed(508), "a5" * 448),
    ("compute 1513", computed(1513), incrementing(1453)),
    ("compute 1514", computed(1514), "00" * 1454),
    ("port ranges", computed(64, udp__srcport=[65533, 65534, 65535, 65533, 65534],
                             udp__dstport=[40000, 40001, 40002, 40003, 40000]), "00" * 4),
    ("address ranges", computed(
        65, ip__dst=["198.51.100.254", "198.51.100.255", "198.51.101.0", "198.51.101.1",
                     "198.51.100.254"],
        ip__src=["10.255.255.254", "10.255.255.255", "11.0.0.0", "10.255.255.254",
                 "10.255.255.255"]), "00" * 5),
    ("ip fields", udp(60, ip__dsfield="0xb8", ip__id="0xbeef", ip__flags="0x02", ip__ttl=7), ""),
    ("mac,ip protocol given", {"frame.len": 60, "ip.proto": 47, "ip.len": 46,
                               "ip.checksum.status": GOOD, "udp.srcport": ""}, "00" * 26),
    ("mac,ip", {"frame.len": 60, "ip.proto": 255, "ip.len": 46, "ip.checksum.status": GOOD,
                "udp.srcport": ""}, "00" * 8),
    ("mac", mac(), "00" * 28),
    ("mac given", mac(eth__dst="02:00:00:00:00:99", eth__src="02:00:00:00:00:98",
                      eth__type="0x88b6"), "00" * 28),
    ("incrementing", udp(100), incrementing(40)),
    ("jumbo", computed(9014), incrementing(8954)),
    ("no footer", computed(100), incrementing(58)),
    ("checksum given", udp(60, udp__checksum="0x1234", udp__checksum__status=BAD), ""),
]
NO_SIGNATURE = {"mac,ip protocol given", "no footer"}
# No payload is a GRE header, although ip-protocol says so.
NO_GRE = ("--disable-protocol", "gre")


def header_bytes(fields):
    if "udp.length" in fields:
        return 42
    return 34 if "ip.len" in fields else 14


def check_payload(where, payload, before, signed):
    """The payload is what was asked, and a good signature of ours ends it."""
    signature = payload[-18:] if signed else b""
    wrong = []
    if payload[:len(payload) - len(signature)].hex() != before:
        wrong.append(f"{where}: payload {payload.hex()} does not begin with {before}")
    if signed and (signature[:3] != MAGIC + TEST_ID or
                   sum(struct.unpack(">9H", signature)) % 0xffff != 0):
        wrong.append(f"{where}: signature {signature.hex()}")
    return wrong


def check_frame(case, number, got, frame):
    name, fields, before = case
    where = f"{name}, frame {number}"
    wrong = []
    for field, want in fields.items():
        if isinstance(want, list):
            want = want[number]
        if got[field] != str(want):
            wrong.append(f"{where}: {field} is {got[field]!r} instead of {str(want)!r}")
    return wrong + check_payload(where, frame[header_bytes(fields):], before,
                                 name not in NO_SIGNATURE)


def main():
    with tempfile.TemporaryDirectory() as directory:
        pcap = os.path.join(directory, "golden.pcap")
        subprocess.run([sys.argv[1], pcap], check=True)
        columns = [word for field in FIELDS for word in ("-e", field)]
        rows = [dict(zip(FIELDS, line.split("\t")))
                for line in tshark.run(*NO_GRE, "-r", pcap, "-T", "fields", *columns)]
        frames = tshark.frames(pcap)
        malformed = tshark.run(*NO_GRE, "-r", pcap, "-Y", "_ws.malformed")
    wrong = [f"malformed: {line}" for line in malformed]
    if len(rows) != FRAMES * len(CASES):
        wrong.append(f"{len(rows)} frames instead of {FRAMES * len(CASES)}")
    for i, row in enumerate(rows[:FRAMES * len(CASES)]):
        wrong += check_frame(CASES[i // FRAMES], i % FRAMES, row, frames[i])
    for line in wrong:
        print(line)
    print(f"{len(rows)} frames, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
