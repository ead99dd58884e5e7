#!/usr/bin/env python3
"""Records modules that compute much of what they need from their weights alone, and what PyTorch computes with them.

    record_constants.py FOLDER      write FOLDER/NAME.ts113.pt and NAME.cases.safetensors, and name them in manifest.json

FOLDER is tests/data/programs; recorded with torch 1.13. tests/export/folded_programs_test.cpp knows how few nodes each of
them needs.
"""

import json
import pathlib
import struct
import sys

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils import parametrizations, spectral_norm, weight_norm

import manifest


class SpectralNorms(nn.Module):
    """Spectral norms, old and new, in eval mode: each is the weight divided by u * W * v."""

    def __init__(self):
        super().__init__()
        self.conv = spectral_norm(nn.Conv1d(4, 6, 3, padding=1))
        self.linear = parametrizations.spectral_norm(nn.Linear(6, 5))

    def forward(self, x):
        return self.linear(torch.relu(self.conv(x)).transpose(1, 2))


class OwnWeightNorm(nn.Module):
    """A weight norm as it is written by hand."""

    def __init__(self, axes):
        super().__init__()
        self.axes = axes
        self.v = nn.Parameter(torch.randn(4, 4, 3))
        self.g = nn.Parameter(torch.rand([1 if i in axes else size for i, size in enumerate(self.v.shape)]) + 0.5)

    def forward(self, x):
        norm = torch.sqrt(torch.sum(self.v ** 2, dim=self.axes, keepdim=True))
        return F.conv1d(x, self.v * (self.g / norm), padding=1)


class WeightNorms(nn.Module):
    """Weight norms of every dim, by PyTorch's operator and by hand."""

    def __init__(self):
        super().__init__()
        layers = [weight_norm(nn.Conv1d(4, 4, 3, padding=1), dim=dim) for dim in (0, 1, None)]
        layers += [OwnWeightNorm((1, 2)), OwnWeightNorm((0, 2)), OwnWeightNorm((0, 1, 2))]
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


class Snake(nn.Module):
    """x + sin(alpha * x) ** 2 / alpha, with alpha as it is or as its logarithm, as in BigVGAN and DAC."""

    def __init__(self, channels, is_log):
        super().__init__()
        self.is_log = is_log
        self.alpha = nn.Parameter(torch.rand(1, channels, 1) + 0.5)

    def forward(self, x):
        alpha = torch.exp(self.alpha) if self.is_log else self.alpha
        return x + (alpha + 1e-9).reciprocal() * torch.sin(alpha * x).pow(2)


def kaiser_sinc(cutoff, half_width, size):
    even = size % 2 == 0
    half = size // 2
    attenuation = 2.285 * (half - 1) * torch.pi * 4 * half_width + 7.95
    beta = 0.5842 * (attenuation - 21) ** 0.4 + 0.07886 * (attenuation - 21.0) if attenuation > 21 else 0.0
    window = torch.kaiser_window(size, beta=beta, periodic=False)
    time = torch.arange(-half, half) + 0.5 if even else torch.arange(size) - half
    kernel = 2 * cutoff * window * torch.sinc(2 * cutoff * time)
    return (kernel / kernel.sum()).view(1, 1, size)


class AntiAliased(nn.Module):
    """An activation at twice the rate between two filters, which are expanded to all channels; as in BigVGAN."""

    def __init__(self, channels):
        super().__init__()
        self.channels = channels
        self.register_buffer("filter", kaiser_sinc(0.25, 0.3, 12))
        self.snake = Snake(channels, True)

    def forward(self, x):
        x = F.pad(x, (5, 5), mode="replicate")
        x = 2 * F.conv_transpose1d(x, self.filter.expand(self.channels, -1, -1), stride=2, groups=self.channels)
        x = self.snake(x[..., 15:-15])
        x = F.pad(x, (5, 6), mode="replicate")
        return F.conv1d(x, self.filter.expand(self.channels, -1, -1), stride=2, groups=self.channels)


