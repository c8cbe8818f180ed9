# SPDX-License-Identifier: BSD-3-Clause
"""The two programs that are measured: tgen, a process a run, and dpdk-testpmd, one process a device."""
import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import time

from .machine import PAGES, Failed, child_setup

# tgen takes huge pages when enough are free: in a mount namespace of its own it finds none.
HIDE_PAGES = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs none {PAGES.parent} && exec "$@"', "sh"]
RUN_MAX_S = 30
LARGE_RESULT = 8 << 20  # characters
MAC_DST = "02:00:00:00:00:01"
TEMPLATE = {"port": "p1", "mac-dst": MAC_DST, "ip-src": "192.0.2.1", "ip-dst": "192.0.2.2"}


def config(device, templates=1, streams=None, rx=False, **fields):
    """A configuration of one port: so many templates with these fields, or a list of streams."""
    more = {"rx-port": "p1"} if rx else {}
    made = {
        "ports": [{"name": "p1", "device": device}],
        "packet-templates": [{"name": f"t{i}", **TEMPLATE, **more, **fields} for i in range(templates)],
    }
    if streams is not None:
        made["streams"] = streams
    return made


class Tgen:
    def __init__(self, program, folder, core, prefix=()):
        self.program, self.folder, self.core = str(program), pathlib.Path(folder), core
        self.prefix = list(prefix)
        self.config_path, self.result_path = self.folder / "config.json", self.folder / "result.json"

    def command(self, cfg, words, cores=None, plain=False, output=True):
        """plain: without huge pages, which are hidden from it alone."""
        self.config_path.write_text(json.dumps(cfg), encoding="utf-8")
        cores = cores if cores is not None else [self.core]
        names = [] if "streams" in cfg else \
            ["tx-template=" + ",".join(t["name"] for t in cfg["packet-templates"])]
        hide = HIDE_PAGES if plain and PAGES.parent.exists() and os.geteuid() == 0 else []
        return [*self.prefix, *hide, self.program, "--quiet", "--config", str(self.config_path),
                *(["--output", f"json={self.result_path}"] if output else []),
                "quick", *names, *words, "max-lag=0", f"cpu-core={','.join(map(str, cores))}"]

    def run(self, cfg, *words, all_busy=False, **how):
        """The result of a run, as JSON."""
        self.result_path.unlink(missing_ok=True)
        try:
            done = subprocess.run(self.command(cfg, words, **how), stdin=subprocess.DEVNULL, env=self.env(),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                                  preexec_fn=child_setup(all_busy), timeout=RUN_MAX_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"tgen did not end within {RUN_MAX_S} s") from None
        if done.returncode not in (0, 1, 3) or not self.result_path.exists():  # loss is no failure here
            raise Failed(f"tgen ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        return self.result()

    def result(self):
        """Of many streams only what follows theirs: reading it all would take longer than the run."""
        text = self.result_path.read_text(encoding="utf-8")
        at = text.rfind('"total":')
        return json.loads(text if len(text) < LARGE_RESULT or at < 0 else "{" + text[at:])

    def env(self):
        return {**os.environ, "XDG_STATE_HOME": str(self.folder)}

    def peak_bytes(self, cfg, *words, **how):
        """Most memory that a run had; on plain memory, as huge pages are not counted to a process."""
        command = self.command(cfg, words, plain=True, output=False, **how)
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env=self.env(), preexec_fn=child_setup(False))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1, 3):
            raise Failed(f"tgen ended with {child.returncode}: {' '.join(command)}")
        return usage.ru_maxrss * 1024

    def first_frame_s(self, cfg, pcap, *words):
        """From the command to the first frame, whose time stands in the file the device writes."""
        pcap.unlink(missing_ok=True)
        command = self.command(cfg, words, output=False)
        begin = time.time()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env=self.env(), preexec_fn=child_setup(False))
        try:  # what is written comes in blocks
            while child.poll() is None and (not pcap.exists() or pcap.stat().st_size < 4096):
                time.sleep(0.01)
                if time.time() - begin > 60:
                    raise Failed("tgen sent nothing within a minute")
        finally:
            if child.poll() is None:
                child.kill()
            child.wait()
        return next(frames_of(pcap))[0] / 1e9 - begin


