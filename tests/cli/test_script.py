#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""RouterOS scripts, from a file and by standard input: what they configure, run and refuse."""
import json
import os
import pathlib
import signal
import subprocess

from cli import TGEN, Place, equal, holds, main

ARTICLE = pathlib.Path(__file__).parent / "article.rsc"
PORTS = """/tool traffic-generator port
add name=ether1 device=ring:a
add name=ether6 device=ring:b
add name=ether11 device=null:
/tool/traffic-generator/port/add name=ether12 device=null:
"""
# A stream that comes back to its own port.
LOOP = """/port add name=e1 device=ring:a address=10.0.0.1/24
/packet-template add name=loop ip-src=10.0.0.1 ip-dst=10.0.0.9 mac-dst=02:00:00:00:00:09 port=e1 rx-port=e1
"""
# Scripts that stop: text, place, message.
BAD = [
    ("/packet-template\nadd name=a\n  add name=b ip-ttl=256\n", "3:14", '"256" is out of range'),
    ("/packet-template add name=a ip-dts=1.1.1.1\n", "1:29", 'did you mean "ip-dst"?'),
    ("/packet-template add name=a\n/packet-template add name=a\n", "2:22", "already"),
    ("/packet-template set nosuch ip-ttl=3\n", "1:22", 'no packet-template "nosuch"'),
    ("/packet-template add name=a\n/packet-template set numbers=a,99 ip-ttl=9\n", "2:22", 'no packet-template "99"'),
    ("/packet-template set [find foo=1] ip-ttl=9\n", "1:28", 'unknown word "foo"'),
    ("/tool trafic-generator\n", "1:7", 'did you mean "traffic-generator"?'),
    ("/interface print\n", "1:1", "of RouterOS, tgen has /tool traffic-generator"),
    (":local x 1\n", "1:1", "programming language is not supported: `:local`"),
    ("\n/packet-template add name=$x\n", "2:27", "not supported: `$x`"),
    ("/packet-template { print }\n", "1:18", "not supported: `{`"),
    ("/quick do={ print }\n", "1:11", "not supported: `do={`"),
    ("/packet-template comment a \"open\n", "1:28", "quotes are not closed"),
    ("/packet-template set [find name=a ip-ttl=3\n", "1:22", "bracket is not closed"),
    ("/packet-template add name=a \\", "1:22", "there is none"),
    ("/packet-template set [get a] ip-ttl=3\n", "1:22", "only [find …] is supported"),
    ("/ip address add address=1.1.1.1/24 interface=nosuch\n", "1:36", "tgen port add name=nosuch device="),
    ("/ip address add interface=e1\n", "1:1", "address: is missing"),
    ("/ip address add address=1.1.1.1/24\n", "1:1", "interface: is missing"),
    (LOOP + "/ip address add address=1.1.1.1/24 interface=e1 network=1.1.2.0\n", "3:49",
     "1.1.2.0 is not the network of 1.1.1.1/24, which is 1.1.1.0"),
    (LOOP + "/ip address add address=1.1.1.1 interface=e1\n", "3:17", "not an IPv4 or IPv6 address"),
    (LOOP + "/port set e1 address=224.0.0.1/4\n", "3:14", ": address: 224.0.0.1/4 is not the address of a host"),
    (LOOP + "/ip address remove 4\n", "3:20", 'no address "4"'),
    (LOOP + "/quick tx-template=loop\npacket-size=60 pps=10\n", "3:8",
     "a \\ at the end of line 3 joins it with the next"),
    ("packet-size=1514 mbps=350\n", "1:1", "end that line with a \\"),
    ("/tool traffic-generator inject interface=e1\n", "1:25", "not in this version"),
]


def configured(place):
    return json.loads(place.read("tgen.json"))


def article():
    """the article's commands make the ports' addresses and the templates that they say"""
    with Place() as place:
        place.run(text=PORTS + ARTICLE.read_text(encoding="utf-8"))
        tree = configured(place)
        equal([(p["name"], p["address"]) for p in tree["ports"]],
              [("ether1", "1.1.1.1/24"), ("ether6", "2.2.2.2/24"), ("ether11", "3.3.3.3/24"),
               ("ether12", "4.4.4.4/24")], "addresses")
        templates = {t.pop("name"): t for t in tree["packet-templates"]}
        equal(list(templates), ["r12", "r13", "r21", "r23", "r32", "r31", "r14", "r41", "b12", "b21"],
              "templates")
        stack = ["mac", "ip", "udp"]
        equal(templates["r12"], {"header-stack": stack, "ip-gateway": "1.1.1.254", "ip-dst": "2.2.2.2"}, "r12")
        equal(templates["r41"], {"header-stack": stack, "ip-dst": "1.1.1.1/32", "ip-gateway": "4.4.4.254",
                                 "ip-src": "4.4.4.4/32"}, "r41")
        equal(templates["b21"], {"header-stack": stack, "ip-src": "2.2.2.2/32", "ip-dst": "1.1.1.1/32"}, "b21")


