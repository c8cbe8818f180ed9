# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the command line share: tgen in a directory of its own, and how a test ends."""
import os
import subprocess
import sys
import tempfile

TGEN = os.path.abspath(sys.argv[1])
SKIPPED = 77


class Place:
    """A directory with a configuration file, and nothing of the user's."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="tgen-cli-")
        self.path = self.directory.name
        self.env = {"PATH": os.environ["PATH"], "XDG_STATE_HOME": os.path.join(self.path, "state"),
                    "HOME": self.path, "LC_ALL": "C.UTF-8", "TERM": "xterm"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(self.file(name), encoding="utf-8") as f:
            return f.read()

    def run(self, *words, text=None, status=0, timeout=60):
        """tgen with words, and text as its standard input."""
        done = subprocess.run([TGEN, *words], cwd=self.path, env=self.env, text=True, timeout=timeout,
                              input=text if text is not None else "", check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if status is not None:
            equal(done.returncode, status, f"status of {words}\n{text}\n{done.stdout}{done.stderr}")
        return done


def equal(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: {got!r} instead of {want!r}")


def holds(text, part, what=""):
    if part not in text:
        raise AssertionError(f"{what}: {part!r} is not in\n{text}")


def main(cases):
    failed = 0
    for case in cases:
        try:
            case()
            print(f"ok    {case.__doc__}")
        except AssertionError as error:
            failed += 1
            print(f"FAIL  {case.__doc__}\n{error}")
    print(f"{len(cases)} cases, {failed} failed")
    sys.exit(1 if failed or not cases else 0)
