#!/usr/bin/env python3
"""Records tiny Piper (VITS) voices in sizes and layouts that trained voices rarely have, and what PyTorch says.

    record_voices.py record PIPER FOLDER [NAME ...]          write the voices below (or those named) into FOLDER
    record_voices.py noise  PIPER FOLDER CHECKPOINT ...      write NAME.noise.safetensors for existing checkpoints
    record_voices.py broken PIPER FOLDER                     write the checkpoints of BROKEN below: a voice, spoilt
    record_voices.py check  PIPER CHECKPOINT CASES ...       repeat recorded cases; prints the largest differences

PIPER is the folder `src/python/piper_train` of github.com/rhasspy/piper (recorded with 73c04d8, torch 1.13 on Debian
bookworm); of it only `vits/models.py` and what that imports is used, so neither Lightning nor Cython is needed.

A voice is NAME.ckpt and NAME.cases.safetensors: tensors `<case>/in/<input>` and `<case>/out/<output>`.

    c0 c1 c2 c3 c5   one row of 1, 2, 3, 7 and 40 phonemes; scales [0, length, 0]
    c4               three rows of 4, 9 and 1 phonemes, padded with 0
    c6               two rows of 2 and 4 phonemes in an axis of 6, padded with other phonemes
    n0 n1            with noise, scales [0.667, 1.1, 0.8]: one row, and rows of 3 and 6. The noise is an input:
                     `noise_w` [batch, 2, phonemes] is what Piper multiplies by the third scale (stochastic durations
                     only; it has values beyond the spline's bound of 5), `noise_z` [batch, channels, frames] by the first

`z` is the flow's input and is not masked, `output` the whole audio [batch, 1, samples], `durations` the frames of each
phoneme. `in/z`, `in/y_mask` and `in/g` repeat the outputs, as inputs of the decoder. `odd-sizes` also has
`<case>/mid/<name>`: x, m_p, logs_p (of the text encoder, per phoneme), logw, z_flow (the flow's result, not masked).

Weights are random but sane: a phoneme takes 1 to 8 frames (without noise), audio has an rms near 0.1 and stays off
tanh's ends, weight norm's g is not |v|, and no duration is within MARGIN of a rounding edge.
"""

import argparse
import ast
import collections
import contextlib
import dataclasses
import importlib
import json
import math
import pathlib
import struct
import sys
import types
import typing

import numpy as np
import torch
from torch import nn

MARGIN = 2e-3          # of a duration before it is rounded up, to the next whole number
SPREAD = 0.4           # of the logarithm of durations
LOUDNESS = 0.11        # rms of the audio before tanh
NOISE = (0.667, 1.1, 0.8)
LARGE = 6.6            # noise that is past the spline's bound even after the scale: 6.6 * 0.8 > 5


# The voices ----------------------------------------------------------------------------------------


@dataclasses.dataclass
class Voice:
    seed: int
    hyper: dict                                   # over SMALL
    pace: float = 2.0                             # frames of a phoneme before rounding up
    window: int = 4                               # what follows is fixed in Piper; the shapes of the tensors tell
    heads_share: bool = True
    flow: typing.Tuple[int, int, int] = (5, 4, 4) # kernel, layers, couplings
    sdp_flows: int = 4
    dp_filter: int = 256
    whole: bool = False                           # with what only training uses: enc_q, dp.post_*, a discriminator
    layout: str = "lightning"                     # or "state_dict" (nothing else in the file), "bare"
    dtype: torch.dtype = torch.float32
    norm: str = "weight_g"                        # or "parametrizations", "folded"
    strings: bool = False                         # tuples among the hyper-parameters as text
    middle: bool = False                          # record mid/ too


