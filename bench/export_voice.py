#!/usr/bin/env python3
"""Measures `voxport export`, and what it exported beside what PyTorch exports.

    export_voice.py path/to/voxport [--voice voices/slt-x_low.ckpt] [--rounds 7] [--exported FOLDER]
                    [--baseline FOLDER] [--bench-graphs build/release/bench_graphs] [--seconds 4]

The export is timed from spawn to exit, after a warm-up that leaves the checkpoint in the page cache; its peak
memory is wait4's rusage. PyTorch's figures for the same were recorded once, see PYTORCH. --exported measures
graphs that are there already, and skips the export.

The graphs are run by bench_graphs, side by side with those of the folder --baseline (or $VOXPORT_BASELINE), which
holds encoder.onnx and decoder.onnx of the same voice as Piper's export_onnx_streaming writes them. Without that
folder they are only counted. Each figure stands beside what we aim for.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from processes import peak_memory, spawn
from table import tell, tell_ratio

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Piper's export_onnx_streaming of an x_low voice under PyTorch 1.13 on two cores: the faster of two runs.
PYTORCH = {"seconds": 27.0, "peak_mb": 982.0}

# What we aim for: ratios to the baseline, at least.
EXPORT_RATIO = 100
LOAD_RATIO = {"encoder": 4}
RUN_RATIO = {("encoder", 1): 1.5, ("decoder", 1): 1.45, ("decoder", 2): 1.35}
MAX_ENCODER_NODES = 1000


def max_peak_mb(written_mb):
    return 2 * written_mb + 64


def varint(data, at):
    """A number of protobuf's, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a protobuf message, as number and content; numbers have none."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind, size = key & 7, 0
        if kind == 0:
            _, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}[kind]
        yield key >> 3, data[at:at + size]
        at += size


def count_nodes(path):
    """Nodes of the main graph: ModelProto.graph is field 7, GraphProto.node field 1."""
    model = memoryview(path.read_bytes())
    return sum(number == 1 for field, graph in fields(model) if field == 7 for number, _ in fields(graph))


def measure_export(voxport, voice, folder, rounds):
    command = [voxport, "export", voice, folder]
    peak = peak_memory(command)
    times = []
    for _ in range(rounds):
        shutil.rmtree(folder)
        times.append(spawn(command)[1])
    seconds = statistics.median(times)
    written = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    tell_ratio("export", "%.1f s" % PYTORCH["seconds"], "%.3f s" % seconds, PYTORCH["seconds"] / seconds, EXPORT_RATIO)
    limit = max_peak_mb(written)
    tell("export: peak memory", "%.0f MB" % PYTORCH["peak_mb"], "%.0f MB" % peak,
               "%.2f x" % (PYTORCH["peak_mb"] / peak), "<= %.0f MB" % limit, peak <= limit)
    tell("export: written", "", "%.1f MB" % written)


def count(baseline, folder):
    for graph in ("encoder", "decoder"):
        ours = count_nodes(folder / (graph + ".onnx"))
        theirs = count_nodes(baseline / (graph + ".onnx")) if baseline else None
        is_limited = graph == "encoder"
        tell(graph + ": nodes", theirs or "", ours, "%.2f x" % (theirs / ours) if theirs else "",
                   "<= %d" % MAX_ENCODER_NODES if is_limited else "",
                   ours <= MAX_ENCODER_NODES if is_limited else None)


def run_graphs(bench_graphs, baseline, folder, seconds):
    pairs = [argument for graph in ("encoder", "decoder")
             for argument in ("--" + graph, baseline / (graph + ".onnx"), folder / (graph + ".onnx"))]
    command = [bench_graphs, *pairs, "--json", "--seconds", str(seconds)]
    measured = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    for row in measured["rows"]:
        graph, threads = row["graph"], row["threads"]
        if row["what"] == "load":
            what, target = graph + ": load", LOAD_RATIO.get(graph)
        else:
            what = "%s: %d %s, %d thread%s" % (graph, row["size"], row["unit"], threads, "s" * (threads > 1))
            target = RUN_RATIO.get((graph, threads))
        tell_ratio(what, "%.1f ms" % row["baseline_ms"], "%.1f ms" % row["ours_ms"], row["ratio"], target)
    print()
    for row in measured["rows"]:
        if "gflop" in row:
            print("decoder: %d frames, %d thread(s): %.0f GFLOP/s, the baseline %.0f"
                  % (row["size"], row["threads"], row["ours_gflops"], row["baseline_gflops"]))
    for peak in measured["matmul"]:
        print("a large MatMul, %d thread(s): %.0f GFLOP/s" % (peak["threads"], peak["gflops"]))
    apart = [row["largest_difference"] for row in measured["rows"] if "largest_difference" in row]
    print("largest difference of an output: %s"
          % ("not a number, or other shapes" if None in apart else "%.1e" % max(apart)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voxport", type=pathlib.Path)
    parser.add_argument("--voice", type=pathlib.Path, default=ROOT / "voices/slt-x_low.ckpt")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--exported", type=pathlib.Path)
    parser.add_argument("--baseline", type=pathlib.Path, default=os.environ.get("VOXPORT_BASELINE"))
    parser.add_argument("--bench-graphs", type=pathlib.Path, default=ROOT / "build/release/bench_graphs")
    parser.add_argument("--seconds", type=float, default=4)
    arguments = parser.parse_args()

    print("%-34s %12s %12s %9s   %s" % (arguments.voice.name, "baseline", "ours", "ratio", "we aim for"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.exported or pathlib.Path(scratch) / "voice"
        if not arguments.exported:
            measure_export(arguments.voxport.resolve(), arguments.voice, folder, arguments.rounds)
        count(arguments.baseline, folder)
        if arguments.baseline:
            run_graphs(arguments.bench_graphs, arguments.baseline, folder, arguments.seconds)
        else:
            print("the graphs are not run: neither --baseline nor VOXPORT_BASELINE names a folder to compare with")


if __name__ == "__main__":
    main()
