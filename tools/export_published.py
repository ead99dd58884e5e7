#!/usr/bin/env python3
"""Writes the single graph as which Piper publishes a voice, with the PyTorch that is installed.

    export_published.py PIPER CHECKPOINT OUT.onnx

PIPER is the folder `src/python/piper_train` of github.com/rhasspy/piper, as for record_voices.py, which reads the
checkpoint. `tests/data/families/piper/speakers-torch2.onnx` is `tests/data/voices/speakers.ckpt`, written so by PyTorch
2.11 (torch.onnx's TorchScript exporter, as Piper's own export_onnx.py uses it; the newer exporter fails on this network).
"""

import functools
import pathlib
import sys

import torch

import record_voices

torch.load = functools.partial(torch.load, weights_only=False)  # for our own checkpoints


def export(piper, checkpoint, out):
    model = record_voices.load(record_voices.import_piper(pathlib.Path(piper)), pathlib.Path(checkpoint))[0]
    model.eval()
    with torch.no_grad():
        model.dec.remove_weight_norm()

    def infer(text, text_lengths, scales, sid=None):
        return model.infer(text, text_lengths, noise_scale=scales[0], length_scale=scales[1],
                           noise_scale_w=scales[2], sid=sid)[0].unsqueeze(1)

    model.forward = infer
    ids = torch.randint(0, model.n_vocab, (1, 50))
    sid = torch.LongTensor([0]) if model.n_speakers > 1 else None
    torch.onnx.export(
        model, (ids, torch.LongTensor([50]), torch.FloatTensor([0.667, 1.0, 0.8]), sid), out, opset_version=15,
        dynamo=False, input_names=["input", "input_lengths", "scales", "sid"], output_names=["output"],
        dynamic_axes={"input": {0: "batch_size", 1: "phonemes"}, "input_lengths": {0: "batch_size"},
                      "output": {0: "batch_size", 2: "time"}})


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    export(*sys.argv[1:])