def exported():
    """what export prints makes the same configuration again"""
    with Place() as place, Place() as other:
        place.run(text=PORTS + ARTICLE.read_text(encoding="utf-8"))
        place.run("packet-template", "comment", "r12", 'it\'s "a" \\ $x; # {y} [z]')
        place.run("settings", "set", "test-id=7", "comment=two words")
        script = place.run("export").stdout
        other.write("all.rsc", script)
        other.run("script", "all.rsc")
        equal(configured(other), configured(place), "the tree")
        equal(other.run("export").stdout, script, "exported again")
        tree = configured(other)
        tree["comment"] = "of the file\n/port remove [find]"
        other.write("tgen.json", json.dumps(tree))
        equal(other.run("export").stdout, "# of the file\n# /port remove [find]\n" + script, "with its comment")


def refused():
    """a line that cannot be honoured stops the script: file, line, column and why, status 2"""
    for text, at, message in BAD:
        for words, name in (((), "-"), (("script", "bad.rsc"), "bad.rsc")):
            with Place() as place:
                place.write("tgen.json", "{}")
                # a line behind it that must not run
                after = text if text.endswith("\\") else text + "/port add name=after device=null:\n"
                place.write("bad.rsc", after)
                done = place.run(*words, text=after, status=2)
                holds(done.stderr, f"tgen: error: {name}:{at}: ", f"the place in {text!r}")
                holds(done.stderr, message, text)
                if "after" in place.read("tgen.json"):
                    raise AssertionError(f"{text!r} did not stop the script")


def empty():
    """a script without a command does nothing; a file that is not there, or is none, is an error"""
    with Place() as place:
        place.run(text="")
        place.run(text="# only a comment\n")
        holds(place.run("script", "nosuch.rsc", status=2).stderr, "nosuch.rsc: cannot be read")
        holds(place.run("script", ".", status=2).stderr, ".: cannot be read: Is a directory")
        place.write("empty.rsc", "# nothing\n")
        place.run("script", "empty.rsc")


def found():
    """[find] stands for all, [find name=value] for those that fit, and none is no error"""
    with Place() as place:
        place.run(text="/packet-template remove [find]\n/ip address remove [find]\n")
        place.run(text=PORTS + ARTICLE.read_text(encoding="utf-8"))
        place.run(text="/packet-template\nset [find ip-gateway=1.1.1.254] ip-ttl=9\n"
                       "set [find name=\"nosuch\"] ip-ttl=8\nremove [find where name=r41]\n"
                       "set [find] ip-dscp=8; set r12,r13 comment=x\ncomment numbers=r12 \"y z\"\n")
        templates = {t["name"]: t for t in configured(place)["packet-templates"]}
        equal([n for n, t in templates.items() if t.get("ip-ttl") == 9], ["r12", "r13", "r14"], "set by find")
        equal({t["ip-dscp"] for t in templates.values()}, {8}, "set of all")
        equal("r41" in templates, False, "removed by find")
        equal(place.run("packet-template", "find", "where", "ip-ttl=9").stdout, "r12\nr13\nr14\n", "find where")
        equal((templates["r12"]["comment"], templates["r13"]["comment"]), ("y z", "x"), "comments")


def explained():
    """help refuses a word too many, and writes one command in any form"""
    with Place() as place:
        holds(place.run("help", "quick", "foo=bar", status=2).stderr, '"foo=bar" is one word too many')
        holds(place.run("help", "quick", "format=no", status=2).stderr, 'format: "no" is not known')
        holds(place.run("help", "quick", "format=markdown").stdout, "### tgen quick")


def addresses():
    """/ip address adds, shows, moves and takes away addresses of ports"""
    with Place() as place:
        place.run(text=PORTS + "/ip address\nadd address=1.1.1.1/24 interface=ether1\n"
                               "add address=1.1.2.1/24 interface=ether1 disabled=no\n"
                               "add address=2.2.2.2/24 interface=a\n")
        printed = place.run(text="/ip address print\n").stdout
        holds(printed, "  1   1.1.2.1/24                                   1.1.2.0          ether1\n")
        equal(len(printed.splitlines()), 5, "an address a line")
        place.run(text="/ip address set [find address=1.1.2.1/24] interface=ether6\n")
        place.run(text="/ip address\nset [find interface=ether6] address=6.6.6.6/24\nremove 0\n")
        ports = {p["name"]: p.get("address") for p in configured(place)["ports"]}
        equal(ports, {"ether1": "2.2.2.2/24", "ether6": "6.6.6.6/24", "ether11": None, "ether12": None},
              "addresses of the ports")
        equal(place.run(text="/ipv6 address print\n").stdout.count("/24"), 0, "IPv6 addresses")


