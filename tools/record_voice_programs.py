#!/usr/bin/env python3
"""Saves voices of tests/data/voices as programs: the same weights by another road.

    record_voice_programs.py PIPER FASTSPEECH2 HIFIGAN VOICES FOLDER

PIPER, FASTSPEECH2 and HIFIGAN are the folders that record_voices.py and record_fastspeech2.py want, VOICES is
tests/data/voices. FOLDER gets NAME.ts113.pt or NAME.ts26.pt, traces by the PyTorch that runs this, and where that has
torch.export, the vocoder's NAME.pt2.

The inputs and outputs are those of voxport's own graphs of the same checkpoint. What a program draws at random is an
input here, as in `voxport export --noise-input`. What the references do in Python for every row and every token, so
that a program would keep the example's numbers (FastSpeech2's length regulator and its masks), is done with tensors.
"""

import argparse
import contextlib
import functools
import json
import pathlib
import sys
import types

import torch
from torch import nn

import record_fastspeech2
import record_voices
from pack_programs import pack

VITS = "small-flow"  # many speakers, stochastic durations
FASTSPEECH2 = "fastspeech2-module"
HIFIGAN = "hifigan-resblock2"


# VITS ----------------------------------------------------------------------------------------------


class Voice(nn.Module):
    """Piper's `infer`, with its noise as inputs."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input, input_lengths, scales, sid, noise_w, noise):
        with drawn(noise, noise_w):
            output, _, _, _ = self.model.infer(
                input, input_lengths, sid=sid, noise_scale=scales[0], length_scale=scales[1], noise_scale_w=scales[2])
        return output.unsqueeze(1)  # as Piper's own export gives it


@contextlib.contextmanager
def drawn(noise, noise_w):
    """Within, these are what PyTorch draws."""
    randn, randn_like = torch.randn, torch.randn_like
    torch.randn = lambda *_: noise_w
    torch.randn_like = lambda _: noise
    try:
        yield
    finally:
        torch.randn, torch.randn_like = randn, randn_like


def vits_program(models, path):
    model, _, _ = record_voices.load(models, path)
    model.enc_q = None  # what only training uses
    for part in [name for name, _ in model.dp.named_children() if name.startswith("post_")]:
        setattr(model.dp, part, None)
    cases = record_voices.read_safetensors(path.with_name(f"{path.stem}.cases.safetensors"))
    names = ("input", "input_lengths", "scales", "sid", "noise_w", "noise_z")
    case = {name: cases[f"n1/in/{name}"] for name in names}
    case["noise"] = case.pop("noise_z")
    return Voice(model), case


# FastSpeech2 ---------------------------------------------------------------------------------------


class Acoustic(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_tokens, input_lengths, controls, speaker):
        _, mel, _, _, _, durations, *_, mel_lengths = self.model(
            speaker, input_tokens, input_lengths, input_tokens.shape[1],
            p_control=controls[0], e_control=controls[1], d_control=controls[2])
        return mel, mel_lengths, durations


def padding_mask(lengths, max_len=None):
    """The reference's get_mask_from_lengths; the longest row is not made a number of Python."""
    ids = torch.arange(lengths.max() if max_len is None else max_len)
    return ids.unsqueeze(0) >= lengths.unsqueeze(1)


class LengthRegulator(nn.Module):
    """The reference's, for all rows at once: a frame takes the token whose frames it is among."""

    def forward(self, x, duration, max_len):
        ends = duration.long().clamp(min=0).cumsum(1)
        lengths = ends[:, -1]
        frames = torch.arange(lengths.max())
        tokens = (frames.view(1, -1, 1) >= ends.unsqueeze(1)).sum(-1).clamp(max=x.size(1) - 1)
        expanded = x.gather(1, tokens.unsqueeze(-1).expand(-1, -1, x.size(2)))
        return expanded * (frames < lengths.unsqueeze(1)).unsqueeze(-1), lengths


def fastspeech2_program(source, path):
    voice = record_fastspeech2.ACOUSTIC[path.name.split(".")[0]]
    reference = record_fastspeech2.import_fastspeech2(source, voice.symbols)
    for module in (sys.modules["model.fastspeech2"], sys.modules["model.modules"]):
        module.get_mask_from_lengths = padding_mask
    model = record_fastspeech2.build(voice, reference)
    weights = torch.load(path, map_location="cpu")["model"]
    model.load_state_dict({name[len(voice.prefix):]: tensor.float() for name, tensor in weights.items()})
    model.variance_adaptor.length_regulator = LengthRegulator()
    cases = record_voices.read_safetensors(path.with_name(path.name.replace(".pth.tar", ".cases.safetensors")))
    names = ("input_tokens", "input_lengths", "controls", "speaker")
    return Acoustic(model), {name: cases[f"c4/in/{name}"] for name in names}


# HiFi-GAN ------------------------------------------------------------------------------------------


class Vocoder(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, mel):
        return self.model(mel)


def hifigan_program(source, path):
    config = json.loads(path.with_name(f"{path.stem}.config.json").read_text())
    make = record_fastspeech2.import_hifigan(source)
    with record_fastspeech2.first_convolution_of(make, config["num_mels"]):
        model = make(types.SimpleNamespace(**config)).eval()
    model.load_state_dict(torch.load(path, map_location="cpu")["generator"])
    return Vocoder(model), {"mel": torch.randn(2, config["num_mels"], 9)}


# Files ---------------------------------------------------------------------------------------------


def version():
    return "".join(torch.__version__.split(".")[:2])


def save_trace(name, program, inputs, folder):
    path = folder / f"{name}.ts{version()}.pt"
    with torch.no_grad():
        traced = torch.jit.trace(program.eval(), tuple(inputs.values()), check_trace=False)
    traced.save(str(path))
    pack(path, path)
    print(path, path.stat().st_size)


def save_exported(name, program, inputs, folder):
    path = folder / f"{name}.pt2"
    shapes = {key: {axis: torch.export.Dim.AUTO for axis in range(value.dim())} for key, value in inputs.items()}
    with torch.no_grad():
        exported = torch.export.export(program.eval(), (), inputs, dynamic_shapes=shapes, strict=False)
    torch.export.save(exported, path)
    pack(path, path)
    print(path, path.stat().st_size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("piper", "fastspeech2", "hifigan", "voices", "folder"):
        parser.add_argument(name, type=pathlib.Path)
    options = parser.parse_args()
    torch.manual_seed(0)
    if "weights_only" in torch.load.__code__.co_varnames:  # Lightning's checkpoints hold more than weights
        torch.load = functools.partial(torch.load, weights_only=False)
    voice = vits_program(record_voices.import_piper(options.piper), options.voices / f"{VITS}.ckpt")
    acoustic = fastspeech2_program(options.fastspeech2, options.voices / f"{FASTSPEECH2}.pth.tar")
    vocoder = hifigan_program(options.hifigan, options.voices / f"{HIFIGAN}.pth")
    for name, program in {VITS: voice, FASTSPEECH2: acoustic, HIFIGAN: vocoder}.items():
        save_trace(name, *program, options.folder)
    # The others are not for torch.export as they stand: Piper's WaveNet calls a scripted function, and FastSpeech2 asks
    # how many frames there are.
    if hasattr(torch, "export"):
        save_exported(HIFIGAN, *vocoder, options.folder)


if __name__ == "__main__":
    main()
