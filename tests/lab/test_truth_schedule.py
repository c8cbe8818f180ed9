#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""When frames leave, by the kernel's receive times on the DUT's side, against schedules worked out here in
fractions. Numbers of frames are exact. No frame is early; in each quarter of a stream some are on time, so that
nothing drifts, and none is later than the lag that tgen itself admits and what the kernel adds."""
import math
import sys
from fractions import Fraction

import wire
from lab import check, equal, run
from truth import MS, quantile
from values import UDP

NS = 10**9
# The least late of a quarter; what the kernel adds when it takes the CPU away.
LATE_NS, KERNEL_NS = 2 * MS, 10 * MS
OPTIONS = ("max-lag=20ms", "max-steal=100", "drain=0s")


def constant(rate, delay=0):
    """Due time of frame n, s, from the start; rate: frames a second."""
    return lambda n: delay + Fraction(n, rate)


def bursts(rate, packets, gap, delay=0):
    """rate 0: the frames of a burst are due together."""
    within = Fraction(1, rate) if rate else 0
    return lambda n: delay + n // packets * ((packets - 1) * within + gap) + n % packets * within


def steps(*points):
    """points: (from s, frames a second); the last one stays. Frame n when n frames have accrued."""
    def due(n):
        have = Fraction(0)
        for (begin, rate), (end, _) in zip(points, [*points[1:], (math.inf, 0)]):
            if rate and (end == math.inf or have + rate * (end - begin) > n):
                return begin + (n - have) / rate
            have += rate * (end - begin)
        raise AssertionError("no frame n")
    return due


def linear(*points):
    """Straight lines from one (s, frames a second) to the next."""
    def due(n):
        have = 0.0
        for (t0, r0), (t1, r1) in zip(points, points[1:]):
            more = (r0 + r1) / 2 * (t1 - t0)
            if have + more > n:
                slope, left = (r1 - r0) / (t1 - t0), n - have
                # r0 x + slope / 2 x² = left
                return t0 + (left / r0 if slope == 0 else (math.sqrt(r0 * r0 + 2 * slope * left) - r0) / slope)
            have += more
        return points[-1][0] + (n - have) / points[-1][1]
    return due


def number_due(due, seconds, limit=10**6):
    """How many are due before that time."""
    return next(n for n in range(limit) if due(n) >= seconds)


def check_times(result, seen, due):
    """The start, as the least late of the frames tells it; a frame that is early makes all others late."""
    off = [f.time_ns - int(due(n) * NS) for n, f in enumerate(seen)]
    late = [o - min(off) for o in off]
    limit, n = result.json["lag-max-ns"] + KERNEL_NS, len(late)
    check(max(late) <= limit, f"late by {max(late)} ns, more than {limit}")
    least = [min(late[n * k // 4:n * (k + 1) // 4]) for k in range(4)]
    check(max(least) <= LATE_NS, f"the least late of each quarter: {least} ns")
    return min(off)


def check_streams(lab, plan, seconds, *words, together=True):
    """plan: {name: (due, packet-count or None, number of frames)}. All begin at one time."""
    conf = wire.config({name: UDP for name in plan})
    sent = wire.send(lab, conf, "packet-size=60", *words, options=OPTIONS)
    starts = {}
    for name, due in plan.items():
        with wire.about(name):
            due, nb = due if isinstance(due, tuple) else (due, number_due(due, seconds))
            equal(len(sent.streams[name]), nb, "frames")
            starts[name] = check_times(sent.result, wire.in_stream_order(sent.streams[name]), due)
    apart = max(starts.values()) - min(starts.values())
    check(not together or apart <= LATE_NS, f"the streams' starts are {apart} ns apart: {starts}")
    return sent


def both_ways(lab, plan, seconds, words):
    """All at once from one worker; then, each alone, from two queues. words: {word: a value a stream}"""
    joined = [f"{key}={','.join(of)}" for key, of in words.items()]
    check_streams(lab, plan, seconds, f"duration={seconds * 1000}ms", *joined, wire.cpus(1))
    for i, (name, due) in enumerate(plan.items()):
        if wire.cpus(2):
            alone = [f"{key}={of[i]}" for key, of in words.items()]
            sent = check_streams(lab, {name: due}, seconds, f"duration={seconds * 1000}ms", *alone, wire.cpus(2))
            equal(len({f.lane for f in sent.streams[name]}), 2, f"{name}: lanes")


def burst_times(lab):
    """bursts: so many frames, at the rate asked for or together, and the gap between them; start-delay"""
    gap = Fraction(1, 5)
    plan = {
        "paced": bursts(500, 25, gap),
        "together": bursts(0, 20, gap),
        "delayed": bursts(400, 10, gap, delay=Fraction(7, 20)),
        "three": (bursts(1000, 30, gap), 90),
        "constant": constant(300, delay=Fraction(1, 2)),
    }
    words = {
        "pps": ["500", "max", "400", "1000", "300"],
        "burst-packets": ["25", "20", "10", "30", "0"],
        "burst-count": ["unlimited", "unlimited", "unlimited", "3", "unlimited"],
        "inter-burst-gap": ["200ms"] * 5,
        "start-delay": ["0s", "0s", "350ms", "0s", "500ms"],
    }
    both_ways(lab, plan, 2, words)


def profiles(lab):
    """rate-profile: as many frames as the integral of the rate, each when it has accrued"""
    half, one, two = Fraction(1, 2), 1, Fraction(3, 2)
    plan = {
        "stairs": steps((0, 100), (half, 400), (one, 200)),
        "pause": steps((0, 300), (half, 0), (one, 600), (two, 50)),
        "ramp": linear((0, 0), (1, 600), (2, 600)),
        "hill": linear((0, 100), (0.75, 500), (1.5, 40), (3, 40)),
    }
    words = {"rate-profile": ["steps:0s=100pps+500ms=400pps+1s=200pps", "0s=300pps+500ms=0+1s=600pps+1500ms=50pps",
                              "linear:0s=0+1s=600pps", "linear:0s=100pps+750ms=500pps+1500ms=40pps"]}
    both_ways(lab, plan, 2, words)


def chains(lab):
    """after=: begins when the other has sent all its frames, and not before; delays and bursts add up"""
    end_a = Fraction(150, 500)
    end_b = end_a + Fraction(1, 5) + Fraction(100, 400)
    # A stream's end is that of its last frame's interval within the burst.
    end_c = end_b + Fraction(1, 10) + Fraction(20, 1000)
    plan = {
        "a": (constant(500), 150),
        "b": (constant(400, delay=end_a + Fraction(1, 5)), 100),
        "c": (bursts(1000, 20, Fraction(1, 10) - Fraction(19, 1000), delay=end_b), 40),
        "d": (constant(200, delay=end_c), 60),
        "e": (constant(100, delay=end_a), 30),
    }
    sent = check_streams(lab, plan, 3, "duration=3s", "pps=500,400,1000,200,100", "packet-count=150,100,40,60,30",
                         "after=none,a,b,c,a", "start-delay=0s,200ms,0s,0s,0s", "burst-packets=0,0,20,0,0",
                         "inter-burst-gap=81ms", wire.cpus(1))
    for earlier, later in ("ab", "bc", "cd", "ae"):
        check(sent.streams[earlier][-1].time_ns <= sent.streams[later][0].time_ns, f"{later} begins before {earlier} ends")


def poisson(lab):
    """gaps=poisson: mean and variance of gaps and of counts; the same seed is the same times"""
    rate, seconds = 250, 4
    conf = wire.config({"one": UDP, "same": UDP, "other": UDP})
    sent = wire.send(lab, conf, "packet-size=60", f"pps={rate}", "gaps=poisson", f"duration={seconds}s", "seed=3,3,4",
                     options=OPTIONS)
    one, same, other = (sent.streams[name] for name in ("one", "same", "other"))
    equal(len(one), len(same), "frames of the same seed")
    apart = sorted(abs(a.time_ns - b.time_ns) for a, b in zip(one, same))
    check(quantile(apart, 500) <= LATE_NS, f"the same seed, {quantile(apart, 500)} ns apart")
    check([f.time_ns // LATE_NS for f in one] != [f.time_ns // LATE_NS for f in other], "two seeds, the same times")
    for seen in (one, other):
        gaps = [(b.time_ns - a.time_ns) / NS for a, b in zip(seen, seen[1:])]
        mean, n = sum(gaps) / len(gaps), len(gaps)
        check(abs(mean * rate - 1) <= 5 / n ** 0.5, f"mean gap {mean}, not {1 / rate}")
        variance = sum((g - mean) ** 2 for g in gaps) / (n - 1)
        check(abs(variance * rate ** 2 - 1) <= 5 * (8 / n) ** 0.5, f"variance {variance}, not {1 / rate ** 2}")
    poisson_counts(lab)


def poisson_counts(lab):
    """Of many seeds the counts in the same time: mean and variance are equal. No jitter is in them."""
    nb, rate, seconds = 64, 150, 2
    conf = wire.config({f"p{i}": UDP for i in range(nb)})
    words = ("packet-size=60", f"pps={rate}", "gaps=poisson", f"duration={seconds}s",
             f"seed={','.join(str(100 + i) for i in range(nb))}")
    counts = []
    for cpus in (wire.cpus(1), wire.cpus(2)):
        if cpus:
            sent = wire.send(lab, conf, *words, cpus, options=wire.SENT_ONLY)
            counts.append([len(seen) for seen in sent.streams.values()])
    equal(counts[-1], counts[0], "frames of each seed, from two workers and from one")
    mean = rate * seconds
    check(abs(sum(counts[0]) - nb * mean) <= 5 * (nb * mean) ** 0.5, f"{sum(counts[0])} frames, not {nb * mean}")
    chi2 = sum((c - mean) ** 2 / mean for c in counts[0])
    check(abs(chi2 - nb) <= 5 * (2 * nb) ** 0.5, f"chi² of {nb} counts: {chi2}")


def shares(lab):
    """total- rates are shared by weight, percent is of the port's line, and what it cannot carry is lowered"""
    sizes, weights, seconds = (60, 300, 1000), (1, 2, 5), 2
    names = {n: UDP for n in "xyz"}
    common = ("packet-size=60,300,1000", f"duration={seconds}s", "weight=1,2,5")
    percent = Fraction(3, 100)
    table = (
        (("total-pps=800",), None, [800 * Fraction(w, 8) for w in weights]),
        (("total-mbps=1.6",), None, [Fraction(1600000 * w, 8 * 8 * s) for w, s in zip(weights, sizes)]),
        (("percent=3",), "10M", [percent * 10**7 / 8 / (s + 24) for s in sizes]),
        (("total-percent=24",), "10M", [Fraction(24, 100) * Fraction(w, 8) * 10**7 / 8 / (s + 24) for w, s in zip(weights, sizes)]),
        # 3 of 60 % are more than the line: each has a third of it.
        (("percent=60",), "3M", [Fraction(1, 3) * 3 * 10**6 / 8 / (s + 24) for s in sizes]),
        (("mbps=0.2,0.5,1", "rate-layer=l1"), None, [Fraction(r) * 125000 / (s + 24) for r, s in zip(("0.2", "0.5", "1"), sizes)]),
    )
    for words, speed, rates in table:
        with wire.about(" ".join(words)):
            conf = wire.config(names, {"speed": speed} if speed else None)
            sent = wire.send(lab, conf, *common, *words)
            for name, rate in zip("xyz", rates):
                due = rate * seconds
                check(math.floor(due) <= len(sent.streams[name]) <= math.ceil(due),
                      f"{name}: {len(sent.streams[name])} frames, not {float(due)}")


