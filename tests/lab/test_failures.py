#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong is said in one line, with the exit status of design.md §6."""
import os
import shutil
import signal
import subprocess
import sys
import time

from lab import SCRIPT, TGEN, check, equal, run, settings, wait_until

CONFIG = "mikrotik-routing.json"
QUICK = ("quick", "tx-template=r12", "packet-size=60", "pps=100", "duration=1s")


def config(template=None, port=None):
    """One port and one template, with changes."""
    return {
        "ports": [{"name": "ether1", "device": "auto:ether1", "address": ["1.1.1.1/24"], **(port or {})}],
        "packet-templates": [{"name": "r12", "header-stack": "mac,ip,udp", "ip-gateway": "1.1.1.254",
                              "ip-dst": "2.2.2.2", **(template or {})}],
    }


# What, configuration, words, status, what the line says.
CASES = [
    ("unknown template", CONFIG, ("quick", "tx-template=r12,r99", "packet-size=60", "pps=1"), 2, r"r99"),
    ("size under the minimum", CONFIG, ("quick", "tx-template=r12", "packet-size=59", "pps=1"), 2, r"packet-size.*60"),
    ("no rate", CONFIG, ("quick", "tx-template=r12", "packet-size=60", "pps=0"), 2, r"pps"),
    ("unknown word", CONFIG, ("quick", "tx-template=r12", "packt-size=60", "pps=1"), 2, r"packt-size.*packet-size"),
    ("a word twice", CONFIG, ("quick", "tx-template=r12", "pps=1", "pps=2"), 2, r"pps"),
    ("no template", CONFIG, ("quick", "packet-size=60", "pps=1"), 2, r"tx-template"),
    ("list of another length", CONFIG, ("quick", "tx-template=r12,r13,r21", "packet-size=60,64", "pps=1"), 2,
     r"packet-size"),
    ("unknown command", CONFIG, ("quik", "tx-template=r12"), 2, r"quik"),
    ("no such file", "no-such-file.json", QUICK, 2, r"no-such-file\.json"),
    ("no such port", config({"port": "ether9"}), QUICK, 2, r"ether9"),
    ("no such interface", config(port={"device": "auto:ether9"}), QUICK, 4, r"ether9"),
    ("unknown key", config({"ip-dsst": "2.2.2.2"}), QUICK, 2, r"json:\d+:\d+:.*ip-dsst"),
    ("no ARP reply", config({"ip-gateway": "1.1.1.77"}), (*QUICK, "arp-timeout=300ms"), None,
     r"no ARP reply from 1\.1\.1\.77 on ether1"),
]


def one_line_each(lab):
    """each error is one clear line on stderr, with its status"""
    wrong = []
    for what, conf, words, status, pattern in CASES:
        result = lab.tgen(conf, *words)
        try:
            if status is None:
                check(result.status in (3, 4), f"status {result.status}")
            result.check_error(result.status if status is None else status, pattern)
        except Exception as e:  # pylint: disable=broad-except; the others are tried as well
            wrong.append(f"[{what}] {e}")
    check(not wrong, "\n".join(wrong))


