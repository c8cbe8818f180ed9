# SPDX-License-Identifier: BSD-3-Clause
"""The result as text, as the table of docs/performance.md, and as JSON."""
HEADINGS = ("case", "Mpps", "cycles/frame", "reference", "ratio", "target", "verdict")


def number(value, digits=1):
    return "" if value is None else f"{value:.{digits}f}"


def cells(row):
    if "value" in row or "unit" in row:
        reached = f"{row['value']} {row['unit']}"
        other = f"loop {row['loop']} %" if "loop" in row else ""
        target = "" if row["target"] is None else str(row["target"])
        return (row["title"], reached, "", other, "", target, verdict(row))
    sign = "<=" if row.get("against") == "cycles" else ">="
    target = "" if row.get("target") is None else f"{sign} {row['target']}" + (" x" if sign == ">=" else "")
    return (row["title"], number(row.get("mpps"), 2),
            number(row.get("cycles")) + (" (loop)" if row.get("cycles-of") else ""),
            number(row.get("reference-mpps"), 2), number(row.get("ratio"), 2), target, verdict(row))


def verdict(row):
    if row["verdict"] == "too noisy":
        return f"{'met' if row['reached'] else 'missed'}, too noisy to judge"
    return "" if row["verdict"] == "shown" else row["verdict"]


def reasons(result):
    return [f"{row['name']}: {', '.join(row['why'])}" for row in result["rows"] if row.get("why")]


def text(result):
    lines = machine_lines(result)
    table = [HEADINGS] + [cells(row) for row in result["rows"]]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEADINGS))]
    for line in table:
        lines.append("  ".join(cell.ljust(w) if i in (0, 6) else cell.rjust(w)
                               for i, (cell, w) in enumerate(zip(line, widths))).rstrip())
    lines += ["", *reasons(result), overall(result)]
    return "\n".join(lines)


def machine_lines(result):
    m = result["machine"]
    hz = f"{m['tsc-hz'] / 1e9:.3f} GHz" if m.get("tsc-hz") else "not known"
    return [f"{m['cpu']}, {m['cpus']} CPUs, TSC {hz}, Linux {m['kernel']}, DPDK {m['dpdk']}, {m['compiler']}",
            f"worker on CPU {result['core']}, median of {result['runs']} runs of {result['run-seconds']} s, "
            f"{result['hugepages-free']} huge pages free, load average before {m['load-average']}"]


def overall(result):
    count = {}
    for row in result["rows"]:
        count[row["verdict"]] = count.get(row["verdict"], 0) + 1
    found = ", ".join(f"{n} {name}" for name, n in count.items() if name != "shown")
    if result["too-noisy"]:
        return f"This machine is too noisy to judge: {found}."
    return f"In all: {found}."


def markdown(result):
    lines = [*(line + "  " for line in machine_lines(result)), "", "| " + " | ".join(HEADINGS) + " |",
             "|---|" + "---:|" * 5 + "---|"]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in result["rows"]]
    return "\n".join([*lines, "", overall(result)])
