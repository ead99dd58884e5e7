#!/usr/bin/env python3
"""Records tiny VITS voices whose decoders end in an inverse STFT, in sizes that trained ones rarely have.

    record_istft.py MB_ISTFT_VITS FOLDER [NAME ...]     write the voices below (or those named) into FOLDER

MB_ISTFT_VITS is a checkout of github.com/MasayaKawamura/MB-iSTFT-VITS (recorded with df2f8d3, torch 1.13 on Debian
bookworm). Its own models are run, on a CPU; of scipy and librosa, which it imports, the three functions that count are
stood in for by numpy's, and the alignment search, which is for training, is left out.

A voice is the folder NAME of G_1000.pth (as its trainer saves it, without the posterior encoder) and config.json, and
beside it NAME.cases.safetensors: tensors `<case>/in/<input>` and `<case>/out/<output>`, as those of record_voices.py.

    c0 c1 c2 c3      one row of 1, 2, 7 and 20 phonemes
    c4               three rows of 4, 9 and 1 phonemes, padded with 0

Weights are random but sane, as in record_voices.py.
"""

import argparse
import dataclasses
import functools
import importlib
import json
import math
import pathlib
import sys
import types

import numpy as np
import torch

from record_voices import MARGIN, draw, write_safetensors

SYMBOLS = 40
LOUDNESS = 0.1         # rms of the audio

SMALL = dict(
    ms_istft_vits=False, mb_istft_vits=False, istft_vits=False, subbands=4, gen_istft_n_fft=16, gen_istft_hop_size=4,
    inter_channels=8, hidden_channels=8, filter_channels=12, n_heads=2, n_layers=1, kernel_size=3, p_dropout=0.1,
    resblock="2", resblock_kernel_sizes=[3, 5], resblock_dilation_sizes=[[1, 2], [2, 6]],
    upsample_rates=[4, 4], upsample_initial_channel=16, upsample_kernel_sizes=[16, 16],
    n_layers_q=3, use_spectral_norm=False, use_sdp=False,
)


@dataclasses.dataclass
class Voice:
    seed: int
    model: dict           # over SMALL
    speakers: int = 0
    pace: float = 1.5     # frames of a phoneme before rounding up


VOICES = {
    "ms": Voice(1, dict(ms_istft_vits=True, resblock="1", resblock_dilation_sizes=[[1, 3, 5], [1, 3, 5]])),
    # A frame of the STFT is longer than what comes out of a phoneme, and no multiple of the hop
    "istft-long-frames": Voice(2, dict(
        istft_vits=True, subbands=False, gen_istft_n_fft=60, gen_istft_hop_size=7, upsample_rates=[3], upsample_kernel_sizes=[7])),
    # kernel - rate is odd: a step more than the frames would have
    "mb-speakers": Voice(3, dict(
        mb_istft_vits=True, gen_istft_n_fft=8, gen_istft_hop_size=2, upsample_rates=[3, 2], upsample_kernel_sizes=[7, 5],
        gin_channels=6), speakers=3),
    # The trainer's PQMF has 4 subbands, unless it is told how many
    "mb-8-bands": Voice(4, dict(
        mb_istft_vits=True, subbands=8, gen_istft_n_fft=12, gen_istft_hop_size=3, upsample_rates=[2, 2],
        upsample_kernel_sizes=[4, 6], use_sdp=True)),
}

CASES = {"c0": ((1,), 1.0), "c1": ((2,), 1.3), "c2": ((7,), 0.8), "c3": ((20,), 1.0), "c4": ((4, 9, 1), 1.2)}


def import_models(folder):
    def module(name, **members):
        made = sys.modules[name] = types.ModuleType(name)
        made.__dict__.update(members)
        return made

    def get_window(name, length, fftbins):
        assert name == "hann" and fftbins
        return np.hanning(length + 1)[:-1]

    module("scipy").signal = module("scipy.signal", get_window=get_window, kaiser=np.kaiser)
    module("librosa").util = module("librosa.util", pad_center=None, tiny=None)
    module("monotonic_align")
    torch.Tensor.cuda = lambda self, device=None: self
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("models")
    finally:
        sys.path.pop(0)


def build(models, voice):
    torch.manual_seed(0)  # everything is drawn anew
    settings = {**SMALL, **voice.model}
    models.PQMF = functools.partial(importlib.import_module("pqmf").PQMF, subbands=settings["subbands"])
    model = models.SynthesizerTrn(SYMBOLS, 33, 32, n_speakers=voice.speakers, **settings)
    if not settings["use_sdp"]:
        model.dp = models.DurationPredictor(
            settings["hidden_channels"], 14, 3, 0.5, gin_channels=settings.get("gin_channels", 0))
    return model.eval().requires_grad_(False), settings


