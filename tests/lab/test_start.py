#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""start, stop and stats, and what check plans: on a port in memory, in a run directory of the test's own."""
import contextlib
import csv
import io
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile

from lab import SKIPPED, TGEN, TREE, Skip, check, equal, run_case, wait_until

CONFIG = {
    "ports": [{"name": "loop", "device": "ring:loop", "address": ["1.1.1.1/24"]}],
    "packet-templates": [
        {"name": name, "port": "loop", "rx-port": "loop", "mac-dst": "02:00:00:00:00:01", "ip-dst": "1.1.1.9"}
        for name in ("one", "two")
    ],
}
RUN = ("tx-template=one,two", "packet-size=60,100", "pps=200,100", "max-lag=0", "max-steal=100")


class Place:
    """A run directory, a state directory and a configuration; no run is left in it."""

    def __init__(self, tmp):
        self.tmp = tmp
        self.run_dir = os.path.join(tmp, "run")
        self.config = os.path.join(tmp, "c.json")
        self.env = dict(os.environ, TGEN_RUN_DIR=self.run_dir, XDG_STATE_HOME=os.path.join(tmp, "state"))
        with open(self.config, "w", encoding="utf-8") as f:
            json.dump(CONFIG, f)

    def argv(self, *words):
        return [TGEN, "--config", self.config, *words]

    def tgen(self, *words, status=0):
        done = subprocess.run(self.argv(*words), capture_output=True, text=True, timeout=90, env=self.env)
        if status is not None:
            equal(done.returncode, status, f"status of {words}\n{done.stdout}{done.stderr}")
        return done

    def file(self, name):
        with open(os.path.join(self.run_dir, name), encoding="utf-8") as f:
            return f.read()

    def pid(self):
        return int(self.file("pid").split()[0])

    def rows(self, what, *words):
        """What stats says, as records."""
        return json.loads(self.tgen("stats", what, "output=json", *words).stdout)

    def intervals(self, what="stream"):
        return [r for r in self.rows(what)["rows"] if r["seq"] != "TOT"]

    def running(self):
        return "running run" in self.tgen("stats").stdout


@contextlib.contextmanager
def place():
    with tempfile.TemporaryDirectory(prefix="tgen-start-") as tmp:
        here = Place(tmp)
        try:
            yield here
        finally:
            here.tgen("stop", status=None)


def goes_on(_):
    """start returns while the run goes on; stats show it; stop gives the totals; stats show them again"""
    with place() as p:
        began = p.tgen("start", *RUN)
        check(f"pid {p.pid()}" in began.stdout, began.stdout)
        os.kill(p.pid(), 0)
        wait_until(lambda: len(p.intervals()) >= 6, "two intervals of two streams and their sum", 20)
        told = p.rows("stream")
        equal((told["schema"], told["running"]), ("tgen.stats/1", True), "what it is")
        by_id = {i: [r for r in told["rows"] if r["id"] == i] for i in (0, 1, "TOT")}
        for i, rows in by_id.items():
            equal([r["seq"] for r in rows[:-1]], list(range(1, len(rows))), f"intervals of stream {i}")
            equal(rows[-1]["tx-packet"], sum(r["tx-packet"] for r in rows[:-1]), f"total so far of stream {i}")
        equal(by_id[1][0]["tx-byte"], 100 * by_id[1][0]["tx-packet"], "bytes of the first interval")
        stopped = p.tgen("stop")
        check("TOT" in stopped.stdout and "LOST-PACKET" in stopped.stdout, stopped.stdout)
        after = p.rows("stream")
        equal(after["running"], False, "running")
        result = json.loads(p.file("result.json"))
        for total in result["totals"]:
            last = [r for r in after["rows"] if r["seq"] == "TOT" and r["id"] == total["id"]]
            equal([r["tx-packet"] for r in last], [total["tx-packet"]], "frames sent, of stats and result")
            equal(total["lost-packet"], 0, "lost")
            check(str(total["id"]) in stopped.stdout, stopped.stdout)
        done = p.tgen("stop", status=2)
        check("nothing is running: the last run ended with status 0" in done.stderr, done.stderr)


