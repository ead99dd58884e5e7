#!/usr/bin/env python3
"""Measures an exported FastSpeech2 beside PyTorch's own trace of the same network, at the traced length.

    export_fastspeech2.py path/to/voxport FASTSPEECH2 [--tokens 80] [--bench-acoustic build/release/bench_acoustic]
                          [--keep FOLDER]

FASTSPEECH2 is a checkout of github.com/ming024/FastSpeech2. The network has the reference's sizes for LJSpeech and
random weights. PyTorch 1.13 cannot export torch.bucketize, for which a count stands in; what it exports has the
durations of the one text it was traced with baked in, so that it is right at that text alone.

--keep writes FOLDER/fastspeech2.pth.tar with its configs and FOLDER/fastspeech2/acoustic.onnx, PyTorch's trace, for
bench/race_voices.py, and measures nothing.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import record_fastspeech2 as recorder  # noqa: E402

LJSPEECH = recorder.Acoustic(1, symbols=361, hidden=256, layers=(4, 6), filter_size=1024, predictor=256, bins=256,
                             max_seq_len=1000, mel=80, postnet=(512, 5, 5))


class Traced(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, lengths):
        outputs = self.model(torch.zeros(1, dtype=torch.long), tokens, lengths, tokens.shape[1])
        return outputs[1], outputs[9]


def trace(model, tokens, path):
    torch.bucketize = lambda x, bounds: (x.unsqueeze(-1) > bounds).long().sum(-1)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(Traced(model), (tokens, torch.tensor([tokens.shape[1]])), str(path), opset_version=13,
                          input_names=["input_tokens", "input_lengths"], output_names=["output_mel", "output_lengths"])


def write(model, count, folder):
    """The checkpoint, the options that name its configs, and PyTorch's trace."""
    (folder / "fastspeech2").mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict()}, folder / "fastspeech2.pth.tar")
    configs = []
    for config, kind in zip(recorder.configs_of(LJSPEECH), ("model", "preprocess")):
        configs += ["--config", folder / f"fastspeech2.{kind}.yaml"]
        configs[-1].write_text(recorder.yaml_of(config))
    traced = folder / "fastspeech2" / "acoustic.onnx"
    trace(model, torch.tensor([[1 + i * 7 % 300 for i in range(count)]]), traced)
    return folder / "fastspeech2.pth.tar", configs, traced


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voxport", type=pathlib.Path)
    parser.add_argument("fastspeech2", type=pathlib.Path)
    parser.add_argument("--tokens", type=int, default=80)
    parser.add_argument("--bench-acoustic", type=pathlib.Path, default=ROOT / "build/release/bench_acoustic")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    model = recorder.build(LJSPEECH, recorder.import_fastspeech2(options.fastspeech2, LJSPEECH.symbols))
    recorder.draw(model, torch.Generator().manual_seed(1))
    with torch.no_grad():  # about five frames a token
        model.variance_adaptor.duration_predictor.linear_layer.weight.mul_(0.1)
        model.variance_adaptor.duration_predictor.linear_layer.bias.fill_(1.9)
    if options.keep:
        write(model, options.tokens, options.keep)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checkpoint, configs, traced = write(model, options.tokens, folder)
        subprocess.run([options.voxport, "export", checkpoint, folder / "ours.onnx", *configs], check=True)
        subprocess.run([options.bench_acoustic, traced, folder / "ours.onnx", "--tokens", str(options.tokens)], check=True)


if __name__ == "__main__":
    main()