def infer(model, ids, lengths, length_scale, sid):
    """Its `infer` without noise, and the smallest distance of a duration to a rounding edge."""
    seen = {}
    hook = model.dp.register_forward_hook(lambda _, __, logw: seen.update(logw=logw))
    with torch.no_grad():
        audio, _, path, y_mask, (_, z, _, _) = model.infer(
            ids, lengths, sid=sid, noise_scale=0.0, length_scale=length_scale, noise_scale_w=0.0)
    hook.remove()
    logw = seen["logw"]
    mask = torch.arange(ids.shape[1])[None, None] < lengths[:, None, None]
    width = (torch.exp(logw) * length_scale)[mask].double()
    out = {"z": z, "y_mask": y_mask, "durations": path.sum(2), "output": audio}
    if sid is not None:
        out["g"] = model.emb_g(sid).unsqueeze(-1)
    return out, logw[mask], float((width - width.round()).abs().min())


def calibrate(model, voice, settings, random):
    """Sets the durations and the audio's rms by what the voice says to random phonemes, rounded."""
    ids, lengths = torch.from_numpy(random.integers(0, SYMBOLS, (6, 30))), torch.full((6,), 30)
    sid = torch.arange(6) % voice.speakers if voice.speakers else None
    run = lambda: infer(model, ids, lengths, 1.0, sid)
    if settings["use_sdp"]:
        affine = model.dp.flows[0]
        affine.m[0], affine.logs[0] = 0.0, 0.0
        logw = run()[1]
        affine.logs[0] = round(math.log(float(logw.std()) / 0.4), 2)
        affine.m[0] = round(float(logw.mean()) - math.log(voice.pace) * math.exp(float(affine.logs[0])), 2)
    else:
        model.dp.proj.weight *= float("%.2g" % (0.4 / float(run()[1].std())))
        model.dp.proj.bias += round(math.log(voice.pace) - float(run()[1].mean()), 2)
    post = model.dec.conv_post if settings["istft_vits"] else model.dec.subband_conv_post
    bins = settings["gen_istft_n_fft"] // 2 + 1
    magnitudes = [i for i in range(post.bias.numel()) if i % (2 * bins) < bins]
    post.bias[magnitudes] += round(math.log(LOUDNESS / float(run()[0]["output"].std())), 2)


def record(models, name, voice, folder):
    model, settings = build(models, voice)
    random = np.random.default_rng([voice.seed, 7])
    with torch.no_grad():
        draw(model, models, random)
        calibrate(model, voice, settings, random)
    tensors, loudest = {}, 0.0
    for number, (case, (lengths, length_scale)) in enumerate(CASES.items()):
        while True:
            ids = random.integers(1, SYMBOLS, (len(lengths), max(lengths)))
            for row, length in enumerate(lengths):
                ids[row, length:] = 0
            sid = torch.from_numpy((np.arange(len(lengths)) + number) % voice.speakers) if voice.speakers else None
            out, _, edge = infer(model, torch.from_numpy(ids), torch.tensor(lengths), length_scale, sid)
            if edge > MARGIN and out["durations"].max() < 12:
                break
        tensors.update({f"{case}/in/input": torch.from_numpy(ids), f"{case}/in/input_lengths": torch.tensor(lengths),
                        f"{case}/in/scales": torch.tensor([0.0, length_scale, 0.0])})
        if sid is not None:
            tensors[f"{case}/in/sid"] = sid
        tensors.update({f"{case}/out/{what}": tensor for what, tensor in out.items()})
        tensors.update({f"{case}/in/{what}": out[what] for what in ("z", "y_mask", "g") if what in out})
        loudest = max(loudest, float(out["output"].abs().max()))
    write_safetensors(folder / f"{name}.cases.safetensors", tensors)

    weights = {key: tensor for key, tensor in model.state_dict().items() if not key.startswith("enc_q.")}
    (folder / name).mkdir(exist_ok=True)
    torch.save({"model": weights, "iteration": 1, "optimizer": None, "learning_rate": 2e-4}, folder / name / "G_1000.pth")
    data = {"sampling_rate": 22050, "add_blank": True, "n_speakers": voice.speakers, "cleaned_text": True}
    (folder / name / "config.json").write_text(json.dumps({"data": data, "model": settings}, indent=2) + "\n")
    frames = {case: tensors[f"{case}/out/z"].shape[2] for case in CASES}
    print(f"{name:20} frames {frames}, audio to {loudest:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(2)
    models = import_models(options.source)
    for name, voice in VOICES.items():
        if not options.names or name in options.names:
            record(models, name, voice, options.folder)


if __name__ == "__main__":
    main()
