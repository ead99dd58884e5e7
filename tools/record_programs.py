#!/usr/bin/env python3
"""Records small exported programs, each with one thing that a reader of .pt2 archives must know.

    record_programs.py FOLDER [SUFFIX]     write FOLDER/NAME[SUFFIX].pt2; needs PyTorch 2.6 or newer

Those in tests/data/programs were written by PyTorch 2.6 (NAME.pt2) and 2.14 (NAME.v214.pt2). What PyTorch
does not export in a version is skipped, and named.
"""

import collections
import sys

import torch
import torch.utils._pytree as pytree
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim

Out = collections.namedtuple("Out", ["mean", "rest"])
pytree._register_namedtuple(Out, serialized_type_name="net.Out")


class WhileLoop(torch.nn.Module):
    def forward(self, x, y):
        def condition(i, z):
            return i < 5

        def body(i, z):
            return i + 1, z * 2 + y

        return while_loop(condition, body, (torch.zeros((), dtype=torch.int64), x))[1]


class Wrapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.fc(x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = y @ y.T
        return {"z": z, "pair": (y + 1, None)}


class NamedTuple(torch.nn.Module):
    def forward(self, x, n: int):
        return Out(x.mean(), [x.view(-1)[:n], x.shape[0] * 2])


class Symbols(torch.nn.Module):
    def forward(self, x, n):
        size = [torch.sym_max(x.shape[0], n) + 1, x.shape[1] // 2]
        zeros = x.new_zeros(size, dtype=torch.float16).to(memory_format=torch.contiguous_format)
        return zeros, x[:, torch.tensor([0, 1])], x.split(1, 1)[0]


class Item(torch.nn.Module):
    def forward(self, x, length):
        n = length.item()
        torch._check_is_size(n)
        torch._check(n <= x.shape[0])
        branches = (lambda t: (t + 1, t * 3)), (lambda t: (t - 1, t * 2))
        return x[:n].masked_fill(x[:n] > 0, float("-inf")), torch.cond(x.shape[0] > 3, *branches, (x,))


class Mutation(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(2))
        self.register_buffer("k", torch.ones(2), persistent=False)

    def forward(self, x):
        self.n.add_(1)
        x.mul_(2)
        return x + self.n + self.k


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.e = torch.nn.Embedding(5, 4)
        self.d = torch.nn.Linear(4, 5, bias=False)
        self.d.weight = self.e.weight
        self.register_buffer("v", torch.arange(12.0).reshape(3, 4).t()[1:])

    def forward(self, i):
        return self.d(self.e(i)), self.v + 1


class NestedInputs(torch.nn.Module):
    def forward(self, xs, d):
        return xs[0] * d["k"] + xs[1], torch.ops.aten.index.Tensor(xs[0], [None, torch.tensor([0])])


def programs():
    torch.manual_seed(0)
    x = torch.randn(6, 4)
    rows = {0: Dim.AUTO}
    export = torch.export.export
    yield "while_loop", lambda: export(WhileLoop(), (x, x[0].clone()))
    yield "wrapped", lambda: export(Wrapped(), (x,), dynamic_shapes={"x": rows})
    yield "namedtuple", lambda: export(NamedTuple(), (x, 3), dynamic_shapes={"x": rows, "n": None})
    yield "symbols", lambda: export(Symbols(), (x, 5), dynamic_shapes={"x": rows, "n": Dim.AUTO})
    yield "item", lambda: export(Item(), (x, torch.tensor(3)), dynamic_shapes={"x": rows, "length": None})
    yield "mutation", lambda: export(Mutation(), (torch.randn(2),)).run_decompositions()
    yield "tied", lambda: export(Tied(), (torch.tensor([1, 2]),))
    yield "nested_inputs", lambda: export(NestedInputs(), ([x, x + 1], {"k": torch.ones(4)}))


def main():
    folder, suffix = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    for name, program in programs():
        try:
            torch.export.save(program(), f"{folder}/{name}{suffix}.pt2")
        except Exception as error:
            print(f"{name} is skipped: {type(error).__name__}")


main()
