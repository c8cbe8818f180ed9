#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""`tgen schema` accepts the configurations that the program reads, and refuses those it refuses.
usage: test_config_schema.py TGEN SOURCE"""
import json
import pathlib
import re
import sys

from cli import SKIPPED, Place, main

SOURCE = pathlib.Path(sys.argv[2])
# Configurations as people write them.
GOOD = [
    {},
    {"comment": "x", "$schema": "y", "settings": {}},
    {"settings": {"test-id": 7, "measure-out-of-order": "yes", "rate-layer": "l1"}},
    {"settings": {"test-id": "0x10", "measure-out-of-order": False}},
    {"duts": [{"name": "d", "variants": [{"name": "v", "setup": ["a b", ["c", "d e"]], "probe": "x, y"}]}],
     "meta": {"customer": "x"}, "include": []},
    {"tests": [{"name": "t", "procedure": "quick", "frame-sizes": [64, "imix"], "expect": ["a == 1, 2"]}]},
    {"ports": [{"name": "e1", "device": "auto:e1", "address": "1.1.1.1/24,2.2.2.2/24", "speed": "2.5G"}]},
    {"ports": [{"name": "e1", "device": "ring:a", "address": ["1.1.1.1/24"], "mtu": 1500, "disabled": True,
                "mac": "02:00:00:00:00:01"}]},
    {"packet-templates": [{"name": "a", "header-stack": "mac,ip,udp", "ip-src": "1.1.1.1-1.1.1.9"}]},
    {"packet-templates": [{"name": "a", "header-stack": ["mac", "ip", "ip"], "ip-ttl": [1, "2"], "data-byte": "0f"}]},
    {"packet-templates": [{"name": "a", "mac-protocol": "arp", "udp-checksum": "compute", "ip-protocol": "udp",
                           "udp-dst-port": "1-9", "special-footer": "no", "comment": "Grüße, \"x\""}]},
]
# What is wrong, and which key it is about.
BAD = [
    [], {"prots": []}, {"ports": {}}, {"settings": []}, {"comment": 1},
    {"settings": {"tset-id": 1}}, {"settings": {"test-id": 256}}, {"settings": {"test-id": -1}},
    {"settings": {"test-id": 1.5}}, {"settings": {"test-id": [1]}}, {"settings": {"test-id": None}},
    {"settings": {"rate-layer": "l4"}}, {"settings": {"measure-out-of-order": "perhaps"}},
    {"ports": [{"name": "e1"}]}, {"ports": [{"device": "ring:a"}]}, {"ports": ["e1"]},
    {"ports": [{"name": "-x", "device": "ring:a"}]}, {"ports": [{"name": "a b", "device": "ring:a"}]},
    {"ports": [{"name": "e1", "device": "ring:a", "mtu": 67}]},
    {"ports": [{"name": "e1", "device": "ring:a", "address": []}]},
    {"ports": [{"name": "e1", "device": "ring:a", "address": "1.1.1.1"}]},
    {"ports": [{"name": "e1", "device": "ring:a", "address": ["1.1.1.1/24,2.2.2.2/24"]}]},
    {"ports": [{"name": "e1", "device": "ring:a", "mac": "02:00:00:00:00"}]},
    {"packet-templates": [{"name": "a", "header-stack": "mac,ipx"}]},
    {"packet-templates": [{"name": "a", "header-stack": ["mac", "ipx"]}]},
    {"packet-templates": [{"name": "a", "ip-ttl": 256}]},
    {"packet-templates": [{"name": "a", "ip-dst": "one"}]},
    {"packet-templates": [{"name": "a", "data-byte": "0"}]},
    {"packet-templates": [{"name": "a", "ip-ttl": {}}]},
    {"packet-templates": [{"name": ["a"]}]},
    {"duts": [{"name": "d", "variants": {}}]}, {"duts": [{"name": "d", "setup": ["x"]}]},
    {"duts": [{"name": "d", "variants": [{"name": "v", "setup": [[]]}]}]}, {"variants": []},
    {"include": [1]},
]


def validator(place):
    import jsonschema  # pylint: disable=import-outside-toplevel
    schema = json.loads(place.run("schema").stdout)
    made = jsonschema.Draft202012Validator(schema)
    made.check_schema(schema)
    return made, schema


def reads(place, tree):
    """Whether tgen reads it: its own word on the same file."""
    place.write("tgen.json", json.dumps(tree))
    return place.run("port", "print", status=None).returncode == 0


def accepts():
    """what the program reads: its own examples and what is written in other ways"""
    with Place() as place:
        check, _ = validator(place)
        files = [p for top in ("config", "templates") for p in sorted((SOURCE / top).rglob("*.json"))]
        if len(files) < 4:
            raise AssertionError(f"only {len(files)} examples were found")
        for path in files:
            errors = [f"{e.json_path}: {e.message}"
                      for e in check.iter_errors(json.loads(path.read_text(encoding="utf-8")))]
            if errors:
                raise AssertionError(f"{path}\n" + "\n".join(errors))
            # where it is: others may be included
            if place.run("--config", str(path), "port", "print", status=None).returncode != 0:
                raise AssertionError(f"tgen does not read {path}")
        for name, tree in [(str(tree), tree) for tree in GOOD]:
            errors = [f"{e.json_path}: {e.message}" for e in check.iter_errors(tree)]
            if errors:
                raise AssertionError(f"{name}\n" + "\n".join(errors))
            if not reads(place, tree):
                raise AssertionError(f"tgen does not read {name}")


def refuses():
    """what the program refuses: unknown keys, wrong types, values out of range, missing ones"""
    with Place() as place:
        check, _ = validator(place)
        for tree in BAD:
            if check.is_valid(tree):
                raise AssertionError(f"the schema accepts {tree}")
            if reads(place, tree):
                raise AssertionError(f"tgen reads {tree}")


def complete():
    """every word of the reference's objects is in it, with its description"""
    with Place() as place:
        _, schema = validator(place)
        for key, kind in schema["properties"].items():
            objects = kind.get("items", kind)
            for name, option in objects.get("properties", {}).items():
                if "items" in option:  # a list of objects within, as variants
                    continue
                if not option.get("description") or not option["anyOf"]:
                    raise AssertionError(f"{key}: {name}: {option}")
        text = place.run("help", "format=markdown").stdout
        words = set(re.findall(r"^\| `([a-z0-9-]+)` \|", text, re.MULTILINE))
        known = {name for kind in schema["properties"].values()
                 for name, option in kind.get("items", kind).get("properties", {}).items()
                 if "items" not in option}
        if not words or not known <= words:
            raise AssertionError(f"not in the reference: {sorted(known - words)}")


if __name__ == "__main__":
    try:
        import jsonschema  # pylint: disable=unused-import
    except ImportError:
        print("python3-jsonschema is not installed")
        sys.exit(SKIPPED)
    main([accepts, refuses, complete])
