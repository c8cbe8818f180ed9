# SPDX-License-Identifier: BSD-3-Clause
"""The machine that is measured: its CPUs, its huge pages, what else runs on it, and tgen's own build."""
import contextlib
import ctypes
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import time

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = TREE / "build-bench"
PAGES = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB")
NB_PAGES = 512
TICK_HZ = os.sysconf("SC_CLK_TCK")
# Above these a row's figures are not judged.
MAX_SPREAD_PCT, MAX_STEAL_PCT, MAX_OTHERS_PCT = 10, 1, 10


class Failed(Exception):
    """The bench cannot go on; the message names the remedy."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def child_setup(all_busy):
    """
    What a measured process does first: it ends with the bench, however that ends. Of one that keeps every
    CPU busy with real-time priority, nothing else would ever run again: it gets none.
    """
    def setup():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if all_busy and os.sched_getscheduler(0) != os.SCHED_OTHER:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return setup


def words_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def cpus():
    """(the core that is measured, the core of whatever stands opposite or None)"""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[-1], allowed[-2] if len(allowed) > 1 else None


def tsc_hz_of_kernel():
    """Nominal: of use only where bench_spin, which measures it, was not built."""
    found = re.search(r"bogomips\s*: ([0-9.]+)", read("/proc/cpuinfo"))
    return float(found.group(1)) * 1e6 / 2 if found else None


def describe(spin):
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*: (.*)", info)
    return {
        "cpu": model.group(1) if model else platform.machine(),
        "cpus": os.cpu_count(),
        "tsc-hz": spin.get("tsc-hz"),
        "kernel": platform.release(),
        "dpdk": words_of(["pkg-config", "--modversion", "libdpdk"]) or None,
        "compiler": (words_of(["cc", "--version"]).splitlines() or [None])[0],
        "load-average": round(os.getloadavg()[0], 2),
        "isolated": read("/sys/devices/system/cpu/isolated") or None,
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or None,
    }


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def pages(name="nr_hugepages"):
    return int(read(PAGES / name) or 0)


def set_pages(nb):
    with contextlib.suppress(OSError):
        (PAGES / "nr_hugepages").write_text(str(nb), encoding="utf-8")


@contextlib.contextmanager
def huge_pages():
    """Yields how many are free: those that were missing are reserved, and the earlier number comes back."""
    before, missing = pages(), NB_PAGES - pages("free_hugepages")
    try:
        if missing > 0:
            set_pages(before + missing)
        yield pages("free_hugepages")
    finally:
        end = time.monotonic() + 5  # what a process held is free a little after its end
        while missing > 0 and pages() != before and time.monotonic() < end:
            set_pages(before)
            time.sleep(0.05)


class Load:
    """What others did on these cores from its making on. own_pids tells the children that are alive."""

    def __init__(self, cores, own_pids):
        self.cores, self.own_pids = cores, own_pids
        self.start = self.now()

    def now(self):
        busy = all_ticks = stolen = 0
        for line in read("/proc/stat").splitlines():
            name, *fields = line.split()
            if name in [f"cpu{core}" for core in self.cores]:
                user, nice, system, idle, iowait, irq, softirq, steal = map(int, fields[:8])
                busy += user + nice + system + irq + softirq
                stolen += steal
                all_ticks += user + nice + system + irq + softirq + idle + iowait + steal
        t = os.times()
        own = (t.user + t.system + t.children_user + t.children_system) * TICK_HZ
        for pid in self.own_pids():
            stat = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
            own += sum(map(int, stat[11:13])) if stat else 0
        return busy, own, stolen, all_ticks

    def end(self):
        """(share of steal, share of processes that are not ours), percent. Ours may have run elsewhere: at least."""
        busy, own, steal, elapsed = (b - a for a, b in zip(self.start, self.now()))
        elapsed = max(elapsed, 1)
        return 100 * steal / elapsed, max(0, 100 * (busy - own) / elapsed)


def noise_of(references, load):
    """Why the figures of a row cannot be judged, as a list of reasons; references: those of its runs."""
    reasons = []
    steal, others = load
    if len(references) > 1:
        middle = sorted(references)[len(references) // 2]
        spread = 100 * (max(references) - min(references)) / middle if middle else 0
        if spread > MAX_SPREAD_PCT:
            reasons.append(f"references differ by {spread:.0f} %")
    if steal > MAX_STEAL_PCT:
        reasons.append(f"the hypervisor took {steal:.0f} % of the time")
    if others > MAX_OTHERS_PCT:
        reasons.append(f"other processes took {others:.0f} % of the time")
    return reasons


def build():
    """A release build of this tree, in a directory of its own, made or brought up to date."""
    if not (BUILD / "build.ninja").exists():
        say("making a release build in build-bench (kept for the next time) …")
        step(["meson", "setup", BUILD, TREE, "--buildtype=release", "-Db_ndebug=true"])
    say("building …")
    step(["ninja", "-C", BUILD, "tgen", "tests/engine/bench_spin"])
    return BUILD / "tgen"


def step(command):
    if shutil.which(command[0]) is None:
        raise Failed(f"{command[0]} is not installed: scripts/setup")
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}")
