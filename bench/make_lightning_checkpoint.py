#!/usr/bin/env python3
"""Writes a Lightning checkpoint as Piper's trainer leaves it, of about the size asked for.

    make_lightning_checkpoint.py OUTPUT [--megabytes 1000]

Names, shapes and layout are those of a VITS voice in training: generator, discriminator, two AdamW
optimizers with two moments for each parameter, hyper parameters. The width of the network is chosen so that
the file comes out at the size; at 845 MB it is Piper's medium voice. The weights are noise, and many tensors
are the same noise: all storages lie in one buffer of a few dozen megabytes, each as a storage of its
own, so that memory stays small while PyTorch writes every one of them out.
"""

import argparse
import math
import pathlib
from collections import OrderedDict

import numpy as np
import torch


def conv(name, *shape):
    yield name + ".weight", shape
    yield name + ".bias", shape[:1]


def weight_norm_conv(name, *shape, bias=None):
    yield name + ".bias", (bias or shape[0],)
    yield name + ".weight_g", shape[:1] + (1,) * (len(shape) - 1)
    yield name + ".weight_v", shape


def layer_norm(name, channels):
    yield name + ".gamma", (channels,)
    yield name + ".beta", (channels,)


def text_encoder(name, h, layers=6, heads=2, window=4):
    yield name + ".emb.weight", (256, h)
    encoder = name + ".encoder"
    for i in range(layers):
        attention = "%s.attn_layers.%d" % (encoder, i)
        for relative in ("emb_rel_k", "emb_rel_v"):
            yield "%s.%s" % (attention, relative), (1, 2 * window + 1, h // heads)
        for part in "qkvo":
            yield from conv("%s.conv_%s" % (attention, part), h, h, 1)
    for i in range(layers):
        yield from layer_norm("%s.norm_layers_1.%d" % (encoder, i), h)
    for i in range(layers):
        yield from conv("%s.ffn_layers.%d.conv_1" % (encoder, i), 4 * h, h, 3)
        yield from conv("%s.ffn_layers.%d.conv_2" % (encoder, i), h, 4 * h, 3)
    for i in range(layers):
        yield from layer_norm("%s.norm_layers_2.%d" % (encoder, i), h)
    yield from conv(name + ".proj", 2 * h, h, 1)


def decoder(name, h, channels):
    yield from conv(name + ".conv_pre", channels, h, 7)
    for i, kernel in enumerate((16, 16, 8)):
        wide, narrow = channels >> i, channels >> i + 1
        yield from weight_norm_conv("%s.ups.%d" % (name, i), wide, narrow, kernel, bias=narrow)
    for i in range(9):
        narrow = channels >> i // 3 + 1
        for j in range(2):
            yield from weight_norm_conv("%s.resblocks.%d.convs.%d" % (name, i, j), narrow, narrow, (3, 5, 7)[i % 3])
    yield name + ".conv_post.weight", (1, channels >> 3, 7)


def wavenet(name, h, layers):
    for i in range(layers):
        yield from weight_norm_conv("%s.in_layers.%d" % (name, i), 2 * h, h, 5)
    for i in range(layers):
        yield from weight_norm_conv("%s.res_skip_layers.%d" % (name, i), h if i == layers - 1 else 2 * h, h, 1)


def posterior_encoder(name, h):
    yield from conv(name + ".pre", h, 513, 1)
    yield from wavenet(name + ".enc", h, 16)
    yield from conv(name + ".proj", 2 * h, h, 1)


def flow(name, h):
    for i in (0, 2, 4, 6):
        part = "%s.flows.%d" % (name, i)
        yield from conv(part + ".pre", h, h // 2, 1)
        yield from wavenet(part + ".enc", h, 4)
        yield from conv(part + ".post", h // 2, h, 1)


def separable_convs(name, h, layers=3):
    for i in range(layers):
        yield from conv("%s.convs_sep.%d" % (name, i), h, 1, 3)
    for i in range(layers):
        yield from conv("%s.convs_1x1.%d" % (name, i), h, h, 1)
    for norms in ("norms_1", "norms_2"):
        for i in range(layers):
            yield from layer_norm("%s.%s.%d" % (name, norms, i), h)


def duration_flows(name, h):
    yield name + ".0.m", (2, 1)
    yield name + ".0.logs", (2, 1)
    for i in (1, 3, 5, 7):
        part = "%s.%d" % (name, i)
        yield from conv(part + ".pre", h, 1, 1)
        yield from separable_convs(part + ".convs", h)
        yield from conv(part + ".proj", 29, h, 1)


def duration_predictor(name, h):
    yield from duration_flows(name + ".flows", h)
    yield from conv(name + ".post_pre", h, 1, 1)
    yield from conv(name + ".post_proj", h, h, 1)
    yield from separable_convs(name + ".post_convs", h)
    yield from duration_flows(name + ".post_flows", h)
    yield from conv(name + ".pre", h, h, 1)
    yield from conv(name + ".proj", h, h, 1)
    yield from separable_convs(name + ".convs", h)


def generator(h, channels):
    yield from text_encoder("model_g.enc_p", h)
    yield from decoder("model_g.dec", h, channels)
    yield from posterior_encoder("model_g.enc_q", h)
    yield from flow("model_g.flow", h)
    yield from duration_predictor("model_g.dp", h)


def discriminator(c):
    """c: the channels of the widest layers, 1024 in Piper."""
    scale = [(c // 64, 1, 15), (c // 16, 4, 41), (c // 4, 4, 41), (c, 4, 41), (c, 4, 41), (c, c, 5)]
    period = [(c // 32, 1), (c // 8, c // 32), (c // 2, c // 8), (c, c // 2), (c, c)]
    for i in range(6):
        name = "model_d.discriminators.%d" % i
        layers = scale if i == 0 else [layer + (5, 1) for layer in period]
        for j, layer in enumerate(layers):
            yield from weight_norm_conv("%s.convs.%d" % (name, j), *layer)
        yield from weight_norm_conv(name + ".conv_post", 1, c, 3, *(() if i == 0 else (1,)))


def voice(width):
    """Names and shapes at a multiple of the medium voice's width."""
    rounded = lambda channels, step: max(step, round(channels * width / step) * step)
    hidden, initial, widest = rounded(192, 2), rounded(256, 8), rounded(1024, 64)
    return list(generator(hidden, initial)), list(discriminator(widest)), (hidden, initial)


def bytes_of(shapes):
    return sum(4 * math.prod(shape) for _, shape in shapes)


def fitting_voice(megabytes):
    """The narrowest voice that with its two moments fills the size."""
    width = 0.25
    while True:
        g, d, sizes = voice(width)
        if 3 * (bytes_of(g) + bytes_of(d)) >= megabytes * 1e6:
            return g, d, sizes
        width += 0.005


class Noise:
    """Hands out tensors that are storages of their own, all in one buffer."""

    def __init__(self, largest):
        self.buffer = np.random.default_rng(1234).standard_normal(largest + 65536, dtype=np.float32)
        self.taken = 0

    def tensor(self, shape):
        count = math.prod(shape)
        self.taken = (self.taken + 16) % 65536  # so that neighbours differ
        return torch.from_numpy(self.buffer[self.taken:self.taken + count].reshape(shape))


def adam_state(shapes, noise):
    state = {}
    for i, (_, shape) in enumerate(shapes):
        state[i] = {"step": torch.tensor(493245.0), "exp_avg": noise.tensor(shape), "exp_avg_sq": noise.tensor(shape)}
    group = {"lr": 1.9e-4, "betas": (0.8, 0.99), "eps": 1e-9, "weight_decay": 0.01, "amsgrad": False,
             "foreach": None, "maximize": False, "capturable": False, "initial_lr": 2e-4, "params": list(range(len(shapes)))}
    return {"state": state, "param_groups": [group]}


def checkpoint(megabytes):
    g, d, (hidden, initial) = fitting_voice(megabytes)
    noise = Noise(max(math.prod(shape) for _, shape in g + d))
    progress = {key: {"ready": 493245, "completed": 493245, "started": 493245, "processed": 493245}
                for key in ("total", "current")}
    loop = {"state_dict": {}, "epoch_loop.batch_progress": progress, "epoch_progress": progress}
    scheduler = {"gamma": 0.999875, "base_lrs": [2e-4], "last_epoch": 6679, "_step_count": 6680, "verbose": False,
                 "_get_lr_called_within_step": False, "_last_lr": [1.9e-4]}
    callback = "ModelCheckpoint{'monitor': None, 'mode': 'min', 'every_n_train_steps': 0, 'every_n_epochs': 1, 'train_time_interval': None, 'save_on_train_epoch_end': None}"
    return {
        "epoch": 6679,
        "global_step": 1986494,
        "pytorch-lightning_version": "1.7.7",
        "state_dict": OrderedDict((name, noise.tensor(shape)) for name, shape in g + d),
        "loops": {"fit_loop": loop, "validate_loop": loop, "test_loop": loop, "predict_loop": loop},
        "callbacks": {callback: {"monitor": None, "best_model_score": None, "best_model_path": "", "best_k_models": {},
                                 "dirpath": "/train/lightning_logs/version_0/checkpoints", "kth_value": torch.tensor(math.inf)}},
        "optimizer_states": [adam_state(g, noise), adam_state(d, noise)],
        "lr_schedulers": [scheduler, dict(scheduler)],
        "hparams_name": "kwargs",
        "hyper_parameters": dict(
            num_symbols=256, num_speakers=1, resblock="2", resblock_kernel_sizes=(3, 5, 7),
            resblock_dilation_sizes=((1, 2), (2, 6), (3, 12)), upsample_rates=(8, 8, 4), upsample_initial_channel=initial,
            upsample_kernel_sizes=(16, 16, 8), filter_length=1024, hop_length=256, win_length=1024, mel_channels=80,
            sample_rate=22050, sample_bytes=2, channels=1, mel_fmin=0.0, mel_fmax=None, inter_channels=hidden,
            hidden_channels=hidden, filter_channels=4 * hidden, n_heads=2, n_layers=6, kernel_size=3, p_dropout=0.1,
            n_layers_q=3, use_spectral_norm=False, gin_channels=0, use_sdp=True, segment_size=8192,
            dataset=[pathlib.PosixPath("/train/dataset.jsonl")], learning_rate=2e-4, betas=(0.8, 0.99), eps=1e-9,
            batch_size=32, lr_decay=0.999875, init_lr_ratio=1.0, warmup_epochs=0, c_mel=45, c_kl=1.0, grad_clip=None,
            num_workers=1, seed=1234, num_test_examples=5, validation_split=0.1, max_phoneme_ids=None),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--megabytes", type=float, default=1000)
    arguments = parser.parse_args()
    torch.save(checkpoint(arguments.megabytes), arguments.output)


if __name__ == "__main__":
    main()
