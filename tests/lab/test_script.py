#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/lab itself: what it makes, what it says, and that it leaves alone what is not its own."""
import os
import subprocess
import sys

import frames
from lab import SCRIPT, check, equal, run


def lab_script(*words):
    return subprocess.run([SCRIPT, *words], capture_output=True, text=True, timeout=60)


def is_as_said(lab):
    """a router has its addresses, forwards, has no IPv6, and the generator's side no addresses"""
    for i in (1, 2, 3):
        check(f"{i}.{i}.{i}.254/24" in lab.dut("ip", "addr", "show", "dev", f"dut{i}").stdout, f"address of dut{i}")
    equal(lab.dut("sysctl", "-n", "net.ipv4.ip_forward").stdout, "1\n", "ip_forward")
    equal(lab.gen("ip", "-o", "addr", "show", "to", "0.0.0.0/0", "dev", "ether1").stdout, "", "address of ether1")
    for side in (lab.dut, lab.gen):
        check("inet6" not in side("ip", "addr").stdout, "IPv6 is on")


def forwards(lab):
    """a frame goes through the router from port to port, and status counts it"""
    ether1, ether2, dut1 = lab.mac("gen", "ether1"), lab.mac("gen", "ether2"), lab.mac("dut", "dut1")
    lab.dut("ip", "neigh", "replace", "2.2.2.2", "lladdr", ether2, "dev", "dut2")
    with lab.packet_socket("gen", "ether1", 0) as tx, lab.packet_socket("gen", "ether2") as rx:
        tx.send(frames.echo_request(dut1, ether1, "1.1.1.1", "2.2.2.2", 1, 1))
        got = frames.receive(rx, lambda f: f[26:34] == frames.ip_bytes("1.1.1.1") + frames.ip_bytes("2.2.2.2"), 0.5)
    equal([(f[:6].hex(":"), f[22]) for f in got], [(ether2, 63)], "receiver and TTL of what came out")
    shown = lab_script("status", "--name", lab.name)
    check("ip: received 1, forwarded 1," in shown.stdout, f"status does not show it:\n{shown.stdout}{shown.stderr}")


def twice(lab):
    """a second `up` says that it is up and how to go on; --force makes it new"""
    again = lab_script("up", "router", "--name", lab.name)
    equal(again.returncode, 1, "status")
    check("up already" in again.stderr and f"--name {lab.name} down" in again.stderr, again.stderr)
    lab.dut("ip", "link", "add", "mark", "type", "veth")
    forced = lab_script("up", "router", "--name", lab.name, "--force")
    equal(forced.returncode, 0, forced.stderr)
    check(lab.dut("ip", "link", "show", "mark", must=False).returncode != 0, "--force kept the old one")


def foreign(lab):
    """a namespace that it did not make is neither used nor removed"""
    name = f"foreign-{os.getpid()}"
    subprocess.run(["ip", "netns", "add", f"{name}-dut"], check=True)
    try:
        for words in (("up", "router"), ("up", "router", "--force")):
            made = lab_script(*words, "--name", name)
            check(made.returncode != 0 and f"{name}-dut" in made.stderr, made.stderr)
        equal(lab_script("down", "--name", name).returncode, 0, "down without a lab")
        check(os.path.exists(f"/run/netns/{name}-dut"), "the foreign namespace is gone")
        check(not os.path.exists(f"/run/tgen-lab/{name}"), "a state file is left")
    finally:
        subprocess.run(["ip", "netns", "del", f"{name}-dut"], check=True)


def replaced(lab):
    """a namespace put in the place of its own is left alone by `down`"""
    name = f"replaced-{os.getpid()}"
    equal(lab_script("up", "bridge", "--ports", "2", "--name", name).returncode, 0, "up")
    subprocess.run(["ip", "netns", "del", f"{name}-gen"], check=True)
    subprocess.run(["ip", "netns", "add", f"{name}-gen"], check=True)
    try:
        refused = lab_script("--name", name, "exec", "true")
        check(refused.returncode != 0, "exec in a foreign namespace")
        shown = lab_script("--name", name, "status")
        equal(shown.returncode, 1, "status of a broken lab")
        check(f"its namespace {name}-gen is gone or was replaced" in shown.stderr, shown.stderr)
        equal(lab_script("down", "--name", name).returncode, 0, "down")
        check(os.path.exists(f"/run/netns/{name}-gen"), "the foreign namespace is gone")
        check(not os.path.exists(f"/run/netns/{name}-dut"), "its own namespace is left")
    finally:
        subprocess.run(["ip", "netns", "del", f"{name}-gen"], check=True)


def side_by_side(lab):
    """another lab comes and goes beside this one"""
    name = f"beside-{os.getpid()}"
    made = lab_script("up", "bridge", "--ports", "8", "--mtu", "9000", "--name", name)
    try:
        equal(made.returncode, 0, made.stderr)
        shown = lab_script("status", "--name", name).stdout
        check("bridge, 8 ports, MTU 9000" in shown and "dut8" in shown, shown)
    finally:
        for text in ("is down", "no lab"):
            down = lab_script("down", "--name", name)
            equal(down.returncode, 0, "down")
            check(text in down.stdout, down.stdout)
    equal(lab.dut("true").returncode, 0, "the first lab")


def bad_words(lab):
    """wrong words are told, with status 2, and make nothing"""
    name = f"wrong-{os.getpid()}"
    for words in (("up",), ("up", "hub"), ("up", "router", "--ports", "9"), ("up", "router", "--mtu", "67"),
                  ("up", "router", "--mtu", "65536"), ("up", "router", "--own-cpu=x"), ("up", "router", "--ports"),
                  ("sideways",), ("exec",), ("down", "now")):
        equal(lab_script("--name", name, *words).returncode, 2, f"status of {words}")
    for option in ("--ports=9", "--mtu=67", "--own-cpu=x"):
        told = lab_script("--name", name, "up", "router", option).stderr
        check(len(told.splitlines()) == 1 and option.split("=")[0] in told, f"not one line: {told}")
    equal(lab_script("--name", "../up", "status").returncode, 2, "status of a name that is a path")
    check(not os.path.exists(f"/run/tgen-lab/{name}"), "a state file is left")


if __name__ == "__main__":
    sys.exit(run([is_as_said, forwards, twice, foreign, replaced, side_by_side, bad_words]))