class SnakeFilters(nn.Module):
    """Snakes, with and without filters that keep out what is above half of the rate."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv1d(4, 6, 3, padding=1), AntiAliased(6), Snake(6, False))

    def forward(self, x):
        return self.layers(x)


class BatchNorms(nn.Module):
    """Batch norms after convolutions of all kinds; one whose convolution has another reader, and one after a Linear."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(4, 6, 3, padding=1), nn.BatchNorm1d(6), nn.ReLU(),
            nn.Conv1d(6, 6, 3, padding=1, groups=2, bias=False), nn.BatchNorm1d(6), nn.ReLU(),
            nn.ConvTranspose1d(6, 4, 4, stride=2, padding=1, bias=False), nn.BatchNorm1d(4, affine=False), nn.ReLU(),
            nn.ConvTranspose1d(4, 6, 4, stride=2, padding=1, groups=2), nn.BatchNorm1d(6))
        self.flat = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3))
        self.shared = nn.Conv1d(6, 6, 1)
        self.norm = nn.BatchNorm1d(6)
        self.linear = nn.Linear(6, 5)
        self.last = nn.BatchNorm1d(5)
        for module in self.modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                module.running_mean.uniform_(-1, 1)
                module.running_var.uniform_(0.5, 2)
                if module.affine:
                    nn.init.uniform_(module.weight, 0.5, 2)
                    nn.init.uniform_(module.bias, -1, 1)

    def forward(self, x):
        y = self.layers(x)
        z = self.shared(y)
        z = z + self.norm(z) + self.flat(z.unsqueeze(1)).sum(1)
        return self.last(self.linear(z.transpose(1, 2)).transpose(1, 2))


class InnerConstants(nn.Module):
    """Branches and a loop that compute with weights: a weight norm in the loop, a filter in one branch."""

    def __init__(self):
        super().__init__()
        self.v = nn.Parameter(torch.randn(5, 5))
        self.g = nn.Parameter(torch.rand(5, 1) + 0.5)
        self.alpha = nn.Parameter(torch.rand(5) + 0.5)

    def forward(self, x: Tensor, n: int) -> Tensor:
        for i in range(n):
            weight = self.v * (self.g / torch.sqrt(torch.sum(self.v ** 2, 1, True)))
            x = torch.tanh(x @ weight.t())
        if x.sum() > 0:
            x = x * (torch.exp(self.alpha) + 1e-9).reciprocal()
        else:
            x = x - (torch.exp(self.alpha) + 1).sqrt()
        return x


MODELS = {"spectral_norms": SpectralNorms, "weight_norms": WeightNorms, "snake_filters": SnakeFilters,
          "batch_norms": BatchNorms, "inner_constants": InnerConstants}


def write_safetensors(path, tensors):
    names = {torch.float32: "F32", torch.int64: "I64"}
    header, data = {}, b""
    for name, tensor in tensors.items():
        part = tensor.contiguous().numpy().tobytes()
        header[name] = dict(dtype=names[tensor.dtype], shape=list(tensor.shape),
                            data_offsets=[len(data), len(data) + len(part)])
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def record(folder, name, module):
    is_script = name == "inner_constants"
    example = [2, 5] if is_script else [2, 4, 9]
    axes = {"0": "b"} if is_script else {"0": "b", "2": "t"}
    program = torch.jit.script(module) if is_script else torch.jit.trace(module, torch.randn(example))
    program.save(str(folder / f"{name}.ts113.pt"))
    tensors = {}
    for i, sizes in enumerate(([2, 9], [1, 16], [3, 21])):
        x = torch.randn(sizes[0], 5) if is_script else torch.randn(sizes[0], 4, sizes[1])
        given = dict(x=x, n=torch.tensor(i)) if is_script else dict(x=x)
        with torch.no_grad():
            y = module(x, i) if is_script else module(x)
        tensors |= {f"case{i}/in/{key}": value for key, value in given.items()} | {f"case{i}/out/y": y}
    write_safetensors(folder / f"{name}.cases.safetensors", tensors)
    inputs = [dict(name="x", dtype="float32", rank=len(example), example=example, axes=axes)]
    if is_script:
        inputs.append(dict(name="n", dtype="int64", rank=0, example=[], axes={}))
    return dict(name=name, torchscript_kind="script" if is_script else "trace", note=module.__doc__,
                files=dict(ts_torch113=f"{name}.ts113.pt", cases=f"{name}.cases.safetensors"),
                valid_cases=dict(ts_torch113=[0, 1, 2]), inputs=inputs,
                outputs=[dict(name="y", dtype="float32", rank=y.dim(), example=list(y.shape), axes={})], rtol=1e-5)


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(1)
    recorded = [record(folder, name, make().eval()) for name, make in MODELS.items()]
    manifest.update(folder, recorded)


main()
