#!/usr/bin/env python3
"""Records programs whose sizes are computed in a way that comes to something simple, and what PyTorch computes.

    tools/record_sizes.py tests/data/axes      write NAME.ts113.pt and NAME.cases.safetensors

Recorded with torch 1.13. What each is for is said in its class; `hidden_size` and `limited_sizes`
have no cases.
"""

import math
import pathlib
import sys
from typing import List

import torch
import torch.nn.functional as F
from record_ops import stored, write_safetensors
from torch import nn


class DownAndUp(nn.Module):
    """Padded to a multiple of 8, convolved with a stride of 8, and back: as long as what was padded."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv1d(3, 4, 8, 8)
        self.up = nn.ConvTranspose1d(4, 3, 8, 8)

    def forward(self, x):
        x = F.pad(x, (0, (8 - x.shape[-1] % 8) % 8))
        return self.up(self.down(x)) + x


class ChunkedAttention(nn.Module):
    """Chunks of 24 steps, one at least, of which the last is padded."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(24, 24)

    def forward(self, x):
        b, t = x.shape[0], x.shape[1]
        n = max((t + 23) // 24, 1)
        x = F.pad(x, (0, 24 * n - t)).view(b, n, -1)
        y = torch.softmax(self.linear(x) @ x.transpose(1, 2), -1) @ x
        return y.reshape(b, -1)[:, :t]


class ValidLength(nn.Module):
    """Demucs: the length is rounded up to one that survives all convolutions, and cut again."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv1d(1, 2, 8, 4), nn.Conv1d(2, 4, 8, 4)])
        self.up = nn.ModuleList([nn.ConvTranspose1d(4, 2, 8, 4), nn.ConvTranspose1d(2, 1, 8, 4)])

    def valid_length(self, length: int) -> int:
        for _ in range(2):
            length = max(int(math.ceil((length - 8) / 4)) + 1, 1)
        for _ in range(2):
            length = (length - 1) * 4 + 8
        return length

    def forward(self, x):
        length = x.shape[-1]
        x = F.pad(x, (0, self.valid_length(length) - length))
        skips: List[torch.Tensor] = []
        for layer in self.down:
            skips.append(x)
            x = torch.relu(layer(x))
        for layer in self.up:
            x = layer(x) + skips.pop(-1)
        return x[..., :length]


class CenteredPadding(nn.Module):
    """Halved and doubled three times, padded on both sides to a multiple of 8."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv1d(2, 2, 3, 2, 1) for _ in range(3)])
        self.up = nn.ModuleList([nn.ConvTranspose1d(2, 2, 4, 2, 1) for _ in range(3)])

    def forward(self, x):
        length = x.shape[-1]
        pad = (8 - length % 8) % 8
        x = F.pad(x, (pad // 2, pad - pad // 2))
        skips: List[torch.Tensor] = []
        for layer in self.down:
            skips.append(x)
            x = layer(x)
        for layer in self.up:
            x = layer(x) + skips.pop(-1)
        return x[..., pad // 2:pad // 2 + length]


class GroupedFrames(nn.Module):
    """Frames are split among 17 groups and put together again, each as 4 features."""

    def forward(self, x):
        b, t = x.shape
        n = (t + 7) // 8 + 1
        y = F.pad(x, (0, 34 * n - t)).reshape(b, 17, n * 2)
        y = y.reshape(b, 17 * n, -1)
        return torch.cat([y, y], -1).reshape(b, 17, n, -1) @ torch.arange(12.0).view(4, 3)


class BothHalves(nn.Module):
    """The halves of an axis, of which one may be longer, each as rows of 8 and joined."""

    def forward(self, x):
        b, t, c = x.shape
        i = (t + 1) // 2
        first = x[:, :i].reshape(b, i * 3, 8)
        last = x[:, i:].reshape(b, t // 2 * 3, 8)
        return torch.cat([first, last], 1).reshape(b, t, -1) @ torch.arange(48.0).view(24, 2) + x[:, :, :2]


class HiddenSize(nn.Module):
    """A bias of as many elements as a mask of the module has, which only the run can tell: 5."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tensor([True, False, True, True, True, True]))

    def forward(self, x):
        return x + torch.nonzero(self.mask).flatten() / 2


class LimitedSizes(nn.Module):
    """The first 4 columns, and a table of 64 rows of which as many are added as there are: 4 and more, 64 and fewer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.randn(64, 4))

    def forward(self, x):
        n = x.shape[1]
        return x[:, :, :4] + self.table[-n:]


class HalvedTwice(nn.Module):
    """Halved twice and doubled again, and added to what it was each time: t is a multiple of 4."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv1d(3, 3, 3, 2, 1)

    def forward(self, x):
        half = self.down(x)
        quarter = self.down(half)
        half = half + F.interpolate(quarter, scale_factor=2.0)
        return x + F.interpolate(half, scale_factor=2.0)


class Reflected(nn.Module):
    """What is left of t after a pooling of 4 is reflected by 5, which takes 6: t is at least 24."""

    def forward(self, x):
        return F.pad(F.avg_pool1d(x, 4), (5, 5), mode="reflect")


class UpsampledFrames(nn.Module):
    """Each frame belongs to 4 samples, after the first 2: there are 4*frames - 8."""

    def forward(self, x, frames):
        return x + F.interpolate(frames[:, :, 2:], scale_factor=4.0)


class OneBranch(nn.Module):
    """A bias of 4 is added to what is positive: only that branch requires t to be 4."""

    def __init__(self):
        super().__init__()
        self.register_buffer("bias", torch.randn(4))

    def forward(self, x):
        if bool(x.sum() > 0):
            return x + self.bias
        else:
            return x * 2


# name, module, shape of x and the sizes of t in the cases
PROGRAMS = [
    ("down_and_up", DownAndUp(), (2, 3, "t"), [1, 8, 21]),
    ("chunked_attention", ChunkedAttention(), (2, "t"), [1, 24, 50]),
    ("valid_length", ValidLength(), (2, 1, "t"), [1, 36, 50]),
    ("centered_padding", CenteredPadding(), (2, 2, "t"), [1, 16, 21]),
    ("grouped_frames", GroupedFrames(), (2, "t"), [1, 16, 50]),
    ("both_halves", BothHalves(), (2, "t", 24), [1, 5, 8]),
]


class TracedZeros(torch.nn.Module):
    """A trace takes T for a number, so that it pads to its example's size."""

    def forward(self, x):
        size = int(x.shape[1])
        padded = torch.cat([x, torch.zeros(x.shape[0], size - x.shape[1])], 1)
        return padded[:, :x.shape[1]] * 2


def add_case(tensors, i, module, **inputs):
    for name, value in inputs.items():
        tensors[f"case{i}/in/{name}"] = stored(value)
    tensors[f"case{i}/out/y"] = stored(module(**inputs))


def record(folder, name, module, shape, sizes):
    scripted = torch.jit.script(module.eval())
    scripted.save(str(folder / f"{name}.ts113.pt"))
    tensors = {}
    for i, t in enumerate(sizes):
        x = torch.randn([t if size == "t" else size for size in shape])
        add_case(tensors, i, scripted, x=x)
    write_safetensors(folder / f"{name}.cases.safetensors", tensors)


def record_limits(folder):
    record(folder, "halved_twice", HalvedTwice(), (2, 3, "t"), [4, 8, 20])
    record(folder, "reflected", Reflected(), (2, 3, "t"), [24, 25, 50])
    frames = torch.jit.script(UpsampledFrames().eval())
    frames.save(str(folder / "upsampled_frames.ts113.pt"))
    tensors = {}
    for i, n in enumerate([3, 5, 9]):
        add_case(tensors, i, frames, x=torch.randn(2, 3, 4 * n - 8), frames=torch.randn(2, 3, n))
    write_safetensors(folder / "upsampled_frames.cases.safetensors", tensors)
    branch = torch.jit.script(OneBranch().eval())
    branch.save(str(folder / "one_branch.ts113.pt"))
    tensors = {}
    for i, x in enumerate([torch.ones(2, 4), -torch.ones(2, 4), -torch.ones(3, 7)]):
        add_case(tensors, i, branch, x=x)
    write_safetensors(folder / "one_branch.cases.safetensors", tensors)


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(1)
    for program in PROGRAMS:
        record(folder, *program)
    torch.jit.script(HiddenSize().eval()).save(str(folder / "hidden_size.ts113.pt"))
    torch.jit.script(LimitedSizes().eval()).save(str(folder / "limited_sizes.ts113.pt"))
    torch.jit.trace(TracedZeros().eval(), torch.randn(2, 7)).save(str(folder / "traced_zeros.ts113.pt"))
    record_limits(folder)


if __name__ == "__main__":
    main()
