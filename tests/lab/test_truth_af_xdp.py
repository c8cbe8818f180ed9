#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""af_xdp on kernel interfaces: with huge pages its figures are the DUT's; without, it is refused."""
import contextlib
import fcntl
import sys
import time

from lab import Skip, check, equal, run, settings
from truth import check_none, check_rows
from witness import COUNTING

NB_PAGES, PAGE_KB = 256, 2048  # what tgen asks for
PAGES = f"/sys/kernel/mm/hugepages/hugepages-{PAGE_KB}kB"
STREAMS = ("r12", "r21")
CONFIG = {
    "ports": [{"name": f"ether{i}", "device": f"af_xdp:ether{i}", "address": [f"{i}.{i}.{i}.{i}/24"]} for i in (1, 2)],
    "packet-templates": [{
        "name": f"r{i}{j}", "header-stack": "mac,ip,udp", "ip-gateway": f"{i}.{i}.{i}.254",
        "ip-dst": f"{j}.{j}.{j}.{j}", "udp-src-port": "1000-1099", "udp-checksum": "compute"} for i, j in ("12", "21")],
}
WORDS = (f"tx-template={','.join(STREAMS)}", "pps=1000", "duration=2s", "drain=500ms", *COUNTING)
RULES = """table ip probe {
    counter r12 { }
    counter r21 { }
    counter dropped { }
    chain forward {
        type filter hook forward priority 0; policy accept;
        ip daddr 2.2.2.2 udp sport 1000-1099 counter name r12 numgen inc mod 10 == 7 counter name dropped drop
        ip daddr 1.1.1.1 udp sport 1000-1099 counter name r21
    }
}"""


def pages(name):
    try:
        with open(f"{PAGES}/{name}", encoding="utf-8") as f:
            return int(f.read())
    except OSError as why:
        raise Skip(f"no huge pages of 2 MiB here: {why}") from None


def reserve(nb):
    try:
        with open(f"{PAGES}/nr_hugepages", "w", encoding="utf-8") as f:
            f.write(str(nb))
    except OSError as why:
        raise Skip(f"huge pages cannot be reserved: {why}") from None


def give_back(nb):
    """What a tgen that just ended held is free a little later."""
    end = time.monotonic() + 5
    while pages("nr_hugepages") != nb and time.monotonic() < end:
        reserve(nb)
        time.sleep(0.1)


@contextlib.contextmanager
def huge_pages():
    """As many free ones as are needed; the number that there was comes back. One test at a time."""
    with open("/run/tgen-test-hugepages", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before, missing = pages("nr_hugepages"), NB_PAGES - pages("free_hugepages")
        try:
            if missing > 0:
                reserve(before + missing)
            if pages("free_hugepages") < NB_PAGES // 2:  # others may have taken some at once
                raise Skip(f"{NB_PAGES} huge pages cannot be reserved, only {pages('free_hugepages')} are free")
            yield
        finally:
            if missing > 0:
                give_back(before)


def routed(lab):
    """huge pages: sent is what came to the DUT, received what it let go, lost what it dropped"""
    for size in (60, 1514):
        with huge_pages(), settings(lab, RULES):
            result = lab.quick_clean(CONFIG, f"packet-size={size}", *WORDS, before=lab.reset_counters)
            counters = lab.counters()
        equal(result.status, 0, f"status\n{result.text()}")
        for name in STREAMS:
            s, dropped = result.streams[name], counters["dropped"] if name == "r12" else 0
            equal(s["tx-packet"], counters[name], f"{name}, {size} bytes: sent, against forwarded\n{result.text()}")
            equal((s["rx-packet"], s["lost-packet"]), (counters[name] - dropped, dropped), f"{name}: received, lost")
            check(0 < s["lat-min"] <= s["lat-avg"] <= s["lat-max"] < 10**9, f"{name}: latency {s}")
            equal(s["lat-count"], s["rx-packet"], f"{name}: frames in the latency figures")
            check_none(result, name, "rx-ooo", "rx-bad-csum", "duplicate", "misrouted", "stray", "returned")
        check(counters["dropped"] > 0, "nothing was dropped")
        check_rows(result)
        for name, port in result.ports.items():
            equal(port["driver"], "net_af_xdp", f"{name}: driver")
            equal((port["unknown"], port["rx-missed"], port["rx-kernel-dropped"]), (0, 0, 0),
                  f"{name}: unknown, missed, dropped by the kernel\n{result.text()}")
    shown = lab.gen("ip", "-d", "link", "show", "dev", "ether1").stdout
    check("xdp" not in shown, f"the XDP program stays on ether1: {shown}")


def refused(lab):
    """without huge pages: status 4, and the line says how to reserve them"""
    if pages("free_hugepages") > 0:
        raise Skip("this machine has free huge pages")
    result = lab.tgen(CONFIG, "quick", "packet-size=60", *WORDS)
    result.check_error(4, rf"ether1.*af_xdp:ether1.*vm\.nr_hugepages={NB_PAGES}")
    shown = lab.gen("ip", "-d", "link", "show", "dev", "ether1").stdout
    check("xdp" not in shown, f"an XDP program is on ether1: {shown}")


if __name__ == "__main__":
    sys.exit(run([refused, routed], ports=2))
