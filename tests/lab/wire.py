# SPDX-License-Identifier: BSD-3-Clause
"""What is on the wire, frame by frame: a capture on the DUT's side with the kernel's receive times, and
frames taken apart here, from the RFCs. The relay lab without a relay: frames come to dut1 and end there.
"""
import collections
import contextlib
import ipaddress
import os
import socket
import struct

import frames
from lab import ATTEMPTS, Failure, check, equal
from tagged import AUXDATA, PACKET_AUXDATA, SOL_PACKET, whole
from witness import PACKET_STATISTICS

SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35
# They only have to leave, and when is the kernel's to say; nothing comes back.
SENT_ONLY = ("max-lag=0s", "max-steal=100", "drain=0s")
TCP, UDP, ICMP, ICMP6 = 6, 17, 1, 58
CHECKSUM_AT = {TCP: 16, UDP: 6, ICMP: 2, ICMP6: 2}
MASK48 = (1 << 48) - 1
NB = frames.SIGNATURE.size
Flow = collections.namedtuple("Flow", "src dst sport dport")


class Frame:
    """A frame taken apart. `bad` lists what is wrong with it, `data` is all but the signature."""

    def __init__(self, raw, time_ns):
        self.raw, self.time_ns, self.size, self.bad = raw, time_ns, len(raw), []
        self.dst, self.src, at, self.vlans = raw[:6].hex(":"), raw[6:12].hex(":"), 12, []
        while raw[at:at + 2] in (b"\x81\0", b"\x88\xa8"):
            self.vlans.append(int.from_bytes(raw[at + 2:at + 4], "big") & 0xFFF)
            at += 4
        kind, at = raw[at:at + 2], at + 2
        self.l3 = at
        if kind == b"\x08\0":
            self._read_ip(raw, at)
        elif kind == b"\x86\xdd":
            self._read_ip6(raw, at)
        else:
            raise ValueError(f"neither IPv4 nor IPv6: {raw.hex()}")
        if self.end > len(raw):
            raise ValueError(f"IP length: {raw.hex()}")
        self._read_l4(raw)
        signature = raw[self.end - NB:self.end]
        magic, self.test_id, self.epoch, self.lane, self.seq, stamp, _ = frames.SIGNATURE.unpack(signature)
        if magic != 0x7467 or frames.ones_sum(signature) != 0xFFFF:
            self.bad.append("signature")
        self.sent_ns = int.from_bytes(stamp, "big")
        self.data = raw[:self.end - NB] + raw[self.end:]

    def _read_ip(self, raw, at):
        length, self.proto = int.from_bytes(raw[at + 2:at + 4], "big"), raw[at + 9]
        self.l4, self.end = at + (raw[at] & 15) * 4, at + length
        self.ip_src, self.ip_dst = (ipaddress.IPv4Address(raw[at + k:at + k + 4]) for k in (12, 16))
        if frames.ones_sum(raw[at:self.l4]) != 0xFFFF:
            self.bad.append("IP checksum")

    def _read_ip6(self, raw, at):
        self.proto, self.l4 = raw[at + 6], at + 40
        self.end = self.l4 + int.from_bytes(raw[at + 4:at + 6], "big")
        self.ip_src, self.ip_dst = (ipaddress.IPv6Address(raw[at + k:at + k + 16]) for k in (8, 24))

    def _read_l4(self, raw):
        body = raw[self.l4:self.end]
        self.sport, self.dport = struct.unpack("!HH", body[:4])
        self.flow = Flow(str(self.ip_src), str(self.ip_dst), self.sport, self.dport)
        if self.proto == UDP and int.from_bytes(body[4:6], "big") != len(body):
            self.bad.append("UDP length")
        at = CHECKSUM_AT[self.proto]
        self.checksum = int.from_bytes(body[at:at + 2], "big")
        if self.proto == UDP and self.checksum == 0:
            return
        pseudo = b""
        if self.proto != ICMP:
            pseudo = self.ip_src.packed + self.ip_dst.packed + struct.pack("!II", len(body), self.proto)
        if frames.ones_sum(pseudo + body) != 0xFFFF:
            self.bad.append("checksum of layer 4")


