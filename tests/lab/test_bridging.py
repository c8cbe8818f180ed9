#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Linux bridge between three ports: tgen's numbers against the bridge's own, and nothing flooded."""
import sys

from lab import LONG, check, equal, run, settings

CONFIG = "mikrotik-bridging.json"
STREAMS = [f"b{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3) if i != j]
SECONDS = 60 if LONG else 2


def ruleset():
    """A counter per stream and port that the bridge sends it out of."""
    counters, rules = "", ""
    for s in STREAMS:
        for port in (1, 2, 3):
            counters += f"counter {s}_{port} {{ }}\n"
            rules += (f'oifname "dut{port}" ip saddr 1.1.1.{s[1]} ip daddr 1.1.1.{s[2]} '
                      f"meta l4proto udp counter name {s}_{port}\n")
    return f"""table bridge probe {{
        {counters}
        chain forward {{
            type filter hook forward priority 0; policy accept;
            {rules}
        }}
    }}"""


def check_bridged(lab, result, streams):
    counters = lab.counters()
    equal(result.status, 0, f"status\n{result.text()}")
    for name in streams:
        s = result.streams[name]
        check(s["tx-packet"] > 0, f"{name}: nothing sent")
        equal(s["rx-packet"], s["tx-packet"], f"{name} rx-packet\n{result.text()}")
        for key in ("lost-packet", "rx-ooo", "rx-bad-csum", "duplicate", "misrouted"):
            equal(s[key], 0, f"{name} {key}")
        for port in (1, 2, 3):
            want = s["tx-packet"] if str(port) == name[2] else 0
            equal(counters[f"{name}_{port}"], want, f"{name}: frames that the bridge sent out of dut{port}")


def measure(lab, config, streams, *words):
    def before():
        lab.reset_counters()
        lab.dut("ip", "link", "set", "br0", "type", "bridge", "fdb_flush")

    with settings(lab, ruleset()):
        result = lab.quick_clean(config, "tx-template=" + ",".join(streams), *words, before=before,
                                 timeout=SECONDS + 60)
        check_bridged(lab, result, streams)


def full_mesh_60(lab):
    """full mesh, 60 bytes: every frame leaves the bridge on one port, and all arrive"""
    measure(lab, CONFIG, STREAMS, "packet-size=60", "mbps=1", f"duration={SECONDS}s")


def full_mesh_508(lab):
    """full mesh, 508 bytes: every frame leaves the bridge on one port, and all arrive"""
    measure(lab, CONFIG, STREAMS, "packet-size=508", "mbps=2", f"duration={SECONDS}s")


def one_way(lab):
    """a one-way stream to a station that never spoke floods nothing: learning frames went before"""
    ports = [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"1.1.1.{i}/24"]} for i in (1, 2, 3)]
    config = {
        "ports": ports,
        "packet-templates": [{
            "name": "b13", "header-stack": "mac,ip,udp", "ip-src": "1.1.1.1", "ip-dst": "1.1.1.3",
            "mac-dst": lab.mac("gen", "ether3"),
        }],
    }
    measure(lab, config, ["b13"], "packet-size=60", "pps=1000", "duration=1s")


if __name__ == "__main__":
    sys.exit(run([full_mesh_60, full_mesh_508] + ([] if LONG else [one_way]), kind="bridge"))
