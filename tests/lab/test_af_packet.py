#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""af_packet on a kernel interface: what tgen calls sent and received is what the kernel says."""
import signal
import sys
import threading

import frames
from frames import ETH_TEST
from lab import Lab, check, equal, run, settings, wait_until

CONFIG = "mikrotik-routing.json"
ROUTER = """table netdev ingress {
    counter all_frames { }
    counter udp_frames { }
    chain dut1 {
        type filter hook ingress device "dut1" priority 0; policy accept;
        counter name all_frames
        ip protocol udp counter name udp_frames
    }
}"""
FIREWALL = """table ip filter {
    chain forward {
        type filter hook forward priority 0; policy accept;
        ip saddr 1.1.1.1 ip daddr 2.2.2.2 drop
    }
}"""


def every_frame_leaves(lab):
    """pps=max: what is called sent has left the interface, nothing waits in the ring"""
    with settings(lab, ROUTER):
        before = lab.link("gen", "ether1")["tx"]
        result = lab.quick(CONFIG, "tx-template=r12", "packet-size=60", "pps=max", "packet-count=200000")
        after = lab.link("gen", "ether1")["tx"]
        counters = lab.counters()
    refused = after["dropped"] - before["dropped"]
    equal(result.stream("r12", "tx-packet"), 200000, f"sent\n{result.text()}")
    equal(counters["udp_frames"] + refused, 200000, f"frames at the DUT, and {refused} that the wire dropped")
    equal(after["packets"] - before["packets"], counters["all_frames"], "ether1 tx, against dut1 rx")
    result.check_sums()


def over_the_mtu(lab):
    """a packet-size over the MTU is refused before anything is sent"""
    with settings(lab, ROUTER):
        result = lab.tgen(CONFIG, "quick", "tx-template=r12", "packet-size=1515", "pps=100", "duration=1s")
        equal(lab.counters()["udp_frames"], 0, "frames sent")
    result.check_error(2, r"1515.*(MTU|1514)|(MTU|1514).*1515")


def down_at_start(lab):
    """an interface that is down is said to be so, and the status is 4"""
    lab.set_link("gen", "ether1", "down")
    try:
        result = lab.tgen(CONFIG, "quick", "tx-template=r12", "packet-size=60", "pps=100", "duration=1s")
    finally:
        lab.set_link("gen", "ether1", "up")
    result.check_error(4, r"ether1.*down")


def down_in_mid_run(lab):
    """frames accepted after the link went down are not called sent"""
    words = ("tx-template=r12", "packet-size=60", "pps=5000", "duration=3s", "drain=500ms")
    with settings(lab, ROUTER):
        with lab.start(CONFIG, "quick", *words) as p:
            lab.wait_for_traffic()
            lab.set_link("dut", "dut1", "down")
            result = p.wait()
        lab.set_link("dut", "dut1", "up")
        reached = lab.counters()["udp_frames"]
    check(result.status in (3, 4), f"status {result.status}\n{result.text()}")
    check(result.json is not None and not result.clean, f"the run is called clean\n{result.text()}")
    # In the instant of the change the kernel says "sent" of frames that it drops: its interim queueing
    # discipline, noop, tells nobody. The ring, which must not be called sent, holds many times as many.
    swallowed = result.stream("r12", "tx-packet") - reached
    check(0 <= swallowed <= 50, f"{swallowed} more sent than reached the DUT\n{result.text()}")


