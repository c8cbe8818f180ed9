#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `tgen run` finds is what the device is: policers of known rate and bucket, a path that is away for a
known time, a table of known size, classes of known rates; and a run that is killed goes on."""
import json
import os
import signal
import subprocess
import sys
import tempfile

from lab import SCRIPT, TGEN, Lab, check, equal, run, settings, wait_until
from ovs import Ovs

PORTS = [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"],
          "gateway": [f"{i}.{i}.{i}.254"]} for i in (1, 2, 3)]
QUICKLY = {"settle": "50ms", "pause": "50ms", "warm-up": "0s", "max-lag": "0s", "max-invalid": 6, "drain": "500ms"}
ONE = {"topology": "pair", "ports": ["ether1", "ether2"], "frame-sizes": [64]}


def results_of(lab, tests, ports=None, words=(), more=None, must=(0,)):
    """The tests' trees by name; the run's standard error is in failures."""
    with tempfile.TemporaryDirectory(prefix="tgen-truth-") as directory:
        path = os.path.join(directory, "t.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"ports": ports or PORTS, "tests": [{**QUICKLY, **t} for t in tests], **(more or {})}, f)
        done = subprocess.run([SCRIPT, "--name", lab.name, "exec", TGEN, "run", path, f"dir={directory}/r", *words],
                              check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        check(done.returncode in must, f"status {done.returncode}\n{done.stdout[-3000:]}")
        with open(f"{directory}/r/results.json", encoding="utf-8") as f:
            return {t["name"]: t for t in json.load(f)["tests"]}, done.stdout


def figure(test, name, scope=None, cell=0):
    found = [f["value"] for f in test["cells"][cell]["figures"] if f["name"] == name and f["scope"] == scope]
    check(len(found) == 1, f"{test['name']}: {name} {scope}: {test['cells'][cell]}")
    return found[0]


def policed(rate, bucket):
    return f"""table ip probe {{
    chain forward {{
        type filter hook forward priority 0; policy accept;
        ip daddr 2.2.2.2 udp dport 7 limit rate over {rate}/second burst {bucket} packets drop
    }}
}}"""


def throughput(lab):
    """a policer of R frames/s with a bucket of B: R + B / T within the resolution, for two lengths of a trial"""
    rate, bucket, most, resolution = 1000, 200, 2000, 2
    for seconds in (1, 2):
        with settings(lab, policed(rate, bucket)):
            tests, said = results_of(lab, [{
                "name": "t", "procedure": "rfc2544-throughput", **ONE, "max-rate": f"{most}pps",
                "resolution": f"{resolution}%", "trial-duration": f"{seconds}s", "pause": "400ms"}])
        found, known = figure(tests["t"], "throughput"), rate + bucket / seconds
        check(known * 0.985 - most * resolution / 100 <= found <= known * 1.015,
              f"{found} frames/s in trials of {seconds} s, {known} is what the policer lets pass\n{said}")


def back_to_back(lab):
    """the longest burst at r frames/s is B / (1 - R / r): what a bucket of B holds while R flows out of it"""
    rate, bucket, burst_rate = 500, 200, 2000
    with settings(lab, policed(rate, bucket)):
        tests, said = results_of(lab, [{
            "name": "b", "procedure": "rfc2544-back-to-back", **ONE, "max-rate": f"{burst_rate}pps",
            "rate": f"{rate}pps", "burst-repeats": 2, "burst-cap": 4000,
            "burst-resolution": "2%", "pause": "600ms"}], must=(0, 1, 3))
    bursts = [t["total"]["tx-packet"] for t in tests["b"]["cells"][0]["trials"]
              if t["valid"] and t["total"]["lost-packet"] == 0]
    known = bucket / (1 - rate / burst_rate)
    check(bursts and known * 0.94 <= max(bursts) <= known * 1.06,
          f"bursts {sorted(bursts)}, {known:.0f} is what the bucket holds\n{said}")


def outage(lab):
    """traffic is away from when the script broke the path to when it mended it, by the script's clock"""
    with tempfile.TemporaryDirectory() as directory:
        def noted(word, command):
            return ["sh", "-c", f"date +%s.%N >>{directory}/{word}; {SCRIPT} --name {lab.name} dut {command}; "
                                f"date +%s.%N >>{directory}/{word}"]
        with settings(lab, "table ip probe {\n chain forward {\n type filter hook forward priority 0; policy accept;\n }\n}"):
            tests, said = results_of(lab, [{
                "name": "o", "procedure": "outage", **ONE, "rate": "1000pps", "trial-duration": "5s",
                "event": [noted("event", "nft add rule ip probe forward ip daddr 2.2.2.2 drop")], "event-after": "1s",
                "mend": [noted("mend", "nft flush chain ip probe forward")], "mend-after": "2500ms"}])
        broke, mended = ([float(line) for line in open(f"{directory}/{word}", encoding="utf-8")]
                         for word in ("event", "mend"))
    seconds = figure(tests["o"], "outage") / 1e9
    # of runs that were repeated, the last one
    least, most = mended[-2] - broke[-1], mended[-1] - broke[-2]
    check(least - 0.02 <= seconds <= most + 0.02,
          f"away for {seconds} s, the script says {least} to {most}\n{said}")
    lost = figure(tests["o"], "lost-frames")
    check(abs(lost - seconds * 1000) <= 3, f"{lost} frames lost in {seconds} s at 1000 a second")


