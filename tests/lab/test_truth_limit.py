#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A DUT that lets half of it pass: what tgen calls lost and received is what the policer counted."""
import sys

from lab import Lab, check, equal, run, settings
from ovs import Ovs
from witness import COUNTING

CONFIG = "mikrotik-routing.json"
PPS, SECONDS = 500, 2
WORDS = ("packet-size=60", f"pps={PPS}", f"duration={SECONDS}s", "drain=500ms", *COUNTING)
RULES = f"""table ip probe {{
    counter dropped {{ }}
    counter passed {{ }}
    chain forward {{
        type filter hook forward priority 0; policy accept;
        ip saddr 1.1.1.1 ip daddr 2.2.2.2 limit rate over {PPS // 2}/second burst 5 packets counter name dropped drop
        ip saddr 1.1.1.1 ip daddr 2.2.2.2 counter name passed
    }}
}}"""


def check_limited(result, passed, dropped):
    s = result.streams["r12"]
    equal(result.status, 0, f"status\n{result.text()}")
    # bursts of a late sender are dropped more than half
    check(0.4 * s["tx-packet"] < dropped < 0.9 * s["tx-packet"], f"the policer dropped {dropped}")
    equal(s["lost-packet"], dropped, f"lost\n{result.text()}")
    equal(s["rx-packet"], passed, f"received\n{result.text()}")
    equal((s["rx-ooo"], s["duplicate"], s["misrouted"], s["returned"]), (0, 0, 0, 0), "ooo, dup, misrouted, returned")
    rate = passed / (result.json["send-ns"] / 1e9)
    check(abs(s["rx-pps"] - rate) <= rate / 1000, f"rx-pps {s['rx-pps']}, passed {rate} a second")
    check(abs(s["rx-rate"] - rate * 60 * 8) <= rate * 60 * 8 / 1000, f"rx-rate {s['rx-rate']}, pps {rate}")
    check(abs(s["lost-ratio"] - dropped / s["tx-packet"]) < 1e-5, f"lost-ratio {s['lost-ratio']}")


def firewall(lab):
    """nft limit at half the rate: lost is what the rule dropped, received is what it passed"""
    with settings(lab, RULES):
        result = lab.quick_clean(CONFIG, "tx-template=r12,r21", *WORDS, before=lab.reset_counters)
        counters = lab.counters()
    check_limited(result, counters["passed"], counters["dropped"])
    equal(result.stream("r21", "lost-packet"), 0, "lost of the stream that is not limited")


def meter(_):
    """an Open vSwitch meter at half the rate: lost is what its band dropped"""
    with Lab("relay", ports=2) as lab, Ovs(lab) as ovs:
        config = {
            "ports": [{"name": f"ether{i}", "device": f"auto:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]}
                      for i in (1, 2)],
            "packet-templates": [{"name": "r12", "header-stack": "mac,ip,udp", "port": "ether1", "rx-port": "ether2",
                                  "mac-dst": lab.mac("gen", "ether2"), "ip-dst": "2.2.2.2"}],
        }
        ovs.bridge("br0", "dut1", "dut2")

        def fresh():
            ovs.ofctl("del-flows", "br0")
            ovs.ofctl("del-meters", "br0")
            ovs.ofctl("add-meter", "br0", f"meter=1,pktps,burst,stats,band=type=drop,rate={PPS // 2},burst_size=5")
            ovs.ofctl("add-flow", "br0", "udp,in_port=dut1,actions=meter:1,output:dut2")

        result = lab.quick_clean(config, "tx-template=r12", *WORDS, before=fresh)
        came, dropped = ovs.metered("br0", 1)
    equal(came, result.stream("r12", "tx-packet"), f"frames that came to the meter\n{result.text()}")
    check_limited(result, came - dropped, dropped)


if __name__ == "__main__":
    sys.exit(run([firewall, meter]))
