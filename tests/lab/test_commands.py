#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Templates and ports by command: add, set, print, export, remove, and back again."""
import json
import os
import subprocess
import sys
import tempfile

from lab import TGEN, check, equal, run_case

ADD = [
    ("port", "name=ether1", "device=auto:ether1", "address=1.1.1.1/24,1.1.1.2/24", "comment=to the DUT"),
    ("port", "name=ether2", "device=auto:ether2", "address=2.2.2.2/24", "disabled=yes"),
    ("packet-template", "name=r12", "header-stack=mac,ip,udp", "ip-gateway=1.1.1.254", "ip-dst=2.2.2.2"),
    ("packet-template", "name=wide", "header-stack=mac,ip,udp", "ip-ttl=7", "ip-src=1.1.1.1-1.1.1.9",
     "ip-dst=2.2.2.2-2.2.2.9", "ip-gateway=1.1.1.254", "udp-dst-port=1000-2000", "comment=it's \"wide\""),
]


def tgen(config, *words, status=0):
    done = subprocess.run([TGEN, "--config", config, *words], capture_output=True, text=True, timeout=60)
    equal(done.returncode, status, f"status of {words}\n{done.stdout}{done.stderr}")
    return done


def load(config):
    with open(config, encoding="utf-8") as f:
        return json.load(f)


def round_trip(_):
    """what export prints makes the same file again"""
    with tempfile.TemporaryDirectory(prefix="tgen-commands-") as tmp:
        first, second = os.path.join(tmp, "a.json"), os.path.join(tmp, "b.json")
        for kind, *words in ADD:
            tgen(first, kind, "add", *words)
        tree = load(first)
        equal([t["name"] for t in tree["packet-templates"]], ["r12", "wide"], "templates in the file")
        for kind in ("port", "packet-template"):
            script = os.path.join(tmp, "a.rsc")
            with open(script, "w", encoding="utf-8") as f:
                f.write(tgen(first, kind, "export").stdout)
            tgen(second, "script", script)
        equal(load(second), tree, "the file made from the export")


def changes(_):
    """set, print and remove do what they say, and an error leaves the file as it was"""
    with tempfile.TemporaryDirectory(prefix="tgen-commands-") as tmp:
        config = os.path.join(tmp, "a.json")
        for kind, *words in ADD:
            tgen(config, kind, "add", *words)
        tgen(config, "packet-template", "set", "r12", "ip-dst=3.3.3.3")
        printed = tgen(config, "packet-template", "print").stdout
        for text in ("ip-dst=3.3.3.3", "ip-gateway=1.1.1.254", "ip-ttl=7"):
            check(text in printed, f"'{text}' is not printed:\n{printed}")
        before = open(config, "rb").read()
        bad = tgen(config, "packet-template", "set", "r12", "ip-dst=3.3.3.333", status=2)
        check("ip-dst" in bad.stderr, bad.stderr)
        tgen(config, "packet-template", "add", "name=r12", "ip-dst=1.1.1.1", status=2)
        tgen(config, "packet-template", "remove", "r13", status=2)
        equal(open(config, "rb").read(), before, "the file after errors")
        tgen(config, "packet-template", "remove", "wide")
        equal([t["name"] for t in load(config)["packet-templates"]], ["r12"], "templates after remove")


def at_once(_):
    """two that add at the same time wait for one another: nothing is refused, nothing lost"""
    with tempfile.TemporaryDirectory(prefix="tgen-commands-") as tmp:
        config = os.path.join(tmp, "a.json")
        loop = "for i in $(seq 60); do $0 --config $1 packet-template add name=$2-$i || exit 1; done"
        loops = [subprocess.Popen(["sh", "-c", loop, TGEN, config, name], stderr=subprocess.PIPE, text=True)
                 for name in ("a", "b")]
        for process in loops:
            _, err = process.communicate(timeout=60)
            equal(process.returncode, 0, f"status\n{err}")
        equal(len(load(config)["packet-templates"]), 120, "templates")


def what_cannot_run(_):
    """a device that nothing can open is refused before it is in the file"""
    with tempfile.TemporaryDirectory(prefix="tgen-commands-") as tmp:
        config = os.path.join(tmp, "a.json")
        for device in ("foo:bar", "", "auto:", "pci"):
            done = tgen(config, "port", "add", "name=p1", f"device={device}", status=2)
            check("af_packet:INTERFACE" in done.stderr, done.stderr)
        check(not os.path.exists(config), "a file was made")
        for device in ("null:", "ring:a", "pci:0000:01:00.0"):
            tgen(config, "port", "add", f"name={device.split(':')[0]}", f"device={device}")


def checked(_):
    """check reads a file without opening a port, and warns of sizes whose last fragment loses the signature"""
    with tempfile.TemporaryDirectory(prefix="tgen-commands-") as tmp:
        config = os.path.join(tmp, "a.json")
        tgen(config, "port", "add", "name=nosuch1", "device=auto:nosuch1", "address=1.1.1.1/24")
        tgen(config, "packet-template", "add", "name=r12", "ip-gateway=1.1.1.254", "ip-dst=2.2.2.2")
        fine = tgen(config, "check", "mtu=1400", "packet-size=1414,1514")
        check("no errors, 0 warnings" in fine.stdout, fine.stdout)
        cut = tgen(config, "check", "mtu=1400", "packet-size=1418")
        check("last of 2 fragments carries 8 bytes" in cut.stdout, cut.stdout)
        tgen(config, "check", "tx-template=r13", status=2)


if __name__ == "__main__":
    sys.exit(0 if all([run_case(case, None) for case in (round_trip, changes, at_once, what_cannot_run, checked)]) else 1)