def recovery(lab):
    """a policer has nothing to recover from: no frame is lost once the load is below its rate"""
    with settings(lab, policed(1000, 50)):
        tests, said = results_of(lab, [{"name": "r", "procedure": "rfc2544-system-recovery", **ONE,
                                        "throughput": "1200pps", "max-rate": "2000pps", "trial-duration": "1500ms"}])
    check(figure(tests["r"], "lost-frames") > 100, f"not overloaded\n{said}")
    seconds = figure(tests["r"], "recovery") / 1e9
    check(seconds <= 0.02, f"recovered after {seconds} s\n{said}")


def addresses(_):
    """an Open vSwitch with mac-table-size=64 holds 64 addresses, less those of the ports themselves"""
    with Lab("relay", ports=3) as lab, Ovs(lab) as ovs:
        ovs.bridge("br0", "dut1", "dut2", "dut3")
        ovs.vsctl("set", "bridge", "br0", "other-config:mac-table-size=64")
        ovs.replace_flows("br0", "priority=1,actions=NORMAL")
        ports = [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"10.0.0.{i}/24"]} for i in (1, 2, 3)]
        tests, said = results_of(lab, [{"name": "a", "procedure": "rfc2889-address-caching", "topology": "learning",
                                        "frame-sizes": [64], "max-addresses": 200, "learning-rate": "500pps",
                                        "test-rate": "500pps"}], ports)
    found = figure(tests["a"], "addresses")
    check(64 - 5 <= found <= 64, f"{found} addresses\n{said}")


def classes(lab):
    """two classes of htb get their rates while both are offered more, whichever is offered more of it"""
    rates = {"gold": 2000, "bronze": 500}  # kbit/s
    lines = "; ".join(
        [f"tc qdisc add dev dut2 root handle 1: htb default 20",
         f"tc class add dev dut2 parent 1: classid 1:10 htb rate {rates['gold']}kbit ceil {rates['gold']}kbit burst 2k",
         f"tc class add dev dut2 parent 1: classid 1:20 htb rate {rates['bronze']}kbit ceil {rates['bronze']}kbit "
         "burst 2k",
         "tc qdisc add dev dut2 parent 1:10 pfifo limit 20", "tc qdisc add dev dut2 parent 1:20 pfifo limit 20",
         "tc filter add dev dut2 parent 1: protocol ip prio 1 u32 match ip dsfield 0xb8 0xfc flowid 1:10"])
    lab.dut("sh", "-c", lines)
    try:
        more = {"packet-templates": [
            {"name": name, "header-stack": "mac,ip,udp", "port": "ether1", "rx-port": "ether2", "dscp": dscp,
             "ip-gateway": "1.1.1.254", "ip-dst": "2.2.2.2"} for name, dscp in (("gold", 46), ("bronze", 0))],
                "streams": [{"name": n, "tx-template": n, "group": n, "packet-size": 508, "mbps": 3} for n in rates]}
        tests, said = results_of(lab, [{"name": "q", "procedure": "qos", "trial-duration": "4s", "drain": "2s"}],
                                 more=more)
    finally:
        lab.dut("tc", "qdisc", "del", "dev", "dut2", "root")
    for name, kbit in rates.items():
        got = figure(tests["q"], "received", name) * 508 * 8 / 1000
        # what was in the queues and buckets at the end came through, too
        check(0.93 * kbit <= got <= 1.12 * kbit, f"{name}: {got:.0f} of {kbit} kbit/s\n{said}")


def resumed(lab):
    """a run that is killed has its finished trials on disk; resumed, they are the same and the rest follows"""
    with tempfile.TemporaryDirectory() as directory:
        path, where = f"{directory}/t.json", f"{directory}/r"
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"ports": PORTS, "tests": [{**QUICKLY, **ONE, "name": "t", "procedure": "rfc2544-frame-loss",
                                                  "max-rate": "2kpps", "trial-duration": "600ms", "loss-step": "10%",
                                                  "frame-sizes": [64, 128, 256]}]}, f)
        first = subprocess.Popen([SCRIPT, "--name", lab.name, "exec", TGEN, "run", path, f"dir={where}"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def lines():
            try:
                with open(f"{where}/trials.jsonl", encoding="utf-8") as f:
                    return [line for line in f.read().splitlines(True) if line.endswith("\n")]
            except FileNotFoundError:
                return []
        with settings(lab, policed(300, 5)):
            try:
                wait_until(lambda: len(lines()) >= 4, "three trials", 60)
            finally:
                # the scripts in between exec: the pid is tgen's
                os.kill(first.pid, signal.SIGKILL)
                first.wait()
            before = lines()
            done = subprocess.run([SCRIPT, "--name", lab.name, "exec", TGEN, "run", "--resume", where],
                                  check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        check(done.returncode in (0, 1, 3), done.stdout[-3000:])
        equal(lines()[:len(before)], before, "the trials that were there")
        check(done.stdout.count("  measured before\n") == len(before) - 1, f"played back\n{done.stdout}")
        with open(f"{where}/results.json", encoding="utf-8") as f:
            test = json.load(f)["tests"][0]
        kept = [json.loads(line)["trial"] for line in before[1:]]
        equal(test["cells"][0]["trials"][:len(kept)], kept[:len(test["cells"][0]["trials"])], "trials in the results")
        equal(len(test["cells"]), 3, "cells")


CASES = [throughput, back_to_back, outage, recovery, addresses, classes, resumed]

if __name__ == "__main__":
    only = os.environ.get("TGEN_CASES", "").split()
    sys.exit(run([c for c in CASES if not only or c.__name__ in only], ports=3))