def of_mixes(lab):
    """bursts, profiles, chains and delays of streams of several sizes: rates in Mbit/s are of the mean size"""
    mean = Fraction(7 * 60 + 4 * 590 + 1514, 12)
    def pps(mbps):
        return Fraction(mbps) * 125000 / mean
    third = Fraction(10**7, 8) * Fraction(3, 100) / (mean + 24)
    gap = Fraction(1, 4)
    plan = {
        "stairs": steps((0, pps(1)), (Fraction(1, 2), pps(2))),
        "percent": linear((0, 0), (1.5, float(third)), (9, float(third))),
        "bursts": bursts(pps(2), 17, gap, delay=Fraction(3, 10)),
        "first": (steps((0, pps(1)), (Fraction(1, 4), pps(3))), 100),
    }
    # The last of 100 frames' interval ends when 100 have accrued.
    plan["then"] = constant(pps("0.5"), delay=plan["first"][0](100) + Fraction(1, 10))
    conf = wire.config({name: UDP for name in plan}, {"speed": "10M"})
    profiles_ = {"stairs": "0s=1mbps+500ms=2mbps", "percent": "linear:0s=0+1500ms=3%", "first": "0s=1mbps+250ms=3mbps"}
    conf["streams"] = [{"name": name, "tx-template": name, "packet-size": "imix",
                        **({"rate-profile": profiles_[name]} if name in profiles_ else {}), **more}
                       for name, more in (("stairs", {}), ("percent", {}), ("first", {"packet-count": 100}),
                                          ("bursts", {"mbps": 2, "burst-packets": 17, "inter-burst-gap": "250ms",
                                                      "start-delay": "300ms"}),
                                          ("then", {"mbps": "0.5", "after": "first", "start-delay": "100ms"}))]
    sent = wire.send(lab, conf, "duration=2s", options=OPTIONS)
    for name, due in plan.items():
        with wire.about(name):
            due, nb = due if isinstance(due, tuple) else (due, number_due(due, 2))
            equal(len(sent.streams[name]), nb, "frames")
            check_times(sent.result, sent.streams[name], due)


if __name__ == "__main__":
    sys.exit(run([burst_times, profiles, chains, poisson, shares, of_mixes], kind="relay", ports=2))
