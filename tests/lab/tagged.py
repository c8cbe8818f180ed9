# SPDX-License-Identifier: BSD-3-Clause
"""Frames with their VLAN tags, of which the kernel hands the outer one over beside the frame."""
import socket
import struct
import time

SOL_PACKET, PACKET_AUXDATA = 263, 8
TP_STATUS_VLAN_VALID = 1 << 4
AUXDATA = struct.Struct("IIIHHHH")  # status, length, snapped, offsets of MAC and network, TCI, TPID


def tagged_socket(lab, side, device):
    sock = lab.packet_socket(side, device)
    sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    return sock


def whole(frame, ancillary):
    """As it was on the wire."""
    for level, kind, data in ancillary:
        if level == SOL_PACKET and kind == PACKET_AUXDATA:
            status, _, _, _, _, tci, tpid = AUXDATA.unpack(data[:AUXDATA.size])
            if status & TP_STATUS_VLAN_VALID:
                return frame[:12] + struct.pack("!HH", tpid, tci) + frame[12:]
    return frame


def receive(sock, wanted, seconds):
    """The frames that come in within that time and are wanted, as they were on the wire."""
    found, end = [], time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            data, ancillary, _, address = sock.recvmsg(65535, socket.CMSG_SPACE(AUXDATA.size))
        except TimeoutError:
            break
        frame = whole(data, ancillary)
        if address[2] != socket.PACKET_OUTGOING and wanted(frame):
            found.append(frame)
    return found


def tags(*pairs):
    """Bytes of tags: (TPID, VLAN ID)."""
    return b"".join(struct.pack("!HH", *pair) for pair in pairs)


def within(frame, *pairs):
    """An untagged frame within tags, outermost first."""
    return frame[:12] + tags(*pairs) + frame[12:]
