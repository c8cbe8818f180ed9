#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a C file of a file: embed.py NAME FILE OUT; NAME is a const char array, with a NUL."""
import sys

name, source, target = sys.argv[1:]
with open(source, "rb") as f:
    data = f.read()
with open(target, "w", encoding="ascii") as out:
    out.write(f"extern const char {name}[];\nextern const unsigned long {name}_len;\n")
    out.write(f"const unsigned long {name}_len = {len(data)}u;\n")
    out.write(f"const char {name}[] = {{\n")
    for i in range(0, len(data), 20):
        out.write(",".join(str(b if b < 128 else b - 256) for b in data[i:i + 20]) + ",\n")
    out.write("0};\n")
