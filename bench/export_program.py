#!/usr/bin/env python3
"""Measures `voxport export` of a large TorchScript program beside torch.onnx.export of the same file.

    export_program.py path/to/voxport [--layers 14] [--rounds 3]

The program is the trace of a Transformer encoder with random weights, 7 million of them a layer. Both are timed from
spawn to exit, in turns, and the medians compared: what a user waits for, so that with PyTorch its import counts. What
torch.onnx.export alone takes stands below. PyTorch does not run what it exported; voxport does unless --no-check.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

from processes import peak_memory, spawn
from table import tell, tell_ratio

# What we aim for.
EXPORT_RATIO = 5
MORE_THAN_WEIGHTS_MB = 100

MAKE = """
import sys, torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, width=768, heads=12):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.softmax(q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5, -1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(b, t, c))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

torch.manual_seed(0)
model = nn.Sequential(*[Layer() for _ in range(int(sys.argv[2]))]).eval().requires_grad_(False)
torch.jit.trace(model, torch.randn(2, 17, 768), check_trace=False).save(sys.argv[1])
print(sum(weight.numel() for weight in model.parameters()))
"""

EXPORT = """
import sys, time, warnings, torch
warnings.simplefilter("ignore")
begin = time.perf_counter()
model = torch.jit.load(sys.argv[1])
axes = {"x": {0: "batch_size", 1: "sequence_length"}}
torch.onnx.export(model, (torch.randn(2, 17, 768),), sys.argv[2], opset_version=17, input_names=["x"],
                  output_names=["y"], dynamic_axes=axes)
print(time.perf_counter() - begin)
"""


def in_turns(commands, rounds):
    """The median seconds of each command, and what each printed last."""
    seconds, printed = {name: [] for name in commands}, {}
    for _ in range(rounds):
        for name, command in commands.items():
            printed[name], took, _ = spawn(command)
            seconds[name].append(took)
    return {name: statistics.median(times) for name, times in seconds.items()}, printed


def tell_peak(what, baseline, ours, weights):
    limit = weights + MORE_THAN_WEIGHTS_MB
    tell(what, "%.0f MB" % baseline, "%.0f MB" % ours, "%.2f x" % (baseline / ours), "<= %.0f MB" % limit, ours <= limit)


def measure(voxport, folder, layers, rounds):
    program, graph = folder / "program.pt", folder / "graph.onnx"
    count = subprocess.run([sys.executable, "-c", MAKE, program, str(layers)], stdout=subprocess.PIPE, check=True).stdout
    weights = int(count) * 4 / 1e6
    export = [voxport, "export", program, graph, "--input", "x:f32[batch_size,sequence_length,768]",
              "--output-names", "y"]
    commands = {"theirs": [sys.executable, "-c", EXPORT, program, graph], "checked": export,
                "plain": [*export, "--no-check"]}
    peaks = {name: peak_memory(command) for name, command in commands.items()}
    seconds, printed = in_turns(commands, rounds)

    print("%-34s %12s %12s %9s   %s" % ("%.0f million weights" % (int(count) / 1e6), "PyTorch", "ours", "ratio",
                                        "we aim for"))
    for name, what, target in (("plain", "export --no-check", EXPORT_RATIO), ("checked", "export", None)):
        tell_ratio(what, "%.2f s" % seconds["theirs"], "%.2f s" % seconds[name], seconds["theirs"] / seconds[name], target)
    tell("torch.onnx.export alone", "%.2f s" % float(printed["theirs"].split()[-1]), "")
    tell_peak("export --no-check: peak memory", peaks["theirs"], peaks["plain"], weights)
    tell("export: peak memory", "%.0f MB" % peaks["theirs"], "%.0f MB" % peaks["checked"],
         "%.2f x" % (peaks["theirs"] / peaks["checked"]))
    tell("written", "", "%.0f MB" % (graph.stat().st_size / 1e6))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voxport", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=14)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(options.voxport.resolve(), pathlib.Path(scratch), options.layers, options.rounds)


if __name__ == "__main__":
    main()
