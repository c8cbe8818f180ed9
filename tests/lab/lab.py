# SPDX-License-Identifier: BSD-3-Clause
"""What the lab tests share: a lab of their own, tgen run in it, the DUT's and the kernel's counters.

A test file makes a list of cases (functions that take a Lab) and ends with `sys.exit(run(...))`. A
case fails by an exception; `equal` and `check` make readable ones.
"""
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
SCRIPT = os.path.join(TREE, "scripts", "lab")
TGEN = os.path.realpath(
    sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TGEN", os.path.join(TREE, "build", "tgen")))
LONG = os.environ.get("TGEN_LONG") == "1"
SKIPPED = 77
ATTEMPTS = 5  # of a measurement whose generator was not clean
CLASSES = ("good", "duplicate", "bad", "misrouted", "stray", "fragment", "returned", "host", "unknown")
CLONE_NEWNET = 0x40000000


class Failure(Exception):
    """A promise that was not kept."""


class Skip(Exception):
    """This machine cannot show it."""


def check(condition, text):
    if not condition:
        raise Failure(text)


def equal(actual, expected, what):
    check(actual == expected, f"{what}: {actual}, not {expected}")


def wait_until(condition, what, seconds=10.0):
    """Polls a condition; its first true value is returned."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(0.01)


def kebab(value):
    """Keys with '_' and '-' are the same key to these tests."""
    if isinstance(value, dict):
        return {k.replace("_", "-"): kebab(v) for k, v in value.items()}
    if isinstance(value, list):
        return [kebab(v) for v in value]
    return value


class Run:
    """What one call of tgen did. `json` is None when it wrote no result."""

    def __init__(self, argv, status, out, err, result):
        self.argv, self.status, self.out, self.err, self.json = argv, status, out, err, result
        if result is not None:
            self.streams = {t["name"]: t for t in result["totals"]}
            self.ports = {p["name"]: p for p in result["ports"]}
            self.clean = result["verdict"] == "clean"

    def text(self):
        reasons = self.json["reasons"] if self.json else "no result file"
        return f"$ {' '.join(self.argv)}\nstatus {self.status}, {reasons}\n{self.out}{self.err}"

    def stream(self, name, key):
        return self.streams[name][key]

    def check_sums(self):
        """Every received frame is in exactly one class; every sent frame is received or lost."""
        for name, port in self.ports.items():
            equal(sum(port[c] for c in CLASSES), port["rx-all"], f"{name}: sum of the classes\n{self.text()}")
        for name, s in self.streams.items():
            equal(s["rx-packet"] + s["lost-packet"], s["tx-packet"], f"{name}: rx + lost")
        for key in ("tx-packet", "rx-packet", "lost-packet"):
            equal(self.json["total"][key], sum(s[key] for s in self.streams.values()), f"total {key}")

    def check_error(self, status, pattern):
        """One line says what is wrong, and not much else is said."""
        equal(self.status, status, f"status\n{self.text()}")
        lines = [line for line in self.err.splitlines() if re.search(pattern, line)]
        check(len(lines) == 1, f"{len(lines)} lines match /{pattern}/\n{self.text()}")
        check(len(self.err.splitlines()) <= 4, f"more than a few lines on stderr\n{self.text()}")


class Process:
    """tgen in the background. Its pid is tgen's own: the scripts in between exec."""

    def __init__(self, lab, argv, result_path):
        self.lab, self.argv, self.result_path = lab, argv, result_path
        self.proc = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     stdin=subprocess.DEVNULL, text=True)
        self.pid = self.proc.pid

    def signal(self, number):
        os.kill(self.pid, number)

    def wait(self, timeout=60):
        try:
            out, err = self.proc.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            out, err = self.proc.communicate()
            raise Failure(f"does not end within {timeout} s: {' '.join(self.argv)}\n{out}{err}") from None
        result = None
        if os.path.exists(self.result_path) and os.path.getsize(self.result_path) > 0:
            with open(self.result_path, encoding="utf-8") as f:
                result = kebab(json.load(f))
            os.unlink(self.result_path)
        return Run(self.argv, self.proc.returncode, out, err, result)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.proc.poll() is None:
            self.proc.kill()
            self.proc.communicate()


