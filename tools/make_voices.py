#!/usr/bin/env python3
"""Makes full-size voices with random weights, and what PyTorch exports of them, for measurements.

    make_voices.py PIPER FOLDER [x_low|medium|high ...]

PIPER is the folder `src/python/piper_train` of github.com/rhasspy/piper; of it only `vits/models.py` and what that
imports is used. For each quality FOLDER gets NAME.ckpt, NAME/encoder.onnx and NAME/decoder.onnx: the voice, and its
two graphs as export_onnx_streaming writes them (weight norm removed from the decoder only, opset 15).

Weights are as in record_voices.py, which has the network: a phoneme takes a few frames, audio has an rms near 0.1.
Speed does not depend on them.
"""

import argparse
import pathlib

import numpy as np
import torch
from torch import nn

import record_voices as voices

OPSET = 15
PACE = 3.5  # frames of a phoneme

X_LOW = dict(
    voices.SMALL, num_symbols=256, hidden_channels=96, inter_channels=96, filter_channels=384, n_layers=6,
    resblock_kernel_sizes=(3, 5, 7), resblock_dilation_sizes=((1, 2), (2, 6), (3, 12)),
    upsample_rates=(8, 8, 4), upsample_initial_channel=256, upsample_kernel_sizes=(16, 16, 8),
    filter_length=1024, hop_length=256, win_length=1024, sample_rate=16000,
)
MEDIUM = dict(X_LOW, hidden_channels=192, inter_channels=192, filter_channels=768, sample_rate=22050)
HIGH = dict(
    MEDIUM, resblock="1", resblock_kernel_sizes=(3, 7, 11), resblock_dilation_sizes=((1, 3, 5),) * 3,
    upsample_rates=(8, 8, 2, 2), upsample_initial_channel=512, upsample_kernel_sizes=(16, 16, 4, 4),
)
QUALITIES = {
    "x_low": voices.Voice(31, X_LOW, pace=PACE),
    "medium": voices.Voice(32, MEDIUM, pace=PACE),
    "high": voices.Voice(33, HIGH, pace=PACE),
}


class Encoder(nn.Module):
    def __init__(self, model, commons):
        super().__init__()
        self.model, self.commons = model, commons

    def forward(self, ids, lengths, scales):
        x, m_p, logs_p, x_mask = self.model.enc_p(ids, lengths)
        logw = self.model.dp(x, x_mask, g=None, reverse=True, noise_scale=scales[2])
        durations = torch.ceil(torch.exp(logw) * x_mask * scales[1])
        frames = torch.clamp_min(durations.sum([1, 2]), 1).long()
        y_mask = self.commons.sequence_mask(frames, frames.max()).unsqueeze(1).type_as(x_mask)
        path = self.commons.generate_path(durations, x_mask.unsqueeze(2) * y_mask.unsqueeze(-1)).squeeze(1)
        m_p = torch.matmul(path, m_p.transpose(1, 2)).transpose(1, 2)
        logs_p = torch.matmul(path, logs_p.transpose(1, 2)).transpose(1, 2)
        return m_p + torch.randn_like(m_p) * torch.exp(logs_p) * scales[0], y_mask


class Decoder(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, z, y_mask):
        return self.model.dec(self.model.flow(z, y_mask, g=None, reverse=True) * y_mask, g=None)


def export(model, commons, folder):
    folder.mkdir(parents=True, exist_ok=True)
    model.dec.remove_weight_norm()
    ids = torch.arange(50).unsqueeze(0)
    inputs = (ids, torch.tensor([50]), torch.tensor([0.0, 1.0, 0.0]))
    encoder = Encoder(model, commons).eval()
    torch.onnx.export(
        encoder, inputs, str(folder / "encoder.onnx"), opset_version=OPSET,
        input_names=["input", "input_lengths", "scales"], output_names=["z", "y_mask"],
        dynamic_axes={"input": {0: "batch_size", 1: "phonemes"}, "input_lengths": {0: "batch_size"}})
    torch.onnx.export(
        Decoder(model).eval(), (torch.zeros(1, model.inter_channels, 40), torch.ones(1, 1, 40)), str(folder / "decoder.onnx"), opset_version=OPSET,
        input_names=["z", "y_mask"], output_names=["output"],
        dynamic_axes={name: {0: "batch_size", 2: "time"} for name in ("z", "y_mask")})


def make(models, name, folder):
    voice = QUALITIES[name]
    random = np.random.default_rng([voice.seed, 0])
    model = voices.build(models, voice.hyper, voice)
    voices.draw(model, models, random)
    voices.calibrate(model, voice, voice.hyper, random)
    weights = {key: value.clone() for key, value in model.state_dict().items()}
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(voices.checkpoint_of(voice, voice.hyper, weights, random), folder / f"{name}.ckpt")
    export(model, models.commons, folder / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("piper", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(QUALITIES))
    arguments = parser.parse_args()
    models = voices.import_piper(arguments.piper)
    for name in arguments.names:
        make(models, name, arguments.folder)


if __name__ == "__main__":
    main()