def session_ends(_):
    """neither the end of the session that began it nor SIGHUP ends a run"""
    with place() as p:
        child, terminal = pty.fork()
        if child == 0:
            os.execve(TGEN, p.argv("start", *RUN), p.env)
        out = b""
        with contextlib.suppress(OSError):  # EIO: the other end is closed
            while chunk := os.read(terminal, 4096):
                out += chunk
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        equal(status, 0, f"status\n{out.decode()}")
        pid = p.pid()
        check(os.getsid(pid) not in (os.getsid(0), child), "the run has a session of its own")
        os.kill(pid, signal.SIGHUP)
        seen = len(p.intervals())
        wait_until(lambda: len(p.intervals()) >= seen + 6, "two more intervals", 20)
        for fd in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                where = os.readlink(f"/proc/{pid}/fd/{fd}")
                check("/dev/pts" not in where, f"descriptor {fd} is {where}")
        equal(os.readlink(f"/proc/{pid}/fd/0"), "/dev/null", "standard input")
        p.tgen("stop")


def one_at_a_time(_):
    """a second start is refused and says who runs and how to stop it"""
    with place() as p:
        p.tgen("start", *RUN)
        refused = p.tgen("start", *RUN, status=2)
        check(f"pid {p.pid()}" in refused.stderr and "tgen stop" in refused.stderr, refused.stderr)
        check(p.running(), "the first one goes on")


def stale(_):
    """the pid of a process that is another one's is left alone"""
    with place() as p:
        os.mkdir(p.run_dir, 0o700)
        other = subprocess.Popen(["sleep", "60"])
        try:
            with open(os.path.join(p.run_dir, "pid"), "w", encoding="utf-8") as f:
                f.write(f"{other.pid} 2000000000   -1\n")
            done = p.tgen("stop", status=2)
            check("nothing is running" in done.stderr, done.stderr)
            equal(p.running(), False, "running")
            p.tgen("start", *RUN, "duration=1s")
            check(p.pid() != other.pid, "the pid is the run's")
            wait_until(lambda: not p.running(), "the run ends by itself", 20)
            equal(other.poll(), None, "the other process")
        finally:
            other.kill()
            other.wait()


def dies(_):
    """a run that was killed leaves its samples, and the next one can begin"""
    with place() as p:
        p.tgen("start", *RUN)
        wait_until(lambda: len(p.intervals()) >= 3, "an interval", 20)
        os.kill(p.pid(), signal.SIGKILL)
        wait_until(lambda: not p.running(), "it is gone")
        check(len(p.intervals()) >= 3, "intervals are shown")
        done = p.tgen("stop", status=2)
        check("died without a word" in done.stderr, done.stderr)
        p.tgen("start", *RUN)
        p.tgen("stop", status=None)
        p.tgen("start", *RUN)
        os.kill(p.pid(), signal.SIGKILL)
        wait_until(lambda: not p.running(), "it is gone")
        for what in ("stream", "port", "raw", "latency-distribution"):
            done = p.tgen("stats", what, status=2)
            check("ended before anything was counted" in done.stderr, f"{what}: {done.stdout}{done.stderr}")
        p.tgen("start", *RUN)


