# SPDX-License-Identifier: BSD-3-Clause
"""The rows of rate and cycles: what each runs, what it is compared with, and what it should reach."""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import statistics
import subprocess
import typing

from .machine import Failed, Load, noise_of, say
from .programs import Testpmd, config, rx_pps, tx_pps, worker

NULL, RING = "null:", "ring:bench"
VARY = ({"udp-dst-port": "1000-1999"},
        {"udp-dst-port": "1000-1999", "udp-src-port": "2000-2999", "ip-src": "192.0.2.1-192.0.2.100"})
RATES_SUM_PPS = 120_000_000  # what 1 000 different rates ask for together: more than a core can send


@dataclasses.dataclass
class Row:
    name: str
    title: str
    config: typing.Callable
    words: tuple = ("packet-size=60", "pps=max")
    target: float = None    # None: shown, not judged
    against: str = "null"   # the reference; "row:NAME": another row; "cycles": an upper limit
    cycles: str = "tx"      # what its cycles are: of tx, rx or the whole loop
    cores: int = 1
    quick: bool = True
    plain: bool = False     # without huge pages


def streams(nb, **words):
    return [{"name": f"s{i}", "tx-template": "t0", **words} for i in range(nb)]


def different_rates(nb):
    step = RATES_SUM_PPS * 2 // (nb * (nb + 1))
    return [{"name": f"s{i}", "tx-template": "t0", "pps": step * (i + 1)} for i in range(nb)]


def checked(**fields):
    return {**fields, "udp-checksum": "good"}


def two_ports():
    made = config(NULL, 2)
    made["ports"].append({"name": "p2", "device": NULL})
    made["packet-templates"][1]["port"] = "p2"
    return made


SIXTY = "packet-size=60"
ROWS = (
    Row("tx-1", "null tx, 1 stream", lambda: config(NULL), target=1.8),
    Row("tx-6", "null tx, 6 streams", lambda: config(NULL, 6), target=1.7),
    Row("tx-1000", "null tx, 1 000 streams", lambda: config(NULL, streams=streams(1000)), target=1.6),
    Row("tx-10000", "null tx, 10 000 streams", lambda: config(NULL, streams=streams(10000)), target=1.5, quick=False),
    Row("tx-rates", "null tx, 1 000 streams of 1 000 rates", lambda: config(NULL, streams=different_rates(1000)),
        words=(SIXTY,), target=0.9),
    Row("tx-vary-1", "null tx, one varying field, UDP checksum", lambda: config(NULL, **checked(**VARY[0])),
        target=1.4),
    Row("tx-vary-3", "null tx, three varying fields, UDP checksum", lambda: config(NULL, **checked(**VARY[1])),
        target=1.2),
    Row("tx-imix", "null tx, IMIX over 6 streams", lambda: config(NULL, 6), words=("packet-size=imix", "pps=max"),
        target=1.3),
    Row("tx-1514", "null tx, 1514 bytes (against 60)", lambda: config(NULL), words=("packet-size=1514", "pps=max"),
        target=0.8, against="row:tx-1"),
    Row("tx-no-huge", "null tx, 6 streams, no huge pages", lambda: config(NULL, 6), target=1.1,
        against="null-no-huge", plain=True),
    Row("tx-2-queues", "null tx, 2 streams on 2 queues, 1 core (against 1 stream)", two_ports, target=0.97,
        against="row:tx-1", quick=False),
    Row("tx-2-cores", "null tx, 2 cores (against 1)", two_ports, target=1.9, against="row:tx-1", cores=2, quick=False),
    Row("rx-6", "ring rx, 6 lanes, UDP checksum 0", lambda: config(RING, 6, rx=True), target=45, against="cycles",
        cycles="rx"),
    Row("rx-6-udp", "ring rx, 6 lanes, UDP checksum", lambda: config(RING, 6, rx=True, **checked()), target=65,
        against="cycles", cycles="rx"),
    Row("rx-1000-udp", "ring rx, 1 000 lanes, UDP checksum",
        lambda: config(RING, streams=streams(1000), rx=True, **checked()), target=75, against="cycles", cycles="rx"),
    Row("rx-10000-udp", "ring rx, 10 000 lanes, UDP checksum",
        lambda: config(RING, streams=streams(10000), rx=True, **checked()), target=90, against="cycles",
        cycles="rx", quick=False),
    Row("loop-6", "ring, tx and rx on one core, 6 streams", lambda: config(RING, 6, rx=True), target=65,
        against="cycles", cycles="loop"),
    Row("memif", "memif to a testpmd io and back", None, target=1.25, against="memif", cycles="loop", cores=2),
    Row("af-packet", "af_packet on veth, tx", lambda: config("af_packet:bench0"), target=1.0, against="af-packet"),
    Row("af-xdp", "af_xdp on veth, tx", lambda: config("af_xdp:bench0"), target=1.0, against="af-xdp"),
)


