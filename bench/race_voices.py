#!/usr/bin/env python3
"""Measures voices of full size beside PyTorch's exports of the same weights, with one thread and several.

    race_voices.py path/to/voxport FOLDER [--names x_low medium high] [--threads 1,2] [--frames 48,128]
                   [--phonemes 50,200,400] [--seconds 4] [--rounds 3] [--bench-graphs build/release/bench_graphs]

FOLDER is what tools/make_voices.py wrote: NAME.ckpt, NAME/encoder.onnx and NAME/decoder.onnx. Each row is measured
--rounds times, both sides in turns in one process. A ratio is the median of these, beside the least and the largest.
Where those are further apart than the ratio is from 1, the row has no verdict: the machine was not quiet.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def title(row):
    if row["what"] == "load":
        return "%s: load" % row["graph"]
    return "%s: %d %s, %d thread%s" % (row["graph"], row["size"], row["unit"], row["threads"], "s" * (row["threads"] > 1))


def measure(options, name, folder):
    """The rows of one round, by title."""
    pairs = [argument for graph in ("encoder", "decoder")
             for argument in ("--" + graph, options.folder / name / (graph + ".onnx"), folder / (graph + ".onnx"))]
    command = [options.bench_graphs, *pairs, "--json", "--seconds", str(options.seconds), "--threads", options.threads,
               "--frames", options.frames, "--phonemes", options.phonemes]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return {title(row): row for row in report["rows"]}


def race(options, name):
    print("\n%-34s %12s %12s %9s   %s" % (name, "PyTorch's", "ours", "ratio", "least and largest"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / name
        subprocess.run([options.voxport, "export", options.folder / (name + ".ckpt"), folder, "--no-check"],
                       stdout=subprocess.DEVNULL, check=True)
        rounds = [measure(options, name, folder) for _ in range(options.rounds)]
    for what in rounds[0]:
        rows = [rows[what] for rows in rounds]
        ratios = sorted(row["ratio"] for row in rows)
        ratio = statistics.median(ratios)
        is_clear = ratios[-1] - ratios[0] <= abs(ratio - 1)
        theirs, ours = (statistics.median(row[side] for row in rows) for side in ("baseline_ms", "ours_ms"))
        print("%-34s %9.1f ms %9.1f ms %7.2f x   %.2f to %.2f%s"
              % (what, theirs, ours, ratio, ratios[0], ratios[-1], "" if is_clear else "   no verdict"))
    apart = [row["largest_difference"] for rows in rounds for row in rows.values() if "largest_difference" in row]
    print("largest difference of an output: %s" % ("no number" if None in apart else "%.1e" % max(apart)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voxport", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--names", nargs="+", default=["x_low", "medium", "high"])
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--frames", default="48,128")
    parser.add_argument("--phonemes", default="50,200,400")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bench-graphs", type=pathlib.Path, default=ROOT / "build/release/bench_graphs")
    options = parser.parse_args()
    for name in options.names:
        race(options, name)


if __name__ == "__main__":
    main()