SMALL = dict(
    num_symbols=40, num_speakers=1,
    resblock="2", resblock_kernel_sizes=(3, 5), resblock_dilation_sizes=((1, 2), (2, 6)),
    upsample_rates=(4, 4), upsample_initial_channel=16, upsample_kernel_sizes=(8, 8),
    filter_length=64, hop_length=16, win_length=64, mel_channels=80, sample_rate=22050, sample_bytes=2, channels=1,
    mel_fmin=0.0, mel_fmax=None,
    inter_channels=12, hidden_channels=12, filter_channels=24, n_heads=2, n_layers=2, kernel_size=3, p_dropout=0.1,
    n_layers_q=3, use_spectral_norm=False, gin_channels=0, use_sdp=True, segment_size=8192,
)
TRAINING = dict(
    learning_rate=2e-4, betas=(0.8, 0.99), eps=1e-9, batch_size=32, lr_decay=0.999875, init_lr_ratio=1.0,
    warmup_epochs=0, c_mel=45, c_kl=1.0, grad_clip=None, num_workers=1, seed=1234, num_test_examples=5,
    validation_split=0.1, max_phoneme_ids=None,
)
MEDIUM = dict(  # Piper's own decoder, as wide as fits
    resblock="2", resblock_kernel_sizes=(3, 5, 7), resblock_dilation_sizes=((1, 2), (2, 6), (3, 12)),
    upsample_rates=(8, 8, 4), upsample_kernel_sizes=(16, 16, 8), upsample_initial_channel=16, hop_length=256,
)
HIGH = dict(
    resblock="1", resblock_kernel_sizes=(3, 7, 11), resblock_dilation_sizes=((1, 3, 5),) * 3,
    upsample_rates=(8, 8, 2, 2), upsample_kernel_sizes=(16, 16, 4, 4), upsample_initial_channel=16, hop_length=256,
)

VOICES = {
    # Odd channels, three heads of three, inter != hidden, a wider FFN, kernel != 2 * rate
    "odd-sizes": Voice(1, dict(
        num_symbols=37, hidden_channels=9, inter_channels=10, filter_channels=25, n_heads=3, kernel_size=5,
        upsample_rates=(5, 3, 2), upsample_kernel_sizes=(11, 7, 4), upsample_initial_channel=24, hop_length=30), middle=True),
    "resblock1-speakers": Voice(2, dict(HIGH, num_speakers=5, gin_channels=12, inter_channels=8, hidden_channels=8), pace=1.1),
    "plain-speakers": Voice(3, dict(num_speakers=3, gin_channels=9, use_sdp=False), dp_filter=22),
    # kernel = 2 * rate, an even surplus, kernel = rate; the FFN's kernel is even: one more zero at its right
    "kernel-even": Voice(4, dict(kernel_size=4, upsample_rates=(4, 4, 2), upsample_kernel_sizes=(8, 10, 2), hop_length=32)),
    # kernel - rate is odd: every such stage gives one sample more, 12 * frames + 4 here
    "kernel-uneven": Voice(5, dict(
        resblock="1", resblock_dilation_sizes=((1, 2, 4), (2, 3, 1)),
        upsample_rates=(4, 3), upsample_kernel_sizes=(7, 6), hop_length=12)),
    "half": Voice(6, dict(hidden_channels=16, inter_channels=14), dtype=torch.float16),
    "bfloat": Voice(7, dict(hidden_channels=16, inter_channels=14, num_speakers=3, gin_channels=6), dtype=torch.bfloat16),
    "one-layer": Voice(8, dict(
        n_layers=1, n_heads=1, kernel_size=1, resblock_kernel_sizes=(3,), resblock_dilation_sizes=((1, 3),),
        upsample_rates=(16,), upsample_kernel_sizes=(32,))),
    # The same voice twice; what the shapes do not tell is as in Piper's medium voices
    "no-hyper": Voice(9, dict(MEDIUM), pace=1.1, layout="state_dict"),
    "bare": Voice(9, dict(MEDIUM), pace=1.1, layout="bare"),
    "new-weight-norm": Voice(10, dict(hidden_channels=8, inter_channels=8, filter_channels=20),
                             norm="parametrizations", strings=True, whole=True),
    "no-weight-norm": Voice(11, dict(num_speakers=3, gin_channels=10), norm="folded"),
    "window": Voice(12, dict(), window=2),
    "window-per-head": Voice(13, dict(n_heads=3), window=3, heads_share=False),
    "small-flow": Voice(14, dict(num_speakers=4, gin_channels=7, inter_channels=10), pace=1.6, flow=(3, 2, 2), sdp_flows=2),
    # Channels come out of an odd number of flips the other way round
    "odd-flow": Voice(16, dict(num_speakers=3, gin_channels=5, inter_channels=10, hidden_channels=8), flow=(3, 2, 3), sdp_flows=3),
    # One speaker, yet conditioned layers: Piper does not use them
    "unused-speaker": Voice(15, dict(gin_channels=6)),
}

