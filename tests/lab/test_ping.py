#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""ARP and echo: tgen asks, and answers, for its ports' addresses."""
import re
import sys

from lab import check, equal, run

CONFIG = "mikrotik-routing.json"


def replies(lab):
    """ping prints a line with the time for each reply"""
    result = lab.tgen(CONFIG, "ping", "port=ether1", "address=1.1.1.254", "count=3", "interval=100ms")
    equal(result.status, 0, f"status\n{result.text()}")
    lines = [s for s in result.out.splitlines() if re.search(r"from 1\.1\.1\.254\b.*time=[\d.]+(us|ms)", s)]
    equal(len(lines), 3, f"lines with a reply\n{result.text()}")


def nobody(lab):
    """ping of an address that nobody has says that ARP got no reply"""
    result = lab.tgen(CONFIG, "ping", "port=ether1", "address=1.1.1.77", "count=1", "arp-timeout=500ms")
    equal(result.status, 1, f"status\n{result.text()}")
    check(re.search(r"no ARP reply.*1\.1\.1\.77|1\.1\.1\.77.*no ARP reply", result.out + result.err),
          f"'no ARP reply' is not said\n{result.text()}")


def no_echo_reply(lab):
    """ping of a host that answers ARP but no echo ends with status 1"""
    lab.dut("sysctl", "-qw", "net.ipv4.icmp_echo_ignore_all=1")
    try:
        result = lab.tgen(CONFIG, "ping", "port=ether1", "address=1.1.1.254", "count=2", "interval=100ms")
    finally:
        lab.dut("sysctl", "-qw", "net.ipv4.icmp_echo_ignore_all=0")
    equal(result.status, 1, f"status\n{result.text()}")


def answers(lab):
    """during a measurement the DUT's pings to a port are answered, and cost the streams nothing"""
    with lab.start(CONFIG, "quick", "tx-template=r12,r21", "packet-size=60", "pps=1000", "duration=7s") as p:
        lab.wait_for_traffic()
        for address in ("1.1.1.1", "2.2.2.2"):
            pinged = lab.dut("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", address, must=False)
            check(" 3 received, 0% packet loss" in pinged.stdout, pinged.stdout + pinged.stderr)
        result = p.wait()
    result.check_sums()
    for port in ("ether1", "ether2"):
        check(result.ports[port]["host"] >= 3, f"{port}: host frames {result.ports[port]['host']}")
        equal(result.ports[port]["unknown"], 0, f"{port} unknown\n{result.text()}")
    equal(result.json["total"]["lost-packet"], 0, f"lost\n{result.text()}")


if __name__ == "__main__":
    sys.exit(run([replies, nobody, no_echo_reply, answers]))