def malformed_file(lab):
    """a file that is not JSON is named with line and column"""
    path = os.path.join(lab.dir, "broken.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write('{\n\t"ports": [\n\t\t{ "name": "ether1" "device": "auto:ether1" }\n\t]\n}\n')
    result = lab.tgen(path, *QUICK)
    result.check_error(2, r"broken\.json:3:\d+:")


def no_permission(lab):
    """a user without the rights is told so, status 4"""
    binary, conf = os.path.join(lab.dir, "tgen"), os.path.join(lab.dir, "routing.json")
    shutil.copy(TGEN, binary)
    shutil.copy(lab.config(CONFIG), conf)
    os.chmod(binary, 0o755)
    os.chmod(conf, 0o644)
    done = subprocess.run([SCRIPT, "--name", lab.name, "exec", "setpriv", "--reuid", "65534", "--regid", "65534",
                           "--clear-groups", "--inh-caps=-all", binary, "--config", conf, *QUICK],
                          capture_output=True, text=True, timeout=60, cwd="/")
    equal(done.returncode, 4, f"status\n{done.stdout}{done.stderr}")
    lines = [s for s in done.stderr.splitlines() if "root" in s or "CAP_" in s]
    equal(len(lines), 1, f"lines that name the remedy\n{done.stderr}")


def own_configuration(lab):
    """a result never goes over the configuration file, however its path is written"""
    path = lab.config(config())
    with open(path, encoding="utf-8") as f:
        before = f.read()
    for form in ("json", "csv"):
        other = os.path.join(lab.dir, ".", os.path.basename(path))
        lab.tgen(path, *QUICK, "--output", f"{form}={other}").check_error(2, "is the configuration file")
        with open(path, encoding="utf-8") as f:
            equal(f.read(), before, "the configuration file")


def closed_pipe(lab):
    """a reader that goes away (| head -1) is told in one line, status 4"""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        done = subprocess.run([SCRIPT, "--name", lab.name, "exec", TGEN, "--config", lab.config(CONFIG), *QUICK],
                              stdout=gone, stderr=subprocess.PIPE, text=True, timeout=60)
    equal(done.returncode, 4, f"status\n{done.stderr}")
    lines = [line for line in done.stderr.splitlines() if "error:" in line]
    check(len(lines) == 1 and "Broken pipe" in lines[0], f"not one line\n{done.stderr}")


def ping_interrupted(lab):
    """Ctrl-C while a ping waits for ARP ends it with one line, status 1"""
    before = lab.link("dut", "dut1")["rx"]["packets"]
    with lab.start(CONFIG, "ping", "port=ether1", "address=1.1.1.77", "arp-timeout=60s", result=False) as p:
        wait_until(lambda: lab.link("dut", "dut1")["rx"]["packets"] > before, "ARP is asked")
        p.signal(signal.SIGINT)
        result = p.wait(10)
    equal(result.status, 1, f"status\n{result.text()}")
    equal(result.out, "stopped before 1.1.1.77 answered ARP on ether1\n", "what it says")


def nothing_sent(lab):
    """when nothing can be sent the measurement is invalid, and the DUT is not blamed"""
    template = {"mac-dst": lab.mac("dut", "dut1"), "ip-src": "1.1.1.1"}
    lab.set_link("dut", "dut1", "down")
    try:
        result = lab.quick(config(template), *QUICK[1:])
    finally:
        lab.set_link("dut", "dut1", "up")
    check(result.status in (3, 4), f"status {result.status}\n{result.text()}")
    check("ether1" in result.err + result.out, f"the port is not named\n{result.text()}")
    if result.json is not None:
        equal(result.json["total"]["tx-packet"], 0, "sent")


def interrupted(lab):
    """Ctrl-C ends a run in order: totals, result file, status 0"""
    with lab.start(CONFIG, "quick", "tx-template=r12,r21", "packet-size=60", "pps=1000", "duration=60s") as p:
        lab.wait_for_traffic()
        p.signal(signal.SIGINT)
        result = p.wait(10)
    check(result.json is not None, f"no result file\n{result.text()}")
    result.check_sums()
    equal(result.status, 0 if result.clean else 3, f"status\n{result.text()}")
    check(result.json["total"]["tx-packet"] > 0, "nothing sent")
    equal(result.json["total"]["lost-packet"], 0, f"lost\n{result.text()}")


def interrupted_twice(lab):
    """a second Ctrl-C does not wait for late frames"""
    drop = "table ip f { chain c { type filter hook forward priority 0; drop; }; }"
    with settings(lab, drop):
        with lab.start(CONFIG, "quick", "tx-template=r12", "packet-size=60", "pps=1000", "duration=60s",
                       "drain=30s") as p:
            lab.wait_for_traffic()
            p.signal(signal.SIGINT)
            first = time.monotonic()
            # A second one that comes before the first was seen would be the same one.
            while lab_is_sending(lab):
                check(time.monotonic() < first + 10, "still sending 10 s after Ctrl-C")
            check(p.proc.poll() is None, "ended without a drain although all frames are missing")
            p.signal(signal.SIGINT)
            second = time.monotonic()
            p.wait(10)
    check(time.monotonic() - second < 5, "waited for late frames after the second Ctrl-C")


def lab_is_sending(lab):
    before = lab.link("dut", "dut1")["rx"]["packets"]
    time.sleep(0.2)  # the rate is 1000 a second: none in this time is not chance
    return lab.link("dut", "dut1")["rx"]["packets"] != before


if __name__ == "__main__":
    sys.exit(run([one_line_each, malformed_file, no_permission, own_configuration, closed_pipe, ping_interrupted,
                  nothing_sent, interrupted, interrupted_twice]))
