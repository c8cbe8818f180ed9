# SPDX-License-Identifier: BSD-3-Clause
"""A results tree with everything that can be in one: all verdicts, sizes, variants, repeats, series, names
that want to be markup."""
import math
import random

HOSTILE = "</script><img src=x onerror=alert(1)>&\u2028\"'"
LINE = {"64": 1488095, "512": 234962, "1518": 81274}


def metrics(loss, latency):
    return {"tx-packet": 1000000, "rx-packet": round(1000000 * (1 - loss)), "lost-packet": round(1000000 * loss),
            "lost-ratio": loss, "tx-pps": 1000.0, "rx-pps": 1000.0 * (1 - loss), "lat-min": latency / 2,
            "lat-avg": latency, "lat-p99": latency * 3, "lat-p99.9": "inf", "lat-max": latency * 9, "outage": None}


def trial(nr, size, load, loss, latency, valid=True, purpose="search"):
    line = LINE[size]
    rng = random.Random(nr)
    return {
        "nr": nr, "attempt": 1, "purpose": purpose, "start": "2031-05-01T10:00:00Z", "frame-size": size,
        "mean-frame-bytes": float(size), "load": {
            "pps": line * load, "line-ratio": load, "l1-bps": 1e9 * load, "l2-bps": 9e8 * load, "sent-pps": line * load,
            "sent-line-ratio": load},
        "asked": [{"upps": line * load * 1e6, "packet-count": None, "step-ns": 0, "step-upps": 0}],
        "duration-ns": 5000000000, "send-ns": 5000000000, "addresses": 0, "event-ns": 0, "mend-ns": 0,
        "valid": valid, "fell-short": not valid, "reasons": [] if valid else [f"sent too little {HOSTILE}"],
        "interrupted": False, "total": metrics(loss, latency),
        "streams": [{"name": "a", "metrics": metrics(loss, latency), "counts": {}}],
        "groups": [{"name": "up", "metrics": metrics(loss, latency)}],
        "latency": {"type": "filo", "histogram": {},
                    "percentiles": [[p, latency * (1 + p ** 3 / 2e5)] for p in (0, 10, 50, 90, 99, 99.9, 100)]},
        "intervals": [{"t": t, "tx-pps": line * load, "rx-pps": line * load * (1 - loss) - rng.random() * 9,
                       "tx-bps": 1e8, "rx-bps": 1e8, "lost-ratio": loss, "lat-mean": latency + 900 * math.sin(t),
                       "lat-p99": latency * 3, "lat-max": latency * 9} for t in range(1, 11)],
        "probe": [{"t": t, "values": {"cpu": 40 + 9 * math.sin(t), HOSTILE: t}} for t in range(1, 6)],
        "events": [], "health": {"lag-p99-ns": 4100}, "ports": [], "raw": {}}


def cell(size, repeat, status, trials, throughput):
    figures = [{"name": "throughput", "value": throughput, "unit": "pps", "scope": None, "remark": None},
               {"name": "throughput-line-ratio", "value": throughput / LINE[size], "unit": "ratio", "scope": None,
                "remark": None},
               {"name": "latency-p999", "value": "inf", "unit": "ns", "scope": "up", "remark": HOSTILE}]
    return {"frame-size": size, "frame-bytes": float(size), "repeat": repeat, "status": status,
            "started": "2031-05-01T10:00:00Z", "seconds": 12.5,
            "reasons": [] if status == "pass" else [f"because {HOSTILE}"], "notes": [f"noted {HOSTILE}"],
            "figures": figures if trials else [],
            "criteria": [{"text": "throughput >= 10%", "status": "met" if status == "pass" else "missed", "value": 1.0,
                          "limit": None, "verdict": HOSTILE}],
            "line-pps": LINE[size], "trials": trials}


def summary(size, name, unit, mean, change):
    return {"frame-size": size, "figure": name, "scope": None, "unit": unit, "nb": 3, "mean": mean,
            "stdev": mean / 50, "min": mean * .97, "max": mean * 1.03, "half-95": mean / 20, "passed": 3, "needed": 2,
            "change-to-first": change}


def variant(name, factor, statuses):
    cells, lines, nr = [], [], 0
    for size, line in LINE.items():
        for repeat in (1, 2):
            trials = []
            for load, loss in ((1.0, 1 - factor), (0.9, max(0, 0.9 - factor)), (factor, 0.0)):
                nr += 1
                trials.append(trial(nr, size, load, loss, 20000 * float(size) ** .3, nr % 5 != 0))
            status = statuses[len(cells) % len(statuses)]
            cells.append(cell(size, repeat, status, [] if status == "skip" else trials, line * factor))
        change = None if name == "plain" else factor - 1
        lines += [summary(size, "throughput", "pps", line * factor, change),
                  summary(size, "throughput-line-ratio", "ratio", factor, change)]
        for figure, times in (("latency-min", .5), ("latency-mean", 1), ("latency-p99", 3), ("latency-max", 9)):
            lines.append(summary(size, figure, "ns", 20000 * float(size) ** .3 * times, change))
    return {"name": "routing", "procedure": "rfc2544-throughput", "comment": HOSTILE, "dut": "r", "variant": name,
            "status": "pass", "reason": None, "options": {"name": "routing"},
            "streams": [{"id": 0, "name": "a", "group": "up", "tx-port": "ether1", "rx-port": "ether2", "weight": 1,
                         "packet-size": 60}],
            "repeats": 2, "pass-if": "all", "cells": cells, "summary": lines,
            "commands": [{"phase": "setup", "argv": ["nft", "-f", HOSTILE], "exit-status": 0, "seconds": 0.1,
                          "timed-out": False, "output": HOSTILE}]}


def tree():
    port = {"device": "auto:ether1", "driver": "net_af_packet", "mac": "02:00:00:00:00:01", "mtu": 1500,
            "speed-bps": 1e9, "addresses": ["1.1.1.1/24"]}
    return {
        "schema": "tgen-results", "version": 1, "tgen": f"0.1.0 {HOSTILE}", "command": f"tgen run {HOSTILE}", "file": "x.json",
        "included": [], "started": "2031-05-01T10:00:00Z", "ended": "2031-05-01T11:00:00Z", "status": "fail",
        "exit-status": 1, "meta": {"title": f"Routers {HOSTILE}", "customer": "Example"},
        "environment": {"host": "h", "kernel": "Linux 6", "cpu": "x", "nb-cpus": 2, "nb-numa-nodes": 1, "memory-mb": 1.0,
                        "hugepages-mb": 0, "dpdk": "DPDK", "governor": None, "virtual": None},
        "ports": [dict(port, name="ether1"), dict(port, name="ether2")],
        "duts": [{"name": "r", "comment": None, "model": HOSTILE, "serial": None, "firmware": None,
                  "configuration-sha256": None, "variants": ["plain", "nat"]}],
        "configuration": {"x.json": {"tests": HOSTILE}}, "commands": [], "definitions": {"throughput": HOSTILE},
        "tests": [variant("plain", 0.8, ["pass"]), variant("nat", 0.4, ["pass", "fail", "invalid"]),
                  variant("all", 0.1, ["skip", "error", "interrupted"])]}
