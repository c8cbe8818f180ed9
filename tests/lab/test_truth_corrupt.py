#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Frames with one bit flipped: which of them tgen sees, and that all of them are accounted for.

A wire drops such frames by their FCS; a DUT that flips bits inside itself makes a new FCS. What no
checksum of IP or UDP covers is then good, and docs/methodology.md says so.
"""
import sys

from lab import check, equal, run
from truth import COUNTING, check_rows, measure, originals, port_sum, stations

WORDS = ("tx-template=s12,s21", "packet-size=200", "pps=1000", "duration=1001ms", *COUNTING)
L4, PAYLOAD, SIGNATURE = 34, 42, 182  # of an untagged frame of 200 bytes
FIELDS = ("mac-dst", "mac-src", "ethertype", "ip-header", "ip-ttl", "udp-ports", "udp-length", "udp-checksum",
          "payload", "signature")
NOT_COVERED = {"mac-dst", "mac-src", "ethertype"}  # by no checksum above the FCS
ONLY_BY_UDP = {"udp-ports", "udp-length", "payload"}  # nor without UDP's
# Two a run, one each way: the first of each pair from ether1 to ether2.
PAIRS = list(zip(FIELDS[::2], FIELDS[1::2]))


def through(lab, pair, checksum, *words):
    """The result, and for each stream its field, the log's lines, those that were corrupted."""
    config = stations("s12", "s21", **{"udp-checksum": checksum})
    relay_words = ("--corrupt", "30%", "--ab", "--corrupt-field", pair[0], "--ba", "--corrupt-field", pair[1])
    result, relay = measure(lab, config, relay_words, *WORDS, *words)
    found = {}
    for name, direction, field in (("s12", "ab", pair[0]), ("s21", "ba", pair[1])):
        rows = originals(relay, direction)
        corrupted = [x for x in rows if "corrupt" in x.decision]
        equal(result.stream(name, "tx-packet"), len(rows), f"{name}: sent, against what came to the relay")
        check(len(corrupted) > 200, f"{field}: {len(corrupted)} frames corrupted")
        found[name] = field, corrupted
    return result, found


def check_seen(result, found, unseen):
    """Each corrupted frame is bad or unknown, and none is good but of fields that are not seen. Other
    than those every frame is good. The sums add up, by stream and by port."""
    for name, (field, corrupted) in found.items():
        s, port = result.streams[name], result.ports["ether" + name[2]]
        sent, seen = s["tx-packet"], 0 if field in unseen else len(corrupted)
        what = f"{field} corrupted {len(corrupted)} times of {sent}\n{result.text()}"
        equal(s["rx-packet"], sent - seen, f"good: {what}")
        equal(s["lost-packet"], seen, f"lost: {what}")
        equal(port["bad"] + port["unknown"], seen, f"bad and unknown: {what}")
        equal(port["good"] + port["bad"] + port["unknown"], sent, f"good, bad, unknown: {what}")
        equal([s[k] for k in ("rx-ooo", "duplicate", "misrouted", "stray", "returned")], [0] * 5, what)
        # A stream's own are those whose signature is whole.
        check(s["rx-bad-csum"] <= port["bad"], what)
        check_class(field, corrupted, port, s, what)
    equal(result.json["total"]["rx-bad-csum"], port_sum(result, "bad"), "rx-bad-csum of all streams")
    check_rows(result)


def check_class(field, corrupted, port, s, what):
    """bad or unknown: unknown is what cannot be told to be ours."""
    if field == "signature":
        strange = sum(x.corrupt_byte < SIGNATURE + 3 for x in corrupted)  # magic or test-id
        equal((port["unknown"], port["bad"]), (strange, len(corrupted) - strange), what)
        equal(s["rx-bad-csum"], 0, f"a damaged signature tells no stream: {what}")
    elif field == "ip-header":
        # Version, header length and total length say where the signature is to be found.
        strange = [x for x in corrupted if x.corrupt_byte in (14, 16, 17)]
        check(port["unknown"] <= len(strange), what)
        check(s["rx-bad-csum"] >= len(corrupted) - len(strange), what)
    elif port["bad"]:
        equal((port["unknown"], s["rx-bad-csum"]), (0, len(corrupted)), what)


def with_checksum(lab):
    """udp-checksum=compute: every flipped bit is seen, but in MAC addresses and ethertype"""
    for pair in PAIRS:
        check_seen(*through(lab, pair, "compute"), NOT_COVERED)


def without_checksum(lab):
    """udp-checksum=0: ports, length and payload of UDP are not seen; IP header, checksum, signature are"""
    for pair in PAIRS:
        if not NOT_COVERED.issuperset(pair):
            check_seen(*through(lab, pair, "0"), NOT_COVERED | ONLY_BY_UDP)


def compared(lab):
    """udp-checksum=0, verify-data=yes: every flipped bit of the payload is seen after all"""
    result, found = through(lab, ("payload", "udp-ports"), "0", "verify-data=yes")
    check_seen(result, found, NOT_COVERED | ONLY_BY_UDP - {"payload"})


def every_byte(lab):
    """bits anywhere behind the ethertype: good is exactly what was not corrupted"""
    config = stations("s12", "s21", **{"udp-checksum": "compute"})
    result, relay = measure(lab, config, ("--corrupt", "50%", "--corrupt-bytes", "14-199"), *WORDS, "verify-data=yes")
    for name, direction in (("s12", "ab"), ("s21", "ba")):
        rows = originals(relay, direction)
        whole = [x for x in rows if "corrupt" not in x.decision]
        equal(result.stream(name, "rx-packet"), len(whole), f"{name}: good, of {len(rows)}\n{result.text()}")
        port = result.ports["ether" + name[2]]
        equal(port["bad"] + port["unknown"], len(rows) - len(whole), f"{name}: bad and unknown")
    check_rows(result)


def copies_of_bad(lab):
    """a corrupted frame that comes twice is bad twice, and the whole ones' copies are duplicates"""
    config = stations("s12", **{"udp-checksum": "compute"})
    words = ("--ab", "--corrupt", "20%", "--corrupt-field", "payload", "--duplicate", "20%")
    result, relay = measure(lab, config, words, "tx-template=s12", *WORDS[1:])
    bad = relay.having("corrupt")
    copies = [x for x in relay.having("copy") if "corrupt" not in x.decision]
    equal(result.stream("s12", "rx-bad-csum"), len(bad), f"bad\n{result.text()}")
    equal(result.stream("s12", "duplicate"), len(copies), f"duplicate\n{result.text()}")
    equal(result.stream("s12", "lost-packet"), relay.count("ab", "corrupted"), f"lost\n{result.text()}")


if __name__ == "__main__":
    sys.exit(run([with_checksum, without_checksum, compared, every_byte, copies_of_bad], kind="relay"))
