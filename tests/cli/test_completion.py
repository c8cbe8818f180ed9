#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The shells' completion, asked as the shells ask."""
import shutil
import subprocess
import sys

from cli import SKIPPED, TGEN, Place, equal, holds, main

# What bash does at TAB: the line, and COMP_WORDBREAKS as it is by default.
ASK = r'''
source ./tgen-completion
COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
COMP_LINE=$1 COMP_POINT=${#1}
_tgen
printf '%s\n' "${COMPREPLY[@]}"
'''
# Lines and what may follow; the reply is what stands behind the last = or :.
CASES = [
    ("tgen qu", ["quick"]),
    ("tgen packet-t", ["packet-template"]),
    ("tgen --ver", ["--verbose", "--version"]),
    ("tgen packet-template se", ["set"]),
    ("tgen packet-template set ", ["north", "south"]),
    ("tgen packet-template set no", ["north"]),
    ("tgen packet-template set north ip-gat", ["ip-gateway="]),
    ("tgen packet-template set north header-stack=ma", ["mac"]),
    ("tgen packet-template set north header-stack=mac,ud", ["mac,udp"]),
    ("tgen packet-template get north udp-dst", ["udp-dst-port"]),
    ("tgen packet-template add copy-from=s", ["south"]),
    ("tgen quick rate-layer=", ["packet", "l1", "l2", "l3"]),
    ("tgen quick tx-template=", ["north", "south"]),
    ("tgen quick tx-template=north,s", ["north,south"]),
    ("tgen quick measure-out-of-order=y", ["yes"]),
    ("tgen --config other.json quick tx-template=", ["east"]),
    ("tgen --config=other.json packet-template remove ", ["east"]),
    ("tgen quick port=", ["e1"]),
    ("tgen settings set test", ["test-id="]),
    ("tgen completion z", ["zsh"]),
    ("tgen nonsense x", []),
    ("tgen quick nonsense=", []),
]


def prepare(place, shell):
    place.write("tgen-completion", place.run("completion", shell).stdout)
    place.run("packet-template", "add", "name=north")
    place.run("packet-template", "add", "name=south")
    place.run("port", "add", "name=e1", "device=ring:a")
    place.run("--config", "other.json", "packet-template", "add", "name=east")


def bash():
    """bash completes commands, verbs, options, their words, and names of objects"""
    with Place() as place:
        prepare(place, "bash")
        for line, want in CASES:
            typed = TGEN + line[len("tgen"):]
            done = subprocess.run(["bash", "-c", ASK, "ask", typed], cwd=place.path, env=place.env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
            equal(done.stderr, "", f"standard error of {line!r}")
            equal([w for w in done.stdout.split("\n") if w], want, f"what follows {line!r}")


def all_commands():
    """every command that the help knows is offered"""
    with Place() as place:
        prepare(place, "bash")
        done = subprocess.run(["bash", "-c", ASK, "ask", TGEN + " "], cwd=place.path, env=place.env, text=True,
                              stdout=subprocess.PIPE, timeout=60, check=True)
        listed = place.run("help").stdout
        names = [line.split()[0] for line in listed[listed.index("Commands:"):listed.index("Options:")].splitlines()
                 if line.startswith("  ")]
        equal(done.stdout.split(), names, "commands")


def zsh():
    """zsh reads its script without a complaint"""
    with Place() as place:
        prepare(place, "zsh")
        holds(place.read("tgen-completion"), "#compdef tgen\n")
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", "tgen-completion"], cwd=place.path, check=True, timeout=60)
        else:
            print("      no zsh is here: its script was not read")


def unknown():
    """another shell is refused"""
    with Place() as place:
        holds(place.run("completion", status=2).stderr, "bash or zsh")
        holds(place.run("completion", "fish", status=2).stderr, "bash or zsh")


if __name__ == "__main__":
    if not shutil.which("bash"):
        print("bash is not here")
        sys.exit(SKIPPED)
    main([bash, all_commands, zsh, unknown])
