# SPDX-License-Identifier: BSD-3-Clause
"""What the golden tests share: frames rendered from words, and tshark's view of them."""

import struct
import subprocess
import sys

# tshark checks these only when asked to.
PREFERENCES = ["ip.check_checksum:TRUE", "udp.check_checksum:TRUE", "tcp.check_checksum:TRUE",
               "sctp.checksum:CRC-32C", "tcp.desegment_tcp_streams:FALSE",
               "tcp.analyze_sequence_numbers:FALSE", "ip.defragment:FALSE",
               "ipv6.defragment:FALSE", "sctp.reassembly:FALSE", "sctp.tsn_analysis:FALSE",
               "tcp.track_bytes_in_flight:FALSE"]
STATUS = ["ip.checksum.status", "udp.checksum.status", "tcp.checksum.status",
          "sctp.checksum.status", "icmp.checksum.status", "icmpv6.checksum.status",
          "igmp.checksum.status", "gre.checksum.status"]
BAD, GOOD = "0", "1"


def run(*args):
    command = ["tshark", "-n"]
    for preference in PREFERENCES:
        command += ["-o", preference]
    done = subprocess.run(command + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"tshark: {done.stderr}")
    return done.stdout.splitlines()


def render(words, path, lines):
    done = subprocess.run([words, path], input="\n".join(lines) + "\n", text=True, check=False,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"words: {done.stderr}")


def read(pcap, columns):
    """A dictionary a frame: the columns' texts, several values joined by commas; and `malformed`."""
    names = list(columns) + STATUS + ["_ws.malformed"]
    fields = [word for name in names for word in ("-e", name)]
    rows = [dict(zip(names, line.split("\t")))
            for line in run("-r", pcap, "-T", "fields", *fields)]
    for row in rows:
        row["malformed"] = row["_ws.malformed"] != ""
    return rows


def frames(path):
    """The bytes of a pcap file's frames, in this machine's byte order."""
    found = []
    with open(path, "rb") as file:
        file.read(24)
        while head := file.read(16):
            found.append(file.read(struct.unpack("=4I", head)[2]))
    return found


def bad_checksums(row):
    return [name for name in STATUS if BAD in row[name].split(",")]


def good_checksums(row):
    return [name for name in STATUS if GOOD in row[name].split(",")]


def number(text):
    if text in ("True", "False"):
        return int(text == "True")
    try:
        return int(text, 0)
    except ValueError:
        return text
