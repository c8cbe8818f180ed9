#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The published RouterOS test, pasted: its commands as they are, against the lab's router and bridge."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

from lab import SCRIPT, SKIPPED, TGEN, Failure, check, equal, run, wait_until

# The article's ports, on the lab's interfaces.
PORTS = {"ether1": "ether1", "ether6": "ether2", "ether11": "ether3", "ether12": "ether4"}

ADDRESSES = """/ip address
add address=1.1.1.1/24 interface=ether1 network=1.1.1.0
add address=2.2.2.2/24 interface=ether6 network=2.2.2.0
add address=3.3.3.3/24 interface=ether11 network=3.3.3.0
"""

ROUTING = """
/tool traffic-generator packet-template
add name=r12 header-stack=mac,ip,udp ip-gateway=1.1.1.254 ip-dst=2.2.2.2
add name=r13 header-stack=mac,ip,udp ip-gateway=1.1.1.254 ip-dst=3.3.3.3
add name=r21 header-stack=mac,ip,udp ip-gateway=2.2.2.254 ip-dst=1.1.1.1
add name=r23 header-stack=mac,ip,udp ip-gateway=2.2.2.254 ip-dst=3.3.3.3
add name=r32 header-stack=mac,ip,udp ip-gateway=3.3.3.254 ip-dst=2.2.2.2
add name=r31 header-stack=mac,ip,udp ip-gateway=3.3.3.254 ip-dst=1.1.1.1
"""
SIX = "r12,r13,r21,r23,r31,r32"

FOURTH = """
/ip address
add address=4.4.4.4/24 interface=ether12

/tool traffic-generator packet-template
""" + "".join(
    f"add header-stack=mac,ip,udp ip-dst={'.'.join(j * 4)}/32 ip-gateway={i}.{i}.{i}.254 ip-src={'.'.join(i * 4)}/32 "
    f"name=\\\n    r{i}{j}\n" for i, j in ("14", "24", "34", "41", "42", "43"))
TWELVE = "r12,r13,r14,r21,r23,r24,r31,r32,r34,r41,r42,r43"

BRIDGING = """
/tool traffic-generator packet-template
""" + "".join(f"add header-stack=mac,ip,udp ip-src={'.'.join(i * 4)}/32 ip-dst={'.'.join(j * 4)}/32 name=b{i}{j}\n"
              for i, j in ("12", "13", "21", "23", "31", "32"))
SIX_BRIDGED = "b12,b13,b21,b23,b31,b32"


def config(lab, nb_ports):
    """A file with the article's ports and nothing else: the script does the rest."""
    lab.nb_files += 1
    path = os.path.join(lab.dir, f"article{lab.nb_files}.json")
    ports = [{"name": name, "device": f"auto:{PORTS[name]}"} for name in list(PORTS)[:nb_ports]]
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"ports": ports}, f)
    return path


def argv(lab, path, *words):
    return [SCRIPT, "--name", lab.name, "exec", TGEN, "--config", path, *words]


def script(lab, path, text, timeout=120):
    return subprocess.run(argv(lab, path), input=text, capture_output=True, text=True, timeout=timeout)


def totals(out):
    """The ids of the table's TOT rows and their lines."""
    return {m[1]: m[0] for m in re.finditer(r"^ *TOT +(\d+|TOT) .*$", out, re.MULTILINE)}


def check_table(done, nb, status=(0,), lossless=True):
    text = f"{done.stdout[-4000:]}\n{done.stderr}"
    check(done.returncode in status, f"status {done.returncode}\n{text}")
    rows = totals(done.stdout)
    equal(sorted(rows, key=lambda k: (len(k), k)), sorted([*map(str, range(nb)), "TOT"], key=lambda k: (len(k), k)),
          f"TOT rows\n{text}")
    for row in rows.values():
        check(not lossless or "0.000%" in row, f"loss: {row}\n{text}")


def measured(lab, nb_ports, text, nb):
    """The script at a rate the lab carries. A run that was not clean (status 3) is made again."""
    for _ in range(5):
        done = script(lab, config(lab, nb_ports), text)
        if done.returncode != 3:
            break
    check_table(done, nb)


def six_streams(lab):
    """routing, six streams, 60 bytes: the block runs as it is, at the lab's rate, and nothing is lost"""
    measured(lab, 3, ADDRESSES + ROUTING + f"""
/tool traffic-generator
quick tx-template={SIX} packet-size=60 mbps=1 duration=2s
""", 6)


def abbreviated(lab):
    """routing, six streams: `/tool traffic-gen quick` in one line is the same command"""
    measured(lab, 3, ADDRESSES + ROUTING +
             f"/tool traffic-gen quick tx-template={SIX} packet-size=60 mbps=1 duration=2s\n", 6)


def twelve_streams(lab):
    """the fourth port, twelve streams, 1514 bytes, its line joined by a backslash: the table comes out"""
    measured(lab, 4, ADDRESSES + ROUTING + FOURTH +
             f"/tool traffic-generator quick tx-template={TWELVE} \\\npacket-size=1514 mbps=2 duration=2s\n", 12)