# The smallest of all, and one thing that is wrong with it
TINY = Voice(17, dict(
    hidden_channels=6, inter_channels=6, filter_channels=8, n_layers=1, upsample_rates=(16,), upsample_kernel_sizes=(32,),
    upsample_initial_channel=8, resblock_kernel_sizes=(3,), resblock_dilation_sizes=((1, 2),)), flow=(3, 1, 2), sdp_flows=2)


def without_tensors(weights):
    del weights["model_g.enc_p.encoder.attn_layers.0.conv_q.weight"]
    del weights["model_g.dec.ups.0.bias"]


def with_wrong_shapes(weights):
    weights["model_g.dec.ups.0.weight_v"] = torch.zeros(8, 4, 16)
    weights["model_g.enc_p.encoder.norm_layers_1.0.gamma"] = torch.ones(7)


def with_nan(weights):
    weights["model_g.dec.conv_post.weight"][0, 0, 3] = math.nan
    weights["model_g.enc_p.proj.bias"][1] = math.inf


def with_more_tensors(weights):
    weights["model_g.dec.noise_convs.0.weight"] = torch.zeros(4, 1, 3)
    weights["model_g.style"] = torch.zeros(3)


BROKEN = {
    "missing-tensor": without_tensors,
    "wrong-shape": with_wrong_shapes,
    "nan-weight": with_nan,
    "extra-tensor": with_more_tensors,
}

# case: lengths of the rows, phonemes of the axis, length scale, what pads
QUIET = {
    "c0": ((1,), 1, 1.0, None),
    "c1": ((2,), 2, 1.3, None),
    "c2": ((3,), 3, 0.8, None),
    "c3": ((7,), 7, 0.7, None),
    "c4": ((4, 9, 1), 9, 1.2, "zero"),
    "c5": ((40,), 40, 0.9, None),
    "c6": ((2, 4), 6, 1.0, "phonemes"),
}
NOISY = {"n0": ((6,), 6, NOISE[1], None), "n1": ((3, 6), 6, NOISE[1], "zero")}


# Piper ---------------------------------------------------------------------------------------------


def import_piper(folder):
    """Piper's `vits.models`, without the packages around it; the alignment search is for training."""
    def package(name, path=None):
        module = sys.modules[name] = types.ModuleType(name)
        module.__path__ = [str(path)] if path else []
        return module

    package("piper_train", folder)
    package("piper_train.vits", folder / "vits").monotonic_align = package("piper_train.vits.monotonic_align")
    return importlib.import_module("piper_train.vits.models")


