#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The console on a terminal of the test's own: keys, completion, help, history; and without one."""
import os
import pty
import re
import select
import signal
import time

from cli import TGEN, Place, equal, holds, main

SECONDS = 20
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>][A-Z0-9]?|[\x07\x0f]")


class Console:
    """tgen console on a pseudo terminal."""

    def __init__(self, place):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(place.path)
            # libedit never frees the names of the functions that it is given (EL_ADDFN)
            os.execve(TGEN, ["tgen", "console"], {**place.env, "ASAN_OPTIONS": "detect_leaks=0"})
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def keys(self, text):
        os.write(self.fd, text.encode())

    def wait(self, part):
        """Reads until part comes; returns what came up to its end, and forgets it."""
        end = time.monotonic() + SECONDS
        while part not in self.text:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            try:
                more = os.read(self.fd, 4096) if ready else b""
            except OSError:
                more = b""
            if not more:
                raise AssertionError(f"{part!r} did not come:\n{self.text}")
            self.text = ESCAPES.sub("", self.text + more.decode("utf-8", "replace"))
        at = self.text.index(part) + len(part)
        seen, self.text = self.text[:at], self.text[at:]
        return seen

    def line(self, text, prompt="> "):
        """Types a line; returns what it prints before the next prompt."""
        self.keys(text)
        self.keys("\n")
        self.wait("\n")
        return self.wait(f"[tgen] {prompt}" if prompt != "... " else prompt)

    def abort(self):
        """^C until it is heard: between two lines it means nothing."""
        end = time.monotonic() + SECONDS
        while "[tgen] > " not in self.text and time.monotonic() < end:
            self.keys("\x03")
            if select.select([self.fd], [], [], 1)[0]:
                self.text = ESCAPES.sub("", self.text + os.read(self.fd, 4096).decode("utf-8", "replace"))
        self.wait("[tgen] > ")

    def tab(self, text, want):
        """Types text and TAB; the line, drawn anew, then ends with want."""
        self.keys(text + "\t\x0c")
        self.wait(f"[tgen] > {want}")

    def status(self):
        """How it ended."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    os.read(self.fd, 4096)
                except OSError:  # its side is closed
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                return os.waitstatus_to_exitcode(status)
        raise AssertionError("it did not end")


def typed():
    """menus are entered and left, the prompt says where one is, ^D ends it"""
    with Place() as place, Console(place) as console:
        console.wait("[tgen] > ")
        console.line("/tool traffic-generator", "/tool traffic-generator> ")
        console.line("packet-template", "/tool traffic-generator packet-template> ")
        console.line("add name=r12 ip-dst=1.1.1.1", "/tool traffic-generator packet-template> ")
        seen = console.line("get r12 ip-dst", "/tool traffic-generator packet-template> ")
        holds(seen, "1.1.1.1\r\n")
        console.line("..", "/tool traffic-generator> ")
        holds(console.line("/ip adress", "/tool traffic-generator> "),
              'tgen: error: column 5: no "adress" in /ip, did you mean "address"?')
        console.line("/")
        console.keys("\x04")
        equal(console.status(), 0, "status")


def completed():
    """TAB completes menus, commands, options, their words and names, and lists what is open"""
    with Place() as place, Console(place) as console:
        place.run("packet-template", "add", "name=north")
        place.run("packet-template", "add", "name=south")
        console.wait("[tgen] > ")
        console.tab("/to", "/tool")
        console.tab("traf", "/tool traffic-generator")
        console.tab("qui", "/tool traffic-generator quick")
        console.tab("rate-l", "/tool traffic-generator quick rate-layer=")
        console.keys("\t")
        holds(console.wait("rate-layer=l3"), "rate-layer=packet")
        console.tab("pac", "/tool traffic-generator quick rate-layer=packet")
        console.tab("tx-tem", "/tool traffic-generator quick rate-layer=packet tx-template=")
        console.tab("so", "/tool traffic-generator quick rate-layer=packet tx-template=south")
        console.abort()
        console.keys("\x04")
        equal(console.status(), 0, "status")


def helped():
    """? lists what may follow with its help, and is a letter within quotes"""
    with Place() as place, Console(place) as console:
        place.run("packet-template", "add", "name=north")
        console.wait("[tgen] > ")
        console.keys("?")
        holds(console.wait("[tgen] > "), "packet-template")
        console.keys("quick mbp?")
        holds(console.wait("[tgen] > quick mbp"), "Mbit/s")
        console.abort()
        console.keys("p ?")
        holds(console.wait("[tgen] > p "), '"p" may be packet-template, port, ')
        console.abort()
        console.line('packet-template comment north "why?"')
        holds(console.line("packet-template get north comment"), "why?\r\n")


def remembered():
    """what was typed comes back with the arrow, also in the next console"""
    with Place() as place:
        with Console(place) as console:
            console.wait("[tgen] > ")
            console.line("/packet-template add name=memory")
            console.keys("\x04")
            equal(console.status(), 0, "status")
        holds(place.read("state/tgen/history"), "name=memory")
        with Console(place) as console:
            console.wait("[tgen] > ")
            console.keys("\x1b[A")
            console.wait("/packet-template add name=memory")
            console.keys("\n")
            holds(console.wait("> "), 'there is a packet-template "memory" already')


def continued():
    """an incomplete line is asked for the rest: \\, a comma, quotes, brackets, a quick without a rate"""
    with Place() as place, Console(place) as console:
        console.wait("[tgen] > ")
        console.line("/packet-template add name=\\", "... ")
        console.line("    one")
        console.line("/packet-template add name=two header-stack=mac,ip,", "... ")
        console.line("  udp")
        console.line('/packet-template comment one "a \\', "... ")
        console.line('    b"')
        console.line("/packet-template set [find name=one", "... ")
        console.line("] ip-ttl=7")
        equal(place.run("packet-template", "print", "terse").stdout,
              "0   name=one comment='a b' ip-ttl=7\n1   name=two header-stack=mac,ip,udp\n", "objects")
        console.line("/quick tx-template=nosuch", "... ")
        holds(console.line("packet-size=60 mbps=1"), "no ports to use")
        console.line("/quick tx-template=nosuch", "... ")
        holds(console.line(""), "quick has no rate here")
        console.line("/quick tx-template=nosuch", "... ")
        console.abort()
        console.line('/packet-template comment one "abc', "... ")
        holds(console.line(""), "these quotes are not closed")
        console.line("/packet-template set [find", "... ")
        holds(console.line(""), "this bracket is not closed")
        console.keys("quit\n")
        equal(console.status(), 0, "status")


def numbered():
    """item numbers are those of the last print"""
    with Place() as place, Console(place) as console:
        for name in ("a", "b", "c"):
            place.run("packet-template", "add", f"name={name}")
        console.wait("[tgen] > ")
        holds(console.line("/packet-template remove 0"), 'no packet-template "0"')
        console.line("/packet-template print")
        console.line("/packet-template remove 0")
        console.line("/packet-template set 1,2 ip-ttl=5")
        equal(place.run("packet-template", "print", "terse").stdout,
              "0   name=b ip-ttl=5\n1   name=c ip-ttl=5\n", "objects")


def without_terminal():
    """without a terminal there is no prompt, and an error does not end it but is its status"""
    with Place() as place:
        done = place.run("console", text="/packet-template\nadd name=a\nadd name=a\nget a name\nquit\nnonsense\n",
                         status=2)
        equal(done.stdout, "a\n", "output")
        holds(done.stderr, "already")
        equal("nonsense" in done.stderr, False, "what stands behind quit is not read")
        place.run("console", text="/packet-template get a name\n")
        place.run("console", "x", status=2)


if __name__ == "__main__":
    main([typed, completed, helped, remembered, continued, numbered, without_terminal])
