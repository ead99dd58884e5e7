#!/usr/bin/env python3
"""Measures networks of full size beside PyTorch's exports of the same weights, with one thread and several.

    race_voices.py path/to/voxport FOLDER [--names NAME ...] [--threads 1,2] [--frames 48,128] [--phonemes 50,200,400]
                   [--tokens 80] [--seconds 4] [--rounds 3] [--before VOXPORT] [--markdown FILE]
                   [--bench-graphs build/release/bench_graphs]

FOLDER is what tools/make_voices.py, tools/make_vocoders.py and bench/export_fastspeech2.py --keep wrote: NAME.ckpt,
NAME.pth or NAME.pth.tar, and PyTorch's NAME/decoder.onnx, of voices NAME/encoder.onnx, of a FastSpeech2
NAME/acoustic.onnx, which is right at the --tokens that it was traced with alone. Of a vocoder the program beside it,
NAME.pt2 or NAME.pt, is raced as well. PyTorch has no stateful decoder: ours is loaded beside PyTorch's decoder, and its
pieces of 45 frames are raced beside those that another voxport exports (--before). One thread and loading are CPU time,
several threads are wall time.

Each row is measured --rounds times, both sides in turns in one process. A ratio is the median of these, beside the
least and the largest. Where those are further apart than the ratio is from 1, the row has no verdict: the machine was
not quiet. --markdown adds the tables of docs/performance.md to a file.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = (".pt2", ".pt")


def title(row):
    if row["what"] == "load":
        return "%s: load" % row["graph"]
    return "%s: %d %s, %d thread%s" % (row["graph"], row["size"], row["unit"], row["threads"], "s" * (row["threads"] > 1))


class Row:
    """One title's times of all rounds."""

    def __init__(self, rows):
        ratios = sorted(row["ratio"] for row in rows)
        self.least, self.ratio, self.most = ratios[0], statistics.median(ratios), ratios[-1]
        self.theirs, self.ours = (statistics.median(row[side] for row in rows) for side in ("baseline_ms", "ours_ms"))

    @property
    def has_verdict(self):
        return self.most - self.least <= abs(self.ratio - 1)


def exported(voxport, source, out, *more):
    subprocess.run([voxport, "export", source, out, "--no-check", *more], stdout=subprocess.DEVNULL, check=True)
    return out


def voice(options, name, scratch):
    theirs = options.folder / name
    source = options.folder / f"{name}.ckpt"
    ours = exported(options.voxport, source, scratch / name)
    stream = ours / "decoder_stream.onnx"
    graphs = [(kind, theirs / f"{kind}.onnx", ours / f"{kind}.onnx") for kind in ("encoder", "decoder")]
    graphs.append(("load", theirs / "decoder.onnx", stream))
    if options.before:
        before = exported(options.before, source, scratch / f"{name}-before")
        graphs.append(("stream", before / "decoder_stream.onnx", stream))
    yield name, graphs, options.phonemes


def vocoder(options, name, scratch):
    theirs = options.folder / name / "decoder.onnx"
    ours = exported(options.voxport, options.folder / f"{name}.pth", scratch / name)
    yield name, [("decoder", theirs, ours / "vocoder.onnx"), ("load", theirs, ours / "vocoder_stream.onnx")], ""
    for program in (options.folder / (name + ending) for ending in PROGRAMS):
        if program.exists():
            axes = ("--input", "mel:f32[batch_size, 80, frames]") if program.suffix == ".pt" else ()
            ours = exported(options.voxport, program, scratch / f"{program.name}.onnx", *axes)
            yield program.name, [("decoder", theirs, ours)], ""


def acoustic(options, name, scratch):
    configs = [part for kind in ("model", "preprocess")
               for part in ("--config", options.folder / f"{name}.{kind}.yaml")]
    ours = exported(options.voxport, options.folder / f"{name}.pth.tar", scratch / f"{name}.onnx", *configs)
    yield name, [("encoder", options.folder / name / "acoustic.onnx", ours)], str(options.tokens)


KINDS = {".ckpt": voice, ".pth": vocoder, ".pth.tar": acoustic}


def names_in(folder):
    found = [path.name[:-len(ending)] for ending in KINDS for path in sorted(folder.glob("*" + ending))]
    return found or sys.exit("there is nothing to race in %s" % folder)


def contests(options, name, scratch):
    """What races under the name: (title, [PyTorch's graph and ours, by kind], phonemes)."""
    for ending, kind in KINDS.items():
        if (options.folder / (name + ending)).exists():
            return kind(options, name, scratch)
    sys.exit("there is no %s in %s, expected one that ends in %s" % (name, options.folder, ", ".join(KINDS)))


def measure(options, graphs, phonemes):
    """The rows of one round, by title."""
    pairs = [argument for kind, *both in graphs for argument in ("--" + kind, *both)]
    command = [options.bench_graphs, *pairs, "--json", "--seconds", str(options.seconds), "--threads", options.threads,
               "--frames", options.frames]
    if phonemes:
        command += ["--phonemes", phonemes]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return {title(row): row for row in report["rows"]}


def race(options, name, graphs, phonemes):
    rounds = [measure(options, graphs, phonemes) for _ in range(options.rounds)]
    rows = {what: Row([rows[what] for rows in rounds]) for what in rounds[0]}
    print("\n%-34s %12s %12s %9s   %s" % (name, "PyTorch's", "ours", "ratio", "least and largest"))
    for what, row in rows.items():
        print("%-34s %9.1f ms %9.1f ms %7.2f x   %.2f to %.2f%s"
              % (what, row.theirs, row.ours, row.ratio, row.least, row.most, "" if row.has_verdict else "   no verdict"))
    apart = [row["largest_difference"] for rows in rounds for row in rows.values() if "largest_difference" in row]
    print("largest difference of an output: %s" % ("no number" if None in apart else "%.1e" % max(apart)))
    return rows


def write_markdown(path, name, rows):
    with open(path, "a") as page:
        page.write("\n| %s | PyTorch's | ours | ratio | least and largest |\n| --- | --- | --- | --- | --- |\n" % name)
        for what, row in rows.items():
            page.write("| %s | %.1f ms | %.1f ms | %s | %.2f to %.2f |\n"
                       % (what, row.theirs, row.ours, "%.2f" % row.ratio if row.has_verdict else "no verdict", row.least,
                          row.most))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voxport", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--names", nargs="+", help="default: all that are in FOLDER")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--frames", default="48,128")
    parser.add_argument("--phonemes", default="50,200,400")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=80)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--bench-graphs", type=pathlib.Path, default=ROOT / "build/release/bench_graphs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.names or names_in(options.folder):
            for what, graphs, phonemes in contests(options, name, pathlib.Path(scratch)):
                rows = race(options, what, graphs, phonemes)
                if options.markdown:
                    write_markdown(options.markdown, what, rows)


if __name__ == "__main__":
    main()