class Devices:
    """What the runs stand on: testpmd processes that wait between their turns, a namespace, a socket."""

    def __init__(self, bench):
        self.bench = bench
        self.stack = contextlib.ExitStack()
        self.open = {}
        self.netns = None

    def close(self):
        for kind in list(self.open):
            self.drop(kind)
        self.stack.close()

    def pids(self):
        return [t.pid() for t in self.open.values()]

    def reference(self, kind):
        """A testpmd that sends from the measured core, made at its first use."""
        if kind not in self.open:
            b = self.bench
            if b.other_core is None:
                raise Failed("testpmd needs two CPUs, this process may use one")
            how = {}
            if kind == "null-no-huge":
                how["eal"] = ("--no-huge", "-m", "512")
            elif kind.startswith("af-"):
                how["netns"] = self.namespace()
            device = {
                "null": "net_null0,size=60", "null-no-huge": "net_null0,size=60",
                # the smallest ring that tgen asks for
                "af-packet": "net_af_packet0,iface=bench0,qpairs=1,blocksz=65536,framesz=2048,framecnt=2048",
                "af-xdp": "net_af_xdp0,iface=bench0,start_queue=0,queue_count=1"}[kind]
            made = Testpmd(b.core, b.other_core, device, "txonly", **how)
            made.__enter__()
            self.open[kind] = made
        return self.open[kind]

    def drop(self, kind):
        """Two programs cannot hold one end of a device: the next reference is a new process."""
        if kind in self.open:
            self.open.pop(kind).close()

    def memif(self, role):
        return f"net_memif0,role={role},id=0,socket={self.socket()},socket-abstract=no"

    def socket(self):
        return self.bench.folder / "memif.sock"

    @contextlib.contextmanager
    def forwarder(self):
        """A testpmd that sends back what it receives, on the other core."""
        b = self.bench
        self.socket().unlink(missing_ok=True)
        with Testpmd(b.other_core, b.core, self.memif("server"), "io", all_busy=True) as io:
            io.start()
            yield

    def namespace(self):
        if self.netns is None:
            name = f"tgen-bench-{os.getpid()}"
            netns("netns", "add", name)
            self.stack.callback(netns, "netns", "del", name, check=False)
            netns("-n", name, "link", "add", "bench0", "type", "veth", "peer", "name", "bench1")
            for link in ("bench0", "bench1", "lo"):
                netns("-n", name, "link", "set", link, "up")
            self.netns = name
        return self.netns


