#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Frames that overtake: RX-OOO is what a receiver sees by the log, to the frame."""
import sys

from lab import check, equal, run
from truth import COUNTING, check_only, check_rows, measure, stations

WORDS = ("tx-template=s12,s13,s21", "packet-size=60", "pps=2000,500,1000", "duration=1500ms", *COUNTING)


def overtaken(relay, direction, lane=None):
    """Frames that left for good with a sequence below the highest of their lane: counted from the log,
    and not from the relay's own count."""
    highest, nb = {}, 0
    for x in relay.left(direction):
        if "copy" in x.decision or lane not in (None, x.lane):
            continue
        nb += x.seq < highest.get(x.lane, -1)
        highest[x.lane] = max(x.seq, highest.get(x.lane, -1))
    return nb


def through(lab, ab, ba=()):
    config = stations("s12", "s13", "s21")
    # One wire: the frames for 1.1.1.3 arrive at ether2 as well.
    config["packet-templates"][1].update({"mac-dst": lab.mac("gen", "ether3"), "rx-port": "ether2"})
    result, relay = measure(lab, config, ("--ab", *ab, "--ba", *ba), *WORDS)
    check_rows(result)
    told = {}
    for lane, (name, direction) in enumerate((("s12", "ab"), ("s13", "ab"), ("s21", "ba"))):
        equal(relay.lane(direction, lane)["received"], result.stream(name, "tx-packet"), f"{name} is lane {lane}")
        told[name] = overtaken(relay, direction, lane)
        equal(relay.lane(direction, lane)["out-of-order"], told[name], f"{name}: the relay's own count")
        lost = relay.lane(direction, lane)["lost"]
        check_only(result, name, rx_ooo=told[name], lost_packet=lost)
    equal(result.json["total"]["rx-ooo"], sum(told.values()), "out of order in all")
    return told


def held_back(lab):
    """3 % let five later ones pass, another 5 % let one pass: out of order are those, in rows too"""
    told = through(lab, ("--reorder", "3", "--reorder-gap", "5"), ("--reorder", "5"))
    check(all(told.values()), f"next to nothing was out of order: {told}")


def by_jitter(lab):
    """jitter of 5 ms without a queue: most frames overtake or are overtaken"""
    told = through(lab, ("--delay", "6ms", "--jitter", "5ms", "--jitter-reorders"))
    check(told["s12"] > 500 and told["s21"] == 0, f"out of order: {told}")


def among_losses(lab):
    """with 20 % loss: a frame whose overtakers are lost is in order"""
    told = through(lab, ("--reorder", "10", "--reorder-gap", "1", "--loss", "20"))
    check(told["s12"] > 50, f"out of order: {told}")


if __name__ == "__main__":
    sys.exit(run([held_back, by_jitter, among_losses], kind="relay"))
