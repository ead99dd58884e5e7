#!/usr/bin/env python3
"""Measures what a phoneme and a frame cost in short and in long inputs, ours beside PyTorch's, and draws it.

    long_input.py path/to/voxport FOLDER [--name medium] [--sizes 50,200,800,2000,5000] [--threads 1] [--seconds 2]
                  [--svg FILE] [--bench-graphs build/release/bench_graphs]

FOLDER is what tools/make_voices.py wrote. A cost that is flat does not grow with the length; what grows in encoders is
attention, which compares all phonemes with each other.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, MARGIN = 420, 260, 48
SIDES = {"baseline_ms": ("PyTorch's export", "#999"), "ours_ms": ("voxport", "#0a6")}


def measure(options, folder):
    """Rows by graph: (size, {side: milliseconds a phoneme or frame})."""
    command = [options.bench_graphs, "--json", "--seconds", str(options.seconds), "--threads", str(options.threads),
               "--phonemes", options.sizes, "--frames", options.sizes]
    for kind in ("encoder", "decoder"):
        command += ["--" + kind, options.folder / options.name / (kind + ".onnx"), folder / (kind + ".onnx")]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    rows = {}
    for row in report["rows"]:
        if row["what"] == "run":
            costs = {side: row[side] / row["size"] for side in SIDES}
            rows.setdefault((row["graph"], row["unit"]), []).append((row["size"], costs))
    return rows


def tell(rows):
    for (graph, unit), costs in rows.items():
        print("\n%-10s %10s %18s %12s" % (graph, unit, "PyTorch's, ms each", "ours"))
        for size, cost in costs:
            print("%-10s %10d %18.4f %12.4f" % ("", size, cost["baseline_ms"], cost["ours_ms"]))


def panel(title, unit, costs, left):
    """One graph's costs against the size, which has a place each."""
    top = max(max(cost.values()) for _, cost in costs) * 1.1
    place = lambda i: left + MARGIN + i * (WIDTH - 2 * MARGIN) / max(len(costs) - 1, 1)
    height = lambda cost: HEIGHT - MARGIN - cost / top * (HEIGHT - 2 * MARGIN)
    yield f'<text x="{left + MARGIN}" y="24" font-weight="bold">{title}: milliseconds for each of its {unit}</text>'
    yield (f'<path d="M{left + MARGIN} {MARGIN}V{HEIGHT - MARGIN}H{left + WIDTH - MARGIN}" fill="none" stroke="#444"/>'
           f'<text x="{left + MARGIN - 6}" y="{MARGIN + 4}" text-anchor="end">{top:.2g}</text>'
           f'<text x="{left + MARGIN - 6}" y="{HEIGHT - MARGIN + 4}" text-anchor="end">0</text>')
    for i, (size, _) in enumerate(costs):
        yield f'<text x="{place(i):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{size:,}</text>'
    for at, (side, (name, colour)) in enumerate(SIDES.items()):
        points = " ".join(f"{place(i):.1f},{height(cost[side]):.1f}" for i, (_, cost) in enumerate(costs))
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield (f'<text x="{left + MARGIN + 140 * at}" y="{HEIGHT - 8}" fill="{colour}">{name}</text>')


def drawing(rows):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(rows)}" height="{HEIGHT}" '
             f'viewBox="0 0 {WIDTH * len(rows)} {HEIGHT}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>']
    for at, ((graph, unit), costs) in enumerate(rows.items()):
        parts += panel(graph, unit, costs, at * WIDTH)
    return "\n".join(parts + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voxport", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--name", default="medium")
    parser.add_argument("--sizes", default="50,200,800,2000,5000")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--bench-graphs", type=pathlib.Path, default=ROOT / "build/release/bench_graphs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / options.name
        subprocess.run([options.voxport, "export", options.folder / (options.name + ".ckpt"), folder, "--no-check"],
                       stdout=subprocess.DEVNULL, check=True)
        rows = measure(options, folder)
    tell(rows)
    if options.svg:
        options.svg.write_text(drawing(rows))


if __name__ == "__main__":
    main()