def netns(*words, check=True):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise Failed(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Bench:
    """Everything that the rows need to know."""

    def __init__(self, tgen, folder, core, other_core, options):
        self.tgen, self.folder = tgen, pathlib.Path(folder)
        self.core, self.other_core = core, other_core
        self.runs, self.quick, self.seconds = options.runs, options.quick, options.seconds
        self.tsc_hz = None
        self.has_testpmd = shutil.which("dpdk-testpmd") is not None
        self.devices = Devices(self)

    def cores(self, nb):
        return [core for core in (self.core, self.other_core)[:nb] if core is not None]

    def load(self, nb_cores=1):
        return Load(self.cores(nb_cores), self.devices.pids)

    def duration(self):
        return f"duration={round(self.seconds * 1000)}ms"


def why_not(bench, row):
    """Why a row cannot be measured here, None when it can."""
    needs_testpmd = not row.against.startswith("row:") and row.against != "cycles"
    if needs_testpmd and not bench.has_testpmd:
        return "dpdk-testpmd is not installed: scripts/setup --all"
    if needs_testpmd and bench.other_core is None:
        return "testpmd needs two CPUs, this process may use one"
    if row.cores == 2 and bench.other_core is None:
        return "it needs two CPUs"
    if (row.plain or row.against in ("af-packet", "af-xdp")) and os.geteuid() != 0:
        return "it needs root"
    return None


def run_once(bench, row, cfg):
    """(reference pps or None, pps, result)"""
    reference = None
    if row.against in ("memif", "af-packet", "af-xdp"):
        return run_shared(bench, row, cfg)
    if row.against.startswith("null"):
        reference = bench.devices.reference(row.against).measure(bench.seconds)[1]
    elif row.against.startswith("row:"):
        other = next(r for r in ROWS if r.name == row.against[4:])
        reference = tx_pps(bench.tgen.run(other.config(), *other.words, bench.duration(), "drain=0s"))
    cores = bench.cores(row.cores)
    result = bench.tgen.run(cfg, *row.words, bench.duration(), "drain=0s", cores=cores, plain=row.plain,
                            all_busy=row.cores > 1)
    pps = tx_pps(result) if row.cycles == "tx" else rx_pps(result)
    return reference, pps, result


def run_shared(bench, row, cfg):
    """testpmd and tgen take turns on a device that only one of them can hold."""
    devices = bench.devices
    if row.against == "memif":
        with devices.forwarder():
            with Testpmd(bench.core, bench.other_core, devices.memif("client"), "flowgen", all_busy=True) as flowgen:
                reference = flowgen.measure(bench.seconds)[0]
        with devices.forwarder():
            cfg = config(f"memif:role=client,id=0,socket={devices.socket()},socket-abstract=no", rx=True)
            result = bench.tgen.run(cfg, *row.words, bench.duration(), "drain=50ms", all_busy=True)
        return reference, rx_pps(result), result
    reference = devices.reference(row.against).measure(bench.seconds)[1]
    devices.drop(row.against)
    before, bench.tgen.prefix = bench.tgen.prefix, ["ip", "netns", "exec", devices.namespace()]
    try:
        result = bench.tgen.run(cfg, *row.words, bench.duration(), "drain=0s")
    finally:
        bench.tgen.prefix = before
    return reference, tx_pps(result), result


def proportion(result, cfg):
    """Of streams that together asked for too much: how far the worst is from its share, in percent."""
    asked = {s["name"]: s["pps"] for s in cfg["streams"]}
    whole, sent = sum(asked.values()), result["total"]["tx-packet"]
    errors = []
    for total in result["totals"]:
        share = sent * asked[total["name"]] / whole
        if share >= 1000:  # of fewer a single frame is much
            errors.append(100 * abs(total["tx-packet"] - share) / share)
    return round(max(errors), 2) if errors else None


def cycles_of(bench, row, pps, result):
    """(cycles a frame, whether they are those that the row is about)"""
    whole = bench.tsc_hz / pps if pps else None
    said = worker(result).get(f"{row.cycles}-cycles-per-frame") if row.cycles == "rx" else None
    return (said, True) if said else (whole, row.cycles != "rx")


def measure(bench, row):
    """One row: the median of its runs, each beside its own reference."""
    out = {"name": row.name, "title": row.title, "target": row.target, "against": row.against}
    missing = why_not(bench, row)
    if missing:
        return {**out, "verdict": "left out", "why": [missing]}
    cfg = row.config() if row.config else None
    load, runs = bench.load(row.cores), []
    try:
        for i in range(bench.runs):
            say(f"measuring: {row.name}, run {i + 1} of {bench.runs} …")
            runs.append(run_once(bench, row, cfg))
    except Failed as why:
        return {**out, "verdict": "failed", "why": [str(why)]}
    pps = statistics.median(r[1] for r in runs)
    middle = min(runs, key=lambda r: abs(r[1] - pps))
    cycles = [cycles_of(bench, row, r[1], r[2]) for r in runs]
    known = all(c[1] for c in cycles)
    out.update({"mpps": round(pps / 1e6, 3), "runs-mpps": [round(r[1] / 1e6, 3) for r in runs],
                "cycles": round(statistics.median(c[0] or 0 for c in cycles), 1)})
    references = [r[0] for r in runs if r[0]]
    if references:
        out["reference-mpps"] = round(statistics.median(references) / 1e6, 3)
        out["ratio"] = round(statistics.median(r[1] / r[0] for r in runs if r[0]), 3)
    else:
        references = [r[1] for r in runs]
    if row.name == "tx-rates":
        out["worst-share-error-pct"] = proportion(middle[2], cfg)
    noise = noise_of(references, load.end())
    return judge(out, row, known, noise)


def judge(out, row, known, noise):
    if not known:
        return {**out, "cycles-of": "loop", "verdict": "not known",
                "why": ["tgen does not tell the receiver's cycles apart from the loop's"]}
    value = out["cycles"] if row.against == "cycles" else out.get("ratio")
    met = value is not None and (value <= row.target if row.against == "cycles" else value >= row.target)
    verdict = "met" if met else "missed"
    return {**out, "verdict": "too noisy" if noise else verdict, "reached": met, "why": noise}
