# SPDX-License-Identifier: BSD-3-Clause
"""What the test_truth_*.py share: tgen's figures held against what is known of every single frame.

Relay lab: stations on one wire, and the relay `impair` between dut1 and dut2, whose log is the truth:
`ab` is the way from ether1 to ether2; ether3 sees what the relay sends out of dut3. Router lab: the
truth is the counters of rules, or a Tap on the router's ports.
"""
import collections
import socket

import frames
from impair import Impair
from lab import ATTEMPTS, CLASSES, Failure, check, equal, run

MASK48 = (1 << 48) - 1
MS = 1000000
SO_RCVBUFFORCE = 33
ROW_SUMS = ("tx-packet", "rx-packet", "lost-packet", "duplicate", "misrouted", "rx-ooo", "rx-bad-csum")
ODDITIES = ("lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted", "stray", "returned")
# For counts it does not matter when a frame leaves: a busy machine is no reason to repeat. A frame
# that comes half a second late still belongs to its row.
COUNTING = ("max-lag=0s", "max-steal=100", "grace=500ms", "drain=500ms")
Sent = collections.namedtuple("Sent", "seq time_ns")


def stations(*names, **template):
    """Ports ether1.. with 1.1.1.N, and a stream for each name: `s12` goes from ether1 to ether2."""
    return {
        "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"1.1.1.{i}/24"]}
                  for i in (1, 2, 3)],
        "packet-templates": [{
            "name": name, "header-stack": "mac,ip,udp", "port": f"ether{name[1]}", "ip-dst": f"1.1.1.{name[2]}",
            "rx-port": f"ether{name[2]}", **template} for name in names],
    }


# ---- measuring ----

def relay(lab, *words, ports=("dut1", "dut2")):
    return Impair(f"{lab.name}-dut", *ports, *words)


def measure(lab, config, relay_words, *words, timeout=60):
    """One clean run through the relay: its result, and the relay with its log. Each attempt has a relay
    of its own."""
    for _ in range(ATTEMPTS):
        with relay(lab, *relay_words) as r:
            result = lab.quick(config, *words, timeout=timeout)
        r.check_clean()
        if is_clean(result):
            return result, r
    raise Failure(f"the generator was not clean {ATTEMPTS} times\n{result.text()}")


def is_clean(result):
    check(result.json is not None, f"no result\n{result.text()}")
    result.check_sums()
    if not result.clean:
        equal(result.status, 3, f"status of a run that is not clean\n{result.text()}")
    return result.clean


class Tap:
    """What passes an interface of the DUT, inwards or outwards, from `with` on."""

    def __init__(self, lab, device, outwards):
        self.sock, self.outwards = lab.packet_socket("dut", device), outwards
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 128 << 20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def raw(self):
        """The frames of UDP since the last call, in their order."""
        found = []
        while True:
            try:
                frame, address = self.sock.recvfrom(65535, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return found
            except OSError:  # the interface went down meanwhile: said once
                continue
            if (address[2] == socket.PACKET_OUTGOING) == self.outwards and is_udp(frame):
                found.append(frame)

    def test_frames(self):
        return [frames.TestFrame(f) for f in self.raw()]


def is_udp(frame):
    return frame[12:14] == b"\x08\0" and frame[23] == 17


def run_both(relayed, routed):
    """The cases of a relay lab, then those of a router lab; one status."""
    statuses = [run(relayed, kind="relay"), run(routed)]
    return 1 if 1 in statuses else max(statuses)


# ---- what is to be said ----

def check_rows(result):
    """Totals are rows + late (+ spill, which takes a reader that stalls for seconds)."""
    for index, stream in enumerate(result.json["streams"]):
        total = result.json["totals"][index]
        rows = [r for r in result.json["rows"] if r["stream"] == index]
        check(len(rows) > 1, f"{stream['name']}: only {len(rows)} rows, nothing to add up")
        equal(total["spill"], 0, f"{stream['name']}: spill\n{result.text()}")
        late = {"rx-packet": total["late"], "lost-packet": -total["late"]}
        for key in ROW_SUMS:
            equal(sum(r[key] for r in rows) + late.get(key, 0), total[key],
                  f"{stream['name']} {key}: rows and late\n{result.text()}")


def check_row_losses(result, stream, epochs):
    """Lost in each second of sending; epochs: those that the lost frames carry, from 0."""
    if result.json["totals"][stream]["late"]:
        return  # lost in its row and in no total: check_rows adds it up
    lost, rows = collections.Counter(epochs), [r for r in result.json["rows"] if r["stream"] == stream]
    equal([r["lost-packet"] for r in rows], [lost[e] for e in range(len(rows))], f"lost of each row\n{result.text()}")


def check_none(result, name, *keys):
    for key in keys:
        equal(result.stream(name, key), 0, f"{name} {key}\n{result.text()}")


def check_only(result, name, **told):
    """These oddities of a stream, with their numbers (rx_ooo=3 …), and no others."""
    told = {k.replace("_", "-"): v for k, v in told.items()}
    equal({k: result.stream(name, k) for k in ODDITIES}, {k: told.get(k, 0) for k in ODDITIES}, f"{name}\n{result.text()}")


def port_sum(result, key):
    check(key in CLASSES, key)
    return sum(p[key] for p in result.ports.values())


def originals(r, direction="ab"):
    """The log's lines of the frames that came, in the order of sending; without copies."""
    rows = [x for x in r.log if x.direction == direction and "copy" not in x.decision]
    return sorted(rows, key=lambda x: (x.lane, x.seq))


def outage_of(sent, good, interval_ns):
    """The longest time without a frame of those in `good` (their seqs): its length less one
    interval, its begin by the clock of the stamps, and the frames lost in it. sent: in order."""
    first, last = sent[0], sent[-1]
    marks = [Sent(first.seq - 1, first.time_ns - interval_ns), *[s for s in sent if s.seq in good],
             Sent(last.seq + 1, last.time_ns + interval_ns)]
    gaps = [(b.time_ns - a.time_ns - interval_ns, a.time_ns + interval_ns, b.seq - a.seq - 1)
            for a, b in zip(marks, marks[1:]) if b.seq - a.seq > 1]
    return max(gaps, default=(0, 0, 0))


def check_outage(result, name, sent, good, pps, tolerance_ns=2000):
    """tgen's outage is that of the frames known; its three figures as outage_of."""
    length, begin, lost = outage_of(sent, good, 1000000000 // pps)
    s = result.streams[name]
    check(abs(s["outage"] - length) <= tolerance_ns, f"{name}: outage {s['outage']}, not {length} ns\n{result.text()}")
    equal(s["outage-lost"] or 0, lost, f"{name}: frames lost in the outage\n{result.text()}")
    if lost:
        # Where the run began only its first frame tells, which left a little after: late by up to the
        # worst lag, and the k-th of n streams begins k/n of its interval after the start.
        apart = 1000000000 // pps * (len(result.streams) - 1) // len(result.streams)
        off = s["outage-begin"] - (begin - sent[0].time_ns)
        check(-tolerance_ns <= off <= result.json["lag-max-ns"] + apart + tolerance_ns, f"{name}: begin is off by {off} ns")
    return length, begin, lost


def quantile(values, per_mille):
    """The least value that this share does not exceed; 0: the least of all. values: sorted."""
    return values[max(0, -(-len(values) * per_mille // 1000) - 1)]
