#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""probe-snmp against net-snmp's agent on the loopback of a namespace of its own."""
import os
import shutil
import subprocess
import sys
import tempfile

from lab import SKIPPED, TREE, check, equal, run_case, wait_until

PROBE = os.path.join(TREE, "scripts", "probe-snmp")
NS = f"tgen-snmp-{os.getpid()}"
AGENT = "127.0.0.1:1161"


def probe(*words):
    return subprocess.run(["ip", "netns", "exec", NS, PROBE, *words], capture_output=True, text=True, timeout=60)


def values(*words):
    done = probe(*words)
    check(done.returncode == 0, f"{words}: {done.stderr}")
    return {k: float(v) for k, v in (line.split("=", 1) for line in done.stdout.splitlines())}


def interface_counters(_):
    """the counters of an interface are the kernel's, and go up"""
    first, then = (values("--iface", "lo", AGENT) for _ in range(2))
    for key in ("rx-packets", "tx-packets", "rx-bytes", "tx-bytes", "rx-drops", "rx-errors"):
        check(f"lo.{key}" in first, f"{key} is missing: {first}")
        check(then[f"lo.{key}"] >= first[f"lo.{key}"], f"{key} went down")
    # 20 echoes and their answers, of 84 bytes each (what lo receives, this agent counts as no unicast)
    check(first["lo.tx-packets"] >= 40, str(first))
    check(first["lo.tx-bytes"] >= 40 * 84 and first["lo.rx-bytes"] == first["lo.tx-bytes"], str(first))


def own_oids(_):
    """an OID given as a word is read under its name"""
    check(values(AGENT, "uptime=1.3.6.1.2.1.1.3.0")["uptime"] >= 0, "uptime")
    done = probe(AGENT, "name=1.3.6.1.2.1.1.5.0")
    check(done.returncode != 0 and "has no number" in done.stderr, done.stderr)


def refusals(_):
    """no agent, no such interface: said in a line, and nothing is printed"""
    for words, text in ((("--timeout", "0.2", "127.0.0.1:1162"), "127.0.0.1:1162"),
                        (("--iface", "nonsuch", AGENT), "no interface nonsuch")):
        done = probe(*words)
        check(done.returncode != 0 and text in done.stderr, done.stderr)
        equal(len(done.stderr.splitlines()), 1, "lines")


def with_agent(tmp):
    conf = os.path.join(tmp, "snmpd.conf")
    with open(conf, "w", encoding="utf-8") as f:
        f.write("rocommunity public 127.0.0.1\n")
    agent = subprocess.Popen(
        ["ip", "netns", "exec", NS, "snmpd", "-f", "-C", "-c", conf, "-Lf", os.path.join(tmp, "log"),
         "-p", os.path.join(tmp, "pid"), "-I", "-smux", f"udp:{AGENT}"],
        env={**os.environ, "SNMP_PERSISTENT_DIR": tmp, "PATH": os.environ["PATH"] + ":/usr/sbin"},
        stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: probe(AGENT).returncode == 0, "the agent answers", 20)
        return 0 if all([run_case(c, None) for c in (interface_counters, own_oids, refusals)]) else 1
    finally:
        agent.terminate()
        agent.wait()


def main():
    for tool in ("snmpd", "snmpget"):
        if shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin") is None:
            print(f"skipped: '{tool}' is missing, run scripts/setup")
            return SKIPPED
    if os.geteuid() != 0 or subprocess.run(["ip", "netns", "add", NS]).returncode != 0:
        print("skipped: needs root (network namespaces)")
        return SKIPPED
    try:
        subprocess.run(["ip", "-n", NS, "link", "set", "lo", "up"], check=True)
        # before the agent looks: it keeps what it saw for some seconds
        subprocess.run(["ip", "netns", "exec", NS, "ping", "-q", "-c", "20", "-i", "0.01", "127.0.0.1"],
                       stdout=subprocess.DEVNULL, check=True)
        with tempfile.TemporaryDirectory(prefix="tgen-snmp-") as tmp:
            return with_agent(tmp)
    finally:
        subprocess.run(["ip", "netns", "del", NS])


if __name__ == "__main__":
    sys.exit(main())
