# SPDX-License-Identifier: BSD-3-Clause
"""What is no rate: pacing, precision, memory, start-up and the floor of latency."""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

from .machine import Failed, noise_of, pages, say
from .programs import config, errors, frames_of, tx_pps, worker
from .rows import NULL, streams

PACED_SHARE = 0.9
PRECISION_PPS = (5_000, 10_000, 500_000, 1_000_000)
MIB = 1 << 20


def spin(program, core, per_second, milliseconds):
    """The bare loop that reads the clock: what this core can do at best; {} when it was not built."""
    done = subprocess.run([str(program), str(core), str(per_second), str(milliseconds)],
                          capture_output=True, text=True, check=False) if program else None
    return json.loads(done.stdout) if done and done.returncode == 0 else {}


def row(name, title, value, unit, target, met, why=(), **more):
    verdict = "too noisy" if why and met is not None else {None: "shown", True: "met", False: "missed"}[met]
    return {"name": name, "title": title, "value": value, "unit": unit, "target": target,
            "verdict": verdict, "reached": met, "why": list(why), **more}


def paced(bench, _spin):
    """A rate below flat out is kept, and costs what flat out costs and the reading of the clock."""
    cfg, runs, load = config(NULL), [], bench.load()
    for i in range(bench.runs):
        say(f"measuring: paced, run {i + 1} of {bench.runs} …")
        flat = bench.tgen.run(cfg, "packet-size=60", "pps=max", bench.duration(), "drain=0s")
        rate = int(tx_pps(flat) * PACED_SHARE)
        if rate == 0:
            raise Failed("flat out nothing was sent: the core was not ours")
        slow = bench.tgen.run(cfg, "packet-size=60", f"pps={rate}", bench.duration(), "drain=0s")
        runs.append((100 * tx_pps(slow) / rate, tx_pps(flat),
                     worker(flat).get("tx-cycles-per-frame"), worker(slow).get("tx-cycles-per-frame")))
    kept = statistics.median(r[0] for r in runs)
    noise = noise_of([r[1] for r in runs], load.end())
    yield row("paced-kept", "paced at 90 % of flat out: sent of asked", round(kept, 3), "%", 99.9, kept >= 99.9, noise)
    if all(r[2] and r[3] for r in runs):
        more = statistics.median(r[3] - r[2] for r in runs)
        yield row("paced-cost", "paced: cycles a frame more than flat out (clock reads)", round(more, 1), "cycles",
                  None, None, noise)


def precision(bench, spin_program):
    """Single frames: the gaps that tgen noted beside those of the bare loop, in turns."""
    rates = PRECISION_PPS[2:] if bench.quick else PRECISION_PPS
    for pps in rates:
        ours, bare, schedule = [], [], []
        load = bench.load()
        for i in range(bench.runs):
            say(f"measuring: precision at {pps} pps, run {i + 1} of {bench.runs} …")
            bare.append(spin(spin_program, bench.core, pps, round(bench.seconds * 1000)))
            result = bench.tgen.run(config(NULL), "packet-size=60", f"pps={pps}", bench.duration(), "drain=0s")
            ours.append(errors(result, "gap-error-ns"))
            schedule.append(errors(result, "schedule-error-ns"))
        yield precision_row(pps, ours, bare, schedule, noise_of([], load.end()))


def precision_row(pps, ours, bare, schedule, noise):
    title = f"single frames at {pps // 1000} kpps: gaps within 256 ns"
    if not all(ours) or not all(bare):
        return {"name": f"gap-{pps}", "title": title, "verdict": "not known", "target": None, "reached": None,
                "why": ["tgen tells no gap-error-ns" if not all(ours) else "bench_spin was not built"]}
    middle = [statistics.median(x["within-256ns-pct"] for x in side) for side in (ours, bare)]
    judged = pps >= 500_000
    met = middle[0] >= 99 and middle[0] >= middle[1] - 0.2 if judged else None
    return row(f"gap-{pps}", title, round(middle[0], 3), "%", "99 and the loop's less 0.2" if judged else None, met,
               noise, loop=round(middle[1], 3), **{
                   "gap-p99-ns": statistics.median(x["p99"] for x in ours),
                   "gap-max-ns": max(x["max"] for x in ours),
                   "loop-p99-ns": statistics.median(x["p99"] for x in bare),
                   "loop-max-ns": max(x["max"] for x in bare),
                   "schedule-p99-ns": statistics.median(x["p99"] for x in schedule) if all(schedule) else None})


def gaps(bench, spin_program):
    """Who leaves alone, and how evenly many streams share a port: by the stamps of net_pcap, not by tgen's own."""
    # in memory, where there is such a folder: a disk would make gaps of its own
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield from gaps_in(bench, spin_program, pathlib.Path(folder) / "gaps.pcap")


def alone(bench, spin_program, pcap, device, pps):
    """The best of the runs: bursts that tgen makes are in each, those after a core was stopped are not."""
    best, frames, stood, load = 0, 0, [], bench.load()
    for i in range(bench.runs):
        say(f"measuring: frames that leave alone at {pps} pps, run {i + 1} of {bench.runs} …")
        bare = spin(spin_program, bench.core, pps, round(bench.seconds * 1000))
        stood.append(bare.get("max", 0))
        bench.tgen.run(config(device), "packet-size=60", f"pps={pps}", bench.duration(), "drain=0s")
        times = [t for t, _ in frames_of(pcap)]
        # with another one: nearer than a tenth of the gap that it should have
        near = sum(b - a < 1e8 / pps for a, b in zip(times, times[1:]))
        best, frames = max(best, 100 * (1 - near / max(len(times) - 1, 1))), len(times)
    noise = noise_of([], load.end())
    if min(stood) > 5e8 / pps:  # whoever is stopped for longer than a gap has to catch up
        noise.append(f"this core stood still for {min(stood) / 1e3:.0f} us in every run")
    return row(f"alone-{pps}", f"frames that leave alone at {pps // 1000} kpps", round(best, 3), "%", 100,
               best == 100, noise, frames=frames)