def ring_overload(lab):
    """frames that the kernel drops at a full receive ring make the run invalid, not lost by the DUT"""
    blast = frames.ethernet(lab.mac("gen", "ether2"), lab.mac("dut", "dut2"), ETH_TEST, b"blast")
    words = ("tx-template=r12", "packet-size=60", "pps=1000", "duration=4s")
    before = lab.link("dut", "dut2")["tx"]["packets"]
    with lab.packet_socket("dut", "dut2", 0) as sock, lab.start(CONFIG, "quick", *words) as p:
        lab.wait_for_traffic()
        p.signal(signal.SIGSTOP)
        try:
            for _ in range(300000):
                sock.send(blast)
        finally:
            p.signal(signal.SIGCONT)
        result = p.wait()
    sent = lab.link("dut", "dut2")["tx"]["packets"] - before
    port = result.ports["ether2"]
    missed = (port["rx-missed"] or 0) + (port["rx-kernel-dropped"] or 0)
    equal(result.status, 3, f"status\n{result.text()}")
    check(not result.clean, "the run is called clean")
    check(missed > 0, f"no frame is called missed\n{result.text()}")
    check(any("ether2" in reason for reason in result.json["reasons"]), f"reasons: {result.json['reasons']}")
    # ARP before and after the measurement is the DUT's, but not the measurement's.
    difference = sent - port["rx-all"] - missed
    check(0 <= difference <= 20, f"the DUT sent {sent}: {port['rx-all']} received, {missed} missed")


def tagged_unknown(lab):
    """tagged frames that are not ours are counted unknown, each, and cost the streams nothing"""
    frame = frames.ethernet(lab.mac("gen", "ether2"), lab.mac("dut", "dut2"), ETH_TEST, b"tagged", vlan=7)
    words = ("tx-template=r12", "packet-size=60", "pps=1000", "duration=2s")
    with lab.packet_socket("dut", "dut2", 0) as sock, lab.start(CONFIG, "quick", *words) as p:
        lab.wait_for_traffic()
        for _ in range(100):
            sock.send(frame)
        result = p.wait()
    result.check_sums()
    equal(result.ports["ether2"]["unknown"], 100, f"ether2 unknown\n{result.text()}")
    equal(result.ports["ether2"]["unknown-byte"], 100 * len(frame), "their bytes, tags included")
    equal(result.stream("r12", "lost-packet"), 0, f"lost\n{result.text()}")


class Relay(threading.Thread):
    """A DUT in miniature: passes r12 from dut1 to dut2 with a VLAN tag, and keeps what it saw."""

    def __init__(self, lab):
        super().__init__(daemon=True)
        self.rx, self.tx = lab.packet_socket("dut", "dut1"), lab.packet_socket("dut", "dut2", 0)
        self.rx.settimeout(0.2)
        self.seen, self.stop = [], False

    def run(self):
        while not self.stop:
            try:
                frame, address = self.rx.recvfrom(65535)
            except TimeoutError:
                continue
            if address[2] != 4 and frames.is_udp(frame, "1.1.1.1", "2.2.2.2"):  # 4: PACKET_OUTGOING
                self.seen.append(frame)
                self.tx.send(frames.add_tag(frame, 7))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop = True
        self.join()
        self.rx.close()
        self.tx.close()


def check_wire(relay, mac_src, mac_dst):
    """Byte by byte, without tgen's code: template, lengths, checksums, signature, sequence, time."""
    parsed = [frames.TestFrame(f) for f in relay.seen]
    for frame, t in zip(relay.seen, parsed):
        equal(frame[:12], frames.mac_bytes(mac_dst) + frames.mac_bytes(mac_src), "MACs")
        equal((t.size, t.ttl, t.ports, t.test_id), (60, 64, (100, 200), 0), "size, TTL, ports, test-id")
    lanes = {}
    for t in parsed:
        lanes.setdefault(t.lane, []).append(t)
    for lane in lanes.values():
        equal([t.seq for t in lane], list(range(len(lane))), "sequence numbers of a lane")
        check(all(a.time_ns <= b.time_ns for a, b in zip(lane, lane[1:])), "time stamps go back")


def tagged_by_the_dut(lab):
    """frames are on the wire as specified, and are the stream's when the DUT adds a VLAN tag"""
    with settings(lab, FIREWALL):
        for _ in range(5):
            with Relay(lab) as relay:
                result = lab.quick(CONFIG, "tx-template=r12", "packet-size=60", "pps=500", "duration=2s")
            if result.clean:
                break
    equal(len(relay.seen), result.stream("r12", "tx-packet"), f"frames seen, against sent\n{result.text()}")
    check_wire(relay, lab.mac("gen", "ether1"), lab.mac("dut", "dut1"))
    equal(result.stream("r12", "lost-packet"), 0, f"lost\n{result.text()}")
    equal(result.stream("r12", "rx-packet"), len(relay.seen), "received")
    equal(result.ports["ether2"]["unknown"], 0, "ether2 unknown")
    result.check_sums()


