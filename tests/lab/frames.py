# SPDX-License-Identifier: BSD-3-Clause
"""Frames for the lab tests: made and read here from the words of the RFCs and of design.md, and not
with tgen's own code, so that both can be held against each other."""
import socket
import struct
import time

ETH_ARP, ETH_IP, ETH_VLAN, ETH_TEST = 0x0806, 0x0800, 0x8100, 0x88B5  # 0x88b5: local experiments
SIGNATURE = struct.Struct("!HBBHI6sH")  # magic, test-id, epoch, lane, seq, time, complement


def mac_bytes(mac):
    return bytes.fromhex(mac.replace(":", ""))


def ip_bytes(address):
    return socket.inet_aton(address)


def ones_sum(data):
    """Ones' complement sum of 16-bit words (RFC 1071), folded."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def ethernet(dst, src, ethertype, payload, vlan=None):
    tag = b"" if vlan is None else struct.pack("!HH", ETH_VLAN, vlan)
    return (mac_bytes(dst) + mac_bytes(src) + tag + struct.pack("!H", ethertype) + payload).ljust(60, b"\0")


def add_tag(frame, vlan):
    return frame[:12] + struct.pack("!HH", ETH_VLAN, vlan) + frame[12:]


def arp_request(src_mac, src_ip, dst_ip):
    body = struct.pack("!HHBBH", 1, ETH_IP, 6, 4, 1) + mac_bytes(src_mac) + ip_bytes(src_ip)
    return ethernet("ff:ff:ff:ff:ff:ff", src_mac, ETH_ARP, body + bytes(6) + ip_bytes(dst_ip))


def echo_request(dst_mac, src_mac, src_ip, dst_ip, ident, seq):
    icmp = struct.pack("!BBHHH", 8, 0, 0, ident, seq) + bytes(range(32))
    icmp = icmp[:2] + struct.pack("!H", 0xFFFF ^ ones_sum(icmp)) + icmp[4:]
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(icmp), 1, 0, 64, 1, 0, ip_bytes(src_ip), ip_bytes(dst_ip))
    ip = ip[:10] + struct.pack("!H", 0xFFFF ^ ones_sum(ip)) + ip[12:]
    return ethernet(dst_mac, src_mac, ETH_IP, ip + icmp)


def receive(sock, wanted, seconds):
    """The frames that came in within that time and are wanted; our own sent ones are not."""
    found, end = [], time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            frame, address = sock.recvfrom(65535)
        except TimeoutError:
            break
        if address[2] != socket.PACKET_OUTGOING and wanted(frame):
            found.append(frame)
    return found


def is_arp_reply(frame, ip):
    return frame[12:14] == b"\x08\x06" and frame[20:22] == b"\0\2" and frame[28:32] == ip_bytes(ip)


def is_echo_reply(frame, ip, ident):
    return (frame[12:14] == b"\x08\0" and frame[23] == 1 and frame[26:30] == ip_bytes(ip)
            and frame[34] == 0 and frame[38:40] == struct.pack("!H", ident))


def is_udp(frame, src, dst):
    return frame[12:14] == b"\x08\0" and frame[23] == 17 and frame[26:34] == ip_bytes(src) + ip_bytes(dst)


class TestFrame:
    """A test frame taken apart (untagged IPv4/UDP); ValueError says what is wrong with it."""

    def __init__(self, frame):
        ip_length, = struct.unpack("!H", frame[16:18])
        if frame[14] != 0x45 or 14 + ip_length > len(frame):
            raise ValueError(f"IP header: {frame.hex()}")
        if ones_sum(frame[14:34]) != 0xFFFF:
            raise ValueError(f"IP checksum: {frame.hex()}")
        self.size, self.ttl = len(frame), frame[22]
        self.ports = struct.unpack("!HH", frame[34:38])
        udp_length, udp_checksum = struct.unpack("!HH", frame[38:42])
        if udp_length != ip_length - 20:
            raise ValueError(f"UDP length: {frame.hex()}")
        pseudo = frame[26:34] + struct.pack("!HH", 17, udp_length)
        if udp_checksum and ones_sum(pseudo + frame[34:34 + udp_length]) != 0xFFFF:
            raise ValueError(f"UDP checksum: {frame.hex()}")
        signature = frame[14 + ip_length - SIGNATURE.size:14 + ip_length]
        magic, self.test_id, self.epoch, self.lane, self.seq, stamp, _ = SIGNATURE.unpack(signature)
        if magic != 0x7467 or ones_sum(signature) != 0xFFFF:
            raise ValueError(f"signature: {signature.hex()}")
        self.time_ns = int.from_bytes(stamp, "big")