def few_are_kept(_):
    """the last stats-samples-to-keep intervals are shown, the totals are of all; readers do not disturb"""
    with place() as p:
        p.tgen("start", *RUN, "stats-samples-to-keep=2")
        readers = [subprocess.Popen(["sh", "-c", 'for i in $(seq 25); do "$0" stats stream output=csv || exit 1; done',
                                     TGEN], env=p.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                   for _ in range(2)]
        for reader in readers:
            out, err = reader.communicate(timeout=60)
            equal(reader.returncode, 0, f"status of a reader\n{err}")
            for row in csv.reader(io.StringIO(out)):
                equal(len(row), 19, f"cells of a row {row}")
        wait_until(lambda: p.intervals() and p.intervals()[0]["seq"] >= 3, "the first ones are gone", 20)
        rows = [r for r in p.rows("stream")["rows"] if r["id"] == 0]
        check(len(rows) in (2, 3), f"two intervals and the total: {rows}")
        check(rows[-1]["tx-packet"] > sum(r["tx-packet"] for r in rows[:-1]), "the total is of all")
        size = os.path.getsize(os.path.join(p.run_dir, "samples"))
        p.tgen("stop")
        equal(os.path.getsize(os.path.join(p.run_dir, "samples")), size, "size of the file")


def none_are_kept(_):
    """stats-samples-to-keep of the settings counts, and 0 keeps the totals alone"""
    with place() as p:
        with open(p.config, "w", encoding="utf-8") as f:
            json.dump(dict(CONFIG, settings={"stats-samples-to-keep": 0}), f)
        p.tgen("start", *RUN)
        wait_until(lambda: p.rows("stream")["rows"], "totals", 20)
        equal(p.intervals(), [], "intervals")


def ports_and_ends(_):
    """stats port, raw and latency-distribution add up to the streams"""
    with place() as p:
        p.tgen("start", *RUN, "duration=1500ms", "latency-distribution-max=50us")
        wait_until(lambda: not p.running(), "the run ends", 20)
        result = json.loads(p.file("result.json"))
        port = p.rows("port")["rows"][-1]
        equal((port["port"], port["tx-packet"], port["rx-packet"], port["rx-unk-packet"]),
              ("loop", result["total"]["tx-packet"], result["total"]["rx-packet"], 0), "the port")
        equal(port["tx-byte"], result["total"]["tx-byte"], "bytes of the port")
        raw = [r for r in p.rows("raw")["rows"] if r["seq"] == "TOT"]
        equal([(r["port"], r["id"], r["tx-packet"]) for r in raw],
              [("loop", t["id"], t["tx-packet"]) for t in result["totals"]], "raw")
        told = p.rows("latency-distribution")["latency-distribution"]
        equal(told, result["latency-distribution"], "the distribution")
        table = p.tgen("stats", "latency-distribution", "stream-id=1").stdout
        check("STREAM-ID" in table and "P99" in table, table)
        for form in ("csv", "jsonl", "as-value", "table"):
            out = p.tgen("--output", form, "stats", "raw", "stream-id=1").stdout
            check(str(result["totals"][1]["tx-byte"]) in out.replace(" ", ""), out)
        check(p.tgen("stats", "port", "as-value=yes").stdout.count("rx-unk-packet=0;") >= 2, "as-value")


def unknown_frames(_):
    """frames that are nobody's are told by port and interval"""
    with place() as p:
        config = json.loads(json.dumps(CONFIG))
        config["packet-templates"][1]["special-footer"] = "no"
        with open(p.config, "w", encoding="utf-8") as f:
            json.dump(config, f)
        p.tgen("start", *RUN, "packet-count=unlimited,150", "duration=2500ms")
        wait_until(lambda: not p.running(), "the run ends", 20)
        rows = p.rows("port")["rows"]
        equal((rows[-1]["rx-unk-packet"], rows[-1]["rx-unk-byte"]), (150, 15000), "unknown, of the whole run")
        counts = [r["rx-unk-packet"] for r in rows[:-1]]
        equal((len(counts), sum(counts)), (3, 150), f"unknown, by interval {counts}")
        check(0 < counts[0] < 150, f"unknown, by interval {counts}")
        raw = [r for r in p.rows("raw")["rows"] if r["seq"] == "TOT"]
        total = json.loads(p.file("result.json"))["totals"][0]["rx-packet"]
        check(total > 0, "received")
        equal([r["rx-packet"] for r in raw], [total, None], "received, of a stream without footer too")


def quick_is_later(_):
    """after a run of quick, stats show that one"""
    with place() as p:
        p.tgen("start", *RUN, "duration=500ms")
        wait_until(lambda: not p.running(), "the run ends", 20)
        p.tgen("quick", "tx-template=two", "pps=100", "packet-count=7", "max-lag=0", "max-steal=100")
        totals = json.loads(p.tgen("stats", "stream", "output=json").stdout)["totals"]
        equal([t["tx-packet"] for t in totals], [7], "frames sent")
        raw = p.rows("raw")["rows"]
        equal([(r["port"], r["tx-packet"]) for r in raw], [("loop", 7)], "raw")


def what_cannot_start(_):
    """words that are wrong, devices that are not there: said by start itself, with its status"""
    with place() as p:
        for words, text in ((("tx-template=none", "pps=1"), "none"), (("tx-template=one", "pps=1", "proplist=id"), "proplist"),
                            (("tx-template=one",), "rate")):
            check(text in p.tgen("start", *words, status=2).stderr, text)
        check("--output csv=FILE" in p.tgen("--output", "csv", "start", *RUN, status=2).stderr, "an output without file")
        config = json.loads(json.dumps(CONFIG))
        config["ports"][0]["device"] = "auto:nosuch1"
        with open(p.config, "w", encoding="utf-8") as f:
            json.dump(config, f)
        done = p.tgen("start", *RUN, status=4)
        check("nosuch1" in done.stderr, done.stderr)
        equal(p.running(), False, "running")
        p.tgen("stats", "stream", status=2)


DISK = r"""
mount -t tmpfs -o size=$1,mode=700 tmpfs "$TGEN_RUN_DIR" || exit 77
"$0" --config "$2" start tx-template=one packet-size=60 pps=100 max-lag=0 max-steal=100 \
	stats-samples-to-keep=4 duration=2500ms || exit 1
while "$0" stats | grep -q 'running run'; do sleep 0.1; done
cat "$TGEN_RUN_DIR/pid" "$TGEN_RUN_DIR/log"
"""


def disk_full(_):
    """a run directory that is full is said once, and the run goes on to its end"""
    with place() as p:
        if shutil.which("unshare") is None:
            raise Skip("there is no unshare")
        os.mkdir(p.run_dir, 0o700)
        done = subprocess.run(["unshare", "-m", "sh", "-c", DISK, TGEN, "16k", p.config], capture_output=True,
                              text=True, timeout=60, env=p.env)
        if done.returncode == 77 or "unshare" in done.stderr:
            raise Skip(f"no mount of one's own: {done.stderr}")
        equal(done.returncode, 0, f"status\n{done.stdout}{done.stderr}")
        equal(done.stdout.count("samples: No space left"), 1, f"complaints\n{done.stdout}")
        equal(done.stdout.splitlines()[2 if done.stdout.startswith("running") else 0].split()[-1], "0",
              f"status of the run\n{done.stdout}")
        totals = json.loads(p.tgen("stats", "stream", "output=json").stdout)["totals"]
        check(totals[0]["tx-packet"] > 100, f"frames sent after the first interval too: {totals}")


def planned(_):
    """check prints the plan of every file of config/, as text and as JSON that says the same"""
    for name in sorted(n for n in os.listdir(os.path.join(TREE, "config")) if n.endswith(".json")):
        path = os.path.join(TREE, "config", name)
        with open(path, encoding="utf-8") as f:
            config = json.load(f)
        if any("ip-dst" not in t for t in config.get("packet-templates", [{}])):
            continue  # tests, or a template that a topology completes
        templates = [t["name"] for t in config["packet-templates"]]
        done = subprocess.run([TGEN, "check", path], capture_output=True, text=True, timeout=60)
        equal(done.returncode, 0, f"status\n{done.stdout}{done.stderr}")
        check(all(f"  {t}: ether" in done.stdout for t in templates), done.stdout)
        words = [f"tx-template={','.join(templates)}", "packet-size=60", "mbps=12", "duration=10s"]
        text = subprocess.run([TGEN, "check", path, *words], capture_output=True, text=True, timeout=60)
        equal(text.returncode, 0, f"status\n{text.stdout}{text.stderr}")
        told = subprocess.run([TGEN, "--output", "json", "check", path, *words], capture_output=True, text=True,
                              timeout=60)
        plan = json.loads(told.stdout)
        equal((plan["schema"], plan["is-run"], plan["duration-ns"]), ("tgen.plan/1", True, 10**10), "what it is")
        equal([s["template"] for s in plan["streams"]], templates, "streams")
        equal([p["name"] for p in plan["ports"]], [p["name"] for p in config["ports"]], "ports")
        for stream in plan["streams"]:
            equal((stream["asked-pps"], stream["bps"], stream["wire-bps"], stream["packet-size"]),
                  (25000, 12000000, 16800000, 60), "the rate of a stream")
            check(f"{stream['id']} {stream['name']}: {stream['port']} " in text.stdout, text.stdout)
            digits = stream["template"][1:]
            equal((stream["port"], stream["rx-port"]), (f"ether{digits[0]}", f"ether{digits[1]}"), "its ports")
            check(stream["next-hop"].startswith("arp "), stream["next-hop"])
        for port in plan["ports"]:
            mine = [s for s in plan["streams"] if s["port"] == port["name"]]
            equal((port["streams"], port["tx-pps"], port["wire-bps"]), (len(mine), 25000 * len(mine), 16800000 * len(mine)),
                  "load of a port")
        served = [i for w in plan["workers"] for q in w["queues"] for i in q["streams"]]
        equal(sorted(set(served)), [s["id"] for s in plan["streams"]], "every stream has a worker")
        check(plan["memory"]["dpdk-bytes"] > 2**26, "memory")
        check("cores" in text.stdout and "memory: DPDK" in text.stdout and "assumed:" in text.stdout, text.stdout)


def planned_raw(_):
    """check plans raw templates too: alone, named, and as the template of a stream"""
    header = "020000000001" + "020000000002" + "0800" + "4500002e00000000401100000101010101010109" + "00090009001a0000"
    with place() as p:
        config = {"ports": CONFIG["ports"],
                  "raw-packet-templates": [{"name": "r", "header": header, "ip-header-offset": 14,
                                            "udp-header-offset": 34, "port": "loop", "rx-port": "loop"}],
                  "streams": [{"name": "s", "tx-template": "r", "pps": 10, "packet-size": 100}]}
        for words, streams in (((), config["streams"]), (("tx-template=r", "pps=10", "packet-size=100"), config["streams"]),
                               ((), None)):
            config["streams"] = streams or []
            with open(p.config, "w", encoding="utf-8") as f:
                json.dump(config, f)
            text = p.tgen("check", p.config, *words).stdout
            check("  r: " in text, text)
            told = json.loads(p.tgen("--output", "json", "check", p.config, *words).stdout)
            equal([(s["template"], s["packet-size"]) for s in told["streams"] if told["is-run"]],
                  [("r", 100)] if told["is-run"] else [], "streams")
            equal(told["is-run"], bool(words or streams), "whether it is a run")


def planned_caps(_):
    """a line of known speed caps the plan, and its share is told"""
    with place() as p:
        config = json.loads(json.dumps(CONFIG))
        config["ports"][0].update(speed="10M", mtu=900)
        with open(p.config, "w", encoding="utf-8") as f:
            json.dump(config, f)
        plan = json.loads(p.tgen("--output", "json", "check", p.config, "tx-template=one,two", "mbps=20,0.5").stdout)
        equal((plan["ports"][0]["mtu"], plan["ports"][0]["mtu-source"], plan["ports"][0]["speed-bps"]),
              (900, "configured", 10**7), "the port")
        check(0.999 < plan["ports"][0]["wire-share"] <= 1, f"share of the line: {plan['ports'][0]}")
        equal(plan["streams"][0]["packet-size"], 914, "MTU and MAC header")
        check(plan["notes"] and plan["streams"][0]["asked-pps"] < plan["streams"][0]["configured-pps"], "capped")
        p.tgen("check", p.config, "tx-template=one", "duration=1s", status=2)
        p.tgen("check", p.config, "tx-template=one", "mbps=1", "packet-size=2000", status=2)


CASES = (goes_on, session_ends, one_at_a_time, stale, dies, few_are_kept, none_are_kept, ports_and_ends,
         unknown_frames, quick_is_later, what_cannot_start, disk_full, planned, planned_raw, planned_caps)

if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: tgen needs root to send")
        sys.exit(SKIPPED)
    sys.exit(0 if all([run_case(case, None) for case in CASES]) else 1)
