#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""tgen at both ends: one sends through a router, one at the far end sends back what comes."""
import contextlib
import json
import os
import signal
import sys

from lab import Skip, check, equal, run, settings, wait_until

SENDER = {
    "ports": [{"name": "ether1", "device": "auto:ether1", "address": ["1.1.1.1/24"]}],
    "packet-templates": [
        {"name": f"r1{i}1", "header-stack": "mac,ip,udp", "ip-gateway": "1.1.1.254", "ip-dst": ".".join(str(i) * 4),
         "udp-src-port": "1000", "udp-dst-port": "2000", "udp-checksum": "compute", "rx-port": "ether1"}
        for i in (2, 3)],
}
# All three ports: those that the command does not name are somebody else's here.
REFLECTOR = {
    "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{'.'.join(str(i) * 4)}/24"]}
              for i in (1, 2, 3)],
}
RULES = """table ip probe {
    counter there2 { }
    counter back2 { }
    counter there3 { }
    counter back3 { }
    chain forward {
        type filter hook forward priority 0; policy accept;
        ip saddr 1.1.1.1 ip daddr 2.2.2.2 udp sport 1000 udp dport 2000 counter name there2
        ip saddr 2.2.2.2 ip daddr 1.1.1.1 udp sport 2000 udp dport 1000 counter name back2
        ip saddr 1.1.1.1 ip daddr 3.3.3.3 udp sport 1000 udp dport 2000 counter name there3
        ip saddr 3.3.3.3 ip daddr 1.1.1.1 udp sport 2000 udp dport 1000 counter name back3
    }
}"""


def cpus():
    """One each: two workers that poll would take turns on one CPU."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise Skip("two tgen at once need two CPUs")
    return allowed[0], allowed[1]


@contextlib.contextmanager
def reflector(lab, *words, address="2.2.2.2"):
    """A reflector that answers already. `counts(p)` ends it."""
    words = ("--output", "json", "reflect", f"cpu-core={cpus()[0]}", *words)
    with lab.start(REFLECTOR, *words, result=False) as p:
        wait_until(lambda: lab.dut("ping", "-n", "-c", "1", "-W", "1", address, must=False).returncode == 0,
                   f"{address} answers the DUT's ping")
        yield p


def counts(p, status=0, stop=True):
    """The port's counts by name, and of all as `total`."""
    if stop:
        p.signal(signal.SIGINT)
    done = p.wait()
    equal(done.status, status, f"status of the reflector\n{done.text()}")
    result = json.loads(done.out)
    ports = {port["name"]: port for port in result["ports"]} | {"total": result["total"]}
    for name, c in ports.items():
        known = sum(c[key] for key in ("reflected", "answered", "ignored", "dropped"))
        equal(c["rx"], known, f"{name}: rx is all of them\n{done.text()}")
    return ports


def words_of_sender(*words):
    """Two tgen leave no CPU to anybody else: how late a frame left is no matter here."""
    return (*words, f"cpu-core={cpus()[1]}", "max-lag=0")


def round_trip(lab):
    """all frames come back by way of the DUT, which saw each twice, and the reflectors' ports answer ping"""
    with settings(lab, RULES), reflector(lab, "port=ether2,ether3") as p:
        wait_until(lambda: lab.dut("ping", "-n", "-c", "1", "-W", "1", "3.3.3.3", must=False).returncode == 0,
                   "3.3.3.3 answers the DUT's ping")
        before = {}
        result = lab.quick_clean(SENDER, "tx-template=r121,r131",
                                 *words_of_sender("packet-size=60,300", "pps=250", "duration=2s"),
                                 before=lambda: before.update(lab.counters()))
        after = lab.counters()
        pinged = lab.dut("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", "2.2.2.2", must=False)
        check(" 3 received, 0% packet loss" in pinged.stdout, pinged.stdout + pinged.stderr)
        ports = counts(p)
    equal(result.status, 0, f"status\n{result.text()}")
    for i in (2, 3):
        s = result.streams[f"r1{i}1"]
        equal(s["tx-packet"], 500, f"sent to {i}\n{result.text()}")
        equal(s["rx-packet"], 500, f"back from {i}\n{result.text()}")
        for key in ("lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted", "returned"):
            equal(s[key], 0, f"r1{i}1 {key}\n{result.text()}")
        equal(s["lat-count"], 500, f"r1{i}1: frames with a latency")
        check(s["lat-min"] > 0, f"r1{i}1: latency\n{result.text()}")
        for way in ("there", "back"):
            name = f"{way}{i}"
            equal(after[name] - before[name], 500, f"frames that the DUT forwarded, {name}")
        equal(ports[f"ether{i}"]["reflected"], after[f"back{i}"], f"reflected on ether{i}, in all runs")
    equal(sorted(ports), ["ether2", "ether3", "total"], "ports that were opened")
    check(ports["ether2"]["answered"] >= 3, f"ping answered on ether2: {ports}")
    equal(ports["total"]["dropped"], 0, f"dropped: {ports}")


def counted(lab):
    """packet-count ends the reflector after exactly so many frames"""
    with reflector(lab, "port=ether2", "packet-count=100") as p:
        # once, clean or not: a second run would find nobody there
        result = lab.quick(SENDER, *words_of_sender("tx-template=r121", "packet-size=60", "pps=500",
                                                    "packet-count=150", "drain=500ms"))
        ports = counts(p, stop=False)
    equal(result.stream("r121", "rx-packet"), 100, f"came back\n{result.text()}")
    equal(ports["ether2"]["reflected"], 100, "reflected")


def only_test(lab):
    """only-test=yes sends back the frames of its own test-id and nothing else"""
    words = words_of_sender("tx-template=r121", "packet-size=60", "pps=500", "packet-count=50")
    with reflector(lab, "port=ether2", "only-test=yes", "test-id=9") as p:
        other = lab.quick(SENDER, *words, "test-id=7", "drain=200ms")
        own = lab.quick_clean(SENDER, *words, "test-id=9")
        ports = counts(p)
    equal(other.stream("r121", "rx-packet"), 0, f"another test-id\n{other.text()}")
    equal(own.stream("r121", "lost-packet"), 0, f"its own test-id\n{own.text()}")
    check(ports["ether2"]["reflected"] % 50 == 0 and ports["ether2"]["ignored"] >= 50, f"counts: {ports}")


def nothing_came(lab):
    """a time without a frame ends with status 1"""
    result = lab.tgen(REFLECTOR, "reflect", "port=ether2", "duration=1200ms", f"cpu-core={cpus()[0]}")
    equal(result.status, 1, f"status\n{result.text()}")
    check("reflected=0" in result.out, result.text())


def errors(lab):
    """what is wrong with the words is one clear line"""
    for words, pattern in ((("port=ether2,ether9",), r"ether9"), ((), r"port"),
                           (("port=ether2", "cpu-core=4000"), r"cpu-core.*CPU"),
                           (("port=ether2", "--output", "csv"), r"csv.*json")):
        lab.tgen(REFLECTOR, "reflect", *words).check_error(2, pattern)


if __name__ == "__main__":
    sys.exit(run([round_trip, counted, only_test, nothing_came, errors]))