def answers_to(lab, mac):
    """Who answers the DUT's ARP for 1.1.1.1, and its echo to that MAC: frames."""
    own = lab.mac("dut", "dut1")
    with lab.packet_socket("dut", "dut1") as sock:
        sock.send(frames.arp_request(own, "1.1.1.254", "1.1.1.1"))
        sock.send(frames.echo_request(mac, own, "1.1.1.254", "1.1.1.1", 4711, 1))
        got = frames.receive(sock, lambda f: frames.is_arp_reply(f, "1.1.1.1")
                             or frames.is_echo_reply(f, "1.1.1.1", 4711), 0.5)
    return ([f for f in got if f[12:14] == b"\x08\x06"], [f for f in got if f[12:14] == b"\x08\0"])


def kernel_is_quiet(lab):
    """the kernel, though it has the same address, does not answer in tgen's place"""
    kernel_mac, our_mac = lab.mac("gen", "ether1"), "02:00:00:00:00:aa"
    ports = [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]} for i in (1, 2)]
    ports[0]["mac"] = our_mac
    template = {"name": "r12", "header-stack": "mac,ip,udp", "ip-gateway": "1.1.1.254", "ip-dst": "2.2.2.2"}
    config = {"ports": ports, "packet-templates": [template]}
    lab.gen("ip", "addr", "add", "1.1.1.1/24", "dev", "ether1")
    try:
        arp, echo = answers_to(lab, kernel_mac)
        equal((len(arp), len(echo)), (1, 1), "without tgen the kernel answers ARP and echo")
        with lab.start(config, "quick", "tx-template=r12", "packet-size=60", "pps=200", "duration=5s") as p:
            lab.wait_for_traffic(packets=100)
            arp, echo = answers_to(lab, our_mac)
            _, echo_of_kernel = answers_to(lab, kernel_mac)
            p.signal(signal.SIGINT)
            result = p.wait()
        equal([f[6:12].hex(":") for f in arp], [our_mac], f"senders of ARP replies\n{result.text()}")
        equal([(f[6:12].hex(":"), f[22]) for f in echo], [(our_mac, 64)], "senders and TTL of echo replies")
        equal(echo_of_kernel, [], "echo replies of the kernel")
    finally:
        lab.gen("ip", "addr", "flush", "dev", "ether1")
        lab.dut("ip", "neigh", "flush", "all")


def nothing_left(lab):
    """after the end no nft table is left, nor after kill -9"""
    def tables():
        return lab.gen("nft", "list", "tables").stdout

    for number in (signal.SIGINT, signal.SIGKILL):
        with lab.start(CONFIG, "quick", "tx-template=r12", "packet-size=60", "pps=500", "duration=30s") as p:
            lab.wait_for_traffic(packets=100)
            check("netdev" in tables(), "there is no table during a measurement")
            p.signal(number)
            p.wait()
        wait_until(lambda: tables() == "", f"no nft table is left after {number.name}", 2)
        if number == signal.SIGINT:
            shown = lab.gen("ip", "-d", "link", "show", "dev", "ether1").stdout
            check("promiscuity 0" in shown, f"ether1 stays promiscuous: {shown}")


def jumbo(lab):
    """MTU 9000: frames of 9014 bytes go through, all of them"""
    with Lab("router", ports=3, mtu=9000) as big:
        result = big.quick_clean(CONFIG, "tx-template=r12,r21", "packet-size=9014", "pps=500", "duration=1s")
    equal(result.status, 0, f"status\n{result.text()}")
    for name in ("r12", "r21"):
        equal(result.stream(name, "rx-packet"), result.stream(name, "tx-packet"), f"{name} rx-packet")
        check(result.stream(name, "tx-packet") > 0, "nothing sent")


if __name__ == "__main__":
    sys.exit(run([every_frame_leaves, over_the_mtu, down_at_start, down_in_mid_run, ring_overload, tagged_unknown,
                  tagged_by_the_dut, kernel_is_quiet, nothing_left, jumbo]))
