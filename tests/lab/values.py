# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of varying fields ask for, and what must then be on the wire: each case has the fields of
a template, the length of a round, how many rounds, and what to hold against the frames."""
import collections
import ipaddress
import itertools

import wire
from lab import check, equal
from wire import Flow

UDP = {"header-stack": "mac,ip,udp", "ip-dst": "2.2.2.2", "udp-checksum": "good"}
UDP6 = {"header-stack": "mac,ipv6,udp", "ipv6-dst": "2001:db8:2::2"}
Case = collections.namedtuple("Case", "fields round rounds check")


def exactly(*columns, nested=False):
    """The frames' flows one by one: columns are the rounds of src, dst, sport, dport; each goes round by
    itself, or, nested, the first moves with each frame and the next when it has gone round."""
    def flows(n):
        if nested:
            every = [tuple(reversed(x)) for x in itertools.product(*reversed(columns))]
            return [Flow(*every[i % len(every)]) for i in range(n)]
        return [Flow(*(c[i % len(c)] for c in columns)) for i in range(n)]

    def compare(seen, case):
        expected = flows(len(seen))
        wrong = [(i, f.flow, e) for i, (f, e) in enumerate(zip(seen, expected)) if f.flow != e]
        equal(wrong[:3], [], "number, flow, flow asked for")
        equal(len(set(expected)), case.round, "the test's own round")
    return compare


def share(key, weights):
    """In every round each value as often as its weight."""
    def compare(seen, case):
        for k in range(case.rounds):
            part = seen[k * case.round:(k + 1) * case.round]
            equal(collections.Counter(map(key, part)), collections.Counter(weights), f"values of round {k}")
    return compare


def once_a_round(key, values):
    """Each value once a round, not in their order."""
    values = list(values)

    def compare(seen, case):
        share(key, {v: 1 for v in values})(seen, case)
        check([key(f) for f in seen[:case.round]] != values, "in order, not shuffled")
    return compare


def within(key, low, high, distinct):
    """All within, both halves used about equally (6 sigma), and at least so many different."""
    def compare(seen, _):
        values = [int(key(f)) for f in seen]
        low_, high_ = int(low), int(high)
        outside = [v for v in values if not low_ <= v <= high_]
        equal(outside[:3], [], f"outside of {low} to {high}")
        check(len(set(values)) >= distinct, f"only {len(set(values))} different of {len(values)}")
        upper, n = sum(v > (low_ + high_) // 2 for v in values), len(values)
        check(abs(upper - n / 2) <= 3 * n ** 0.5, f"{upper} of {n} in the upper half")
    return compare


def network(key, text, distinct):
    net = ipaddress.ip_network(text)
    return within(key, net[0], net[-1], distinct)


def both(*checks):
    def compare(seen, case):
        for c in checks:
            c(seen, case)
    return compare


def repeats(key):
    """A round of random values, and again."""
    def compare(seen, case):
        values = [key(f) for f in seen]
        equal(values, values[:case.round] * case.rounds, "the rounds")
        check(len(set(values)) > case.round // 2, "hardly any different values")
    return compare


def only_bits(masks):
    """Bytes (offset: mask) vary in exactly those bits, and nothing else but checksums does."""
    def compare(seen, _):
        first = seen[0]
        allowed = dict(masks)
        for f in seen:
            for off, (a, b) in enumerate(zip(first.data, f.data)):
                if off not in (first.l4 + 6, first.l4 + 7, first.l3 + 10, first.l3 + 11):
                    equal((a ^ b) & ~allowed.get(off, 0), 0, f"byte {off} changes beyond its mask")
        for off, mask in allowed.items():
            ones, any_zero = 0, 0
            for f in seen:
                ones |= f.data[off]
                any_zero |= ~f.data[off]
            equal(ones & any_zero & mask, mask, f"bits of byte {off} that vary")
    return compare


def sport(f):
    return f.sport


def dport(f):
    return f.dport


def src(f):
    return f.ip_src


def dst(f):
    return f.ip_dst


def number(off, nb):
    return lambda f: int.from_bytes(f.data[off:off + nb], "big")


def addresses(first, nb, step=1):
    base = ipaddress.ip_address(first)
    return [str(base + i * step) for i in range(nb)]


SRC, DST, S, D = ["1.1.1.1"], ["2.2.2.2"], [100], [200]
SRC6, DST6 = ["2001:db8:1::1"], ["2001:db8:2::2"]

CASES = {
    "range": Case({**UDP, "udp-src-port": "1000-1099"}, 100, 5, exactly(SRC, DST, range(1000, 1100), D)),
    "inc": Case({**UDP, "udp-src-port": "inc:1000-1020+step=3"}, 7, 60, exactly(SRC, DST, range(1000, 1021, 3), D)),
    "inc-ip": Case({**UDP, "ip-dst": "inc:10.0.0.250+step=7+count=50"}, 50, 8,
                   exactly(SRC, addresses("10.0.0.250", 50, 7), S, D)),
    "dec": Case({**UDP, "udp-dst-port": "dec:40-49"}, 10, 40, exactly(SRC, DST, S, range(49, 39, -1))),
    "dec-count": Case({**UDP, "ip-src": "dec:10.1.1.1+step=2+count=9"}, 9, 40,
                      exactly(addresses("10.1.1.1", 9, -2), DST, S, D)),
    "list": Case({**UDP, "ip-dst": "list:9.9.9.9+8.8.8.8+10.0.0.1"}, 3, 99,
                 exactly(SRC, ["9.9.9.9", "8.8.8.8", "10.0.0.1"], S, D)),
    "weights": Case({**UDP, "udp-dst-port": "list:80=7+443=4+53=1"}, 12, 40, share(dport, {80: 7, 443: 4, 53: 1})),
    "shuffle": Case({**UDP, "udp-src-port": "shuffle:5000-5199"}, 200, 3, once_a_round(sport, range(5000, 5200))),
    "tuple": Case({**UDP, "ip-src": "10.0.0.1-10.0.0.12", "ip-dst": "dec:10.2.0.1-10.2.0.12",
                   "udp-src-port": "inc:1+step=5+count=12"}, 12, 30,
                  exactly(addresses("10.0.0.1", 12), addresses("10.2.0.12", 12, -1), range(1, 61, 5), D)),
    "uneven": Case({**UDP, "udp-src-port": "1-6", "udp-dst-port": "1-4"}, 12, 30, exactly(SRC, DST, range(1, 7), range(1, 5))),
    "nest": Case({**UDP, "ip-src": "10.0.0.1-10.0.0.4", "ip-dst": "10.2.0.1-10.2.0.5", "udp-src-port": "1-3",
                  "udp-dst-port": "list:7+5", "nest": "ip-src,ip-dst,udp-src-port,udp-dst-port"}, 120, 4,
                 exactly(addresses("10.0.0.1", 4), addresses("10.2.0.1", 5), range(1, 4), [7, 5], nested=True)),
    # The first group's fields move together, the other when they have gone round.
    "nest-groups": Case({**UDP, "ip-src": "10.0.0.1-10.0.0.6", "udp-src-port": "11-16", "udp-dst-port": "1-10",
                         "nest": "ip-src+udp-src-port,udp-dst-port"}, 60, 8,
                        lambda seen, case: exactly(*zip(*(
                            (f"10.0.0.{i % 6 + 1}", "2.2.2.2", 11 + i % 6, 1 + i // 6) for i in range(60))))(seen, case)),
    "length": Case({**UDP, "ip-dst": "10.20.0.0/16"}, 600, 1, network(dst, "10.20.0.0/16", 580)),
    "mask": Case({**UDP, "ip-src": "10.20.30.40/255.255.0.255"}, 600, 1,
                 both(network(src, "10.20.0.0/16", 200), lambda seen, _: equal({int(f.ip_src) & 255 for f in seen}, {40}, "last byte"))),
    "rand": Case({**UDP, "udp-src-port": "rand:2000-2999+seed=5"}, 600, 1, within(sport, 2000, 2999, 380)),
    "rand-count": Case({**UDP, "udp-src-port": "rand:1024-65535+count=50"}, 50, 10, repeats(sport)),
    "rand-seeds": Case({**UDP, "udp-src-port": "rand:0-65535", "udp-dst-port": "rand:0-65535"}, 600, 1,
                       lambda seen, _: check(sum(f.sport == f.dport for f in seen) < 5, "both ports vary alike")),
    "rfc4814": Case({**UDP, "ip-src": "rfc4814", "ip-dst": "rfc4814", "udp-src-port": "rfc4814", "udp-dst-port": "rfc4814"},
                    600, 1, both(network(src, "198.18.0.0/16", 580), network(dst, "198.19.0.0/16", 580),
                                 within(sport, 1024, 65535, 580), within(dport, 1, 49151, 580))),
    "rfc4814-ipv6": Case({**UDP6, "ipv6-src": "rfc4814", "ipv6-dst": "rfc4814", "udp-src-port": "rfc4814"}, 600, 1,
                         both(network(src, "2001:2::/49", 600), network(dst, "2001:2:0:8000::/49", 600),
                              within(sport, 1024, 65535, 580))),
    "inc-ipv6": Case({**UDP6, "ipv6-dst": "inc:2001:db8:2::fffa+step=5+count=40"}, 40, 10,
                     exactly(SRC6, addresses("2001:db8:2::fffa", 40, 5), S, D)),
    "length-ipv6": Case({**UDP6, "ipv6-src": "2001:db8:7::/64"}, 600, 1,
                        both(network(src, "2001:db8:7::/64", 600))),
    "vlan": Case({**UDP, "header-stack": "mac,vlan,ip,udp", "vlan-id": "100-149", "udp-src-port": "1-50"}, 50, 8,
                 both(exactly(SRC, DST, range(1, 51), D),
                      lambda seen, _: equal([f.vlans for f in seen], [[100 + i % 50] for i in range(len(seen))], "VLANs"))),
    "qinq-ipv6": Case({**UDP6, "header-stack": "mac,vlan,vlan,ipv6,udp", "vlan-tpid": "802.1ad,802.1q",
                       "vlan-id": ["7", "shuffle:100-129"]}, 30, 10,
                      both(once_a_round(lambda f: f.vlans[1], range(100, 130)),
                           lambda seen, _: equal({f.vlans[0] for f in seen}, {7}, "outer VLAN"))),
    "tcp": Case({"header-stack": "mac,ip,tcp", "ip-dst": "2.2.2.2", "tcp-src-port": "1000-1029", "tcp-dst-port": "list:80+443",
                 "tcp-syn": "rand:0-4294967295", "tcp-flags": "syn"}, 30, 10,
                both(exactly(SRC, DST, range(1000, 1030), [80, 443]), within(number(38, 4), 0, 2**32 - 1, 290))),
    "tcp-ipv6": Case({"header-stack": "mac,ipv6,tcp", "ipv6-dst": "2001:db8:2::1-2001:db8:2::20", "tcp-src-port": "1-32"}, 32, 10,
                     exactly(SRC6, addresses("2001:db8:2::1", 32), range(1, 33), D)),
    "icmp": Case({"header-stack": "mac,ip,icmp", "ip-dst": "10.3.0.1-10.3.0.25"}, 25, 10,
                 lambda seen, _: equal([str(f.ip_dst) for f in seen], addresses("10.3.0.1", 25) * 10, "destinations")),
    "icmpv6": Case({"header-stack": "mac,ipv6,icmpv6", "ipv6-dst": "shuffle:2001:db8:3::1-2001:db8:3::19"}, 25, 10,
                   once_a_round(dst, map(ipaddress.ip_address, addresses("2001:db8:3::1", 25)))),
    "mac": Case({**UDP, "mac-src": "inc:02:00:00:00:00:f0+step=3+count=40"}, 40, 10,
                lambda seen, _: equal([number(6, 6)(f) for f in seen], [0x0200000000f0 + 3 * k for k in range(40)] * 10, "MACs")),
    # RFC 4814, 4.2: two low bits of the first byte 0, the next two bytes tell the side.
    "rfc4814-mac": Case({**UDP, "mac-src": "rfc4814"}, 600, 1, only_bits({6: 0xFC, 9: 0xFF, 10: 0xFF, 11: 0xFF})),
    # Parts of bytes: the bits beside them stay.
    "bits": Case({**UDP, "header-stack": "mac,vlan,ip,udp", "vlan-id": "7", "vlan-priority": "0-7", "dscp": "list:ef+af11+cs0",
                  "ecn": "0-3", "ip-ttl": "dec:60-64"}, 120, 3, lambda seen, _: equal(
                      [(number(14, 2)(f), number(19, 1)(f), number(26, 1)(f)) for f in seen],
                      [(i % 8 << 13 | 7, (46, 10, 0)[i % 3] << 2 | i % 4, 64 - i % 5) for i in range(360)],
                      "tag, DS byte and TTL")),
    "ipv6-bits": Case({**UDP6, "ipv6-dscp": "0-63", "ipv6-flow-label": "inc:1048560-1048575", "ipv6-hop-limit": "1-8"}, 64, 5,
                      lambda seen, _: equal([number(14, 4)(f) for f in seen],
                                            [6 << 28 | i % 64 << 22 | 1048560 + i % 16 for i in range(320)], "first word")),
    "ranges": Case({**UDP, "random-ranges": "34:16:1000-1999,50:32:5-4000000000,44:8:3-9"}, 600, 1,
                   both(within(sport, 1000, 1999, 380), within(number(50, 4), 5, 4 * 10**9, 590), within(number(44, 1), 3, 9, 7),
                        only_bits({**{k: 255 for k in (34, 35, 44, 50, 51, 52, 53)}, 34: 0x07, 44: 0x0F}))),
    "masks": Case({**UDP, "random-byte-offsets-and-masks": "29:0f,36:80,37:ff,60:c3"}, 600, 1,
                  only_bits({29: 0x0F, 36: 0x80, 37: 0xFF, 60: 0xC3})),
    # Two of one width are two random numbers: their pairs are all there are.
    "ranges-apart": Case({**UDP, "random-ranges": "44:8:0-7,46:8:0-7"}, 600, 1,
                         lambda seen, _: equal(len({(f.data[44], f.data[46]) for f in seen}), 64, "pairs of 8 by 8 values")),
}


def conf(cases):
    return wire.config({name: case.fields for name, case in cases.items()})


def words(cases, pps, size=100):
    counts = ",".join(str(c.round * c.rounds) for c in cases.values())
    return f"packet-size={size}", f"pps={pps}", f"packet-count={counts}"


def check_case(name, case, seen):
    """One stream's frames, in the stream's order."""
    with wire.about(name):
        equal(len(seen), case.round * case.rounds, "frames")
        case.check(seen, case)
        if case.fields["header-stack"].endswith("udp"):
            equal(sum(f.checksum == 0 for f in seen), 0, "without a checksum that was asked for")
