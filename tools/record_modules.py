#!/usr/bin/env python3
"""Records whole modules, optimizers and schedulers as torch.save writes them, for tests/data/scan/honest.

    /usr/bin/python3 tools/record_modules.py tests/data/scan/honest

The recorded data came from Debian's python3-torch 1.13, python3-numpy and python3-omegaconf. A scan must find each of
these files clean: they hold nothing but what PyTorch's own classes save.
"""

import argparse
import collections
import datetime
import os
import pathlib
import sys
import warnings

import numpy as np
import omegaconf
import torch
from torch import nn, optim

warnings.simplefilter("ignore")
torch.manual_seed(0)


def activations():
    names = ["CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
             "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmax2d",
             "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink"]
    return nn.Sequential(*[getattr(nn, name)() for name in names], nn.Threshold(0.1, 20))


def layers():
    return nn.ModuleList([
        nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]), nn.Bilinear(2, 2, 1), nn.ChannelShuffle(2), nn.Conv1d(1, 1, 1),
        nn.Conv2d(1, 1, 1, padding_mode="reflect"), nn.Conv3d(1, 1, 1), nn.ConvTranspose1d(1, 1, 1),
        nn.ConvTranspose2d(1, 1, 1), nn.ConvTranspose3d(1, 1, 1), nn.CosineSimilarity(), nn.PairwiseDistance(),
        nn.AlphaDropout(), nn.Dropout(), nn.Dropout1d(), nn.Dropout2d(), nn.Dropout3d(), nn.FeatureAlphaDropout(),
        nn.Embedding(2, 2, padding_idx=0), nn.EmbeddingBag(2, 2), nn.Flatten(), nn.Unflatten(1, (1, 1)), nn.Fold(2, 1),
        nn.Unfold(1), nn.Identity(), nn.Linear(1, 1), nn.PixelShuffle(2), nn.PixelUnshuffle(2), nn.Upsample(scale_factor=2),
        nn.UpsamplingBilinear2d(2), nn.UpsamplingNearest2d(2)])


def norms_and_pools():
    pools = [getattr(nn, f"{kind}{n}d")(1) for n in (1, 2, 3)
             for kind in ("AdaptiveAvgPool", "AdaptiveMaxPool", "AvgPool", "MaxPool", "MaxUnpool")]
    pads = [getattr(nn, f"{kind}{n}d")(1) for n in (1, 2, 3) for kind in ("ReflectionPad", "ReplicationPad")]
    pads += [getattr(nn, f"ConstantPad{n}d")(1, 0.5) for n in (1, 2, 3)] + [nn.ZeroPad2d(1)]
    norms = [getattr(nn, f"{kind}{n}d")(1) for n in (1, 2, 3) for kind in ("BatchNorm", "InstanceNorm")]
    norms += [nn.GroupNorm(1, 1), nn.LayerNorm(1), nn.LocalResponseNorm(1), nn.CrossMapLRN2d(1), nn.SyncBatchNorm(1)]
    pools += [nn.FractionalMaxPool2d(1, output_size=1), nn.FractionalMaxPool3d(1, output_size=1), nn.LPPool1d(1, 1),
              nn.LPPool2d(1, 1)]
    return nn.ModuleDict({"norms": nn.ModuleList(norms), "pools": nn.ModuleList(pools), "pads": nn.ModuleList(pads)})


def losses():
    names = ["BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
             "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss",
             "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss",
             "TripletMarginLoss", "TripletMarginWithDistanceLoss"]
    return nn.ModuleList([getattr(nn, name)() for name in names])


def recurrent():
    return nn.ModuleList([nn.RNN(1, 1), nn.LSTM(1, 1, 2, bidirectional=True), nn.GRU(1, 1), nn.LSTM(1, 2, proj_size=1),
                          nn.RNNCell(1, 1), nn.LSTMCell(1, 1), nn.GRUCell(1, 1)])


def transformers():
    return nn.ModuleList([nn.MultiheadAttention(2, 1), nn.TransformerEncoderLayer(2, 1, 2, activation="gelu"),
                          nn.TransformerDecoderLayer(2, 1, 2), nn.Transformer(2, 1, 1, 1, 2),
                          nn.TransformerEncoder(nn.TransformerEncoderLayer(2, 1, 2), 1, nn.LayerNorm(2))])


