#!/usr/bin/env python3
"""Measures streaming beside what the usual players do.

    stream_voice.py path/to/voxport [--voice voices/slt-x_low.ckpt] [--baseline FOLDER]
                    [--bench-streams build/release/bench_streams] [--seconds 4]

Three sentences in one utterance are encoded and decoded by bench_streams, side by side with the encoder.onnx and
decoder.onnx of the folder --baseline (or $VOXPORT_BASELINE), which Piper's export_onnx_streaming wrote of the same
voice. Players decode those in chunks of 45 frames with 10 more on both sides. First audio is the time from phonemes
to the first samples, for us a chunk of 8 frames and for them one of 45; all chunks have 45 frames on both sides. An
error is the largest difference from what the same decoder gives at once. Each figure stands beside what we aim for.
"""

import argparse
import itertools
import json
import os
import pathlib
import subprocess
import tempfile

from processes import spawn
from table import tell, tell_ratio

ROOT = pathlib.Path(__file__).resolve().parent.parent
PHONEMES = ROOT / "tests/data/phonemes/espeak-ng-1.52.jsonl"
SENTENCES = 3

# What we aim for.
RATIOS = {"first audio": 2, "all chunks": 1.5}  # to the baseline, at least
MAX_STREAM_COST = 1.25  # of all chunks, beside our own one-shot decode, at most
ERROR_RATIO = 1e4  # of theirs to ours, at least


def ids_of_sentences(config):
    """The first recorded sentences as one utterance, in Piper's layout."""
    ids = config["phoneme_id_map"]
    with open(PHONEMES, encoding="utf-8") as lines:
        sentences = [json.loads(line)["sentences"][0] for line in itertools.islice(lines, SENTENCES)]
    utterance = [*ids["^"], *ids["_"]]
    for symbol in " ".join(sentences):
        utterance += [*ids[symbol], *ids["_"]]
    return utterance + ids["$"]


def tell_row(row):
    what = "%s, %d thread%s" % (row["what"], row["threads"], "s" * (row["threads"] > 1))
    times = "%.1f ms" % row["baseline_ms"], "%.1f ms" % row["ours_ms"]
    if row["what"] in RATIOS:
        tell_ratio(what, *times, row["ratio"], RATIOS[row["what"]])
    else:
        cost = 1 / row["ratio"]
        tell("  beside " + what, *times, "%.2f x" % cost, "<= %g x" % MAX_STREAM_COST, cost <= MAX_STREAM_COST)


def tell_errors(errors):
    theirs, ours = errors["baseline"], errors["ours"]
    is_known = theirs is not None and ours is not None  # JSON has no infinity
    if not is_known:
        return tell("largest error", theirs, ours, "", ">= %g x" % ERROR_RATIO, False)
    ratio = theirs / ours if ours else float("inf")
    tell("largest error", "%.1e" % theirs, "%.1e" % ours, "%.0e x" % ratio, ">= %g x" % ERROR_RATIO,
         ratio >= ERROR_RATIO)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voxport", type=pathlib.Path)
    parser.add_argument("--voice", type=pathlib.Path, default=ROOT / "voices/slt-x_low.ckpt")
    parser.add_argument("--baseline", type=pathlib.Path, default=os.environ.get("VOXPORT_BASELINE"))
    parser.add_argument("--bench-streams", type=pathlib.Path, default=ROOT / "build/release/bench_streams")
    parser.add_argument("--seconds", type=float, default=4)
    arguments = parser.parse_args()
    if not arguments.baseline:
        return print("streams are not compared: neither --baseline nor VOXPORT_BASELINE names a folder")

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "voice"
        spawn([arguments.voxport.resolve(), "export", "-q", arguments.voice, folder])
        ids = ids_of_sentences(json.loads((folder / "voice.json").read_text(encoding="utf-8")))
        command = [arguments.bench_streams, arguments.baseline, folder, "--json", "--seconds", str(arguments.seconds),
                   "--ids", ",".join(map(str, ids))]
        measured = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    title = "streaming: %d frames" % measured["frames"]
    print("%-34s %12s %12s %9s   %s" % (title, "baseline", "ours", "ratio", "we aim for"))
    for row in measured["rows"]:
        tell_row(row)
    tell_errors(measured["errors"])
    print("load of the machine: %.2f" % os.getloadavg()[0])


if __name__ == "__main__":
    main()