def runs():
    """commands that open ports run one after the other, and a verdict lets the script go on"""
    with Place() as place:
        done = place.run(text=LOOP + "/tool traffic-generator\n"
                         "quick tx-template=loop packet-size=60 \\\n    pps=200 packet-count=20 as-value\n"
                         "/tool traffic-gen quick tx-template=loop pps=100 packet-count=7 port=e1 as-value\n"
                         "packet-template get loop ip-dst\n", status=None)
        equal(done.returncode in (0, 3), True, f"status {done.returncode}\n{done.stdout}{done.stderr}")
        holds(done.stdout, "rx-packet=20;")
        holds(done.stdout, "rx-packet=7;")
        equal(done.stdout.endswith("10.0.0.9\n"), True, f"the last command\n{done.stdout}")
        bad = place.run(text="/quick tx-template=nosuch pps=1\n/packet-template get loop name\n", status=2)
        holds(bad.stderr, '"nosuch"')
        holds(bad.stderr, "-:1:1: quick ended with status 2")
        equal(bad.stdout, "", "output behind a failed command")


def unanswered():
    """ping of an address that nobody has is status 1 and no advice on templates"""
    with Place() as place:
        place.run(text=LOOP.replace("ring:a", "null:"))
        done = place.run("ping", "port=e1", "address=10.0.0.77", "arp-timeout=100ms", status=1)
        holds(done.stderr, "no ARP reply from 10.0.0.77")
        equal("mac-dst" in done.stderr, False, done.stderr)


def not_opened():
    """a device or DPDK's own words that cannot be: the message has them, and no errno's misleading text"""
    with Place() as place:
        for device, part in (("vdev:bogus", "there is no such driver, or the driver bogus refuses"),
                             ("pcap:bogus", 'the driver net_pcap refuses "bogus"')):
            place.run("port", "add", "name=p", f"device={device}", "address=10.0.0.1/24")
            done = place.run("ping", "port=p", "address=10.0.0.2", status=4)
            holds(done.stderr, f"DPDK cannot open {device}: ")
            holds(done.stderr, part)
            for text in ("Bad address", "Operation not permitted"):
                equal(text in done.stderr, False, done.stderr)
            place.run("port", "remove", "p")
        place.run(text=LOOP)
        holds(place.run("--eal", "--bogus", "ping", "port=e1", "address=10.0.0.9", status=4).stderr,
              "the words of --eal (--bogus) may be the reason")
        place.write("file", "")
        place.env["TGEN_RUN_DIR"] = place.file("file")
        done = place.run("start", "tx-template=loop", "pps=1", "duration=1s", status=4)
        holds(done.stderr, "file: the run directory is no directory")
        equal("chmod" in done.stderr, False, done.stderr)


def swept():
    """what an interrupted write of the last run left is removed by the next, what is new is not"""
    with Place() as place:
        os.makedirs(place.file("state/tgen"))
        for name in ("last-run.json.tmp.old", "last-run.json.tmp.new", "other.tmp.old"):
            place.write("state/tgen/" + name, "")
            if name.endswith("old"):
                os.utime(place.file("state/tgen/" + name), (1, 1))
        place.run(text=LOOP + "/quick tx-template=loop pps=100 packet-count=1 as-value\n", status=None)
        left = set(os.listdir(place.file("state/tgen")))
        equal(left >= {"last-run.json", "last-run.json.tmp.new", "other.tmp.old"}, True, f"kept {left}")
        equal("last-run.json.tmp.old" in left, False, "removed")


def interrupted():
    """an interrupt ends the command that runs, and the script goes on behind it"""
    with Place() as place:
        place.write("long.rsc", LOOP + "/quick tx-template=loop pps=50 duration=60s as-value\n"
                                       "/packet-template get loop ip-dst\n")
        with subprocess.Popen([TGEN, "script", "long.rsc"], cwd=place.path, env=place.env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              start_new_session=True) as process:
            for line in process.stdout:
                if "rx-packet=" in line:
                    break
            os.killpg(process.pid, signal.SIGINT)
            rest, _ = process.communicate(timeout=30)
        equal(rest.endswith("10.0.0.9\n"), True, f"the command behind it ran\n{rest}")
        equal(process.returncode in (0, 3), True, f"status {process.returncode}")


if __name__ == "__main__":
    sending = [runs, unanswered, not_opened, swept, interrupted] if os.geteuid() == 0 else []
    main([article, exported, refused, empty, found, explained, addresses] + sending)
