#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A generator that cannot keep up: sent is what the kernel says left the interface, what was asked for
beyond is said and never called loss, and frames the kernel dropped on the way in make the run invalid."""
import re
import signal
import sys

import frames
from lab import check, equal, run, settings
from witness import COUNTING

CONFIG = {
    "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]} for i in (1, 2)],
    "packet-templates": [
        {"name": "r12", "header-stack": "mac,ip,udp", "ip-gateway": "1.1.1.254", "ip-dst": "2.2.2.2"}],
}
FIELDS = ("rx-bytes", "rx-packets", "rx-errs", "rx-drop", "rx-fifo", "rx-frame", "rx-compressed", "rx-multicast",
          "tx-bytes", "tx-packets", "tx-errs", "tx-drop", "tx-fifo", "tx-colls", "tx-carrier", "tx-compressed")
RULES = """table netdev probe {
    counter udp_frames { }
    counter other_frames { }
    chain ingress {
        type filter hook ingress device "dut1" priority 0; policy accept;
        ip protocol udp counter name udp_frames accept
        counter name other_frames
    }
}"""


def net_dev(lab, device):
    """The kernel's /proc/net/dev of an interface in the generator's namespace."""
    for line in lab.gen("cat", "/proc/net/dev").stdout.splitlines():
        name, _, values = line.partition(":")
        if name.strip() == device:
            return dict(zip(FIELDS, map(int, values.split())))
    raise AssertionError(device)


def sent_by_the_kernel(lab, *words):
    """A run of r12, clean or not: it, and the UDP frames that the kernel let out of ether1."""
    with settings(lab, RULES):
        before = net_dev(lab, "ether1")
        result = lab.quick(CONFIG, "tx-template=r12", *words)
        after = net_dev(lab, "ether1")
        counters = lab.counters()
    grown = {key: after[key] - before[key] for key in FIELDS}
    check(result.json is not None, f"no result\n{result.text()}")
    result.check_sums()
    check(result.ports["ether1"]["tx-other"] <= counters["other_frames"],
          f"{result.ports['ether1']['tx-other']} other frames, the DUT saw {counters}")
    # What the other end refused was sent, and then lost: the kernel counts it at the sending end.
    equal(counters["udp_frames"], grown["tx-packets"] - counters["other_frames"], "frames at the DUT, ether1 tx")
    return result, counters["udp_frames"] + grown["tx-drop"], counters["udp_frames"]


def check_sent(result, sent):
    s = result.streams["r12"]
    equal(s["tx-packet"], sent, f"sent, against what left ether1\n{result.text()}")
    equal(result.ports["ether1"]["tx-test"], sent, "ether1 tx-test")
    equal(sum(row["tx-packet"] for row in result.json["rows"] if row["stream"] == 0) + s["spill"],
          sent + result.ports["ether1"]["tx-undelivered"], "sent, of the rows")


def too_much_asked(lab):
    """100 times what the interface carries: sent is the kernel's count, the rest is said, status 3"""
    words = ("packet-size=1514", "duration=1s", "drain=200ms", *COUNTING)
    flat_out, sent, _ = sent_by_the_kernel(lab, *words, "pps=max")
    check_sent(flat_out, sent)
    asked = int(100 * flat_out.stream("r12", "tx-rate") / 1e6)
    result, sent, forwarded = sent_by_the_kernel(lab, *words, f"mbps={asked}")
    s = result.streams["r12"]
    check_sent(result, sent)
    equal((result.status, result.clean), (3, False), f"status, clean\n{result.text()}")
    wanted = asked * 1e6 / 8 / 1514 * result.json["send-ns"] / 1e9
    check(sent < wanted / 10, f"{sent} of {wanted} sent: that was no overload")
    said = [re.search(r"sent ([\d ]+) of the ([\d ]+) frames asked for", r) for r in result.json["reasons"]]
    said = [m for m in said if m]
    equal(len(said), 1, f"reasons that say how short it was: {result.json['reasons']}")
    equal(int(said[0][1].replace(" ", "")), sent, "sent, in the reason")
    check(abs(int(said[0][2].replace(" ", "")) - wanted) <= 1, f"asked for in the reason: {said[0][2]}, not {wanted}")
    check(abs(s["unsent"] + sent - wanted) <= wanted / 100, f"unsent {s['unsent']} and sent {sent}, wanted {wanted}")
    equal(s["lost-packet"], sent - s["rx-packet"], f"loss is of what was sent\n{result.text()}")
    check(s["rx-packet"] <= forwarded, "more received than came to the DUT")


def flat_out(lab):
    """pps=max: sent is the kernel's count, to the frame, at every size"""
    for size in (60, 1514):
        result, sent, _ = sent_by_the_kernel(lab, f"packet-size={size}", "pps=max", "duration=1s", "drain=200ms",
                                             *COUNTING)
        check(sent > 1000, f"only {sent} sent")
        check_sent(result, sent)


BLAST = """table ip probe {
    counter forwarded { }
    chain postrouting {
        type filter hook postrouting priority 0; policy accept;
        oifname "dut2" ip saddr 1.1.1.1 ip daddr 2.2.2.2 counter name forwarded
    }
}"""


def starved(lab):
    """a receiver that stands still while its ring overflows: the kernel's drops are said, exactly; status 3"""
    nb = 20000  # ten times what the ring of ether2 holds
    blast = frames.ethernet(lab.mac("gen", "ether2"), lab.mac("dut", "dut2"), frames.ETH_TEST, b"blast")
    words = ("tx-template=r12", "packet-size=60", "pps=1000", "duration=3s", *COUNTING)
    with settings(lab, BLAST), lab.packet_socket("dut", "dut2", 0) as sock:
        with lab.start(CONFIG, "quick", *words) as p:
            lab.wait_for_traffic()
            p.signal(signal.SIGSTOP)
            try:
                for _ in range(nb):
                    sock.send(blast)
            finally:
                p.signal(signal.SIGCONT)
            result = p.wait()
        forwarded = lab.counters()["forwarded"]
    result.check_sums()
    port, s = result.ports["ether2"], result.streams["r12"]
    equal((result.status, result.clean), (3, False), f"status, clean\n{result.text()}")
    check(port["rx-kernel-dropped"] > nb / 2, f"the ring held most of it\n{result.text()}")
    equal(port["rx-kernel-dropped"], nb - port["unknown"] + forwarded - s["rx-packet"],
          f"kernel's drops, against frames that came to ether2 and were not received\n{result.text()}")
    said = [re.match(r"port ether2: the kernel dropped (\d+) received frames", r) for r in result.json["reasons"]]
    equal([int(m[1]) for m in said if m], [port["rx-kernel-dropped"]], f"reasons: {result.json['reasons']}")


if __name__ == "__main__":
    sys.exit(run([flat_out, too_much_asked, starved], ports=2))
