# SPDX-License-Identifier: BSD-3-Clause
"""Who else saw it: captures on the DUT's interfaces, the kernel's own statistics and flows.

Tests that only count give COUNTING to tgen: frames that leave late are counted all the same, so a busy
machine is no reason to repeat them. Sent in full and received in full they must still be.
"""
import socket
import struct
import threading

from lab import equal

COUNTING = ("max-lag=0", "max-steal=100")
SOL_PACKET, PACKET_STATISTICS = 263, 6


class Capture(threading.Thread):
    """The frames that leave (or come in) by an interface, while the `with` lasts, that are wanted."""

    def __init__(self, lab, side, device, wanted, outgoing=True):
        super().__init__(daemon=True)
        self.wanted, self.outgoing = wanted, outgoing
        self.seen, self.stop = [], False
        self.sock = lab.packet_socket(side, device)
        self.sock.settimeout(0.2)

    def run(self):
        while True:
            try:
                frame, address = self.sock.recvfrom(65535)
            except TimeoutError:
                if self.stop:
                    return
                continue
            if (address[2] == socket.PACKET_OUTGOING) == self.outgoing and self.wanted(frame):
                self.seen.append(frame)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop = True
        self.join()
        _, self.dropped = struct.unpack("II", self.sock.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        self.sock.close()

    def count(self):
        """How many; an incomplete capture is no witness."""
        equal(self.dropped, 0, "frames that the capture itself missed")
        return len(self.seen)


def snmp(lab):
    """The DUT's /proc/net/snmp, as `Ip:FragCreates` …"""
    lines = [line.split() for line in lab.dut("cat", "/proc/net/snmp").stdout.splitlines()]
    return {name + key: int(value) for (name, *keys), (_, *values) in zip(lines[::2], lines[1::2])
            for key, value in zip(keys, values)}


def added(before, after):
    """Counters by how much they grew."""
    return {key: value - before.get(key, 0) for key, value in after.items()}


def flows(lab):
    """The DUT's tracked UDP flows: {source port: (frames there, frames back, whether one came back)}."""
    found = {}
    for line in lab.dut("cat", "/proc/net/nf_conntrack").stdout.splitlines():
        if " udp " not in line:
            continue
        values = [word.split("=") for word in line.split() if "=" in word]
        there, back = [int(v) for k, v in values if k == "packets"]
        sport = next(int(v) for k, v in values if k == "sport")
        found[sport] = (there, back, "[UNREPLIED]" not in line)
    return found
