#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""probe-linux in a namespace of its own: the counters of the interfaces there, shares of the CPUs."""
import os
import subprocess
import sys

from lab import SKIPPED, TREE, check, equal, run_case

PROBE = os.path.join(TREE, "scripts", "probe-linux")
NS = f"tgen-probe-{os.getpid()}"


def inside(*argv, must=True):
    done = subprocess.run(["ip", "netns", "exec", NS, *argv], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0 or not must, f"{argv}: {done.stderr}")
    return done


def values(text):
    return {k: float(v) for k, v in (line.split("=", 1) for line in text.splitlines())}


def cpu_shares(_):
    """every share is one of the CPUs, and the busiest CPU is no less busy than all"""
    got = values(inside(PROBE, "--interval", "0.5").stdout)
    for key in ("cpu", "softirq", "user", "system", "cpu-max", "softirq-max"):
        check(-0.05 <= got[key] <= 100.05, f"{key}={got[key]}")
    check(got["cpu-max"] >= got["cpu"] - 0.1, str(got))


def interface_counters(_):
    """packets that pass while it looks are counted; an interface that stands still has none"""
    ping = subprocess.Popen(["ip", "netns", "exec", NS, "ping", "-q", "-i", "0.01", "127.0.0.1"],
                            stdout=subprocess.PIPE, text=True)
    try:
        got = values(inside(PROBE, "--interval", "1", "lo", "still").stdout)
    finally:
        ping.kill()
        ping.wait()
    check(got["lo.rx-pps"] > 0 and got["lo.tx-pps"] > 0, str(got))
    equal(got["lo.rx-pps"], got["lo.tx-pps"], "lo receives what it sends")
    for key in ("rx-pps", "tx-pps", "rx-drop", "tx-drop", "rx-error", "tx-error"):
        equal(got[f"still.{key}"], 0.0, f"still.{key}")


def unknown_interface(_):
    """an interface that is not there is named, with those that are"""
    done = inside(PROBE, "nonsuch", must=False)
    check(done.returncode != 0 and "nonsuch" in done.stderr and "lo" in done.stderr, done.stderr)
    equal(done.stdout, "", "output")


def main():
    if os.geteuid() != 0 or subprocess.run(["ip", "netns", "add", NS]).returncode != 0:
        print("skipped: needs root (network namespaces)")
        return SKIPPED
    try:
        inside("ip", "link", "set", "lo", "up")
        inside("ip", "link", "add", "still", "type", "veth", "peer", "name", "peer")
        return 0 if all([run_case(c, None) for c in (cpu_shares, interface_counters, unknown_interface)]) else 1
    finally:
        subprocess.run(["ip", "netns", "del", NS])


if __name__ == "__main__":
    sys.exit(main())