def build(models, hyper, voice):
    """Piper's model of these hyper-parameters; the parts Piper fixes are replaced where the voice has others."""
    torch.manual_seed(0)  # everything is drawn anew or loaded
    h, inter, gin = hyper["hidden_channels"], hyper["inter_channels"], hyper["gin_channels"]
    names = "resblock_kernel_sizes resblock_dilation_sizes upsample_rates upsample_initial_channel upsample_kernel_sizes"
    model = models.SynthesizerTrn(
        n_vocab=hyper["num_symbols"], spec_channels=hyper["filter_length"] // 2 + 1,
        segment_size=hyper["segment_size"] // hyper["hop_length"], inter_channels=inter, hidden_channels=h,
        filter_channels=hyper["filter_channels"], n_heads=hyper["n_heads"], n_layers=hyper["n_layers"],
        kernel_size=hyper["kernel_size"], p_dropout=hyper["p_dropout"], resblock=hyper["resblock"],
        **{name: hyper[name] for name in names.split()},
        n_speakers=hyper["num_speakers"], gin_channels=gin, use_sdp=hyper["use_sdp"])

    kernel, layers, couplings = voice.flow
    if voice.flow != (5, 4, 4):
        model.flow = models.ResidualCouplingBlock(inter, h, kernel, 1, layers, couplings, gin_channels=gin)
    if hyper["use_sdp"] and voice.sdp_flows != 4:
        model.dp = models.StochasticDurationPredictor(h, 192, 3, 0.5, voice.sdp_flows, gin_channels=gin)
    if not hyper["use_sdp"] and voice.dp_filter != 256:
        model.dp = models.DurationPredictor(h, voice.dp_filter, 3, 0.5, gin_channels=gin)
    if (voice.window, voice.heads_share) != (4, True):
        attention = models.attentions.MultiHeadAttention
        model.enc_p.encoder.attn_layers = nn.ModuleList(
            attention(h, h, hyper["n_heads"], window_size=voice.window, heads_share=voice.heads_share)
            for _ in range(hyper["n_layers"]))
    return model.eval().requires_grad_(False)


def remove_weight_norm(model):
    for module in model.modules():
        if hasattr(module, "weight_g"):
            nn.utils.remove_weight_norm(module)


# Weights -------------------------------------------------------------------------------------------


def draw(model, models, random):
    """Weights that keep values near 1 everywhere, drawn in the order of the modules."""
    def normal(like, scale=1.0, mean=0.0):
        return torch.from_numpy((mean + scale * random.standard_normal(tuple(like.shape))).astype(np.float32))

    for name, module in model.named_modules():
        if isinstance(module, (nn.Conv1d, nn.ConvTranspose1d)):
            size = gain(name)
            fan = module.in_channels // module.groups * module.kernel_size[0]
            if isinstance(module, nn.ConvTranspose1d):
                fan = fan / module.stride[0]
                size *= math.sqrt(module.out_channels * module.stride[0] / module.in_channels) if hasattr(module, "weight_g") else 1
            if hasattr(module, "weight_g"):  # |w| is g, whatever v is
                module.weight_v.copy_(normal(module.weight_v) * torch.exp(normal(module.weight_g, 0.3, -2.0)))
                module.weight_g.copy_(size * torch.exp(normal(module.weight_g, 0.15)))
            else:
                module.weight.copy_(normal(module.weight, size / math.sqrt(fan)))
            if module.bias is not None:
                module.bias.copy_(normal(module.bias, 0.1))
        elif isinstance(module, nn.Embedding):
            module.weight.copy_(normal(module.weight, 1.0 if name == "emb_g" else module.embedding_dim**-0.5))
        elif isinstance(module, models.modules.LayerNorm):
            module.gamma.copy_(normal(module.gamma, 0.1, 1.0))
            module.beta.copy_(normal(module.beta, 0.1))
        elif isinstance(module, models.modules.ElementwiseAffine):
            module.m.copy_(normal(module.m, 0.5))
            module.logs.copy_(normal(module.logs, 0.2))
        elif isinstance(module, models.attentions.MultiHeadAttention):
            module.emb_rel_k.copy_(normal(module.emb_rel_k, module.k_channels**-0.5))
            module.emb_rel_v.copy_(normal(module.emb_rel_v, module.k_channels**-0.5))
        if isinstance(module, models.modules.ConvFlow):  # widths and heights are divided by this root later
            module.proj.weight[: 2 * module.num_bins] *= 0.8 * math.sqrt(module.filter_channels)
    half = model.enc_p.proj.out_channels // 2
    model.enc_p.proj.weight[:half] *= 0.7  # means
    model.enc_p.proj.weight[half:] *= 0.3  # logarithms of deviations
    model.enc_p.proj.bias[half:] -= 0.4


def gain(name):
    if ".resblocks." in name:
        return 0.6
    if name.endswith(".post"):
        return 0.4
    return 0.7 if ".res_skip_layers." in name else 1.0


