#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What tgen writes as JSON is what docs/quick.schema.json and docs/output.md say, and the files of
templates/ run. usage: check_schema.py TGEN SOURCE"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
# Every template of templates/, in a run of its own: words of quick beside tx-template.
RUNS = {
    "ipv4-udp.json": (["ipv4-udp"], ["packet-size=60", "mbps=1", "duration=1200ms"]),
    "ipv4-udp.json, two streams": (["ipv4-udp", "ipv4-udp-flows"],
                                   ["packet-size=60,508", "pps=500,0", "mbps=0,1", "packet-count=300"]),
    "ipv4-udp.json, all figures": (["ipv4-udp"],
                                   ["packet-size=60", "pps=2000", "duration=500ms",
                                    "latency-distribution=yes", "latency-intended=yes"]),
    "multicast.json": (["multicast"], ["mbps=10", "duration=200ms"]),
    "multicast.json, flat out": (["multicast"], ["pps=max", "packet-count=2000"]),
}


def run_tgen(argv, state):
    """Runs it with its state in a directory of the test's own."""
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=60, check=False, env=dict(os.environ, XDG_STATE_HOME=state, TGEN_RUN_DIR=os.path.join(state, "run")))


def stats(tgen, what, state):
    """What `tgen stats` says in JSON of the last run."""
    done = run_tgen([tgen, "stats", what, "output=json"], state)
    if done.returncode != 0:
        sys.exit(f"tgen stats {what}: status {done.returncode}\n{done.stdout}")
    return json.loads(done.stdout)


def quick(tgen, config, templates, words):
    """The JSON of a run, the records of its jsonl, and what was kept of it for tgen stats."""
    with tempfile.TemporaryDirectory(prefix="tgen-schema-") as directory:
        whole, lines = os.path.join(directory, "r.json"), os.path.join(directory, "r.jsonl")
        argv = [tgen, "--config", config, "--output", f"json={whole}", "--output", f"jsonl={lines}",
                "quick", f"tx-template={','.join(templates)}", *words]
        done = run_tgen(argv, directory)
        # 3: the machine was too busy for a clean run, which is another test's matter
        if done.returncode not in (0, 3):
            sys.exit(f"{argv}: status {done.returncode}\n{done.stdout}")
        with open(whole, encoding="utf-8") as file:
            result = json.load(file)
        with open(lines, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        with open(os.path.join(directory, "tgen", "last-run.json"), encoding="utf-8") as file:
            kept = json.load(file)
        kept["stats"] = {what: stats(tgen, what, directory)
                         for what in ("latency-distribution", "stream", "port")}
    return result, records, kept


def joined(records):
    """The one object that the records of jsonl are parts of."""
    result = {key: value for key, value in records[0].items() if key != "type"}
    rows = [r for r in records if r["type"] == "row"]
    totals = [{k: v for k, v in r.items() if k != "type"} for r in records if r["type"] == "total"]
    result["rows"] = [{k: v for k, v in r.items() if k not in ("type", "name")} for r in rows]
    result["totals"], result["total"] = totals[:-1], totals[-1]
    result.update({k: v for k, v in records[-1].items() if k != "type"})
    return result


def keys_of(schema):
    """Every key that the schema knows."""
    found = set()
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, (dict, list)):
            found |= keys_of(value)
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        found |= set(schema["properties"])
    return found


def check_teeth(validator, result):
    """The schema refuses what is wrong: it would not prove anything otherwise."""
    spoilt = {"a key is missing": lambda r: r.pop("verdict"),
              "an unknown key": lambda r: r["rows"][0].update(surprise=1),
              "another type": lambda r: r["total"].update({"tx-packet": "1"})}
    wrong = []
    for what, spoil in spoilt.items():
        other = copy.deepcopy(result)
        spoil(other)
        if validator.is_valid(other):
            wrong.append(f"the schema accepts a result although: {what}")
    return wrong


def check_documents(source, schema):
    """Every key is explained: in output.md, or in the reference with the other figures."""
    text = "".join((source / "docs" / name).read_text(encoding="utf-8")
                   for name in ("output.md", "reference.md"))
    return [f"docs/output.md does not explain `{key}`" for key in sorted(keys_of(schema))
            if f"`{key}`" not in text]


def check_distribution(title, result, asked):
    """The buckets of each stream add up to the frames that its latency is of."""
    items = result.get("latency-distribution")
    if (items is not None) != asked:
        return [f"{title}: latency-distribution is there: {items is not None}"]
    counts = {total["stream"]: total["lat-count"] for total in result["totals"] + [result["total"]]}
    wrong = []
    for item in items or []:
        nb = sum(bucket[2] for bucket in item["buckets"]) + item["overflow"]
        if not nb == item["count"] == counts[item["stream"]]:
            wrong.append(f"{title}: stream {item['stream']}: {nb} in buckets, {item['count']} in "
                         f"all, lat-count {counts[item['stream']]}")
    return wrong


def check_kept(title, result, kept):
    """What tgen stats shows is what the run wrote."""
    told = kept["stats"]
    pairs = {"totals": (told["stream"]["totals"], result["totals"]),
             "total": (told["stream"]["total"], result["total"]),
             "ports": (told["port"]["ports"], result["ports"]),
             "distribution": (told["latency-distribution"]["latency-distribution"],
                              kept["latency-distribution"])}
    return [f"{title}: tgen stats says of {what}: {ours}, the run: {theirs}"
            for what, (ours, theirs) in pairs.items() if ours != theirs]


def check_result(validator, title, result):
    return [f"{title}: {'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in validator.iter_errors(result)]


def main():
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("python3-jsonschema is not installed")
        return SKIPPED
    tgen, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads((source / "docs" / "quick.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    wrong = check_documents(source, schema)
    golden = source / "tests" / "golden" / "report" / "json.expected"
    wrong += check_result(validator, golden.name, json.loads(golden.read_text(encoding="utf-8")))
    if os.geteuid() != 0:
        print("\n".join(wrong), "\nsending needs root", sep="")
        return 1 if wrong else SKIPPED
    for title, (templates, words) in RUNS.items():
        config = source / "templates" / title.split(",")[0]
        result, records, kept = quick(tgen, config, templates, words)
        asked = "latency-distribution=yes" in words
        wrong += check_kept(title, result, kept)
        del kept["stats"]
        wrong += check_result(validator, f"{title}, last run", kept)
        wrong += check_distribution(f"{title}, last run", kept, True)
        wrong += check_distribution(title, result, asked)
        wrong += check_result(validator, f"{title}, json", result)
        wrong += check_result(validator, f"{title}, jsonl", joined(records))
        wrong += check_teeth(validator, result)
    print("\n".join(wrong))
    print(f"{len(RUNS)} runs, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
