#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The relay `impair`: what comes out is what its log says, bit for bit and in that order."""
import collections
import contextlib
import signal
import socket
import struct
import sys
import time

import frames
from impair import Impair, latency_ns, program
from lab import Lab, check, equal, run, wait_until

SO_RCVBUFFORCE, SOL_PACKET, PACKET_AUXDATA = 33, 263, 8
AUXDATA = struct.Struct("IIIHHHH")  # status, len, snaplen, mac, net, vlan_tci, vlan_tpid
VLAN_VALID = 1 << 4
MS = 1000000
A, B = "02:00:00:00:00:01", "02:00:00:00:00:02"
ARP = frames.arp_request(A, "1.1.1.1", "1.1.1.2")
STRANGE = frames.ethernet(B, A, frames.ETH_TEST, bytes(range(200)))


def udp_frame(seq, lane=0, size=60, addresses=("1.1.1.1", "1.1.1.2"), vlan=None, signed=True):
    """A test frame as tgen's, without UDP checksum; size: without the tag."""
    stamp = (time.monotonic_ns() % (1 << 48)).to_bytes(6, "big")
    signature = frames.SIGNATURE.pack(0x7467, 0, 1, lane, seq, stamp, 0)[:16]
    signature += struct.pack("!H", 0xFFFF ^ frames.ones_sum(signature))
    body = bytes(i % 251 for i in range(size - 42 - len(signature))) + (signature if signed else bytes(18))
    ip = struct.pack("!BBHHHBBH", 0x45, 0, size - 14, seq % 65536, 0, 64, 17, 0)
    ip += frames.ip_bytes(addresses[0]) + frames.ip_bytes(addresses[1])
    ip = ip[:10] + struct.pack("!H", 0xFFFF ^ frames.ones_sum(ip)) + ip[12:]
    udp = struct.pack("!HHHH", 100, 200, size - 34, 0)
    return frames.ethernet(B, A, frames.ETH_IP, ip + udp + body, vlan)


def drain(sock):
    """All that has come in, with its VLAN tag. Nothing is on its way: a veth delivers at once."""
    got = []
    while True:
        try:
            data, anc, _, address = sock.recvmsg(65535, 256, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return got
        status, _, _, _, _, tci, tpid = AUXDATA.unpack(anc[0][2])
        if status & VLAN_VALID:
            data = data[:12] + struct.pack("!HH", tpid, tci) + data[12:]
        if address[2] != socket.PACKET_OUTGOING:
            got.append(data)


@contextlib.contextmanager
def ports(lab, nb=3):
    """Sockets on the generator's ports."""
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(lab.packet_socket("gen", f"ether{i + 1}")) for i in range(nb)]
        for s in socks:
            s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 128 << 20)
            s.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        yield socks


def relay(lab, *options, **kw):
    return Impair(f"{lab.name}-dut", "dut1", "dut2", *options, **kw)


def flip(frame, byte, bit):
    return frame[:byte] + bytes([frame[byte] ^ 1 << bit]) + frame[byte + 1:]


def due_at(r, out, sent):
    """What the log says came out of a port; sent: the test frames by direction."""
    return [f if row.corrupt_byte is None else flip(f, row.corrupt_byte, row.corrupt_bit)
            for row in r.left(out=out) for f in [sent[row.direction][row.n - 1]]]


def check_summary(r, nb_sent):
    """The summary is the sum of the log, and nobody dropped anything; nb_sent: by direction."""
    r.check_clean()
    for direction, nb in nb_sent.items():
        rows = [x for x in r.log if x.direction == direction]
        counted = {
            "received": sum("copy" not in x.decision for x in rows),
            "forwarded": sum("copy" not in x.decision and x.departure_ns is not None for x in rows),
            "lost": len(r.having("lose", direction)),
            "duplicated": len(r.having("copy", direction)),
            "corrupted": len([x for x in r.having("corrupt", direction) if "copy" not in x.decision]),
            "reordered": len(r.having("reorder", direction)),
        }
        equal(counted["received"], nb, f"{direction}: test frames received")
        for key, value in counted.items():
            equal(r.count(direction, key), value, f"{direction} {key}, against the log")
            lanes = r.summary["directions"][direction]["lanes"]
            equal(sum(lane[key] for lane in lanes), value, f"{direction} {key}, sum of the lanes")


