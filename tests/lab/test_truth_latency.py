#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Delays: tgen's latency is the DUT's, percentile by percentile.

The truth of a frame is its departure from the relay less the stamp in it. tgen's figure has on top the
way to its worker: the floor, which is P50 without a delay. And, on a busy machine, the time for which
the worker was not running: that shows in a second stream, which the same worker sends in small steps
the other way and which the relay logs as well. So each frame has a latest time, and each figure lies
between that of the log and that of the latest times.
"""
import os
import sys

from impair import latency_ns
from lab import check, equal, run
from truth import COUNTING, MS, check_only, measure, originals, quantile, stations

# One worker for all. The steps go on when the measured stream is through and its frames are under way.
STEP_NS = 200000
WORDS = ("tx-template=s12,s21", "packet-size=60", "pps=2000,5000", "packet-count=2000,unlimited", "duration=1200ms",
         f"cpu-core={max(os.sched_getaffinity(0))}", *COUNTING)
SHARES = {"lat-min": 0, "lat-p50": 500, "lat-p90": 900, "lat-p99": 990, "lat-p99.9": 999, "lat-max": 1000}
CLOCK_NS = 10000  # tgen's clock against CLOCK_MONOTONIC, which is slewed
STALLED_NS = 50000


def figures(values):
    values = sorted(values)
    return {"lat-avg": sum(values) // len(values)} | {key: quantile(values, share) for key, share in SHARES.items()}


class Worker:
    """When tgen's worker was late, by the stamps of what it sent in steps."""

    def __init__(self, relay):
        self.stamps = [x.sig_time_ns for x in originals(relay, "ba")]
        self.start = min(t - n * STEP_NS for n, t in enumerate(self.stamps))

    def late_ns(self, when):
        """By how much the step after that time was late; what was left to be done after it comes on top."""
        n = (when - self.start) // STEP_NS + 1
        check(n < len(self.stamps), "a frame came after the last step")
        late = self.stamps[n] - self.start - n * STEP_NS
        return late + MS if late > STALLED_NS else 0


def check_latency(result, relay, floor_ns):
    """No figure is below the log's, or above that of the latest times; the log's figures."""
    rows, worker = originals(relay), Worker(relay)
    least = figures(latency_ns(x) for x in rows)
    most = figures(latency_ns(x) * 1.01 + floor_ns + worker.late_ns(x.departure_ns) for x in rows)
    for key in ("lat-p99.9", "lat-max"):
        most[key] += STEP_NS  # not running for less than a step shows in none
    equal(result.stream("s12", "lat-count"), len(rows), "frames with a latency")
    for key, truth in least.items():
        told = result.stream("s12", key)
        check(truth - CLOCK_NS <= told <= most[key] + CLOCK_NS,
              f"{key}: {told} ns; by the log {truth}, at most {most[key]:.0f} (floor {floor_ns})\n{result.text()}")
    jitter, pdv = (result.stream("s12", k) - result.stream("s12", "lat-min") for k in ("lat-max", "lat-p99.9"))
    equal((result.stream("s12", "jitter"), result.stream("s12", "pdv")), (jitter, pdv), "jitter and pdv")
    return least


def floor(lab):
    """P50 without a delay: what tgen and the relay have of their own."""
    result, relay = measure(lab, stations("s12", "s21"), (), *WORDS)
    check_only(result, "s12")
    check(min(latency_ns(x) for x in originals(relay)) < 10 * MS, "a frame left the relay before it was sent")
    return result.stream("s12", "lat-p50")


def delayed(lab, *words):
    floor_ns = floor(lab)
    result, relay = measure(lab, stations("s12", "s21"), ("--ab", *words), *WORDS)
    equal(result.status, 0, f"status\n{result.text()}")
    check_only(result, "s12")
    return check_latency(result, relay, floor_ns)


def constant(lab):
    """10 ms: least, mean, P50 to P99.9 and greatest are those of the log"""
    logged = delayed(lab, "--delay", "10ms")
    check(10 * MS <= logged["lat-min"] < 11 * MS, f"the relay did not delay by 10 ms: {logged}")


def varying(lab):
    """10 ms plus or minus 2 ms: least, mean, P50 to P99.9 and greatest are those of the log"""
    logged = delayed(lab, "--delay", "10ms", "--jitter", "2ms")
    check(8 * MS <= logged["lat-min"] < 10 * MS < logged["lat-p99"], f"the relay did not vary: {logged}")


def distribution(lab):
    """no more frames are shown up to any latency than the log has, and no bucket is wider than 1 %"""
    result, relay = measure(lab, stations("s12", "s21"), ("--ab", "--delay", "10ms", "--jitter", "5ms"), *WORDS,
                            "latency-distribution=yes")
    logged = [latency_ns(x) for x in originals(relay)]
    shown, up_to = result.json["latency-distribution"][0], 0
    equal(sum(b[2] for b in shown["buckets"]) + shown["overflow"], len(logged), "frames in the buckets")
    for low, high, nb in shown["buckets"]:
        up_to += nb
        check(up_to <= sum(x <= high + CLOCK_NS for x in logged), f"{up_to} frames up to {high} ns: too many")
        check(high - low <= low / 100 + 1, f"bucket from {low} to {high} ns is wider than 1 %")


if __name__ == "__main__":
    sys.exit(run([constant, varying, distribution], kind="relay"))