def frames_of(pcap):
    """(time in ns, bytes) of each frame of a stream in a file of net_pcap; ports say things of their own."""
    data = pathlib.Path(pcap).read_bytes() if pathlib.Path(pcap).exists() else b""
    if len(data) < 40:
        raise Failed(f"{pcap}: no frames in it")
    scale = 1 if data[:4] == b"\x4d\x3c\xb2\xa1" else 1000
    at = 24
    while at + 16 <= len(data):
        seconds, part, length = (int.from_bytes(data[at + i:at + i + 4], "little") for i in (0, 4, 8))
        frame = data[at + 16:at + 16 + length]
        if frame[:6] == bytes.fromhex(MAC_DST.replace(":", "")):
            yield seconds * 10**9 + part * scale, frame
        at += 16 + length


def worker(result):
    """What tgen says of its first worker's cycles; empty when it says nothing."""
    for place in ("health", "generator"):
        workers = (result.get(place) or {}).get("workers")
        if workers:
            return workers[0]
    return {}


def errors(result, name):
    """schedule-error-ns or gap-error-ns, None where tgen has none, or none were recorded."""
    for place in ("health", "generator"):
        found = (result.get(place) or {}).get(name)
        if found and found["count"] > 0:
            return found
    return None


def tx_pps(result):
    return result["total"]["tx-packet"] * 1e9 / result["send-ns"]


def rx_pps(result):
    return result["total"]["rx-packet"] * 1e9 / result["send-ns"]


class Testpmd:
    """One dpdk-testpmd that waits, sleeping, until it is told to forward; use it with `with`."""

    def __init__(self, core, main_core, device, mode, eal=(), netns=None, all_busy=False):
        if shutil.which("dpdk-testpmd") is None:
            raise Failed("dpdk-testpmd is not installed: scripts/setup --all")
        cores = sorted({core, main_core})
        self.command = [
            *(["ip", "netns", "exec", netns] if netns else []), "dpdk-testpmd", "-l", ",".join(map(str, cores)),
            "--main-lcore", str(main_core), "--no-pci", "--file-prefix", f"tgen-bench-{os.getpid()}-{mode}",
            *(eal or ["--in-memory"]), f"--vdev={device}", "--", "-i", f"--forward-mode={mode}", "--txpkts=60",
            "--nb-cores=1", "--total-num-mbufs=32768", "--disable-link-check"]
        self.child = self.screen = None
        self.all_busy = all_busy
        self.seen = ""

    def __enter__(self):
        self.screen, theirs = os.openpty()  # into a pipe it would print in blocks
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs,
                                      env={**os.environ, "LIBXDP_SKIP_DISPATCHER": "1"},
                                      preexec_fn=child_setup(self.all_busy))
        os.close(theirs)
        try:
            self.wait_for(r"testpmd> $", 15)
        except Failed:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(OSError):
            self.child.stdin.write(b"quit\n")
            self.child.stdin.close()
        self.drain_until_end(3)
        for how in (signal.SIGINT, signal.SIGKILL):
            if self.child.poll() is None:
                self.child.send_signal(how)
                self.drain_until_end(3)
        os.close(self.screen)

    def drain_until_end(self, seconds):
        """A child that prints into a full terminal never ends."""
        end = time.monotonic() + seconds
        while self.child.poll() is None and time.monotonic() < end:
            if select.select([self.screen], [], [], 0.02)[0]:
                with contextlib.suppress(OSError):
                    os.read(self.screen, 65536)

    def pid(self):
        return self.child.pid

    def tell(self, command):
        self.seen = ""
        self.child.stdin.write(command.encode() + b"\n")
        self.child.stdin.flush()

    def wait_for(self, pattern, seconds=5):
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.seen, re.S)
            if found:
                return found
            if not select.select([self.screen], [], [], max(0, end - time.monotonic()))[0]:
                raise Failed(f"dpdk-testpmd does not answer; its last words: {self.seen[-500:]}")
            try:
                self.seen += os.read(self.screen, 65536).decode(errors="replace")
            except OSError:
                raise Failed(f"dpdk-testpmd ended: {self.seen[-500:]}") from None

    def start(self):
        self.tell("start")
        self.wait_for("TX threshold|packet forwarding|Warning", 5)

    def stop(self):
        self.tell("stop")
        self.wait_for(r"Done\.", 5)

    def rates(self):
        """(rx, tx) packets per second since the last call, by its own clock."""
        self.tell("show port stats 0")
        return tuple(int(x) for x in self.wait_for(r"Rx-pps:\s+(\d+).*?Tx-pps:\s+(\d+)").groups())

    def measure(self, seconds):
        """(rx, tx) packets per second while it forwards for so long."""
        self.start()
        time.sleep(0.05)
        self.rates()
        time.sleep(seconds)
        found = self.rates()
        self.stop()
        return found