def calibrate(model, voice, hyper, random):
    """Sets the durations' mean and spread, and the audio's rms, by what the voice says to random phonemes. What is
    set is rounded, so that another machine's last bits give the same voice."""
    rows, length = 6, 30
    ids = torch.from_numpy(random.integers(0, hyper["num_symbols"], (rows, length)))
    sid = torch.arange(rows) % hyper["num_speakers"] if hyper["num_speakers"] > 1 else None

    def run():
        return infer(model, ids, torch.full((rows,), length), (0.0, 1.0, 0.0), sid)

    if hyper["use_sdp"]:
        affine = model.dp.flows[0]
        affine.m[0], affine.logs[0] = 0.0, 0.0
        z = run().mid["logw"]
        affine.logs[0] = round(math.log(float(z.std()) / SPREAD), 2)
        affine.m[0] = round(float(z.mean()) - math.log(voice.pace) * math.exp(float(affine.logs[0])), 2)
    else:
        logw = run().mid["logw"]
        model.dp.proj.weight *= float("%.2g" % (SPREAD / float(logw.std())))
        model.dp.proj.bias += round(math.log(voice.pace) - float(run().mid["logw"].mean()), 2)
    audio = torch.atanh(run().out["output"].clamp(-0.999, 0.999))
    for _ in range(2):  # twice, should the first have been loud
        model.dec.conv_post.weight *= float("%.2g" % (LOUDNESS / float(audio.std())))
        audio = torch.atanh(run().out["output"].clamp(-0.999, 0.999))


# Inference -----------------------------------------------------------------------------------------


@dataclasses.dataclass
class Result:
    out: dict
    mid: dict
    noise: dict    # as it was handed out
    edge: float    # smallest distance of a duration to a rounding edge


def infer(model, ids, lengths, scales, sid=None, noise=None):
    """Piper's `infer`. `noise(name, shape)` gives what torch.randn and torch.randn_like give it; without, zeros."""
    handed, mid = {}, {}

    def hand(name, shape):
        handed[name] = noise(name, tuple(shape)) if noise else torch.zeros(tuple(shape))
        return handed[name]

    @contextlib.contextmanager
    def patched():
        randn, randn_like = torch.randn, torch.randn_like
        torch.randn = lambda *shape: hand("noise_w", shape)
        torch.randn_like = lambda like: hand("noise_z", like.shape).type_as(like)
        try:
            yield
        finally:
            torch.randn, torch.randn_like = randn, randn_like

    def encoded(_, __, result):
        mid["x"], mid["m_p"], mid["logs_p"], mid["x_mask"] = result

    def predicted(_, __, result):
        mid["logw"] = result

    hooks = [model.enc_p.register_forward_hook(encoded), model.dp.register_forward_hook(predicted)]
    scales = torch.tensor(scales, dtype=model.enc_p.emb.weight.dtype)
    with torch.no_grad(), patched():
        audio, path, y_mask, (z_flow, z, _, _) = model.infer(
            ids, lengths, sid=sid, noise_scale=scales[0], length_scale=scales[1], noise_scale_w=scales[2])
    for hook in hooks:
        hook.remove()
    mid["z_flow"] = z_flow
    mask = mid.pop("x_mask")
    width = (torch.exp(mid["logw"]) * mask * scales[1])[mask > 0].double()
    out = {"z": z, "y_mask": y_mask, "durations": path.sum(2), "output": audio}
    if sid is not None:
        out["g"] = model.emb_g(sid).unsqueeze(-1)
    return Result(out, mid, handed, float((width - width.round()).abs().min()))


# Cases ---------------------------------------------------------------------------------------------