def through(lab, options, sent, others=()):
    """Sends the frames from ether1, with others between them, and proves what comes out against the
    log; the relay, and what came out at ether2 and ether3."""
    with ports(lab) as (one, two, three):
        with relay(lab, *options) as r:
            for i, frame in enumerate(sent):
                one.send(frame)
                if others and i % 50 == 0:
                    one.send(others[i // 50 % len(others)])
        got, copies, back = drain(two), drain(three), drain(one)
    check_summary(r, {"ab": len(sent)})
    equal([f for f in got if f in others], [others[i // 50 % len(others)] for i in range(0, len(sent), 50)]
          if others else [], "other frames")
    test_frames = [f for f in got if f not in others]
    for port, came in (("dut1", back), ("dut2", test_frames), ("dut3", copies)):
        check(came == due_at(r, port, {"ab": sent}), f"what came out of {port} is not what was logged")
    return r, got, copies


# ---- cases ----

def silent_without(lab):
    """without the relay nothing comes through and nothing is answered"""
    echo = frames.echo_request(lab.mac("dut", "dut1"), A, "1.1.1.1", "1.1.1.2", 1, 1)
    with ports(lab) as socks:
        for frame in (ARP, udp_frame(0), STRANGE, echo):
            socks[0].send(frame)
        equal([drain(s) for s in socks], [[], [], []], "frames received")


def untouched(lab):
    """both directions, all kinds and sizes, tags: byte for byte and in order"""
    there = [udp_frame(i, size=size, vlan=vlan) for i, (size, vlan) in enumerate(
        (size, vlan) for size in (60, 61, 508, 1514) for vlan in (None, 1, 0xE123))]
    there += [ARP, STRANGE, frames.add_tag(ARP, 7), frames.add_tag(udp_frame(20, vlan=5), 6)]
    there += [udp_frame(21, signed=False)]
    back = [udp_frame(i, lane=9, addresses=("1.1.1.2", "1.1.1.1")) for i in range(100)]
    with ports(lab) as (one, two, three):
        with relay(lab) as r:
            for i, frame in enumerate(back):
                two.send(frame)
                if i < len(there):
                    one.send(there[i])
        equal([f.hex() for f in drain(two)], [f.hex() for f in there], "A to B")
        equal([f.hex() for f in drain(one)], [f.hex() for f in back], "B to A")
        equal(drain(three), [], "at a third port")
    check_summary(r, {"ab": 14, "ba": 100})
    equal(r.count("ab", "other"), 3, "frames that are no test frames")
    equal(r.lane("ab", None)["received"], 1, "frames without signature")
    rows = [x for x in r.log if x.direction == "ba"]
    equal([(x.n, x.lane, x.seq, x.length, x.test_id, x.epoch, x.out) for x in rows],
          [(i + 1, 9, i, 60, 0, 1, "dut1") for i in range(100)], "log")
    check(all(latency_ns(x) < 10 ** 10 for x in rows), "departure is before the signature's time, or long after")


def one_way(lab):
    """--one-way: nothing goes back"""
    with ports(lab) as (one, two, _):
        with relay(lab, "--one-way") as r:
            one.send(udp_frame(1))
            two.send(udp_frame(2))
        equal((len(drain(one)), len(drain(two))), (0, 1), "frames out of A and B")
    check_summary(r, {"ab": 1})


def loss(lab):
    """random loss and each N-th; what is no test frame passes"""
    sent = [udp_frame(i // 2, lane=i % 2) for i in range(4000)]
    r, _, _ = through(lab, ("--seed", "5", "--loss", "10%"), sent, (ARP, STRANGE))
    check(250 < r.count("ab", "lost") < 550, f"10 % of 4000 lost: {r.count('ab', 'lost')}")
    for lane in (0, 1):
        equal(r.lane("ab", lane)["lost"], len([x for x in r.having("lose") if x.lane == lane]), f"lost in lane {lane}")
    r, _, _ = through(lab, ("--loss-every", "7"), sent)
    equal([x.n for x in r.having("lose")], list(range(7, 4001, 7)), "lost")


def send_for(sock, first_seq, seconds):
    """A frame each half a millisecond; the sequence number of the next."""
    end, seq = time.monotonic() + seconds, first_seq
    while time.monotonic() < end:
        sock.send(udp_frame(seq))
        seq += 1
        time.sleep(0.0005)
    return seq


def outage(lab):
    """an outage from the first frame, and one from a signal: lost is what arrives in it"""
    with ports(lab) as (one, two, _):
        with relay(lab, "--loss-from", "20ms", "--loss-for", "60ms") as r:
            nb = send_for(one, 0, 0.15)
            r.zero()
            nb = send_for(one, nb, 0.15)
        equal(len(drain(two)), nb - r.count("ab", "lost"), "received")
    check_summary(r, {"ab": nb})
    second = r.summary["zero-ns"]
    for zero, rows in ((r.log[0].arrival_ns, [x for x in r.log if x.arrival_ns < second]),
                       (second, [x for x in r.log if x.arrival_ns >= second])):
        lost = [x.n for x in rows if "lose" in x.decision]
        check(0 < len(lost) < len(rows), f"{len(lost)} of {len(rows)} lost")
        equal(lost, [x.n for x in rows if 20 * MS <= x.arrival_ns - zero < 80 * MS], "lost")


def duplicates(lab):
    """copies follow their frame, or leave by another port"""
    sent = [udp_frame(i) for i in range(2000)]
    r, got, _ = through(lab, ("--duplicate", "5"), sent)
    check(50 < r.count("ab", "duplicated") < 160, f"5 % of 2000 doubled: {r.count('ab', 'duplicated')}")
    equal(collections.Counter(collections.Counter(got).values())[2], r.count("ab", "duplicated"), "seen twice")
    for port in ("dut3", "dut1"):
        r, got, copies = through(lab, ("--duplicate", "5", "--duplicate-to", port), sent)
        equal(got, sent, "frames at B")
        equal(len(copies), r.count("ab", "duplicated") if port == "dut3" else 0, "copies at the third port")


def out_of_order(got):
    """As a receiver counts, per lane."""
    highest, nb = {}, 0
    for frame in got:
        t = frames.TestFrame(frame)
        nb += t.seq < highest.get(t.lane, 0)
        highest[t.lane] = max(t.seq, highest.get(t.lane, 0))
    return nb


def reordering(lab):
    """a frame held back leaves behind K later ones of its lane, and is counted as a receiver would"""
    sent = [udp_frame(i // 2, lane=i % 2) for i in range(4000)]
    for gap in (1, 5):
        options = ("--reorder", "3", "--reorder-gap", str(gap), "--reorder-timeout", "60s")
        r, got, _ = through(lab, options, sent)
        check(60 < r.count("ab", "reordered") < 200, f"3 % of 4000 held back: {r.count('ab', 'reordered')}")
        equal(r.count("ab", "out-of-order"), out_of_order(got), "out of order, as received")
        order = {lane: [x for x in r.log if x.lane == lane] for lane in (0, 1)}
        for rows in order.values():
            held = {x.seq for x in rows if "reorder" in x.decision}
            for at, x in enumerate(rows):
                later = [y.seq for y in rows[:at] if y.seq > x.seq and y.seq not in held]
                if x.seq in held and x.seq < 1950:
                    equal(len(later), gap, f"later ones that left before {x.seq}")
    with ports(lab) as (one, two, _):
        with relay(lab, "--reorder", "100", "--reorder-timeout", "20ms") as r:
            one.send(udp_frame(1))
            wait_until(lambda: drain(two), "a frame held back with nothing behind it leaves")
    check(r.log[0].departure_ns - r.log[0].arrival_ns >= 20 * MS, "left before the timeout")
    equal(r.count("ab", "out-of-order"), 0, "out of order")


FIELDS = {
    "mac-dst": (0, 6), "mac-src": (6, 12), "ethertype": (12, 14), "ip-header": (14, 34), "ip-ttl": (22, 23),
    "udp-ports": (34, 38), "udp-length": (38, 40), "udp-checksum": (40, 42), "payload": (42, 82),
    "signature": (82, 100),
}


def corruption(lab):
    """one bit each, in the field or bytes asked for, and every bit there is hit"""
    sent = [udp_frame(i, size=100) for i in range(1000)]
    ranges = {("--corrupt-field", name): where for name, where in FIELDS.items()}
    ranges[("--corrupt-bytes", "50-50")] = (50, 51)
    ranges[("--corrupt-bytes", "95-2000")] = (95, 100)
    for words, (first, end) in ranges.items():
        r, _, _ = through(lab, ("--corrupt", "40%", *words), sent)
        hit = {(x.corrupt_byte, x.corrupt_bit) for x in r.having("corrupt")}
        equal({byte for byte, _ in hit}, set(range(first, end)), f"{words}: bytes hit")
        equal({bit for _, bit in hit}, set(range(8)), f"{words}: bits hit")
        check(300 < len(r.having("corrupt")) < 500, f"{words}: 40 % of 1000: {len(r.having('corrupt'))}")
    tagged = [udp_frame(i, size=100, vlan=5) for i in range(200)]
    r, _, _ = through(lab, ("--corrupt", "100", "--corrupt-field", "ip-ttl"), tagged)
    equal({x.corrupt_byte for x in r.having("corrupt")}, {26}, "byte of the TTL behind a VLAN tag")
    smallest = [udp_frame(i) for i in range(100)]
    r, _, _ = through(lab, ("--corrupt", "100", "--corrupt-field", "payload"), smallest)
    equal(r.count("ab", "corrupted"), 0, "corrupted in a payload that is the signature alone")


def delays(lab):
    """10 ms of delay, and jitter in its bounds with the order kept; others pass at once"""
    sent = [udp_frame(i) for i in range(200)]
    for options, low, high in ((("--delay", "10ms"), 10, 10), (("--delay", "10ms", "--jitter", "4ms"), 6, 14)):
        got = []
        with ports(lab) as (one, two, _):
            with relay(lab, *options) as r:
                for i in range(200):
                    one.send(udp_frame(i))
                wait_until(lambda: got.extend((time.monotonic_ns(), frames.TestFrame(f)) for f in drain(two))
                           or len(got) == 200, "200 frames")
        check_summary(r, {"ab": 200})
        equal([f.seq for _, f in got], list(range(200)), "order")
        check(all(t - f.time_ns >= low * MS for t, f in got), "came out too early")
        planned = [x.planned_ns - x.arrival_ns for x in r.log]
        check(low * MS <= min(planned) <= high * MS, f"planned at the earliest: {min(planned)} ns")
        late = [x.departure_ns - x.planned_ns for x in r.log]
        check(0 <= min(late) < 10 * MS, f"earliest departure {min(late)} ns after it was planned")
    with ports(lab) as (one, two, _):
        with relay(lab, "--delay", "60s"):
            for frame in [*sent, ARP]:
                one.send(frame)
        check(drain(two) == [ARP, *sent], "ARP does not pass at once, or the rest not at the end")
    r, got, _ = through(lab, ("--delay", "60s", "--jitter", "2ms", "--jitter-reorders"), sent)
    check(0 < r.count("ab", "out-of-order") == out_of_order(got), "reordered by jitter")


EVERYTHING = ("--loss", "3", "--duplicate", "4", "--reorder", "5", "--reorder-gap", "2", "--reorder-timeout", "60s",
              "--corrupt", "6", "--delay", "1ms", "--jitter", "1ms")


def deterministic(lab):
    """the same seed decides the same, another one otherwise; the directions differ"""
    def decisions(seed):
        r, _, _ = through(lab, ("--seed", str(seed), *EVERYTHING), sent)
        return sorted((x.n, sorted(x.decision), x.corrupt_byte, x.corrupt_bit) for x in r.log)

    sent = [udp_frame(i) for i in range(1000)]
    first = decisions(3)
    equal(decisions(3), first, "the same seed again")
    check(decisions(4) != first, "another seed decides the same")
    with ports(lab) as (one, two, _):
        with relay(lab, "--loss", "10") as r:
            for i in range(500):
                one.send(udp_frame(i))
                two.send(udp_frame(i))
    there, back = ([x.n for x in r.having("lose", d)] for d in ("ab", "ba"))
    check(there != back, "both directions lose the same")


def selected(lab):
    """options of one direction, and of one stream, leave the others alone"""
    streams = [("1.1.1.1", "1.1.1.2"), ("1.1.1.1", "1.1.1.3")]
    sent = [udp_frame(i // 2, lane=i % 2, addresses=streams[i % 2]) for i in range(400)]
    r, got, _ = through(lab, ("--stream", "1.1.1.1,1.1.1.3", "--loss-every", "2"), sent)
    equal([r.lane("ab", lane)["lost"] for lane in (0, 1)], [0, 100], "lost of each stream")
    with ports(lab) as (one, two, _):
        with relay(lab, "--ba", "--loss-every", "4", "--both", "--duplicate", "100") as r:
            for i in range(400):
                one.send(udp_frame(i))
                two.send(udp_frame(i))
        equal((len(drain(two)), len(drain(one))), (800, 600), "frames out of B and A")
    echo = [frames.echo_request(B, A, "1.1.1.1", "1.1.1.2", 1, i) for i in range(10)]
    r, got, _ = through(lab, ("--only", "ip", "--loss-every", "2"), echo)
    equal(got, echo[::2], "echo requests with --only ip")


def hiccups(lab):
    """10 000 frames each way wait while the relay sleeps; what does not fit is counted and called so"""
    frame = udp_frame(0)
    with ports(lab) as (one, two, _):
        for options, clean in (((), True), (("--ring", "1000"), False)):
            with relay(lab, *options) as r:
                r.proc.send_signal(signal.SIGSTOP)
                for _ in range(10000):
                    one.send(frame)
                    two.send(frame)
                r.proc.send_signal(signal.SIGCONT)
            equal(r.summary["clean"], clean, f"clean: {r.summary}")
            for direction, sock in (("ab", two), ("ba", one)):
                received, dropped = r.count(direction, "received"), r.count(direction, "rx-dropped")
                equal(received + dropped, 10000, f"{direction}: received and dropped")
                equal(dropped == 0, clean, f"{direction}: nothing dropped")
                equal(len(drain(sock)), received, f"{direction}: came out")


def jumbo(_):
    """MTU 9000: frames of 9014 bytes, and with a tag, go through"""
    with Lab("relay", ports=3, mtu=9000) as big:
        sent = [udp_frame(i, size=9014, vlan=5 if i % 2 else None) for i in range(100)]
        through(big, ("--delay", "5ms", "--duplicate", "10", "--corrupt", "10"), sent)


WRONG = [  # words, status, what is named
    (("--los", "1", "dut1", "dut2"), 2, "--los"),
    (("--loss", "101", "dut1", "dut2"), 2, "--loss 101"),
    (("--corrupt-bytes", "9-8", "dut1", "dut2"), 2, "9-8"),
    (("dut1",), 2, "interfaces"),
    (("dut1", "dut1"), 2, "same"),
    (("dut1", "dut9"), 4, "dut9"),
]


def wrong_words(lab):
    """wrong words are told with status 2, a missing interface with 4"""
    for words, status, text in WRONG:
        done = lab.dut(program(), *words, must=False)
        equal(done.returncode, status, f"status of {words}: {done.stderr}")
        check(text in done.stderr, f"{words}: '{text}' is not named: {done.stderr}")


CASES = [silent_without, untouched, one_way, loss, outage, duplicates, reordering, corruption, delays, deterministic,
         selected, hiccups, jumbo, wrong_words]

if __name__ == "__main__":
    sys.exit(run(CASES, kind="relay"))
