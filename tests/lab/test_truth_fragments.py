#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A DUT that fragments: a packet is counted once, by the last piece, when that carries all 18 bytes of the
signature; else it is lost, though all of it arrived. The kernel says how many pieces it made."""
import sys

from lab import equal, run, settings
from truth import check_none, check_rows
from witness import COUNTING, added, snmp

SIZE, PPS = 1514, 500
PAYLOAD = SIZE - 14 - 20  # of IP
SIGNATURE = 18
CONFIG = {
    "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]} for i in (1, 2)],
    "packet-templates": [{"name": "r12", "header-stack": "mac,ip,udp", "ip-gateway": "1.1.1.254",
                          "ip-dst": "2.2.2.2", "udp-checksum": "compute"}],
}


def pieces(mtu):
    """RFC 791: all but the last carry as many multiples of 8 bytes as fit."""
    most = (mtu - 20) // 8 * 8
    whole = (PAYLOAD - 1) // most
    return whole + 1, PAYLOAD - whole * most


def fragmented(lab, mtu):
    """A run with that MTU behind the DUT."""
    nb, last = pieces(mtu)
    start = {}
    lab.dut("ip", "link", "set", "dut2", "mtu", str(mtu))
    try:
        # Every piece as it was made: nothing in the DUT puts them together again.
        with settings(lab, ""):
            result = lab.quick_clean(CONFIG, "tx-template=r12", f"packet-size={SIZE}", f"pps={PPS}",
                                     "duration=1200ms", "drain=300ms", *COUNTING,
                                     before=lambda: start.update(snmp(lab)))
        kernel = added(start, snmp(lab))
    finally:
        lab.dut("ip", "link", "set", "dut2", "mtu", "1500")
    sent = result.stream("r12", "tx-packet")
    equal(kernel["Ip:FragOKs"], sent, f"packets that the kernel fragmented, against sent\n{result.text()}")
    equal(kernel["Ip:FragCreates"], sent * nb, "pieces that the kernel made")
    equal(kernel["Ip:FragFails"], 0, "packets that could not be fragmented")
    check_none(result, "r12", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted", "returned")
    port = result.ports["ether2"]
    equal(port["unknown"], 0, f"unknown\n{result.text()}")
    return result, port, sent, nb, last


def counted(lab, mtu, wanted_last):
    result, port, sent, nb, last = fragmented(lab, mtu)
    equal(last, wanted_last, "bytes of the last piece")
    equal(result.status, 0, f"status\n{result.text()}")
    equal(result.stream("r12", "rx-packet"), sent, f"received\n{result.text()}")
    equal(result.stream("r12", "last-fragment"), sent, "counted by the last piece")
    equal((port["good"], port["fragment"]), (sent, sent * (nb - 1)), "good and other pieces")
    check_rows(result)


def last_is_long(lab):
    """MTU 1000 and 576: each packet is counted once, by its last piece, the others are `fragment`"""
    counted(lab, 1000, 504)
    counted(lab, 576, 376)


def last_is_just_long_enough(lab):
    """a last piece of 24 bytes, no other multiple of 8 holds 18 by less, still counts the packet"""
    counted(lab, 1476, 24)


def last_is_too_short(lab):
    """a last piece of 16 bytes holds no whole signature: all pieces are `fragment`, all packets lost"""
    result, port, sent, nb, last = fragmented(lab, 1484)
    s = result.streams["r12"]
    equal((last, last < SIGNATURE), (16, True), "bytes of the last piece, shorter than the signature")
    equal((s["rx-packet"], s["lost-packet"], s["last-fragment"]), (0, sent, 0), "received, lost, last fragments")
    equal((port["good"], port["fragment"]), (0, sent * nb), f"good and fragment\n{result.text()}")
    equal(result.status, 1, f"status, when nothing whole arrives\n{result.text()}")


if __name__ == "__main__":
    sys.exit(run([last_is_long, last_is_just_long_enough, last_is_too_short], ports=2))
