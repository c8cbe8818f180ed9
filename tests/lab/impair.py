# SPDX-License-Identifier: BSD-3-Clause
"""The relay `impair` in a namespace, and what it says it did.

    with Impair(f"{lab.name}-dut", "dut1", "dut2", "--seed", "7", "--ab", "--loss", "1%") as relay:
        ...                        # traffic
    relay.check_clean()            # after the `with`: the log is there
    relay.count("ab", "lost"); relay.lane("ab", 0)["out-of-order"]; relay.log[0].departure_ns

impair --help tells the options. In the log a frame is a Line, where it left or was lost; in the order
of leaving. A copy has a line of its own, after its frame's, with the same n. Times are
CLOCK_MONOTONIC, ns, as is sig_time_ns, but for its being modulo 2^48.
"""
import collections
import csv
import json
import os
import select
import signal
import subprocess
import sys
import tempfile

MASK48 = (1 << 48) - 1
WORDS = ("direction", "out")
Line = collections.namedtuple(
    "Line", "n direction arrival_ns decision planned_ns departure_ns length test_id lane seq sig_time_ns epoch "
            "corrupt_byte corrupt_bit out")


def program():
    """Where impair is: meson's tests are told; else beside the tgen that is tested."""
    tree = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
    tgen = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TGEN", os.path.join(tree, "build", "tgen"))
    return os.environ.get("TGEN_IMPAIR") or os.path.join(os.path.dirname(os.path.realpath(tgen)), "tests", "lab",
                                                         "impair")


def line(row):
    """A row of the log; None where a frame has no such value; `decision` is the set of its parts."""
    values = {k: v if k in WORDS else int(v) if v else None for k, v in row.items() if k != "decision"}
    return Line(decision=frozenset(row["decision"].split("+")), **values)


class Impair:
    """Relays as long as the `with` lasts."""

    def __init__(self, namespace, a, b, *options, keep_log=True):
        self.namespace, self.words, self.keep_log = namespace, [*options, a, b], keep_log
        self.log, self.summary, self.err = [], None, ""
        self.dir = self.proc = None

    def __enter__(self):
        self.dir = tempfile.TemporaryDirectory(prefix="tgen-impair-")
        words = ["--summary", self._path("summary")]
        if self.keep_log:
            words += ["--log", self._path("log")]
        # `ip netns exec` becomes the relay itself: the pid is impair's.
        self.proc = subprocess.Popen(["ip", "netns", "exec", self.namespace, program(), *words, *self.words],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True)
        readable, _, _ = select.select([self.proc.stdout], [], [], 10)
        if not readable or self.proc.stdout.readline() != "ready\n":
            self.proc.kill()
            _, self.err = self.proc.communicate()
            self.dir.cleanup()
            raise RuntimeError(f"impair {' '.join(self.words)} does not begin: {self.err}")
        return self

    def __exit__(self, *_):
        try:
            if self.summary is None:
                self.stop()
        finally:
            self.dir.cleanup()

    def _path(self, name):
        return os.path.join(self.dir.name, name)

    def zero(self):
        """--loss-from counts from now on."""
        self.proc.send_signal(signal.SIGUSR1)

    def stop(self, timeout=60):
        """Sends what is still held and ends; reads log and summary."""
        self.proc.send_signal(signal.SIGTERM)
        try:
            _, self.err = self.proc.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            _, self.err = self.proc.communicate()
        if self.proc.returncode != 0:
            raise RuntimeError(f"impair ended with status {self.proc.returncode}: {self.err}")
        with open(self._path("summary"), encoding="utf-8") as f:
            self.summary = json.load(f)
        if self.keep_log:
            with open(self._path("log"), encoding="utf-8", newline="") as f:
                self.log = [line(row) for row in csv.DictReader(f)]

    def check_clean(self):
        """The relay did what it says and nothing else; otherwise the test proves nothing."""
        if not self.summary["clean"]:
            raise RuntimeError(f"the relay itself dropped frames: {json.dumps(self.summary)}")

    def count(self, direction, key):
        return self.summary["directions"][direction][key]

    def lane(self, direction, lane):
        """The counts of one lane (None: of the frames without a signature)."""
        return next(c for c in self.summary["directions"][direction]["lanes"] if c["lane"] == lane)

    def having(self, decision, direction=None):
        """The lines of the log with that part in their decision."""
        return [r for r in self.log if decision in r.decision and direction in (None, r.direction)]

    def left(self, direction=None, out=None):
        """The lines of what left, copies included, in the order of leaving."""
        return [r for r in self.log if r.departure_ns is not None and direction in (None, r.direction)
                and out in (None, r.out)]


def latency_ns(row):
    """From the sender's stamp to the moment it left the relay."""
    return (row.departure_ns - row.sig_time_ns) & MASK48
