# SPDX-License-Identifier: BSD-3-Clause
"""On paper: what a line asks of cores, memory and PCIe, from the cycles that a bench printed."""
LINES_G = (100, 200, 400)
FRAMES = (64, 128, 256, 512, 1518)  # with FCS
CLOCKS_GHZ = (2, 3, 4)
WIRE_BYTES, FCS_BYTES = 20, 4       # preamble, start and gap; not in memory
LINE_BYTES = 64
DESCRIPTOR_BYTES, COMPLETION_BYTES = 16, 16
TLP_BYTES, TLP_PAYLOAD_BYTES = 26, 256  # header, framing and check of a PCIe packet, and what it carries
MBUF_LINES = 2  # lengths, pool; next
TX_LANE_LINES, RX_LANE_LINES = 2, 4  # in a cache up to some thousand streams: not counted as memory's


def frame_lines(frame):
    """(lines of header and signature, of the whole frame): data begin at a line, the signature ends them."""
    size = frame - FCS_BYTES
    first, last = 0, (size - 1) // LINE_BYTES
    signature = (size - 18) // LINE_BYTES
    return len({first, signature, last}), last + 1


def pcie_bytes(frame):
    size = frame - FCS_BYTES
    packets = -(-size // TLP_PAYLOAD_BYTES)
    return size + packets * TLP_BYTES + DESCRIPTOR_BYTES + COMPLETION_BYTES


def pick(result, name):
    for row in result["rows"]:
        if row["name"] == name and row.get("cycles"):
            return row["cycles"]
    return None


def figures(result):
    """
    Cycles of tx and of rx of 60-byte frames, and whence the latter: where nobody tells it, it is what the loop
    takes more than the sender.
    """
    tx, loop = pick(result, "tx-6"), pick(result, "loop-6")
    rx = next((row["cycles"] for row in result["rows"]
               if row["name"] == "rx-6" and row.get("cycles") and not row.get("cycles-of")), None)
    if rx is None and loop and tx:
        return tx, max(loop - tx, 0), "loop-6 less tx-6"
    return tx, rx, "rx-6"


def table(result, driver_cycles):
    """Markdown."""
    tx, rx, rx_from = figures(result)
    if not tx or not rx:
        return "The model needs the rows tx-6 and loop-6 (or rx-6) of a bench.\n"
    lines = [f"Cycles per frame: tx {tx:.1f}, rx {rx:.1f} (measured; rows tx-6, {rx_from}), "
             f"driver {driver_cycles} each (assumed).", "",
             "| line | frame | Mpps | cycles a core has at " + " / ".join(map(str, CLOCKS_GHZ)) + " GHz | "
             "cores tx at " + " / ".join(map(str, CLOCKS_GHZ)) + " GHz | cores rx | lines tx + rx | "
             "memory GB/s a direction | PCIe GB/s a direction |", "|---|---:|---:|---|---|---|---:|---:|---:|"]
    for line in LINES_G:
        for frame in FRAMES:
            lines.append(model_row(line, frame, tx + driver_cycles, rx + driver_cycles))
    return "\n".join(lines) + "\n"


def model_row(line, frame, tx, rx):
    pps = line * 1e9 / 8 / (frame + WIRE_BYTES)
    touched, whole = frame_lines(frame)
    lines = touched + MBUF_LINES
    # what the device moves, and the lines that a core writes or reads, as if nothing were in a cache
    memory = pps * LINE_BYTES * (whole + lines) / 1e9

    def each(value):
        return " / ".join(value(ghz * 1e9) for ghz in CLOCKS_GHZ)

    return (f"| {line}G | {frame} | {pps / 1e6:.1f} | {each(lambda hz: f'{hz / pps:.0f}')} | "
            f"{each(lambda hz: f'{pps * tx / hz:.1f}')} | {each(lambda hz: f'{pps * rx / hz:.1f}')} | "
            f"{lines + TX_LANE_LINES} + {lines + RX_LANE_LINES} | {memory:.1f} | {pps * pcie_bytes(frame) / 1e9:.1f} |")