class Wire:
    """What comes in by an interface of the DUT and is wanted, from its making to stop()."""

    def __init__(self, lab, device="dut1"):
        self.lab, self.device = lab, device
        self.sock = lab.packet_socket("dut", device)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 256 << 20)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.kernel, self.heard = lab.link("dut", device)["rx"], {"packets": 0, "bytes": 0}

    def stop(self, wanted):
        """The frames; all of them, or this is no witness. The kernel's own counters say the same."""
        after = self.lab.link("dut", self.device)["rx"]
        found = list(self._read(wanted))
        _, dropped = struct.unpack("II", self.sock.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        self.sock.close()
        equal(dropped, 0, "frames that the capture itself missed")
        equal(self.heard, {k: after[k] - self.kernel[k] for k in self.heard}, "captured, against the kernel's counters")
        return found

    def _read(self, wanted):
        while True:
            try:
                data, ancillary, _, address = self.sock.recvmsg(
                    65535, socket.CMSG_SPACE(AUXDATA.size) + socket.CMSG_SPACE(16), socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            if address[2] == socket.PACKET_OUTGOING:
                continue
            stamp = [c for level, kind, c in ancillary if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS)]
            seconds, ns = struct.unpack("qq", stamp[0])
            raw = whole(data, ancillary)
            self.heard["packets"] += 1
            self.heard["bytes"] += len(raw)
            if wanted(raw):
                yield Frame(raw, seconds * 10**9 + ns)


def ours(raw):
    """Of a template with this test's destination MAC, which tells its number."""
    return raw[:4] == b"\2tg\0"


def mac(number):
    return "02:74:67:00:" + number.to_bytes(2, "big").hex(":")


def config(templates, port=None):
    """templates: {name: its fields}; of each a template, told by its destination MAC."""
    return {
        "ports": [{"name": "ether1", "device": "auto:ether1",
                   "address": ["1.1.1.1/24", "2001:db8:1::1/64"], **(port or {})}],
        "packet-templates": [{"name": name, "port": "ether1", "mac-dst": mac(i), **fields}
                             for i, (name, fields) in enumerate(templates.items())],
    }


def cpus(nb):
    found = sorted(os.sched_getaffinity(0))
    return f"cpu-core={','.join(map(str, found[:nb]))}" if len(found) >= nb else None


Sent = collections.namedtuple("Sent", "result streams")


def send(lab, conf, *words, options=SENT_ONLY, timeout=120):
    """A clean run: its result, and the frames of each stream in the order of the wire. What came is what
    tgen says it sent, and right."""
    names = [t["name"] for t in conf["packet-templates"]]
    for _ in range(ATTEMPTS):
        wire = Wire(lab)
        which = [] if "streams" in conf else [f"tx-template={','.join(names)}"]
        result = lab.quick(conf, *which, *words, *options, timeout=timeout)
        found = wire.stop(ours)
        check(result.json is not None, f"no result\n{result.text()}")
        result.check_sums()
        if not result.clean:
            equal(result.status, 3, f"status of a run that is not clean\n{result.text()}")
            continue
        streams = {name: [] for name in names}
        for frame in found:
            streams[names[int.from_bytes(frame.raw[4:6], "big")]].append(frame)
        for name, seen in streams.items():
            equal(len(seen), result.stream(name, "tx-packet"), f"{name}: frames on the wire, against tx-packet")
            equal(sum(f.size for f in seen), result.stream(name, "tx-byte"), f"{name}: bytes, against tx-byte")
            equal([f.bad for f in seen if f.bad][:3], [], f"{name}: what is wrong with frames")
        return Sent(result, streams)
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


def in_stream_order(seen):
    """Frames of one stream by their number: lane k of n sends k, k + n, and so on."""
    ordered = sorted(seen, key=lambda f: (f.seq, f.lane))
    lanes = sorted({f.lane for f in seen})
    equal([(f.lane, f.seq) for f in ordered],
          [(lanes[i % len(lanes)], i // len(lanes)) for i in range(len(seen))], "lanes and sequence numbers")
    return ordered


@contextlib.contextmanager
def about(name):
    """Names the case in whatever fails within."""
    try:
        yield
    except Failure as e:
        raise Failure(f"{name}: {e}") from None
