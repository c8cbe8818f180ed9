# SPDX-License-Identifier: BSD-3-Clause
"""Open vSwitch as the DUT: a switch of its own in the lab's DUT namespace, in user space, with files of
its own. Nothing of the host's Open vSwitch is used or touched."""
import os
import re
import shutil
import subprocess

from lab import SCRIPT, Failure, Skip, check, wait_until

SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"


class Ovs:
    """Runs as long as the `with` lasts; ends by its processes' own pids."""

    def __init__(self, lab):
        for tool in ("ovsdb-server", "ovs-vswitchd", "ovs-vsctl", "ovs-ofctl", "ovs-appctl"):
            if shutil.which(tool) is None:
                raise Skip(f"'{tool}' is missing, run scripts/setup")
        self.lab, self.procs = lab, []
        self.dir = os.path.join(lab.dir, "ovs")
        self.env = os.environ | {f"OVS_{kind}DIR": self.dir for kind in ("RUN", "DB", "LOG")}
        self.db = f"unix:{self.dir}/db.sock"

    def __enter__(self):
        os.mkdir(self.dir)
        try:
            self._do("ovsdb-tool", "create", f"{self.dir}/conf.db", SCHEMA)
            self._start("ovsdb-server", f"--remote=punix:{self.dir}/db.sock", f"{self.dir}/conf.db")
            wait_until(lambda: os.path.exists(f"{self.dir}/db.sock"), "ovsdb-server listens")
            self.vsctl("--no-wait", "init")
            self._start("ovs-vswitchd", self.db)
            self.vsctl("show")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for proc in reversed(self.procs):
            proc.terminate()
            try:
                proc.wait(10)
            except subprocess.TimeoutExpired:
                proc.kill()
                proc.wait()
        shutil.rmtree(self.dir)

    def _start(self, program, *words):
        log = os.path.join(self.dir, f"{program}.log")
        with open(log, "w", encoding="utf-8") as err:
            # both scripts in between exec: the pid is the program's
            self.procs.append(subprocess.Popen(
                [SCRIPT, "--name", self.lab.name, "dut", program, "-vconsole:warn", "-vsyslog:off", "-vfile:off",
                 f"--unixctl={self._control(program)}", *words],
                env=self.env, stdin=subprocess.DEVNULL, stdout=err, stderr=err))

    def _control(self, program):
        return os.path.join(self.dir, f"{program}.ctl")

    def _do(self, *argv):
        done = subprocess.run(argv, env=self.env, capture_output=True, text=True, timeout=30)
        if done.returncode != 0:
            raise Failure(f"{' '.join(argv)}: {done.stderr}")
        return done.stdout

    def vsctl(self, *words):
        return self._do("ovs-vsctl", f"--db={self.db}", "--timeout=20", *words)

    def ofctl(self, command, bridge, *words):
        return self._do("ovs-ofctl", "-O", "OpenFlow13", command, f"unix:{self.dir}/{bridge}.mgmt", *words)

    def appctl(self, *words):
        return self._do("ovs-appctl", "-t", self._control("ovs-vswitchd"), *words)

    def bridge(self, name, *ports):
        """A bridge in user space that forwards what its flows say and nothing else."""
        self.vsctl("add-br", name, "--", "set", "bridge", name, "datapath_type=netdev", "fail-mode=secure",
                   "protocols=OpenFlow10,OpenFlow13")
        for port in ports:
            self.vsctl("add-port", name, port)

    def replace_flows(self, bridge, *flows):
        self.ofctl("del-flows", bridge)
        for flow in flows:
            self.ofctl("add-flow", bridge, flow)

    def metered(self, bridge, meter):
        """(frames that came to a meter, frames that its band dropped)"""
        stats = self.ofctl("meter-stats", bridge, f"meter={meter}")
        into = re.search(r"packet_in_count:(\d+)", stats)
        band = re.search(r"\b0:\s*\n?\s*packet_count:(\d+)", stats)
        check(into and band, f"meter {meter}: {stats}")
        return int(into[1]), int(band[1])