class Lab:
    """A lab of this test's own; gone at the end of the `with`, whatever happened."""

    def __init__(self, kind, ports=3, mtu=1500, options=()):
        self.kind, self.ports, self.mtu, self.options = kind, ports, mtu, options
        self.name = f"test-{kind}-{os.getpid()}-{mtu}"
        self.dir = None
        self.nb_files = 0

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="tgen-lab-")
        os.chmod(self.dir, 0o755)
        made = subprocess.run([SCRIPT, "up", self.kind, "--ports", str(self.ports), "--mtu", str(self.mtu),
                               "--name", self.name, *self.options], capture_output=True, text=True)
        if made.returncode != 0:
            shutil.rmtree(self.dir)
            raise Skip(made.stderr) if made.returncode == 4 else Failure(made.stderr)
        return self

    def __exit__(self, *_):
        subprocess.run([SCRIPT, "down", "--name", self.name], stdout=subprocess.DEVNULL)
        shutil.rmtree(self.dir)

    # ---- commands inside ----

    def _run(self, side, argv, stdin=None, must=True, timeout=60):
        command = {"gen": "exec", "dut": "dut"}[side]
        done = subprocess.run([SCRIPT, "--name", self.name, command, *argv], input=stdin, timeout=timeout,
                              capture_output=True, text=True)
        check(done.returncode == 0 or not must, f"{argv}: {done.stderr}")
        return done

    def dut(self, *argv, **kw):
        return self._run("dut", argv, **kw)

    def gen(self, *argv, **kw):
        return self._run("gen", argv, **kw)

    def sysctl(self, **values):
        """In the DUT; '__' stands for a dot, and one that this kernel lacks is passed over (-e)."""
        if values:
            self.dut("sysctl", "-qe", "-w", *[f"{k.replace('__', '.')}={v}" for k, v in values.items()])

    def nft(self, ruleset):
        """Replaces the DUT's whole ruleset."""
        self.dut("nft", "-f", "-", stdin="flush ruleset\n" + ruleset)

    def counters(self):
        """Packets of the DUT's named counters, by name."""
        listed = json.loads(self.dut("nft", "-j", "list", "counters").stdout)["nftables"]
        return {o["counter"]["name"]: o["counter"]["packets"] for o in listed if "counter" in o}

    def reset_counters(self):
        self.dut("nft", "reset", "counters")

    def link(self, side, device):
        """The kernel's counters of an interface: `rx` and `tx` with packets, bytes, dropped, …"""
        out = self._run(side, ["ip", "-s", "-j", "link", "show", "dev", device]).stdout
        return json.loads(out)[0]["stats64"]

    def mac(self, side, device):
        return json.loads(self._run(side, ["ip", "-j", "link", "show", "dev", device]).stdout)[0]["address"]

    def set_link(self, side, device, state):
        """Sets an interface up or down; waits for up (the state follows a little later)."""
        self._run(side, ["ip", "link", "set", device, state])
        if state == "up":
            wait_until(lambda: self._run(side, ["cat", f"/sys/class/net/{device}/operstate"]).stdout == "up\n",
                       f"{device} is up again")

    # ---- frames of our own ----

    def packet_socket(self, side, device, protocol=0x0003):
        """A raw socket on an interface of the lab; it stays in its namespace when we leave it."""
        libc = ctypes.CDLL(None, use_errno=True)
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{self.name}-{side}", os.O_RDONLY)
        try:
            check(libc.setns(there, CLONE_NEWNET) == 0, "cannot enter the namespace")
            try:
                s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
                s.bind((device, protocol))
            finally:
                libc.setns(home, CLONE_NEWNET)
        finally:
            os.close(home)
            os.close(there)
        return s

    # ---- tgen ----

    def config(self, config):
        """A file's path, as it is; or the path of a file made from a dict."""
        if isinstance(config, str):
            return os.path.join(TREE, "config", config)
        self.nb_files += 1
        path = os.path.join(self.dir, f"config{self.nb_files}.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(config, f)
        return path

    def start(self, config, *words, result=True):
        self.nb_files += 1
        path = os.path.join(self.dir, f"result{self.nb_files}.json")
        argv = [SCRIPT, "--name", self.name, "exec", TGEN, "--config", self.config(config), *words]
        if result:
            argv += ["--output", f"json={path}"]
        return Process(self, argv, path)

    def tgen(self, config, *words, timeout=60, result=False):
        with self.start(config, *words, result=result) as p:
            return p.wait(timeout)

    def quick(self, config, *words, timeout=120):
        return self.tgen(config, "quick", *words, timeout=timeout, result=True)

    def quick_clean(self, config, *words, before=None, timeout=120):
        """Measures until the generator was clean. What the DUT did is never a reason to repeat."""
        for _ in range(ATTEMPTS):
            if before:
                before()
            run = self.quick(config, *words, timeout=timeout)
            check(run.json is not None, f"no result\n{run.text()}")
            run.check_sums()
            if run.clean:
                return run
            equal(run.status, 3, f"status of a run that is not clean\n{run.text()}")
        raise Failure(f"the generator was not clean {ATTEMPTS} times\n{run.text()}")

    def wait_for_traffic(self, device="dut1", packets=500):
        """Until the DUT has received that many more frames on an interface."""
        first = self.link("dut", device)["rx"]["packets"]
        wait_until(lambda: self.link("dut", device)["rx"]["packets"] >= first + packets,
                   f"{packets} frames on {device}")


@contextlib.contextmanager
def settings(lab, nft=None, **sysctls):
    """The DUT with a ruleset and sysctls (old values come back) for the length of a `with`."""
    names = [k.replace("__", ".") for k in sysctls]
    old = {n: lab.dut("sysctl", "-ne", n).stdout.strip() for n in names}
    try:
        if nft is not None:
            lab.nft(nft)
        lab.sysctl(**sysctls)
        yield
    finally:
        lab.sysctl(**{n: v for n, v in old.items() if v != ""})
        if nft is not None:
            lab.nft("")


def run(cases, kind="router", **lab_args):
    """Runs the cases in one lab; the exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # meson's timeout: the lab goes down
    if os.geteuid() != 0:
        print("skipped: needs root (network namespaces)")
        return SKIPPED
    for tool in ("ip", "nft"):
        if shutil.which(tool) is None:
            print(f"skipped: '{tool}' is missing, run scripts/setup")
            return SKIPPED
    failed = 0
    try:
        with Lab(kind, **lab_args) as lab:
            for case in cases:
                failed += not run_case(case, lab)
    except Skip as why:
        print(f"skipped: {why}")
        return SKIPPED
    return 1 if failed else 0


def run_case(case, lab):
    began = time.monotonic()
    title = (case.__doc__ or case.__name__).splitlines()[0]
    try:
        case(lab)
        word, why = "ok", ""
    except Skip as e:
        word, why = "skip", f": {e}"
    except Failure as e:
        word, why = "FAIL", f"\n{e}"
    except Exception:  # pylint: disable=broad-except; the other cases still say what they know
        word, why = "FAIL", f"\n{traceback.format_exc()}"
    print(f"{word}  {time.monotonic() - began:5.1f} s  {title}{why}", flush=True)
    return word != "FAIL"