def record_cases(model, double, hyper, seed, cases, with_middle=False):
    """The cases' tensors, and the largest difference of float's result to double's."""
    tensors, copies, worst = {}, {}, 0.0
    for number, (case, (lengths, axis, length_scale, padding)) in enumerate(cases.items()):
        noisy = case.startswith("n")
        scales = (NOISE[0], length_scale, NOISE[2]) if noisy else (0.0, length_scale, 0.0)
        for attempt in range(100):
            random = np.random.default_rng([seed, 1, number + 100 * noisy, attempt])
            ids = random.integers(1, hyper["num_symbols"], (len(lengths), axis))
            for row, length in enumerate(lengths):
                ids[row, length:] *= padding == "phonemes"
            sid = None
            if hyper["num_speakers"] > 1:
                sid = torch.from_numpy((np.arange(len(lengths)) * 2 + number) % hyper["num_speakers"])
            inputs = [torch.from_numpy(ids), torch.tensor(lengths), scales, sid]
            result = infer(model, *inputs, noise=(lambda name, shape: draw_noise(random, name, shape)) if noisy else None)
            if result.edge > MARGIN and sane(result, noisy):
                break
        else:
            raise SystemExit(f"{case}: no input found; take another seed for the voice")
        exact = infer(double, *inputs, noise=lambda name, shape: result.noise[name].double())
        worst = max(worst, max(float((result.out[name] - exact.out[name]).abs().max()) for name in result.out))

        put = tensors.__setitem__
        put(f"{case}/in/input", inputs[0])
        put(f"{case}/in/input_lengths", inputs[1])
        put(f"{case}/in/scales", torch.tensor(scales))
        for name, value in result.out.items():
            if name == "g":
                put(f"{case}/in/sid", sid)
            put(f"{case}/out/{name}", value)
            if name in ("z", "y_mask", "g"):
                copies[f"{case}/in/{name}"] = value
        for name, value in result.noise.items() if noisy else ():
            put(f"{case}/in/{name}", value)
        for name, value in result.mid.items() if with_middle else ():
            put(f"{case}/mid/{name}", value)
    return {**tensors, **copies}, worst


def draw_noise(random, name, shape):
    noise = random.standard_normal(shape).astype(np.float32)
    if name == "noise_w":  # of the two rows the first becomes the durations: nothing large there
        noise[:, 0, 1] = -LARGE
        noise[:, 1, 0], noise[:, 1, 2] = LARGE, -LARGE
    return torch.from_numpy(noise)


def sane(result, noisy):
    longest, audio = float(result.out["durations"].max()), result.out["output"]
    return longest <= (40 if noisy else 8) and float(audio.abs().max()) < 0.95 and 0.02 < float(audio.std()) < 0.3


# Files ---------------------------------------------------------------------------------------------