def gaps_in(bench, spin_program, pcap):
    device = f"pcap:tx_pcap={pcap}"
    for pps in (5_000, 10_000):
        yield alone(bench, spin_program, pcap, device, pps)
    say("measuring: gaps of one stream of 100 …")
    cfg = config(device, 100)
    for i, template in enumerate(cfg["packet-templates"]):
        template["udp-src-port"] = 1000 + i
    bench.tgen.run(cfg, "packet-size=60", "pps=1000", bench.duration(), "drain=0s")
    last, off = {}, []
    for time_ns, frame in frames_of(pcap):
        who = frame[34:36]
        if who in last:
            off.append(abs(time_ns - last[who] - 10**6) / 1e3)
        last[who] = time_ns
    off.sort()
    if not off:
        raise Failed("no stream of 100 sent two frames: the core was not ours")
    yield row("gap-1-of-100", "100 streams of 1 kpps on a port: worst gap of a stream, off by", round(off[-1], 1),
              "us", None, None, p50=round(off[len(off) // 2], 1), p99=round(off[len(off) * 99 // 100], 1))


def memory(bench, _spin):
    """On plain memory, as the kernel counts huge pages to nobody."""
    if os.geteuid() != 0 and pages("free_hugepages"):
        raise Failed("with huge pages free it needs root, to hide them")
    say("measuring: memory …")
    peak = {}
    many = () if bench.quick else (65535,)
    for nb in (1, 1000, *many):
        peak[nb] = bench.tgen.peak_bytes(config(NULL, streams=streams(nb)), "packet-size=60", "pps=max",
                                         "duration=100ms", "drain=0s")
    yield row("memory-1000", "memory of a run with 1 000 streams", round(peak[1000] / MIB), "MiB", 400,
              peak[1000] <= 400 * MIB)
    yield row("memory-stream", "memory of a stream (1 000 against 1)", round((peak[1000] - peak[1]) / 999 / 1024, 1),
              "KiB", None, None)
    if 65535 in peak:
        yield row("memory-65535", "memory of a run with 65 535 streams", round(peak[65535] / MIB), "MiB", 4096,
                  peak[65535] <= 4096 * MIB)
    two = config(NULL)
    two["ports"].append({"name": "p2", "device": NULL})
    two["packet-templates"].append({**two["packet-templates"][0], "name": "t1", "port": "p2"})
    queue = bench.tgen.peak_bytes(two, "packet-size=60", "pps=max", "duration=100ms", "drain=0s") - peak[1]
    yield row("memory-queue", "memory of a port of one queue (2 ports against 1)", round(queue / MIB, 1), "MiB",
              None, None)


def start_up(bench, _spin):
    """From the command to the stamp of the first frame that net_pcap wrote."""
    pcap = bench.folder / "start.pcap"
    for nb, limit in ((6, 1), (65535, 5)):
        if nb > 6 and bench.quick:
            continue
        say(f"measuring: start with {nb} streams …")
        load = bench.load(2)
        times = [bench.tgen.first_frame_s(config(f"pcap:tx_pcap={pcap}", streams=streams(nb)), pcap,
                                          "packet-size=60", "pps=max", "duration=500ms", "drain=0s")
                 for _ in range(bench.runs if nb == 6 else 1)]
        pcap.unlink(missing_ok=True)
        value = statistics.median(times)
        yield row(f"start-{nb}", f"from the command to the first frame, {nb} streams", round(value, 3), "s", limit,
                  value <= limit, noise_of([], load.end()))


def latency_floor(bench, _spin):
    """A frame is handed from sender to receiver in memory: all that is measured is the generator's own."""
    cfg = {"ports": [{"name": f"p{i}", "device": "ring:bench", "address": [f"192.0.2.{i}/24"]} for i in (1, 2)],
           "packet-templates": [{"name": "a", "ip-src": "192.0.2.1", "ip-dst": "192.0.2.2"}]}
    for name, cores in (("one core", [bench.core]), ("two cores", [bench.other_core, bench.core])):
        if None in cores:
            continue
        say(f"measuring: floor of latency, {name} …")
        runs = [bench.tgen.run(cfg, "packet-size=60", "pps=10k", bench.duration(), cores=cores,
                               all_busy=len(cores) > 1)["total"]
                for _ in range(bench.runs)]
        figures = {key: statistics.median(r[key] or 0 for r in runs) for key in
                   ("lat-min", "lat-p50", "lat-p99", "lat-negative")}
        yield row(f"latency-{len(cores)}", f"floor of latency on a ring, {name}: P50", round(figures["lat-p50"]), "ns",
                  None, None, **figures)


PARTS = {"paced": paced, "precision": precision, "gaps": gaps, "memory": memory, "start": start_up,
         "latency": latency_floor}


def measure(bench, name, spin_program):
    """The rows of one part; what fails is a row, too."""
    try:
        yield from PARTS[name](bench, spin_program)
    except Failed as why:
        yield {"name": name, "title": name, "verdict": "failed", "target": None, "reached": None, "why": [str(why)]}