def containers():
    net = nn.Sequential(collections.OrderedDict(first=nn.Linear(1, 1), second=nn.ReLU()))
    net.note = "added by hand"
    net.sizes = torch.Size([1, 2])
    net.device = torch.device("cpu")
    net.dtype = torch.float32
    net.register_buffer("steps", torch.tensor(3), persistent=False)
    return nn.ModuleDict({
        "net": net, "again": net, "lists": nn.ParameterList([nn.Parameter(torch.ones(1)), torch.zeros(1)]),
        "dicts": nn.ParameterDict({"a": nn.Parameter(torch.ones(1)), "b": torch.zeros(1)}),
        "parallel": nn.DataParallel(nn.Linear(1, 1))})


def with_hooks():
    weighted = nn.utils.weight_norm(nn.Conv1d(1, 1, 1))
    spectral = nn.utils.spectral_norm(nn.Linear(2, 2))
    return nn.ModuleList([weighted, spectral])


def optimizers():
    found = {}
    for name in ("Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD", "LBFGS"):
        layer = nn.Linear(2, 1)
        optimizer = getattr(optim, name)(layer.parameters(), lr=0.1)

        def closure():
            optimizer.zero_grad()
            loss = layer(torch.ones(1, 2)).sum()
            loss.backward()
            return loss
        optimizer.step(closure)
        found[name] = {"whole": optimizer, "state": optimizer.state_dict()}
    return found


def schedulers():
    def optimizer():
        return optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.9)
    made = {
        "StepLR": optim.lr_scheduler.StepLR(optimizer(), 1), "MultiStepLR": optim.lr_scheduler.MultiStepLR(optimizer(), [1, 2]),
        "ConstantLR": optim.lr_scheduler.ConstantLR(optimizer()), "LinearLR": optim.lr_scheduler.LinearLR(optimizer()),
        "ExponentialLR": optim.lr_scheduler.ExponentialLR(optimizer(), 0.9),
        "PolynomialLR": optim.lr_scheduler.PolynomialLR(optimizer()),
        "CosineAnnealingLR": optim.lr_scheduler.CosineAnnealingLR(optimizer(), 10),
        "CosineAnnealingWarmRestarts": optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer(), 10),
        "ReduceLROnPlateau": optim.lr_scheduler.ReduceLROnPlateau(optimizer())}
    # OneCycleLR and CyclicLR of PyTorch 1.13 keep methods in their state, which pickles as builtins.getattr.
    return {name: {"whole": made[name], "state": made[name].state_dict()} for name in made}


def training():
    """A checkpoint of a training loop, with everything that people put beside the weights."""
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
    return {
        "epoch": 3, "model": model.state_dict(), "best": float("inf"), "loss": np.float64(0.5), "names": ["a", "b"],
        "scaler": {"scale": 65536.0, "growth_tracker": 0}, "rng": torch.get_rng_state(),
        "numpy_rng": np.random.RandomState(0).get_state(), "args": argparse.Namespace(train=True, type="x", lr=0.1, keys=[1]),
        "when": datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc), "path": pathlib.PurePosixPath("/data/x"),
        "config": omegaconf.OmegaConf.create({"a": 1, "b": [1, "x", 2.5], "c": {"d": None, "e": "${a}"}}),
        "counts": collections.Counter("voxport"), "by_name": collections.defaultdict(list, {"a": [1]}),
        "queue": collections.deque([1, 2], maxlen=3), "mean": np.arange(4, dtype="f4"), "words": np.array(["a", "bc"]),
        "objects": np.array([None, "x"], dtype=object), "dtype": torch.float16, "set": {1, 2}, "frozen": frozenset([1])}


RECORDED = [activations, layers, norms_and_pools, losses, recurrent, transformers, containers, with_hooks, optimizers, schedulers,
            training]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for make in RECORDED:
        torch.save(make(), os.path.join(folder, f"{make.__name__}.pt"))
    torch.save(training(), os.path.join(folder, "training_protocol5.pt"), pickle_protocol=5)


if __name__ == "__main__":
    main()