def write_safetensors(path, tensors):
    kinds = {np.dtype(np.float32): "F32", np.dtype(np.int64): "I64"}
    header, parts, offset = {}, [], 0
    for name, tensor in tensors.items():
        array = np.ascontiguousarray(tensor.detach().numpy())
        parts.append(array.tobytes())
        header[name] = {"dtype": kinds[array.dtype], "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def read_safetensors(path):
    kinds = {"F32": np.float32, "I64": np.int64}
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = torch.from_numpy(np.frombuffer(data[begin:end], kinds[entry["dtype"]]).reshape(entry["shape"]).copy())
    return tensors


CALLBACK = ("ModelCheckpoint{'monitor': None, 'mode': 'min', 'every_n_train_steps': 0, 'every_n_epochs': 1, "
            "'train_time_interval': None, 'save_on_train_epoch_end': None}")


def checkpoint_of(voice, hyper, weights, random):
    """What the trainer's torch.save would be given."""
    def normal(*shape):
        return torch.from_numpy(random.standard_normal(shape).astype(np.float32))

    if not voice.whole:
        for name in [name for name in weights if name.startswith(("enc_q.", "dp.post_"))]:
            del weights[name]
    if voice.layout == "bare":
        return weights
    weights = {f"model_g.{name}": w for name, w in weights.items()}
    if voice.whole:
        weights.update({
            "model_d.discriminators.0.convs.0.bias": normal(16),
            "model_d.discriminators.0.convs.0.weight_g": normal(16, 1, 1).abs(),
            "model_d.discriminators.0.convs.0.weight_v": normal(16, 1, 15),
            "model_d.discriminators.1.convs.0.bias": normal(32),
            "model_d.discriminators.1.convs.0.weight_g": normal(32, 1, 1, 1).abs(),
            "model_d.discriminators.1.convs.0.weight_v": normal(32, 1, 5, 1),
        })
    if voice.norm == "parametrizations":
        weights = {name.replace(".weight_g", ".parametrizations.weight.original0")
                       .replace(".weight_v", ".parametrizations.weight.original1"): w for name, w in weights.items()}
    weights = collections.OrderedDict(weights)
    if voice.layout == "state_dict":
        return {"state_dict": weights}

    hyper = {**hyper, "dataset": [pathlib.PosixPath("dataset.jsonl")], **TRAINING}
    if voice.strings:  # as piper1-gpl's trainer, which has its values from a command line
        hyper = {name: str(value) if isinstance(value, tuple) and name != "betas" else value
                 for name, value in hyper.items() if name != "dataset"}
        hyper["vocoder_warmstart_ckpt"] = None
    state = {"step": torch.tensor(10.0), "exp_avg": normal(4, 4), "exp_avg_sq": normal(4, 4) ** 2}
    group = {"lr": 2e-4, "betas": (0.8, 0.99), "eps": 1e-9, "weight_decay": 0.01, "amsgrad": False, "params": [0]}
    return {
        "epoch": 1000 + voice.seed,
        "global_step": 12345,
        "pytorch-lightning_version": "2.5.1" if voice.strings else "1.7.7",
        "state_dict": weights,
        "loops": {"fit_loop": {"state_dict": {}, "epoch_progress": {"total": {"ready": 1, "completed": 1}}}},
        "callbacks": {CALLBACK: {"best_model_path": "lightning_logs/version_0/checkpoints/epoch=1-step=2.ckpt", "last_model_path": ""}},
        "optimizer_states": [{"state": {0: state}, "param_groups": [group]}],
        "lr_schedulers": [{"gamma": 0.999875, "base_lrs": [2e-4], "last_epoch": 10, "_step_count": 11, "verbose": False,
                           "_get_lr_called_within_step": False, "_last_lr": [2e-4]}],
        "hparams_name": "kwargs",
        "hyper_parameters": hyper,
    }


def load(models, path):
    """A checkpoint of ours or Piper's as (model, the same in double, hyper-parameters)."""
    voice = VOICES.get(path.stem, Voice(0, {}))
    checkpoint = torch.load(path, map_location="cpu")
    hyper = checkpoint.get("hyper_parameters") or {**SMALL, **voice.hyper}
    hyper = {name: ast.literal_eval(value) if isinstance(value, str) and value.startswith("(") else value
             for name, value in hyper.items()}
    weights = {}
    for name, tensor in checkpoint.get("state_dict", checkpoint).items():
        if not name.startswith("model_d."):
            name = name[len("model_g."):] if name.startswith("model_g.") else name
            name = name.replace(".parametrizations.weight.original0", ".weight_g")
            weights[name.replace(".parametrizations.weight.original1", ".weight_v")] = tensor.float()

    def loaded():
        model = build(models, hyper, voice)
        if not any(name.endswith("weight_g") for name in weights):
            remove_weight_norm(model)
        missing, unexpected = model.load_state_dict(weights, strict=False)
        missing = [name for name in missing if not name.startswith(("enc_q.", "dp.post_"))]
        if missing or unexpected:
            raise SystemExit(f"{path}: missing {missing}, unexpected {unexpected}")
        return model

    return loaded(), loaded().double(), hyper


# Commands ------------------------------------------------------------------------------------------


def record(models, folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or VOICES:
        voice = VOICES[name]
        hyper = {**SMALL, **voice.hyper}
        random = np.random.default_rng([voice.seed, 0])
        model = build(models, hyper, voice)
        draw(model, models, random)
        calibrate(model, voice, hyper, random)
        if voice.norm == "folded":
            remove_weight_norm(model)
        weights = model.state_dict()  # a dict with an attribute, which a reader meets in `bare`
        for key, value in weights.items():
            weights[key] = value.clone().to(voice.dtype)
        path = folder / f"{name}.ckpt"
        torch.save(checkpoint_of(voice, hyper, weights, random), path)

        model, double, _ = load(models, path)  # what is recorded is what the file says
        tensors, worst = record_cases(model, double, hyper, voice.seed, {**QUIET, **NOISY}, voice.middle)
        cases = folder / f"{name}.cases.safetensors"
        write_safetensors(cases, tensors)
        report(name, path, cases, tensors, worst)


def broken(models, folder):
    folder.mkdir(parents=True, exist_ok=True)
    hyper = {**SMALL, **TINY.hyper}
    for name, spoil in BROKEN.items():
        random = np.random.default_rng([TINY.seed, 0])
        model = build(models, hyper, TINY)
        draw(model, models, random)
        weights = {key: value.clone() for key, value in model.state_dict().items()}
        checkpoint = checkpoint_of(TINY, hyper, weights, random)
        spoil(checkpoint["state_dict"])
        torch.save(checkpoint, folder / f"{name}.ckpt")


def noise(models, folder, checkpoints):
    folder.mkdir(parents=True, exist_ok=True)
    for path in checkpoints:
        model, double, hyper = load(models, path)
        tensors, worst = record_cases(model, double, hyper, 0, NOISY)
        cases = folder / f"{path.stem}.noise.safetensors"
        write_safetensors(cases, tensors)
        report(path.stem, path, cases, tensors, worst)


def report(name, checkpoint, cases, tensors, worst):
    def all_of(kind, ending):
        return torch.cat([t.flatten() for key, t in tensors.items() if key[0] in kind and key.endswith(ending)] or [torch.zeros(1)])

    audio, quiet, noisy = all_of("cn", "out/output"), all_of("c", "out/durations"), all_of("n", "out/durations")
    print(f"{name:20} {checkpoint.stat().st_size:8} {cases.stat().st_size:8}  frames of a phoneme to {quiet.max():.0f},"
          f" with noise {noisy.max():.0f}; audio rms {audio.std():.3f}, to {audio.abs().max():.2f}; float to double {worst:.1e}")


def check(models, checkpoint, files):
    model, _, _ = load(models, checkpoint)
    for path in files:
        tensors, worst = read_safetensors(path), {}
        for case in sorted({name.split("/")[0] for name in tensors}):
            given = {name.split("/")[2]: t for name, t in tensors.items() if name.startswith(f"{case}/in/")}

            result = infer(model, given["input"], given["input_lengths"], given["scales"].tolist(), given.get("sid"),
                           lambda name, shape: given[name] if name in given else torch.zeros(shape))
            for name, expected in tensors.items():
                here, kind, what = name.split("/")
                if here == case and kind != "in":
                    actual = (result.out if kind == "out" else result.mid)[what]
                    if actual.shape != expected.shape:
                        raise SystemExit(f"{path}: {name} has shape {list(expected.shape)}, now {list(actual.shape)}")
                    worst[what] = max(worst.get(what, 0.0), float((actual - expected).abs().max()))
        print(path.name, ", ".join(f"{name} {error:.1e}" for name, error in worst.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("record")
    command.add_argument("piper", type=pathlib.Path)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("names", nargs="*")
    command = commands.add_parser("noise")
    command.add_argument("piper", type=pathlib.Path)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("checkpoints", nargs="+", type=pathlib.Path)
    command = commands.add_parser("broken")
    command.add_argument("piper", type=pathlib.Path)
    command.add_argument("folder", type=pathlib.Path)
    command = commands.add_parser("check")
    command.add_argument("piper", type=pathlib.Path)
    command.add_argument("checkpoint", type=pathlib.Path)
    command.add_argument("cases", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()

    torch.set_num_threads(2)
    models = import_piper(arguments.piper)
    if arguments.command == "record":
        record(models, arguments.folder, arguments.names)
    elif arguments.command == "noise":
        noise(models, arguments.folder, arguments.checkpoints)
    elif arguments.command == "broken":
        broken(models, arguments.folder)
    else:
        check(models, arguments.checkpoint, arguments.cases)


if __name__ == "__main__":
    main()
