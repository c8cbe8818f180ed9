#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The ready tests of config/ run whole, with short times, through the lab's devices.
usage: test_run.py TGEN SCRIPT SOURCE [FILE…]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TGEN, LAB, SOURCE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
FILES = {  # file: device of the lab, ports
    "mikrotik-routing-tests": ("router", 3),
    "mikrotik-bridging-tests": ("bridge", 3),
    "tolly-comparison": ("router", 3),
    "multi-service-router": ("router", 3),
    "home-router": ("router", 2),
    "two-routers": ("router", 8),
    "router-rfc2544": ("router", 3),
    "switch-rfc2889": ("bridge", 4),
    "ndr-pdr": ("router", 3),
    "imix": ("router", 3),
    "soak": ("router", 3),
    "ci-regression": ("router", 3),
}
# What makes hours seconds, where a procedure has the word.
SHORT = {"trial-duration": "400ms", "search-duration": "200ms", "latency-duration": "300ms",
         "latency-repeats": 2, "burst-repeats": 2, "repeated-trials": 2, "resolution": "20%",
         "loss-step": "50%", "load-step": "50%", "burst-resolution": "20%", "burst-cap": 4000, "max-addresses": 64,
         "addresses": 32, "event-after": "100ms", "mend-after": "250ms"}
EVERY = {"settle": "20ms", "pause": "20ms", "warm-up": "0s", "max-unsent": "20%", "max-lag": "0s", "drain": "500ms",
         "max-invalid": 5}
QUICK = {"mbps": 1, "percent": None}
RATE = "2kpps"
WORDS = {}


def words_of(procedure):
    """The words that a procedure has, from the program's own help."""
    if procedure not in WORDS:
        text = subprocess.run([TGEN, "help", procedure], check=True, text=True, stdout=subprocess.PIPE).stdout
        WORDS[procedure] = {line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.split()}
    return WORDS[procedure]


def shorten(test):
    known = words_of(test["procedure"])
    if test["procedure"] == "not-possible":
        return
    test.update(EVERY)
    for word, value in SHORT.items():
        if word in known or word in test:
            test[word] = value
    if "max-rate" in known:
        test["max-rate"] = RATE
    if "percent" in test:
        test["percent"] = None
        test["pps"] = 500
    if "mbps" in test:
        test["mbps"] = 1
    if test["procedure"] == "outage":
        test.update({"trial-duration": "4s", "event-after": "500ms", "mend-after": "2s"})
    for word in [w for w in test if test[w] is None]:
        del test[word]
    if "frame-sizes" in test:
        test["frame-sizes"] = test["frame-sizes"][:1]
    test.pop("expect", None)
    if "latency-type" in test:
        del test["latency-type"]  # no line, no serialisation


def locate(command, lab):
    """A command of the lab as it is from anywhere."""
    return [str(SOURCE / word) if (SOURCE / word).exists() else word for word in command[:1]] + \
        (["--name", lab] if command[0].endswith("scripts/lab") else []) + \
        [str(SOURCE / word) if (SOURCE / word).exists() else word for word in command[1:]]


def prepare(name, directory, lab):
    """The file and what it includes, with short times, in a directory."""
    tree = json.loads((SOURCE / "config" / f"{name}.json").read_text(encoding="utf-8"))
    for included in tree.get("include", []):
        inner = json.loads((SOURCE / "config" / included).read_text(encoding="utf-8"))
        for port in inner.get("ports", []):
            port.pop("speed", None)
        (directory / included).write_text(json.dumps(inner), encoding="utf-8")
    for port in tree.get("ports", []):
        port.pop("speed", None)
    for test in tree["tests"]:
        shorten(test)
        for key in ("event", "mend"):
            if key in test:
                test[key] = [locate(command, lab) for command in test[key]]
    for dut in tree.get("duts", []):
        for variant in dut["variants"]:
            for key in ("setup", "teardown", "probe"):
                if key in variant:
                    variant[key] = [locate(command, lab) for command in variant[key]]
    path = directory / f"{name}.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path


def run(name):
    device, ports = FILES[name]
    lab = f"run{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="tgen-run-") as temporary:
        path = prepare(name, pathlib.Path(temporary), lab)
        subprocess.run([LAB, "--name", lab, "up", device, "--ports", str(ports)], check=True, stdout=subprocess.DEVNULL)
        try:
            done = subprocess.run([LAB, "--name", lab, "exec", TGEN, "run", str(path), f"dir={temporary}/results"],
                                  check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=900)
        finally:
            subprocess.run([LAB, "--name", lab, "down"], check=False, stdout=subprocess.DEVNULL)
        keep = os.environ.get("TGEN_KEEP")
        if keep:
            subprocess.run(["cp", "-r", f"{temporary}/results", f"{keep}/{name}"], check=False)
        judge(name, pathlib.Path(temporary) / "results", done)


def judge(name, directory, done):
    """Every cell was measured, or skipped with a reason; the results are whole."""
    def fail(text):
        raise AssertionError(f"{name}: {text}\n{done.stdout[-6000:]}")

    if done.returncode not in (0, 1, 3):
        fail(f"status {done.returncode}")
    results = json.loads((directory / "results.json").read_text(encoding="utf-8"))
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
        schema = json.loads((SOURCE / "docs" / "results.schema.json").read_text(encoding="utf-8"))
        errors = [f"{e.json_path}: {e.message[:200]}"
                  for e in jsonschema.Draft202012Validator(schema).iter_errors(results)]
        if errors:
            fail("\n".join(errors[:5]))
    except ImportError:
        pass
    bad = [(t["name"], t["variant"], c["frame-size"], c["status"], c["reasons"][:1])
           for t in results["tests"] for c in t["cells"] if c["status"] in ("error", "interrupted")]
    if bad:
        fail(f"cells with errors: {bad}")
    valid = [c for t in results["tests"] for c in t["cells"] if c["status"] in ("pass", "fail")]
    if not valid or any(not t["cells"] for t in results["tests"]):
        fail("nothing was measured")
    if any(not c["figures"] for c in valid):
        fail("a cell without a figure")
    for test in results["tests"]:
        print(name, test["name"], test["variant"], test["status"],
              [(f["name"], f["value"]) for f in (test["cells"][0]["figures"] or [{"name": "none", "value": 0}])][:3])


def main():
    names = sys.argv[4:] or list(FILES)
    failed = 0
    for name in names:
        try:
            run(name)
        except AssertionError as error:
            failed += 1
            print(f"FAIL {error}")
    print(f"{len(names)} files, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("needs root")
        sys.exit(77)
    main()