def broken_line(lab):
    """the article's twelve-stream line breaks without a backslash: a script stops there and says why"""
    text = ADDRESSES + ROUTING + FOURTH
    text += f"/tool traffic-generator quick tx-template={TWELVE}\npacket-size=1514 mbps=350\n"
    line = text.count("\n") - 1
    done = script(lab, config(lab, 4), text)
    equal(done.returncode, 2, f"status\n{done.stdout}{done.stderr}")
    check(re.search(rf"\b{line}:\d+: ", done.stderr), f"line {line} is not named\n{done.stderr}")
    check("\\" in done.stderr, f"the backslash is not named\n{done.stderr}")


def interrupted(lab, path, text, seconds):
    """Runs a script and stops its run as Ctrl-C does."""
    proc = subprocess.Popen(argv(lab, path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, start_new_session=True)
    proc.stdin.write(text)
    proc.stdin.close()
    proc.stdin = None
    lab.wait_for_traffic()
    time.sleep(seconds)  # the length of the run, not a wait for something
    os.killpg(proc.pid, signal.SIGINT)
    try:
        out, err = proc.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(proc.pid, signal.SIGKILL)
        out, err = proc.communicate()
        raise Failure(f"does not end after Ctrl-C\n{out[-2000:]}{err}") from None
    return subprocess.CompletedProcess(proc.args, proc.returncode, out, err)


def as_published(lab):
    """as published, 300 Mbps of 60-byte packets a stream, until Ctrl-C: the six-stream table comes out"""
    text = ADDRESSES + ROUTING + f"\n/tool traffic-generator\nquick tx-template={SIX} packet-size=60 mbps=300\n"
    done = interrupted(lab, config(lab, 3), text, 3)
    # the lab's DUT loses, and the generator may share its CPUs with it: then it says so (3)
    check_table(done, 6, status=(0, 3), lossless=False)


def as_published_twelve(lab):
    """as published, twelve streams of 350 Mbps at 1514 bytes, until Ctrl-C: the table comes out"""
    text = ADDRESSES + ROUTING + FOURTH
    text += f"/tool traffic-generator quick tx-template={TWELVE} \\\npacket-size=1514 mbps=350\n"
    done = interrupted(lab, config(lab, 4), text, 3)
    check_table(done, 12, status=(0, 3), lossless=False)


class Console:
    """tgen's console on a terminal of its own."""

    def __init__(self, lab, path):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
            os.execv(SCRIPT, argv(lab, path, "console"))
        self.out = ""

    def read(self):
        while select.select([self.fd], [], [], 0.05)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return
            if not data:
                return
            self.out += data.decode(errors="replace")

    def wait_for(self, pattern, what, seconds=30.0):
        def found():
            self.read()
            return re.search(pattern, self.out)
        try:
            wait_until(found, what, seconds)
        except Failure as why:
            raise Failure(f"{why}\n{self.out[-3000:]}") from None

    def paste(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        try:
            os.kill(self.pid, signal.SIGHUP)
        except ProcessLookupError:
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def pasted(lab):
    """pasted into the console, the broken twelve-stream line is asked for its rest and runs"""
    console = Console(lab, config(lab, 4))
    try:
        console.wait_for(r"> *$", "the prompt")
        for line in (ADDRESSES + ROUTING + FOURTH).splitlines():
            console.paste(line + "\n")
        console.paste(f"/tool traffic-generator quick tx-template={TWELVE}\n")
        console.paste("packet-size=1514 mbps=2 duration=2s\n")
        console.wait_for(r"(?m)^ *TOT +TOT ", "the table's last row", 60)
        rows = totals(console.out.replace("\r", ""))
        equal(len(rows), 13, f"TOT rows\n{console.out[-4000:]}")
        console.paste("quit\n")
    finally:
        console.close()


def six_bridged(lab):
    """bridging, six streams, 60 and 1514 bytes: mac-dst is found by ARP for ip-dst, nothing is lost"""
    for size in (60, 1514):
        measured(lab, 3, ADDRESSES + BRIDGING +
                 f"\n/tool traffic-generator\nquick tx-template={SIX_BRIDGED} packet-size={size} mbps=1 duration=2s\n", 6)


def bridged_as_published(lab):
    """bridging as published, 200 Mbps of 60-byte packets a stream, until Ctrl-C: the table comes out"""
    text = ADDRESSES + BRIDGING + f"/tool traffic-generator\nquick tx-template={SIX_BRIDGED} packet-size=60 mbps=200\n"
    done = interrupted(lab, config(lab, 3), text, 3)
    check_table(done, 6, status=(0, 3), lossless=False)


def both():
    routed = run([six_streams, abbreviated, twelve_streams, broken_line, pasted, as_published, as_published_twelve],
                 ports=4)
    return routed if routed == SKIPPED else routed | run([six_bridged, bridged_as_published], kind="bridge")


sys.exit(both())
