#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Data moves one way: a module includes only what the table of design.md §1 allows it."""
import re

from source import TREE, c_files, finish, name

# Module: what it may include of ours. `cli` wires all together.
MAY_INCLUDE = {
    "base": set(),
    "pkt": {"base"},
    "host": {"pkt", "base"},
    "result": {"base"},
    "conf": {"base"},
    "plan": {"conf", "pkt", "host", "base"},  # host: the type of a port's addresses
    "engine": {"plan", "pkt", "host", "result", "base"},
    "proc": {"result", "base"},
    "report": {"result", "base"},
    "run": {"conf", "plan", "engine", "proc", "report", "result", "host", "pkt", "base"},
    "cli": {"run", "conf", "plan", "engine", "proc", "report", "result", "host", "pkt", "base"},
}
# Public header include/tgen/NAME.h: its module.
MODULE_OF = {
    "err": "base", "log": "base", "units": "base", "hist": "base", "opt": "base", "text": "base",
    "num": "base", "random": "base", "sched": "base", "argv": "base",
    "pkt": "pkt", "pkt_mods": "pkt", "pkt_udp4": "pkt", "sig": "pkt",
    "host": "host",
    "result": "result", "epoch": "result", "trial": "result",
    "conf": "conf",
    "plan": "plan",
    "engine": "engine", "kernel": "engine",
    "proc": "proc", "procedure": "proc", "criteria": "proc", "series": "result",
    "results": "report", "run": "run", "names": "run", "baseline": "run",
    "report": "report", "samples": "report", "stats": "report",
}
DPDK = re.compile(r"(rte_|dpdk|ethdev_driver|bus_\w+_driver)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def complaints_about(path, module):
    for quote, included in INCLUDE.findall(path.read_text(encoding="utf-8")):
        if included.startswith("tgen/"):
            other = MODULE_OF.get(included[len("tgen/"):-len(".h")])
            if other is None:
                yield f"<{included}> belongs to no module: add it to MODULE_OF"
            elif other != module and other not in MAY_INCLUDE[module]:
                yield f"{module} includes {included}, which is {other}'s"
        elif DPDK.match(included):
            if module != "engine":
                yield f"{included}: only engine knows DPDK"
        elif quote == '"' and ("/" in included or not (path.parent / included).exists()):
            yield f'"{included}" is neither tgen/… nor a header beside it'


def module_of(path):
    """None for what belongs to no module (main.c, tests)."""
    if path.is_relative_to(TREE / "include" / "tgen"):
        return MODULE_OF.get(path.stem, "?")
    parts = path.relative_to(TREE).parts
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def main():
    complaints, nb = [], 0
    for path in c_files():
        module = module_of(path)
        if module is None:
            continue
        nb += 1
        if module not in MAY_INCLUDE:
            complaints.append(f"{name(path)}: module '{module}' is not in the table")
            continue
        complaints += [f"{name(path)}: {text}" for text in complaints_about(path, module)]
    finish(complaints, nb)


if __name__ == "__main__":
    main()
