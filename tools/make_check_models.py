#!/usr/bin/env python3
"""Writes the models that the tests of `voxport check` judge, and what is true of each.

    tools/make_check_models.py tests/data/check                  models, broken/ and expected.json
    tools/make_check_models.py tests/data/check --cases FOLDER   also inputs and answers, for run_check_models.py, and
                                                                 described.json: all that is known of the models

Asks for Debian 12's python3-torch (1.13) and python3-onnx (1.12). The same versions write the same bytes.

A model is one entry of MODELS. Most are exported by PyTorch's tracer with axes declared dynamic, so that the ways in
which it loses a size are the real ones; `built` ones are put together node by node, as other exporters write them.
The entry says what is true: of each named axis of the inputs (`axes`; what is not listed is free), of each axis of
the outputs (after the arrow), and which node holds a size (`holds`). run_check_models.py asks ONNX Runtime whether
all of that is so, and adds what it measured.

Axes of a port are words: `t` is named t in the file, `8` is fixed, `?t` has no name in the file, `5~t` is fixed in the
file to 5 and called t here. Of an output, `?` leaves the name to the exporter, and the words after the arrow are
formulas over the axes of the inputs; `*` depends on the data, and `rank` says that the number of axes varies.
"""

import argparse
import ast
import hashlib
import io
import json
import pathlib
import re
import warnings
import zlib

import numpy as np
import onnx
import onnx.numpy_helper
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

TRACED = {"b": 2, "t": 5}  # the sizes that a model is traced with, where it does not say otherwise
SWEPT = {"b": [1, 2, 3, 4, 5, 6, 7, 8], "t": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 20, 31, 32, 33, 40]}
TOGETHER = [(1, 1), (1, 7), (3, 9), (4, 8), (5, 2), (7, 3), (2, 12)]  # the first two axes change at once

# ------------------------------------------------------------------------------------------------ what is true

FREE = {"verdict": "free"}


def nailed(to, below="fails", above="fails", **at):
    """Only `to` gives what is meant. Elsewhere ONNX Runtime "fails" or gives the "wrong size" or "wrong values";
    "mixed" is one or the other. at_1="wrong size" says it of one size."""
    return {"verdict": "nailed", "to": to, "below": below, "above": above,
            "at": {key[3:]: value for key, value in at.items()}}


def limited(lo, hi=None, multiple_of=1, below="fails", above="fails", between="fails", **at):
    """Sizes lo..hi that are multiples of `multiple_of`; hi=None: without end."""
    return {"verdict": "limited", "lo": lo, "hi": hi, "multiple_of": multiple_of, "below": below, "above": above,
            "between": between, "at": {key[3:]: value for key, value in at.items()}}


def minimum(lo, below="fails"):
    """Every size from lo on, because a window needs so many: nothing is wrong with the axis."""
    return {**limited(lo, below=below), "verdict": "minimum"}


def maximum(hi):
    """Every size up to hi, because a table has so many rows: nothing is wrong with the axis."""
    return {**limited(1, hi), "verdict": "maximum"}


NEVER = {"verdict": "never"}  # no size runs


def linked(rule, otherwise="fails"):
    """Right where the rule over the axes holds."""
    return {"verdict": "linked", "rule": rule, "otherwise": otherwise}


def hidden(verdict):
    """Nothing in the file tells this from a model that is meant so; check can only say how its outputs follow."""
    return {**verdict, "hidden": True}


def holds(symbols, node, held, cause):
    """The node with this name (or, if it has none, that makes this value) holds a size of these axes. What holds it
    is a constant tensor, an attribute, written @name, or what value_info says of a value, written %name."""
    return {"symbols": symbols.split(), "node": node, "held": held, "cause": cause}


# ------------------------------------------------------------------------------------------------ ports


class Port:
    """An input. `values` makes its contents from a random generator and the sizes; `meaning` says the same in words."""

    def __init__(self, name, dims, dtype, values, meaning=None, sequence=False):
        self.name, self.dtype, self.values, self.meaning, self.sequence = name, dtype, values, meaning, sequence
        self.words = None if dims is None else dims.split()

    def declared(self, axis):
        """The name or the size of the axis in the file."""
        word = self.words[axis]
        if word[0] == "?":
            return None
        word = word.split("~")[0]
        return word if word.isidentifier() else int(word)

    def symbol(self, axis):
        """What the axis is called here, or None if it is fixed."""
        word = self.words[axis].lstrip("?").split("~")[-1]
        return word if word.isidentifier() else None

    def symbols(self):
        found = [] if self.words is None else [self.symbol(axis) for axis in range(len(self.words))]
        return [symbol for symbol in found if symbol]

    def make(self, rng, sizes):
        if self.words is None:
            shape = (2,) * sizes["rank"]
        else:
            shape = tuple(sizes.get(self.symbol(a), self.declared(a)) for a in range(len(self.words)))
        if self.sequence:
            shape = (sizes["n"], *shape)
        return np.asarray(self.values(rng, sizes, shape))


def f32(name, dims):
    return Port(name, dims, TensorProto.FLOAT, lambda rng, s, shape: rng.standard_normal(shape).astype(np.float32))


def i64(name, dims, values, meaning):
    return Port(name, dims, TensorProto.INT64, lambda rng, s, shape: np.asarray(values(rng, s, shape), np.int64), meaning)


def ids(name, dims, rows):
    return i64(name, dims, lambda rng, s, shape: rng.integers(0, rows, shape), f"0 to {rows - 1}")


def lengths(name="lengths", falling=False):
    def make(rng, s, shape):
        made = rng.integers(1, max(s["t"], 1) + 1, shape)
        made[:1] = s["t"]
        return np.sort(made)[::-1].copy() if falling else made

    return i64(name, "b", make, "1 to t, the largest is t" + (", falling" if falling else ""))


def flags(name, dims):
    return Port(name, dims, TensorProto.BOOL, lambda rng, s, shape: rng.integers(0, 2, shape).astype(bool))


X = f32("x", "b t 8")
XT = f32("x", "b 8 t")

# ------------------------------------------------------------------------------------------------ models

MODELS = {}


def entry(name, group, inputs, outputs, axes, culprits, note, **more):
    assert name not in MODELS, name
    MODELS[name] = dict(group=group, inputs=inputs, outputs=[parse_output(o) for o in outputs], axes=axes or {},
                        culprits=culprits or [], note=note, **more)


def parse_output(text):
    """`y: b t 8 -> b 5 8` has the declared axes before the arrow and the true ones after it."""
    name, _, axes = text.partition(":")
    declared, _, truth = axes.partition("->")
    return name, declared.split(), (truth or declared).split()


def traced(name, group, inputs, forward, outputs, axes=None, culprits=None, parts=dict, intent=None, note=None,
           traced_with=TRACED, opset=15, extra_names=None, edit=None, random=False, swept_from=None):
    """`forward(m, *inputs)` is exported; m has the `parts`. `intent`, if given, is what was meant at other sizes."""
    entry(name, group, inputs, outputs, axes, culprits, note, made_by="torch.onnx.export", forward=forward, parts=parts,
          intent=intent, traced_with=traced_with, opset=opset, extra_names=extra_names, edit=edit, random=random,
          swept_from=swept_from)


def built(name, group, inputs, nodes, outputs, axes=None, culprits=None, tensors=None, intent=None, note=None,
          traced_with=TRACED, opset=15, random=False, output_types=None, value_info=(), judged="plain", functions=()):
    """`nodes` are put together as they are; `tensors` are the initializers."""
    entry(name, group, inputs, outputs, axes, culprits, note, made_by="onnx.helper", nodes=nodes, tensors=tensors or {},
          intent=intent, traced_with=traced_with, opset=opset, random=random, output_types=output_types or {},
          value_info=value_info, judged=judged, functions=functions)


class Net(nn.Module):
    """A function and the parts it uses, as a module."""

    def __init__(self, function, parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            self.register_buffer(name, part) if isinstance(part, torch.Tensor) else setattr(self, name, part)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def node(op, inputs, outputs, name="", **attributes):
    return helper.make_node(op, inputs.split(" "), outputs.split(), name=name, **attributes)


def constant(output, value, dtype=np.int64):
    value = np.array(value, dtype)
    return helper.make_node("Constant", [], [output], name=output + "_node",
                            value=onnx.numpy_helper.from_array(value, output))


def subgraph(name, nodes, outputs, inputs=()):
    return helper.make_graph(nodes, name, list(inputs), outputs)


def value(name, dims, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, dims)


def weights_as_inputs(model):
    """Lists the initializers among the inputs, as keep_initializers_as_inputs=True does."""
    for made in model.graph.initializer:
        model.graph.input.append(value(made.name, made.dims, made.data_type))


def set_output_axis(axis, size):
    """Writes a size, or a name, over what the exporter declared for an axis of the first output."""
    def edit(model):
        dim = model.graph.output[0].type.tensor_type.shape.dim[axis]
        dim.Clear()
        setattr(dim, "dim_param" if isinstance(size, str) else "dim_value", size)

    return edit


def i64s(*numbers):
    return np.array(numbers, np.int64)


def sinusoids(length, channels):
    """The positional encoding of Attention Is All You Need, made in numpy as FastSpeech2 does."""
    angles = np.arange(length)[:, None] / np.power(10000, 2 * (np.arange(channels) // 2) / channels)[None]
    angles[:, 0::2], angles[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
    return torch.tensor(angles, dtype=torch.float32)


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(1, 2) / 2.0  # [b, t, t]
    return (scores if mask is None else scores + mask).softmax(-1) @ v


def linear(channels=8):
    return lambda: dict(linear=nn.Linear(channels, channels))


def table(*shape):
    return lambda: dict(table=torch.randn(*shape))


# -------------------------------------------------------------------------------------- 1: Reshape

traced("reshape-batch", 1, [X], lambda m, x: m.linear(x).view(2, -1, 2, 4), ["y: b t 2 4 -> 2 b*t//2 2 4"],
       {"b": nailed(2, "mixed", "mixed")},
       [holds("b", "/Reshape", "/Constant_output_0", "view(2, -1, 2, 4): the batch is a number, and -1 takes what is left over")],
       linear(), lambda m, x: m.linear(x).view(x.size(0), -1, 2, 4),
       "runs, and mixes rows, wherever b*t is even")
traced("reshape-length", 1, [X], lambda m, x: m.linear(x).view(x.size(0), 5, 2, 4), ["y: b t 2 4 -> b 5 2 4"],
       {"t": nailed(5)},
       [holds("t", "/Reshape", "/Constant_1_output_0", "view(x.size(0), 5, 2, 4): the length is a number")],
       linear(), lambda m, x: m.linear(x).view(x.size(0), -1, 2, 4), "the shape is a Concat of Shape and a constant")
traced("reshape-both", 1, [X], lambda m, x: m.linear(x).view(2, 5, 2, 4), ["y: b t 2 4 -> 2 5 2 4"],
       {"b": nailed(2), "t": nailed(5)},
       [holds("b t", "/Reshape", "/Constant_output_0", "view(2, 5, 2, 4): batch and length are numbers")],
       linear(), lambda m, x: m.linear(x).view(x.size(0), -1, 2, 4), "runs wherever b*t is 10: b=5, t=2 gives 2 x 5")
traced("reshape-int-cast", 1, [X], lambda m, x: m.linear(x).view(int(x.size(0)), int(x.size(1)), 2, 4),
       ["y: b t 2 4 -> 2 5 2 4"], {"b": nailed(2), "t": nailed(5)},
       [holds("b t", "/Reshape", "/Constant_output_0", "int(x.size(0)), int(x.size(1)): int() takes sizes out of the trace")],
       linear(), opset=13)
traced("reshape-data-size", 1, [X], lambda m, x: x.view(*x.data.size()[:2], 2, 4), ["y: b t 2 4 -> 2 5 2 4"],
       {"b": nailed(2), "t": nailed(5)},
       [holds("b t", "/Reshape", "/Constant_output_0", "x.data.size(): .data is not traced (pytorch#77410)")])
traced("reshape-len", 1, [X], lambda m, x: x.view(len(x), -1, 2, 4), ["y: b t 2 4 -> 2 b*t//2 2 4"],
       {"b": nailed(2, "mixed", "mixed")},
       [holds("b", "/Reshape", "/Constant_output_0", "view(len(x), ...): len() takes the batch out of the trace")], opset=14)
traced("reshape-merge", 1, [X], lambda m, x: m.linear(x).view(-1, 5, 8), ["y: b t 8 -> b*t//5 5 8"],
       {"t": nailed(5, "mixed", "mixed")},
       [holds("t", "/Reshape", "/Constant_output_0", "view(-1, 5, 8): rows and steps run together wherever b*t is a multiple of 5")],
       linear(), lambda m, x: m.linear(x).view(x.size(0), -1, 8))
traced("reshape-rows", 1, [X], lambda m, x: x.reshape(-1, 8), ["y: b 8 -> b*t 8"],
       note="all axes are free; the name of the output is wrong")
traced("reshape-heads", 1, [X],
       lambda m, x: m.linear(x).view(x.size(0), int(x.size(1)), 2, 4).transpose(1, 2).reshape(x.size(0), 2, -1),
       ["y: b 2 ? -> b 2 4*5"], {"t": nailed(5)},
       [holds("t", "/Reshape", "/Constant_1_output_0", "int(x.size(1)) in the view that makes the heads")], linear(), opset=13)
traced("reshape-free", 1, [X], lambda m, x: m.linear(x).view(x.size(0), x.size(1), 2, 4).transpose(1, 2),
       ["y: b 2 t 4"], parts=linear())
built("reshape-copies", 1, [X], [node("Reshape", "x shape", "y", "copy")], ["y: b t 2 4"],
      tensors={"shape": i64s(0, 0, 2, 4)}, intent=lambda x: x.view(x.size(0), x.size(1), 2, 4),
      note="0 copies an axis: constant, and free")
built("reshape-unnamed", 1, [X], [node("Reshape", "x shape", "h"), node("Relu", "h", "y")],
      ["y: b t 2 4 -> 2 b*t//2 2 4"], {"b": nailed(2, "mixed", "mixed")},
      [holds("b", "h", "shape", "view(2, -1, 2, 4), simplified: the shape is an initializer, and nodes have no names")],
      {"shape": i64s(2, -1, 2, 4)}, lambda x: x.view(x.size(0), x.size(1), 2, 4).relu(), opset=13)
built("reshape-folded-shape", 1, [X],
      [constant("batch", [2]), constant("rest", [-1, 2, 4]), node("Concat", "batch rest", "shape", "join", axis=0),
       node("Reshape", "x shape", "y", "split_heads")],
      ["y: b t 2 4 -> 2 b*t//2 2 4"], {"b": nailed(2, "mixed", "mixed")},
      [holds("b", "split_heads", "batch", "the shape is computed, but from constants only")],
      intent=lambda x: x.view(x.size(0), x.size(1), 2, 4))

# -------------------------------------------------------------------------------------- 2: Expand

traced("expand-parameter", 2, [X], lambda m, x: x + m.table.expand(2, -1, -1), ["y: b t 8 -> 2 t 8"],
       {"b": nailed(2, at_1="wrong size")},
       [holds("b", "/Expand", "/Constant_output_0", "table.expand(2, -1, -1): the batch is a number; one row becomes two")],
       table(1, 1, 8), lambda m, x: x + m.table)
traced("expand-input", 2, [f32("x", "b 8")], lambda m, x: x.unsqueeze(1).expand(2, 5, 8), ["y: b 5 8 -> 2 5 8"],
       {"b": nailed(2, at_1="wrong size")},
       [holds("b", "/Expand", "/Constant_1_output_0", "expand(2, 5, 8): the batch is a number; one row becomes two")],
       intent=lambda m, x: x.unsqueeze(1).expand(x.size(0), 5, 8))
traced("expand-speaker", 2, [X, f32("g", "b 4")],
       lambda m, x, g: torch.cat([x, g.unsqueeze(1).expand(-1, int(x.size(1)), -1)], 2), ["y: b t 12 -> b 5 12"],
       {"t": nailed(5)},
       [holds("t", "/Expand", "/Constant_1_output_0", "g.expand(-1, int(x.size(1)), -1): the speaker is repeated for five frames")])
traced("expand-attention-mask", 2, [flags("mask", "b t")],
       lambda m, mask: mask.unsqueeze(1).expand(-1, int(mask.size(1)), -1).float(), ["y: b t t -> b 5 t"],
       {"t": nailed(5, "wrong size", "wrong size")},
       [holds("t", "/Expand", "/Constant_1_output_0", "mask.expand(-1, max_len, -1) with max_len of type int, as in FastSpeech2")])
traced("expand-as-free", 2, [X, f32("g", "b 8")], lambda m, x, g: g.unsqueeze(1).expand_as(x) * x, ["y: b t 8"])
traced("expand-size-free", 2, [X, f32("g", "b 4")],
       lambda m, x, g: torch.cat([x, g.unsqueeze(1).expand(-1, x.size(1), -1)], 2), ["y: b t 12"])

# -------------------------------------------------------------------------------------- 3: tables made while tracing

traced("table-sliced", 3, [X], lambda m, x: m.linear(x) + m.table[:, :int(x.size(1))], ["y: b t 8 -> b 5 8"],
       {"t": nailed(5, at_1="wrong size")},
       [holds("t", "/Add", "onnx::Add_14", "pe[:, :int(x.size(1))]: five rows of the table become a constant")],
       lambda: dict(linear=nn.Linear(8, 8), table=torch.randn(1, 40, 8)))
traced("table-computed", 3, [X], lambda m, x: x + sinusoids(x.shape[1], 8), ["y: b t 8 -> b 5 8"],
       {"t": nailed(5, at_1="wrong size")},
       [holds("t", "/Add", "/Constant_output_0", "a sinusoid table made in numpy for the length of the example")], opset=13)
traced("mask-ones", 3, [X], lambda m, x: x * torch.ones(2, 5)[:, :, None], ["y: b t 8 -> 2 5 8"],
       {"b": nailed(2, at_1="wrong size"), "t": nailed(5, at_1="wrong size")},
       [holds("b t", "/Mul", "/Constant_output_0", "torch.ones(2, 5): a mask of the example's size")],
       intent=lambda m, x: x * 1)
traced("bias-square", 3, [X], lambda m, x: attend(x, x, x, m.table[:int(x.size(1)), :int(x.size(1))]),
       ["y: b t 8 -> b 5 8"], {"t": nailed(5)},
       [holds("t", "/Add", "onnx::Add_20", "relative positions bias[:T, :T] with T of type int")], table(40, 40))
traced("where-causal", 3, [f32("x", "b t t")],
       lambda m, x: x.masked_fill(torch.triu(torch.ones(*map(int, x.shape[1:])), 1).bool(), -1e9), ["y: b t t -> b 5 5"],
       {"t": nailed(5, at_1="wrong size")},
       [holds("t", "/Where", "/Constant_output_0", "a causal mask torch.triu(torch.ones(T, T)) with T of type int")])
traced("table-computed-free", 3, [X],
       lambda m, x: x + torch.sin(torch.arange(x.size(1))[:, None] / m.table), ["y: b t 8"],
       parts=lambda: dict(table=10000 ** (torch.arange(8) / 8.0)), note="the same table, made inside the graph")

# -------------------------------------------------------------------------------------- 4: Slice

traced("slice-end", 4, [X], lambda m, x: m.linear(x[:, :int(x.size(1))]), ["y: b t 8 -> b min(t,5) 8"],
       {"t": limited(1, 5, above="wrong size")},
       [holds("t", "/Slice", "/Constant_2_output_0", "x[:, :int(x.size(1))]: cuts longer inputs at five")], linear())
traced("slice-start", 4, [X], lambda m, x: x[:, int(x.size(1)) - 3:], ["y: b 3 8 -> b max(t-2,0) 8"],
       {"t": nailed(5, "wrong size", "wrong size")},
       [holds("t", "/Slice", "/Constant_1_output_0", "x[:, T - 3:] with T of type int: the last three only where T is five")],
       intent=lambda m, x: x[:, -3:], edit=set_output_axis(1, 3))
traced("slice-residual", 4, [X], lambda m, x: x + torch.tanh(x[:, :int(x.size(1))]), ["y: b t 8"],
       {"t": limited(1, 5)},
       [holds("t", "/Slice", "/Constant_2_output_0", "x[:, :int(x.size(1))]; ONNX Runtime blames the Add")])
traced("slice-shift", 4, [X], lambda m, x: x[:, 1:int(x.size(1))] - x[:, :int(x.size(1)) - 1], ["y: b ? 8 -> b min(t,4)-(t==1) 8"],
       {"t": nailed(5, "fails", "wrong size", at_1="right", at_2="wrong size")},
       [holds("t", "/Slice", "/Constant_2_output_0", "x[:, 1:T] - x[:, :T-1] with T of type int"),
        holds("t", "/Slice_1", "/Constant_6_output_0", "x[:, 1:T] - x[:, :T-1] with T of type int")])
traced("slice-last-free", 4, [X], lambda m, x: x[:, -3:], ["y: b ? 8 -> b min(t,3) 8"])
traced("slice-shift-free", 4, [X], lambda m, x: x[:, 1:] - x[:, :-1], ["y: b ? 8 -> b t-1 8"])

# -------------------------------------------------------------------------------------- 5: tables that end

traced("table-ends-gather", 5, [ids("ids", "b t", 10)],
       lambda m, ids: m.embed(ids) + m.positions(torch.arange(ids.size(1))), ["y: b t 8"], {"t": maximum(32)},
       [holds("t", "/positions/Gather", "positions.weight", "nn.Embedding(32, 8) of positions")],
       lambda: dict(embed=nn.Embedding(10, 8), positions=nn.Embedding(32, 8)))
traced("table-ends-alone", 5, [X], lambda m, x: m.positions(torch.arange(x.size(1))), ["y: t 8"], {"t": limited(1, 32)},
       [holds("t", "/positions/Gather", "positions.weight", "nn.Embedding(32, 8) of positions")],
       lambda: dict(positions=nn.Embedding(32, 8)),
       note="fails as written; optimized, the Gather over a Range is a Slice, and 33 steps silently become 32")
traced("table-ends-slice", 5, [X], lambda m, x: x + m.table[:, :x.size(1)], ["y: b t 8"], {"t": maximum(32)},
       [holds("t", "/Slice", "table", "pe[:, :x.size(1)] of 32 rows; ONNX Runtime blames the Add")], table(1, 32, 8))
traced("table-ends-cut", 5, [X], lambda m, x: x[:, :m.table.size(1)] + m.table[:, :x.size(1)],
       ["y: b t 8 -> b min(t,32) 8"], {"t": limited(1, 32, above="wrong size")},
       [holds("t", "/Slice", "/Constant_2_output_0", "x[:, :32]: cut at max_seq_len, as FastSpeech2 does"),
        holds("t", "/Slice_1", "table", "the table has 32 rows")],
       table(1, 32, 8), lambda m, x: x + F.pad(m.table, (0, 0, 0, 99))[:, :x.size(1)])
traced("table-clamped-free", 5, [X], lambda m, x: x + m.positions(torch.arange(x.size(1)).clamp(max=31)), ["y: b t 8"],
       parts=lambda: dict(positions=nn.Embedding(32, 8)))

# -------------------------------------------------------------------------------------- 6: Concat

traced("concat-class-token", 6, [X], lambda m, x: torch.cat([torch.zeros(2, 1, 8), x], 1), ["y: b ? 8 -> 2 t+1 8"],
       {"b": nailed(2)}, [holds("b", "/Concat", "/Constant_output_0", "torch.zeros(2, 1, 8): a token for each row of the example")],
       intent=lambda m, x: F.pad(x, (0, 0, 1, 0)))
traced("concat-fill-up", 6, [X], lambda m, x: torch.cat([x, torch.zeros(x.shape[0], 8 - int(x.shape[1]), 8)], 1),
       ["y: b ? 8 -> b t+3 8"], {"t": hidden(nailed(5, "wrong size", "wrong size"))},
       [holds("t", "/ConstantOfShape", "/Constant_1_output_0", "filled up to 8 frames with 8 - int(x.size(1)) = 3")],
       intent=lambda m, x: F.pad(x, (0, 0, 0, 8 - x.size(1))))
traced("concat-channels", 6, [X], lambda m, x: torch.cat([x, m.table.expand(x.size(0), -1, -1)], 2), ["y: b t 12 -> b 5 12"],
       {"t": nailed(5)}, [holds("t", "/Concat_1", "table", "a table of five steps beside each frame")], table(1, 5, 4),
       lambda m, x: torch.cat([x, m.table.expand(x.size(0), -1, -1)], 2))
traced("concat-class-token-free", 6, [X], lambda m, x: torch.cat([m.table.expand(x.size(0), -1, -1), x], 1),
       ["y: b ? 8 -> b t+1 8"], parts=table(1, 1, 8))

# -------------------------------------------------------------------------------------- 7: loops


class CountedLoop(nn.Module):
    """A scripted loop over as many steps as the example had. The exporter unrolls loops of any constant length."""

    def __init__(self):
        super().__init__()
        self.steps = 5

    def forward(self, x):
        state = torch.zeros_like(x[:, 0])
        for i in range(self.steps):
            state = torch.tanh(state + x[:, i])
        return state


class FreeLoop(nn.Module):
    def forward(self, x):
        state = torch.zeros_like(x[:, 0])
        for i in range(x.size(1)):
            state = torch.tanh(state + x[:, i])
        return state


def step_body():
    """The body of a Loop that puts the frames of x one after the other."""
    return subgraph("step", [node("Gather", "x i", "frame", "frame", axis=1), node("Identity", "on", "on_out", "on")],
                    [value("on_out", [], TensorProto.BOOL), value("frame", None)],
                    [value("i", [], TensorProto.INT64), value("on", [], TensorProto.BOOL)])


def loop_over_steps(m, x):
    state = torch.zeros_like(x[:, 0])
    for i in range(x.size(1)):
        state = torch.tanh(state + x[:, i])
    return state


traced("unrolled-script", 7, [X], CountedLoop, ["y: b 8"], {"t": nailed(5, "fails", "wrong values")},
       [holds("t", "/Gather_4", "onnx::Gather_19", "torch.jit.script: for i in range(self.steps), steps = 5")],
       intent=loop_over_steps, opset=13)
built("loop-counted", 7, [X],
      [constant("trips", 5), constant("go", True, bool), node("Loop", "trips go", "y", "each_step", body=step_body())],
      ["y: t b 8 -> 5 b 8"], {"t": nailed(5, "fails", "wrong size")},
      [holds("t", "each_step", "trips", "a Loop over the steps of the example")], intent=lambda x: x.transpose(0, 1))
traced("loop-free", 7, [X], FreeLoop, ["y: b 8"], intent=loop_over_steps)
traced("unrolled-stack", 7, [X], lambda m, x: torch.stack([m.linear(x[:, i]) for i in range(x.size(1))], 1),
       ["y: b t 8 -> b 5 8"], {"t": nailed(5, "fails", "wrong size")},
       [holds("t", "/Gather_4", "/Constant_4_output_0", "for i in range(x.size(1)): unrolled while tracing; the last of five Gathers")],
       linear())
traced("unrolled-state", 7, [X], loop_over_steps, ["y: b 8"], {"t": nailed(5, "fails", "wrong values")},
       [holds("t", "/Gather_4", "/Constant_4_output_0", "for i in range(x.size(1)): unrolled; later steps change nothing")], opset=14)
traced("unrolled-unbind", 7, [X], lambda m, x: sum(step.tanh() for step in x.unbind(1)), ["y: b 8"], {"t": nailed(5)},
       [holds("t", "/Split", "/Constant_output_0", "for step in x.unbind(1): a Split into five")])

# -------------------------------------------------------------------------------------- 8: recurrent


def lstm():
    return dict(rnn=nn.LSTM(8, 4, batch_first=True))


def lengths_to_lstm(m, x, lengths):
    packed = pack_padded_sequence(x, lengths, batch_first=True)
    return pad_packed_sequence(m.rnn(packed)[0], batch_first=True)[0]


traced("lstm-state", 8, [X], lambda m, x: m.rnn(x, (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4)))[0],
       ["y: b t 4 -> 2 t 4"], {"b": nailed(2)},
       [holds("b", "/rnn/Expand", "onnx::Expand_5", "h0 is torch.zeros(1, 2, 4); the exporter's own Expand does not help"),
        holds("b", "/rnn/Expand_1", "onnx::Expand_5", "c0 is torch.zeros(1, 2, 4); the exporter's own Expand does not help")],
       lstm, lambda m, x: m.rnn(x)[0])
traced("gru-state", 8, [X], lambda m, x: m.rnn(x, m.table)[0], ["y: b t 4 -> 2 t 4"], {"b": nailed(2)},
       [holds("b", "/rnn/GRU", "table", "h0 is a buffer of the example's batch")],
       lambda: dict(rnn=nn.GRU(8, 4, batch_first=True), table=torch.zeros(1, 2, 4)), lambda m, x: m.rnn(x)[0], opset=14)
traced("lstm-free", 8, [X], lambda m, x: m.rnn(x, (x.new_zeros(1, x.size(0), 4), x.new_zeros(1, x.size(0), 4)))[0],
       ["y: b t 4"], parts=lstm)
traced("lstm-default-state-free", 8, [X], lambda m, x: m.rnn(x)[0], ["y: b t 4"], parts=lstm,
       note="the exporter warns of the batch size, and is wrong: h0 comes from Shape")
traced("gru-both-ways-free", 8, [X], lambda m, x: m.rnn(x)[0], ["y: b t 8"], opset=13,
       parts=lambda: dict(rnn=nn.GRU(8, 4, batch_first=True, bidirectional=True)))
traced("lstm-lengths", 8, [X, lengths(falling=True)], lengths_to_lstm, ["y: b t 4 -> 2 t 4"], {"b": nailed(2)},
       [holds("b", "/rnn/Expand", "onnx::Expand_9", "pack_padded_sequence: the default h0 has the batch of the example (pytorch#41774)"),
        holds("b", "/rnn/Expand_1", "onnx::Expand_9", "pack_padded_sequence: so has the default c0")],
       lstm)

# -------------------------------------------------------------------------------------- 9: others


def scatter_shifted(m, x):
    shifted = torch.zeros(*map(int, x.shape))
    shifted[:, 1:] = x[:, :-1]
    return shifted


def scatter_shifted_free(m, x):
    shifted = torch.zeros_like(x)
    shifted[:, 1:] = x[:, :-1]
    return shifted


def branch_on_length(m, x):
    return x[:, ::2] if x.size(1) > 8 else x * 2


traced("arange-weights", 9, [X], lambda m, x: x * torch.arange(float(x.size(1)))[:, None], ["y: b t 8 -> b 5 8"],
       {"t": nailed(5, at_1="wrong size")},
       [holds("t", "/Mul", "/Constant_output_0", "torch.arange(float(x.size(1))): float() takes the size out of the trace")])
built("range-constant", 9, [X],
      [constant("five", 5), node("Range", "zero five one", "steps", "positions"), constant("last", [-1]),
       node("Unsqueeze", "steps last", "column", "column"), node("Cast", "column", "weights", "weights", to=TensorProto.FLOAT),
       node("Mul", "x weights", "y", "weigh")],
      ["y: b t 8 -> b 5 8"], {"t": nailed(5, at_1="wrong size")},
      [holds("t", "positions", "five", "torch.arange(5), not folded; ONNX Runtime blames the Mul")],
      {"zero": np.array(0), "one": np.array(1)}, lambda x: x * torch.arange(x.size(1))[:, None])
built("constant-of-shape", 9, [X],
      [constant("size", [2, 1, 8]), node("ConstantOfShape", "size", "zeros", "make_zeros"),
       node("Concat", "zeros x", "y", "prepend", axis=1)],
      ["y: b frames 8 -> 2 t+1 8"], {"b": nailed(2)},
      [holds("b", "make_zeros", "size", "torch.zeros(2, 1, 8), not folded; ONNX Runtime blames the Concat")],
      intent=lambda x: F.pad(x, (0, 0, 1, 0)))
traced("tile-repeats", 9, [X], lambda m, x: torch.cat([x, m.table.repeat(2, int(x.size(1)), 1)], 2), ["y: b t 12 -> 2 5 12"],
       {"b": nailed(2), "t": nailed(5)},
       [holds("b t", "/Tile", "onnx::Tile_2", "table.repeat(2, int(x.size(1)), 1)")], table(1, 1, 4),
       lambda m, x: torch.cat([x, m.table.repeat(x.size(0), x.size(1), 1)], 2))
traced("tile-free", 9, [X], lambda m, x: x.repeat(1, 2, 1), ["y: b ? 8 -> b 2*t 8"])
traced("pad-to-eight", 9, [XT], lambda m, x: F.pad(x, (0, 8 - int(x.size(2)))), ["y: b 8 8 -> b 8 t+3"],
       {"t": nailed(5, "wrong size", "wrong size")},
       [holds("t", "/Pad", "/Constant_1_output_0", "F.pad(x, (0, 8 - int(x.size(2)))): always three more")],
       edit=set_output_axis(2, 8))
traced("pad-to-linear", 9, [XT], lambda m, x: m.linear(F.pad(x, (0, 8 - int(x.size(2))))), ["y: b 8 8"],
       {"t": nailed(5)},
       [holds("t", "/Pad", "/Constant_1_output_0", "padded by 3 to fit a Linear of 8; ONNX Runtime blames the MatMul")], linear())
traced("gather-arange", 9, [X], lambda m, x: x.index_select(1, torch.arange(int(x.size(1)) - 1, -1, -1)),
       ["y: b t 8 -> b 5 8"], {"t": nailed(5, "fails", "wrong size")},
       [holds("t", "/Gather", "onnx::Gather_1", "index_select(1, arange(T - 1, -1, -1)) with T of type int: turns five frames round")])
traced("flip-free", 9, [X], lambda m, x: x.flip(1), ["y: b t 8"])
traced("one-hot-depth", 9, [X, i64("order", "b t", lambda rng, s, shape: rng.integers(0, s["t"] or 1, shape), "0 to t - 1")],
       lambda m, x, order: F.one_hot(order, int(x.size(1))).float() @ x, ["y: b t 8"], {"t": nailed(5)},
       [holds("t", "/OneHot", "/Constant_output_0", "F.one_hot(order, int(x.size(1))); ONNX Runtime blames the MatMul")])
traced("scatter-zeros", 9, [X], scatter_shifted, ["y: b t 8 -> 2 5 8"],
       {"b": nailed(2, at_1="wrong size"), "t": nailed(5, at_2="wrong size")},
       [holds("b t", "/ScatterND", "/Constant_output_0", "out = torch.zeros(2, 5, 8); out[:, 1:] = x[:, :-1]"),
        holds("b t", "/Expand", "/Constant_5_output_0", "the assignment expands its right side to the example's size")])
traced("scatter-free", 9, [X], scatter_shifted_free, ["y: b t 8"])
traced("split-sizes", 9, [X], lambda m, x: x.split([int(x.size(1)) - 2, 2], 1)[0] * 2, ["y: b ? 8 -> b 3 8"], {"t": nailed(5)},
       [holds("t", "/Split", "/Constant_output_0", "x.split([int(x.size(1)) - 2, 2], 1): 3 and 2")], opset=13)
traced("split-steps", 9, [X], lambda m, x: x.split(2, 1)[0] * 2, ["y: b 2 8"], {"t": nailed(6)},
       [holds("t", "/Split", "/Constant_output_0", "x.split(2, 1): written as 2, 2, 2")],
       swept_from={"b": 2, "t": 6}, note="traced with 5, which fails: the exporter forgets that the last part is shorter")
traced("chunk-free", 9, [X], lambda m, x: x.chunk(2, 1)[0] * 2, ["y: b ? 8 -> b (t+1)//2 8"], opset=13)
built("split-even", 9, [X], [node("Split", "x", "left right", "halves", axis=1), node("Sub", "left right", "y", "difference")],
      ["y: b half 8 -> b t//2 8"], {"t": limited(2, None, 2)},
      [holds("t", "halves", None, "two outputs and no sizes: an even length is needed")],
      intent=lambda x: x[:, :x.size(1) // 2] - x[:, x.size(1) // 2:], opset=13)
traced("split-channels-free", 9, [X], lambda m, x: torch.mul(*x.chunk(2, 2)), ["y: b t 4"])
traced("resize-sizes", 9, [XT], lambda m, x: F.interpolate(x, size=2 * int(x.size(2))), ["y: b 8 ? -> b 8 10"],
       {"t": nailed(5, "wrong size", "wrong size")},
       [holds("t", "/Resize", "/Constant_3_output_0", "F.interpolate(x, size=10): whatever the length, ten")])
traced("resize-scales-free", 9, [XT], lambda m, x: F.interpolate(x, scale_factor=2.0), ["y: b 8 ? -> b 8 2*t"])
traced("matmul-square", 9, [XT], lambda m, x: x @ m.table, ["y: b 8 t"], {"t": nailed(5)},
       [holds("t", "/MatMul", "table", "a matrix of [t, t] for five steps")], table(5, 5))
traced("conv-free", 9, [XT], lambda m, x: m.conv(x), ["y: b 4 t"], parts=lambda: dict(conv=nn.Conv1d(8, 4, 3, padding=1)))
traced("einsum-table", 9, [XT], lambda m, x: torch.einsum("bct,tk->bck", x, m.table), ["y: b 8 3"],
       {"t": nailed(5, at_1="torch refuses")},
       [holds("t", "/Einsum", "table", "einsum('bct,tk->bck', x, table of [5, 3])")], table(5, 3), lambda m, x: x @ m.table, opset=13,
       note="one step runs: ONNX Runtime broadcasts it against five, and so does torch.einsum")
traced("topk-all", 9, [X], lambda m, x: x.topk(int(x.size(1)), 1)[0], ["y: b t 8 -> b 5 8"],
       {"t": nailed(5, "fails", "wrong size")},
       [holds("t", "/TopK", "/Constant_output_0", "x.topk(int(x.size(1)), 1): sorts five of them")])
traced("cumsum-free", 9, [X], lambda m, x: x.cumsum(1), ["y: b t 8"])
traced("attention-mask", 9, [X],
       lambda m, x: attend(m.linear(x), x, x, torch.triu(torch.full((int(x.size(1)), int(x.size(1))), -1e9), 1)),
       ["y: b t 8 -> b 5 8"], {"t": nailed(5)},
       [holds("t", "/Add", "/Constant_1_output_0", "a mask of -1e9 of [T, T], T of type int")], linear())
traced("batch-norm-free", 9, [XT], lambda m, x: m.norm(x), ["y: b 8 t"], parts=lambda: dict(norm=nn.BatchNorm1d(8)))
traced("batch-norm-view", 9, [X], lambda m, x: m.norm(x.view(10, 8)).view(2, 5, 8), ["y: b t 8 -> 2 5 8"],
       {"b": nailed(2), "t": nailed(5)},
       [holds("b t", "/Reshape", "/Constant_output_0", "x.view(10, 8) for BatchNorm1d"),
        holds("b t", "/Reshape_1", "/Constant_1_output_0", ".view(2, 5, 8) back again")],
       lambda: dict(norm=nn.BatchNorm1d(8)), lambda m, x: m.norm(x.transpose(1, 2)).transpose(1, 2),
       note="b*t has to be 10: b=5, t=2 runs, and gives 2 x 5")
traced("flatten-linear", 9, [X], lambda m, x: m.linear(x.flatten(1)), ["y: b 3"], {"t": nailed(5)},
       [holds("t", "/linear/Gemm", "linear.weight", "flatten(1) before nn.Linear(40, 3): 40 = 5 * 8")],
       lambda: dict(linear=nn.Linear(40, 3)))
traced("layer-norm-time", 9, [X], lambda m, x: m.norm(x), ["y: b t 8 -> b 5 8"], {"t": nailed(5, at_1="wrong size")},
       [holds("t", "/norm/Mul", "norm.weight", "nn.LayerNorm([5, 8]): a weight for each step"),
        holds("t", "/norm/Add_1", "norm.bias", "nn.LayerNorm([5, 8]): a bias for each step")],
       lambda: dict(norm=nn.LayerNorm([5, 8])),
       lambda m, x: F.layer_norm(x, x.shape[1:]), note="the weights are ones and zeros")
traced("global-pool-free", 9, [XT], lambda m, x: F.adaptive_avg_pool1d(x, 1), ["y: b 8 1"])
traced("adaptive-pool", 9, [f32("x", "b 8 8~t")], lambda m, x: F.adaptive_avg_pool1d(x, 4), ["y: b 8 4 -> b 8 int((t-2)/2)+1"],
       {"t": hidden(nailed(8, "wrong size", "wrong size", at_9="wrong values"))},
       [holds("t", "/AveragePool", "@kernel_shape", "adaptive_avg_pool1d(x, 4): a pool of 8 / 4 = 2")],
       traced_with={"b": 2, "t": 8}, note="9 frames become 4, but not those that PyTorch makes")
traced("group-norm-free", 9, [XT], lambda m, x: m.norm(x), ["y: b 8 t"], parts=lambda: dict(norm=nn.GroupNorm(2, 8)),
       note="constant Reshape [0, 2, -1] inside")
traced("random-shape", 9, [X], lambda m, x: x + torch.randn(*map(int, x.shape)), ["y: b t 8 -> 2 5 8"],
       {"b": nailed(2, at_1="wrong size"), "t": nailed(5, at_1="wrong size")},
       [holds("b t", "/RandomNormal", "@shape", "torch.randn(2, 5, 8): the shape is an attribute")], random=True)
traced("random-like-free", 9, [X], lambda m, x: x + torch.randn_like(x), ["y: b t 8"], random=True)
built("conv-transpose-output-shape", 9, [XT],
      [node("ConvTranspose", "x w", "y", "upsample", strides=[4], kernel_shape=[4], output_shape=[20])],
      ["y: b 4 samples -> b 4 20"], {"t": nailed(5, "wrong size", "wrong size")},
      [holds("t", "upsample", "@output_shape", "an attribute output_shape of the example's size, as TensorFlow's exporter writes")],
      {"w": np.linspace(-1, 1, 128, dtype=np.float32).reshape(8, 4, 4)},
      lambda x: F.conv_transpose1d(x, torch.linspace(-1, 1, 128).view(8, 4, 4), stride=4))
built("if-constant", 9, [X],
      [constant("is_short", True, bool),
       node("If", "is_short", "y", "choose",
            then_branch=subgraph("short", [constant("from", [0]), constant("to", [5]), constant("along", [1]),
                                           node("Slice", "x from to along", "cut", "cut_to_example")], [value("cut", None)]),
            else_branch=subgraph("long", [node("Identity", "x", "whole", "whole")], [value("whole", None)]))],
      ["y: b t 8 -> b min(t,5) 8"], {"t": limited(1, 5, above="wrong size")},
      [holds("t", "cut_to_example", "to", "if x.size(1) <= 5: decided while exporting, and a Slice in the branch taken")],
      intent=lambda x: x)
traced("if-traced", 9, [X], branch_on_length, ["y: b frames 8 -> b t 8"], {"t": hidden(limited(1, 8, above="wrong size"))},
       note="if x.size(1) > 8: the other branch is not in the file")

# -------------------------------------------------------------------------------------- 10: names of outputs


def decoder():
    return dict(pre=nn.Conv1d(8, 4, 3, padding=1), up=nn.ConvTranspose1d(4, 1, 8, 4, padding=2))


traced("name-on-channels", 10, [XT], lambda m, x: m.up(m.pre(x)).tanh(), ["y: b time ? -> b 1 4*t"], parts=decoder,
       note="as Piper's decoder: the channel axis is called time, the time axis has the exporter's own name")
traced("name-of-nothing", 10, [XT], lambda m, x: m.pre(x), ["y: ? 4 ? -> b 4 t"], parts=decoder,
       extra_names={"output": {0: "b", 2: "t"}}, note="as Piper's encoder: dynamic_axes of a tensor that does not exist")
traced("name-differs", 10, [XT], lambda m, x: m.conv(x), ["y: b 4 t -> b 4 t-2"], {"t": minimum(3)},
       [holds("t", "/conv/Conv", "@kernel_shape", "nn.Conv1d(8, 4, 3) without padding: three frames at least")],
       parts=lambda: dict(conv=nn.Conv1d(8, 4, 3)), note="input and output are both called t")
traced("name-downsampled", 10, [XT], lambda m, x: m.conv(x), ["y: b 4 t -> b 4 (t-1)//2+1"],
       parts=lambda: dict(conv=nn.Conv1d(8, 4, 3, 2, padding=1)))
traced("name-downsampled-true", 10, [XT], lambda m, x: m.conv(x), ["y: b 4 frames -> b 4 (t-1)//2+1"],
       parts=lambda: dict(conv=nn.Conv1d(8, 4, 3, 2, padding=1)))
traced("name-upsampled", 10, [XT], lambda m, x: m.up(m.pre(x)), ["y: b 1 t -> b 1 4*t"], parts=decoder)
traced("name-upsampled-true", 10, [XT], lambda m, x: m.up(m.pre(x)), ["y: b 1 samples -> b 1 4*t"], parts=decoder)
traced("name-odd", 10, [XT], lambda m, x: m.up(x), ["y: b 4 t -> b 4 2*t+1"], parts=lambda: dict(up=nn.ConvTranspose1d(8, 4, 3, 2)))
traced("name-static", 10, [XT], lambda m, x: m.pre(x).tanh(), ["y: b 4 t -> b 4 t"], parts=decoder, edit=set_output_axis(2, 5),
       note="the output is declared to have 5 frames, and has t")
traced("name-constant", 10, [XT], lambda m, x: x.mean(2, keepdim=True), ["y: b 8 t -> b 8 1"])
traced("name-swapped", 10, [X], lambda m, x: x.transpose(0, 1), ["y: b t 8 -> t b 8"])
traced("name-shared", 10, [XT], lambda m, x: (m.pre(x), m.up(m.pre(x))), ["mel: b 4 frames -> b 4 t", "audio: b 1 frames -> b 1 4*t"],
       parts=decoder, note="two outputs share a name and differ in size")
traced("name-of-rank", 10, [X], lambda m, x: m.linear(x), ["y: b t 8"], parts=linear(), edit=set_output_axis(2, "channels"),
       note="the channels are fixed, and have a name")
built("value-info-static", 10, [X],
      [node("Relu", "x", "h", "relu"), node("Shape", "h", "size", "size"), node("Gather", "size first", "batch", "batch_of", axis=0),
       constant("rest", [-1, 16]), node("Concat", "batch rest", "shape", "join", axis=0), node("Reshape", "x shape", "y", "pair_channels")],
      ["y: b pairs 16 -> 2 b*t//4 16"], {"b": nailed(2, "mixed", "mixed"), "t": limited(2, None, 2)},
      [holds("b", "relu", "%h", "value_info says [2, 5, 8]: ONNX Runtime believes it, and folds the Shape")], {"first": i64s(0)},
      lambda x: x.reshape(x.size(0), -1, 16), value_info=[value("h", [2, 5, 8])], traced_with={"b": 2, "t": 6}, judged="optimized",
      note="free without optimizations")
built("value-info-names", 10, [f32("x", "b t")],
      [node("Concat", "x x", "twice", "double", axis=1), node("Relu", "x", "once", "relu"), node("Neg", "twice", "h", "negate"),
       node("Neg", "once", "i", "negate_2"), node("Concat", "h i", "y", "join", axis=1)],
      ["y: b all -> b 3*t"], {"b": NEVER, "t": NEVER},
      [holds("b t", "double", "%twice", "value_info says [b, t] and it is [b, 2*t]: ONNX Runtime puts it where x would fit")],
      value_info=[value("twice", ["b", "t"]), value("h", ["b", "t"])],
      intent=lambda x: torch.cat([-x, -x, -x.relu()], 1), note="value_info of a tensor inside says t, and is 2 * t")

# -------------------------------------------------------------------------------------- 11: static

traced("static-free", 11, [f32("x", "2~b 8 5~t")], lambda m, x: m.pre(x).tanh(), ["y: 2 4 5 -> b 4 t"], parts=decoder,
       note="only the declaration is fixed")
traced("static-half", 11, [f32("x", "2~b 8 t")], lambda m, x: m.pre(x).tanh(), ["y: 2 4 t -> b 4 t"], parts=decoder, opset=13)
traced("static-baked", 11, [f32("x", "2~b 5~t 8")], lambda m, x: m.linear(x).view(2, 5, 2, 4), ["y: 2 5 2 4"],
       {"b": nailed(2), "t": nailed(5)}, [holds("b t", "/Reshape", "/Constant_output_0", "view(2, 5, 2, 4)")], linear(),
       lambda m, x: m.linear(x).view(x.size(0), -1, 2, 4))
traced("static-folded", 11, [f32("x", "2~b 5~t 8")], lambda m, x: x.view(x.size(0), x.size(1), 2, 4), ["y: 2 5 2 4"],
       {"b": nailed(2), "t": nailed(5)}, [holds("b t", "/Reshape", "/Constant_output_0",
       "x.size() is traced, but without dynamic_axes the exporter folds it into a constant")])

# -------------------------------------------------------------------------------------- 12: axes that depend on each other

EITHER = "t1 == t2 or t1 == 1 or t2 == 1"
traced("linked-add", 12, [f32("x", "b t1 8"), f32("y", "b t2 8")], lambda m, x, y: x + y, ["z: b ? 8 -> b max(t1,t2) 8"],
       {"t1": linked(EITHER), "t2": linked(EITHER)}, [holds("t1 t2", "/Add", None, "x + y: t1 and t2 are one axis (or 1)")],
       traced_with={"b": 2, "t1": 5, "t2": 5})
traced("linked-concat", 12, [f32("x", "b t1 8"), f32("y", "b t2 4")], lambda m, x, y: torch.cat([x, y], 2), ["z: b t1 12"],
       {"t1": linked("t1 == t2"), "t2": linked("t1 == t2")},
       [holds("t1 t2", "/Concat", None, "torch.cat([x, y], 2): t1 and t2 are one axis")], traced_with={"b": 2, "t1": 5, "t2": 5})
traced("linked-matmul", 12, [f32("path", "b t1 t2"), f32("x", "b t3 8")], lambda m, path, x: path @ x, ["y: b t1 8"],
       {"t2": linked("t2 == t3"), "t3": linked("t2 == t3")},
       [holds("t2 t3", "/MatMul", None, "path @ x: t2 and t3 are one axis")], traced_with={"b": 2, "t1": 7, "t2": 5, "t3": 5})
traced("linked-twice", 12, [f32("x", "b t1 8"), f32("y", "b t2 8")], lambda m, x, y: torch.cat([x.repeat(1, 2, 1), y], 2),
       ["z: b t2 16"], {"t1": linked("t2 == 2*t1"), "t2": linked("t2 == 2*t1")},
       [holds("t1 t2", "/Concat", None, "t2 has to be twice t1")], traced_with={"b": 2, "t1": 5, "t2": 10})
traced("same-symbol", 12, [X, f32("mask", "b t")], lambda m, x, mask: x * mask[:, :, None], ["y: b t 8"])
traced("cross-attention-free", 12, [f32("q", "b t1 8"), f32("kv", "b t2 8")], lambda m, q, kv: attend(q, kv, kv), ["y: b t1 8"],
       traced_with={"b": 2, "t1": 5, "t2": 7})
traced("broadcast-pitfall", 12, [X], lambda m, x: x * torch.ones(int(x.size(0)), 1, 1), ["y: b t 8 -> 4 t 8"],
       {"b": nailed(4, at_1="wrong size")},
       [holds("b", "/Mul", "/Constant_output_0", "torch.ones(int(x.size(0)), 1, 1): one row runs too, and becomes four")],
       traced_with={"b": 4, "t": 5})
traced("traced-with-one", 12, [X], lambda m, x: x * torch.ones(int(x.size(0)), 1, 1), ["y: b t 8"], traced_with={"b": 1, "t": 5},
       note="the same model traced with one row: a size is lost, but one row fits all; free")
traced("traced-with-one-concat", 12, [X], lambda m, x: torch.cat([torch.zeros(int(x.size(0)), 1, 8), x], 1),
       ["y: b ? 8 -> 1 t+1 8"], {"b": nailed(1)},
       [holds("b", "/Concat", "/Constant_output_0", "torch.zeros(int(x.size(0)), 1, 8), traced with one row")],
       traced_with={"b": 1, "t": 5})
traced("traced-with-one-squeeze", 12, [X], lambda m, x: m.linear(x).squeeze(), ["y: t 8 -> rank"], {"b": nailed(1, above="torch refuses"),
       "t": limited(2, below="wrong size")},
       [holds("b t", "/Squeeze", None, "squeeze() of everything: axes vanish by their size, so the rank depends on it")], linear(),
       lambda m, x: m.linear(x).reshape(x.size(1), 8), traced_with={"b": 1, "t": 5})

# -------------------------------------------------------------------------------------- 13: several nails, and deep ones


def deep(x, count):
    for _ in range(count // 2):
        x = torch.tanh(torch.sigmoid(x))
    return x


traced("several-nails", 13, [X],
       lambda m, x: torch.cat([torch.zeros(2, 1, 8), (m.linear(x) + m.table).view(x.size(0), 5, 2, 4).flatten(2)[:, :5]], 1),
       ["y: b ? 8 -> 2 6 8"], {"b": nailed(2), "t": nailed(5, at_1="wrong size")},
       [holds("t", "/Add", "table", "x + table of five steps"),
        holds("t", "/Reshape", "/Constant_1_output_0", "view(x.size(0), 5, 2, 4)"),
        holds("t", "/Slice_1", "/Constant_10_output_0", "[:, :5]"),
        holds("b", "/Concat_2", "/Constant_12_output_0", "torch.zeros(2, 1, 8)")],
       lambda: dict(linear=nn.Linear(8, 8), table=torch.randn(1, 5, 8)),
       lambda m, x: F.pad(m.linear(x) + F.pad(m.table, (0, 0, 0, 99))[:, :x.size(1)], (0, 0, 1, 0)),
       note="each nail hides those behind it")
traced("deep-nail", 13, [X], lambda m, x: deep(x, 200).view(x.size(0), 5, 2, 4), ["y: b t 2 4 -> b 5 2 4"], {"t": nailed(5)},
       [holds("t", "/Reshape", "/Constant_1_output_0", "view(x.size(0), 5, 2, 4), 200 nodes from the input")])
traced("deep-blame", 13, [X], lambda m, x: x + deep(x[:, :int(x.size(1))], 180), ["y: b t 8"], {"t": limited(1, 5)},
       [holds("t", "/Slice", "/Constant_2_output_0", "x[:, :5]; ONNX Runtime blames an Add 180 nodes later")])

built("function-nail", 13, [X], [node("SplitHeads", "x", "y", "attention", domain="voxport.test")], ["y: b t 2 4 -> 2 5 2 4"],
      {"b": nailed(2), "t": nailed(5)},
      [holds("b t", "split", "shape", "view(2, 5, 2, 4) inside a function of the model, as export_modules_as_functions writes")],
      intent=lambda x: x.view(x.size(0), x.size(1), 2, 4),
      functions=[helper.make_function("voxport.test", "SplitHeads", ["h"], ["heads"],
                                      [constant("shape", [2, 5, 2, 4]), node("Reshape", "h shape", "heads", "split")],
                                      [helper.make_opsetid("", 15)])])
built("nested-nail", 13, [X],
      [node("Shape", "x", "shape", "shape"), node("Gather", "shape one", "steps", "steps"), constant("go", True, bool),
       node("Loop", "steps go", "y", "each_step", body=subgraph(
           "step", [node("Gather", "x i", "frame", "frame", axis=1), node("Identity", "on", "on_out", "on"),
                    node("If", "on", "heads", "always", then_branch=subgraph(
                        "then", [constant("size", [2, 2, 4]), node("Reshape", "frame size", "split", "split_frame")],
                        [value("split", None)]),
                        else_branch=subgraph("else", [node("Identity", "frame", "same", "same")], [value("same", None)]))],
           [value("on_out", [], TensorProto.BOOL), value("heads", None)],
           [value("i", [], TensorProto.INT64), value("on", [], TensorProto.BOOL)]))],
      ["y: t b 2 4 -> t 2 2 4"], {"b": nailed(2)},
      [holds("b", "split_frame", "size", "view(2, 2, 4) in a branch in a loop")], {"one": np.array(1)},
      lambda x: x.transpose(0, 1).reshape(x.size(1), x.size(0), 2, 4))

# -------------------------------------------------------------------------------------- 14: inputs with a meaning


def pool_by_mask(m, ids, lengths):
    mask = torch.arange(ids.size(1))[None] < lengths[:, None]
    return m.embed(ids) * mask[:, :, None]


def pool_by_longest(m, ids, lengths):
    mask = torch.arange(lengths.max())[None] < lengths[:, None]
    return m.embed(ids) * mask[:, :, None]


def regulate(m, x, durations):
    ends = durations.cumsum(1)
    frames = torch.arange(ends[:, -1].max())[None, :, None]
    path = (frames < ends[:, None]) & (frames >= (ends - durations)[:, None])
    return path.float() @ x


def embedding():
    return dict(embed=nn.Embedding(10, 8))


traced("tokens-free", 14, [ids("ids", "b t", 10)], lambda m, ids: m.embed(ids), ["y: b t 8"], parts=embedding,
       note="an id of 10 or more fails: the embedding has ten rows")
traced("tokens-lengths-free", 14, [ids("ids", "b t", 10), lengths()], pool_by_mask, ["y: b t 8"], parts=embedding)
traced("tokens-longest-free", 14, [ids("ids", "b t", 10), lengths()], pool_by_longest, ["y: b t 8"], parts=embedding,
       note="the mask is as long as the largest length, as in VITS: fails unless that is t (or 1)")
traced("mask-free", 14, [X, flags("mask", "b t")], lambda m, x, mask: x.masked_fill(~mask[:, :, None], 0.0), ["y: b t 8"])
traced("speed-free", 14, [X, f32("speed", "")], lambda m, x, speed: x * speed, ["y: b t 8"])
traced("scales-free", 14, [X, f32("scales", "3")], lambda m, x, scales: x * scales[0] + scales[1], ["y: b t 8"])
traced("durations-free", 14, [X, i64("durations", "b t", lambda rng, s, shape: rng.integers(1, 4, shape), "1 to 3")],
       regulate, ["y: b frames 8 -> b * 8"], note="the length of the output is the largest sum of durations")
traced("last-step-free", 14, [X, lengths()], lambda m, x, lengths: x[torch.arange(x.size(0)), lengths - 1], ["y: b 8"],
       note="a length over t fails; a length of 0 is the last step")
traced("step-free", 14, [X, i64("step", "", lambda rng, s, shape: s["t"] - 1, "0 to t - 1")],
       lambda m, x, step: x.cumsum(1).index_select(1, step.reshape(1)), ["y: b 1 8"], note="an index into a table that is computed inside")
traced("speaker-free", 14, [X, ids("sid", "b", 4)], lambda m, x, sid: x + m.speakers(sid)[:, None], ["y: b t 8"],
       parts=lambda: dict(speakers=nn.Embedding(4, 8)))
traced("speaker-fixed", 14, [X, ids("sid", "1", 4)], lambda m, x, sid: torch.cat([x, m.speakers(sid)[:, None].repeat(1, x.size(1), 1)], 2),
       ["y: b t 16 -> 1 t 16"], {"b": nailed(1)},
       [holds("b", "/Concat_2", None, "sid is declared [1], so only one row fits beside it, as in Piper's voices with speakers")],
       parts=lambda: dict(speakers=nn.Embedding(4, 8)), traced_with={"b": 1, "t": 5})

# -------------------------------------------------------------------------------------- 15: free, and must not raise an alarm


def masked_attention(m, x, lengths):
    mask = torch.arange(x.size(1))[None] >= lengths[:, None]
    return m.layer(x, x, x, key_padding_mask=mask)[0]


def encoder_layer(m, x, lengths):
    """A Transformer layer with two heads, written out."""
    mask = (torch.arange(x.size(1))[None] < lengths[:, None])[:, None, None]
    q, k, v = (part.view(x.size(0), x.size(1), 2, 4).transpose(1, 2) for part in m.qkv(x).chunk(3, 2))
    scores = (q @ k.transpose(2, 3) / 2.0).masked_fill(~mask, -1e9)
    joined = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.size(0), x.size(1), 8)
    return m.norm(x + m.out(joined))


def unet(m, x):
    half = m.down1(x)
    quarter = m.down2(half)
    return x + m.up1(half + m.up2(quarter))


class FreeIf(nn.Module):
    def forward(self, x):
        if x.size(1) > 3:
            y = x * 2
        else:
            y = x + 1
        return y


traced("cnn-free", 15, [XT], lambda m, x: m.net(x), ["y: b 4 t"], opset=13, parts=lambda: dict(net=nn.Sequential(
    nn.Conv1d(8, 8, 5, padding=2), nn.ReLU(), nn.BatchNorm1d(8), nn.Conv1d(8, 4, 3, padding=2, dilation=2), nn.LeakyReLU(0.1))))
traced("attention-free", 15, [X, lengths()], masked_attention, ["y: b t 8"], opset=14,
       parts=lambda: dict(layer=nn.MultiheadAttention(8, 2, batch_first=True)))
traced("transformer-free", 15, [X], lambda m, x: m.layer(x), ["y: b t 8"],
       parts=lambda: dict(layer=nn.TransformerEncoderLayer(8, 2, 8, 0.0, batch_first=True)))
traced("encoder-layer-free", 15, [X, lengths()], encoder_layer, ["y: b t 8"],
       parts=lambda: dict(qkv=nn.Linear(8, 24), out=nn.Linear(8, 8), norm=nn.LayerNorm(8)))
traced("nonzero-free", 15, [X], lambda m, x: (x > 0).nonzero(), ["y: n 3 -> * 3"], note="the length of the output depends on the data")
traced("mask-select-free", 15, [X, flags("mask", "b t")], lambda m, x, mask: x[mask], ["y: n 8 -> * 8"], opset=13)
traced("conv-valid", 15, [XT], lambda m, x: m.conv(x), ["y: b 4 frames -> b 4 t-2"], {"t": minimum(3)},
       [holds("t", "/conv/Conv", "@kernel_shape", "nn.Conv1d(8, 4, 3) without padding")], lambda: dict(conv=nn.Conv1d(8, 4, 3)))
traced("pool-valid", 15, [XT], lambda m, x: F.max_pool1d(x, 4, 2), ["y: b 8 frames -> b 8 int((t-4)/2)+1"],
       {"t": minimum(4, below="torch refuses")}, [holds("t", "/MaxPool", "@kernel_shape", "max_pool1d(x, 4, 2)")],
       intent=lambda m, x: x.unfold(2, 4, 2).amax(3), note="ONNX Runtime rounds towards zero: 3 frames give 1, 2 give none")
traced("reflect-pad", 15, [XT], lambda m, x: F.pad(x, (2, 2), mode="reflect"), ["y: b 8 frames -> b 8 t+4"],
       {"t": minimum(3, below="torch refuses")},
       [holds("t", "/Pad", "/Constant_1_output_0", "a reflection of two needs three frames")])
def branches(then, otherwise, **weights):
    """An If that is always true: x has three axes."""
    made = [constant(name, array, np.float32 if array.dtype == np.float32 else np.int64) for name, array in weights.items()]
    return [node("Shape", "x", "shape", "shape"), node("Size", "shape", "rank", "rank"),
            node("Greater", "rank two", "is_cube", "is_cube"),
            node("If", "is_cube", "y", "choose", then_branch=subgraph("then", made + then, [value("then", None)]),
                 else_branch=subgraph("else", otherwise, [value("else", None)]))]


def looped(body):
    """A Loop of as many rounds as the tensor `rounds` says, while `go`, whose results h are stacked."""
    return [node("Loop", "rounds go", "y", "each", body=subgraph(
        "body", [*body, node("Identity", "on", "on_out", "on")],
        [value("on_out", [], TensorProto.BOOL), value("h", None)],
        [value("i", [], TensorProto.INT64), value("on", [], TensorProto.BOOL)]))]


KERNEL = np.linspace(-1, 1, 4 * 8 * 3, dtype=np.float32).reshape(4, 8, 3)
CONV_IN_BRANCH = [node("Conv", "x kernel", "then", "conv_inside", kernel_shape=[3])]
built("if-conv-valid", 15, [XT], branches(CONV_IN_BRANCH, [node("Identity", "x", "else", "same")], kernel=KERNEL),
      ["y: b 4 frames -> b 4 t-2"], {"t": minimum(3)},
      [holds("t", "conv_inside", "@kernel_shape", "a convolution without padding in a branch")], {"two": np.array(2)},
      lambda x: F.conv1d(x, torch.tensor(KERNEL)))
built("if-else-conv-valid", 15, [XT],
      [node("Shape", "x", "shape", "shape"), node("Size", "shape", "rank", "rank"),
       node("Less", "rank two", "is_flat", "is_flat"),
       node("If", "is_flat", "y", "choose",
            then_branch=subgraph("then", [node("Identity", "x", "then", "same")], [value("then", None)]),
            else_branch=subgraph("else", [node("Conv", "x kernel", "halved", "first_inside", kernel_shape=[3], strides=[2]),
                                          node("Conv", "halved next_kernel", "else", "second_inside", kernel_shape=[3])],
                                 [value("else", None)]))],
      ["y: b 4 frames -> b 4 int((t-3)/2)-1"], {"t": minimum(7)},
      [holds("t", "second_inside", "@kernel_shape", "windows in the other branch, whose weights are outside")],
      {"two": np.array(2), "kernel": KERNEL, "next_kernel": KERNEL[:, :4]},
      lambda x: F.conv1d(F.conv1d(x, torch.tensor(KERNEL), stride=2), torch.tensor(KERNEL[:, :4])))
built("loop-conv-valid", 15, [XT],
      looped([constant("kernel", KERNEL, np.float32), node("Conv", "x kernel", "h", "conv_inside", kernel_shape=[3])]),
      ["y: 2 b 4 frames -> 2 b 4 t-2"], {"t": minimum(3)},
      [holds("t", "conv_inside", "@kernel_shape", "a convolution without padding in a loop")], {"rounds": np.array(2), "go": np.array(True)},
      lambda x: F.conv1d(x, torch.tensor(KERNEL)).expand(2, -1, -1, -1))
built("loop-reflect-pad", 15, [XT],
      looped([constant("pads", [0, 0, 4, 0, 0, 4]), node("GreaterOrEqual", "i zero", "always", "always"),
              node("If", "always", "h", "choose",
                   then_branch=subgraph("then", [node("Pad", "x pads", "then", "pad_inside", mode="reflect")], [value("then", None)]),
                   else_branch=subgraph("else", [node("Identity", "x", "else", "same")], [value("else", None)]))]),
      ["y: 2 b 8 frames -> 2 b 8 t+8"], {"t": minimum(5)},
      [holds("t", "pad_inside", "pads", "a reflection of four in a branch in a loop")],
      {"rounds": np.array(2), "go": np.array(True), "zero": np.array(0)},
      lambda x: F.pad(x, (4, 4), mode="reflect").expand(2, -1, -1, -1))
built("if-slice-conv", 15, [XT],
      branches([node("Slice", "x from to along", "cut", "cut_inside"),
                node("Conv", "cut kernel", "then", "conv_inside", kernel_shape=[3])],
               [node("Identity", "x", "else", "same")], kernel=KERNEL, along=np.array([2]),
               **{"from": np.array([8]), "to": np.array([2 ** 40])}),
      ["y: b 4 frames -> b 4 t-10"], {"t": limited(11)},
      [holds("t", "cut_inside", "from", "the first eight steps are dropped, as in an example of eleven")],
      {"two": np.array(2)}, lambda x: F.conv1d(x[:, :, 8:], torch.tensor(KERNEL)))
traced("unet", 15, [XT], unet, ["y: b 8 t"], {"t": limited(4, None, 4)},
       [holds("t", "/Add", None, "halved twice and doubled twice: only multiples of four meet again"),
        holds("t", "/Add_1", None, "halved twice and doubled twice: only multiples of four meet again")],
       lambda: dict(down1=nn.Conv1d(8, 8, 2, 2), down2=nn.Conv1d(8, 8, 2, 2), up2=nn.ConvTranspose1d(8, 8, 2, 2),
                    up1=nn.ConvTranspose1d(8, 8, 2, 2)), traced_with={"b": 2, "t": 8})
traced("if-free", 15, [X], FreeIf, ["y: b t 8"], intent=lambda m, x: x * 2 if x.size(1) > 3 else x + 1)
traced("squeeze-if-free", 15, [f32("x", "b 1 t")], lambda m, x: x.squeeze(1), ["y: b t"], note="squeeze of a fixed axis")
built("strings-free", 15, [Port("text", "n", TensorProto.STRING, lambda rng, s, shape: np.array([f"a{i}" for i in range(shape[0])], "U4"))],
      [node("Identity", "text", "y", "copy")], ["y: n"], output_types={"y": TensorProto.STRING}, traced_with={"n": 3})
built("sequence-free", 15, [Port("xs", "t 8", TensorProto.FLOAT,
                                 lambda rng, s, shape: rng.standard_normal(shape).astype(np.float32), sequence=True)],
      [node("ConcatFromSequence", "xs", "y", "join", axis=0)], ["y: all 8 -> n*t 8"], traced_with={"n": 2, "t": 5},
      intent=lambda xs: xs.reshape(-1, 8), note="the input is a sequence of n tensors")
built("sequence-inside-free", 15, [X],
      [node("SplitToSequence", "x", "steps", "steps", axis=1, keepdims=1), node("ConcatFromSequence", "steps", "y", "join", axis=1)],
      ["y: b t 8"], intent=lambda x: x)
built("no-inputs-free", 15, [], [node("RandomNormal", "", "y", "noise", shape=[2, 3])], ["y: 2 3"], random=True, traced_with={})
built("scalars-free", 15, [f32("x", ""), f32("y", "")], [node("Add", "x y", "z", "add")], ["z:"], intent=lambda x, y: x + y, traced_with={})
built("any-rank-free", 15, [f32("x", None)], [node("Relu", "x", "y", "relu")], ["y: ?"], intent=lambda x: x.relu(), traced_with={"rank": 3},
      note="neither input nor output says how many axes it has")
built("unnamed-axes-free", 15, [f32("x", "?b ?t 8")], [node("Relu", "x", "y", "relu")], ["y: ? ? 8 -> b t 8"], intent=lambda x: x.relu())
built("loop-scan-free", 15, [X],
      [node("Shape", "x", "shape", "shape"), node("Gather", "shape one", "steps", "steps"),
       constant("go", True, bool),
       node("Loop", "steps go", "y", "each_step", body=step_body())],
      ["y: t b 8"], tensors={"one": np.array(1)}, intent=lambda x: x.transpose(0, 1))
built("scan-free", 15, [f32("x", "t 8")],
      [node("Scan", "start x", "last y", "running_sum", num_scan_inputs=1, body=subgraph(
          "step", [node("Add", "state frame", "next", "add"), node("Identity", "next", "frame_out", "out")],
          [value("next", [8]), value("frame_out", [8])], [value("state", [8]), value("frame", [8])]))],
      ["y: t 8"], tensors={"start": np.zeros(8, np.float32)}, intent=lambda x: x.cumsum(0), traced_with={"t": 5})
traced("weights-as-inputs-free", 15, [X], lambda m, x: m.linear(x), ["y: b t 8"], parts=linear(), edit=weights_as_inputs,
       note="the weights are inputs with a default: not axes of the model")
built("unused-input-free", 15, [X, f32("unused", "b other")], [node("Relu", "x", "y", "relu")], ["y: b t 8"],
      intent=lambda x, unused: x.relu(), traced_with={"b": 2, "t": 5, "other": 3})
built("optional-input-free", 15, [X], [node("Clip", "x  high", "y", "clip")], ["y: b t 8"], tensors={"high": np.array(1, np.float32)},
      intent=lambda x: x.clamp(max=1.0), note="an input of a node is absent")

# ------------------------------------------------------------------------------------------------ broken and hostile files

BROKEN = {}


def plain_graph(nodes=None, tensors=(), inputs=(value("x", ["b", 8]),), outputs=(value("y", ["b", 8]),)):
    return helper.make_graph(nodes or [node("Add", "x w", "y", "add")], "broken", list(inputs), list(outputs), list(tensors))


def plain_model(graph=None, opsets=(("", 15),), ir_version=8):
    graph = graph or plain_graph(tensors=[onnx.numpy_helper.from_array(np.ones(8, np.float32), "w")])
    return helper.make_model(graph, producer_name="voxport", ir_version=ir_version,
                             opset_imports=[helper.make_opsetid(*opset) for opset in opsets])


def rounds(nodes, outputs):
    """The body of a Loop that carries h, of the type of x."""
    on, h = outputs.split()
    return subgraph("round", nodes, [value(on, [], TensorProto.BOOL), value(h, ["b", 8])],
                    [value("i", [], TensorProto.INT64), value("on", [], TensorProto.BOOL), value("h", ["b", 8])])


def tensor(dims, raw=b"", dtype=TensorProto.FLOAT, **external):
    made = TensorProto(name="w", data_type=dtype, dims=dims)
    for key, text in external.items():
        made.external_data.add(key=key, value=text)
        made.data_location = TensorProto.EXTERNAL
    if not external:
        made.raw_data = raw
    return made


def with_tensor(*arguments, **named):
    ports = [value("x", ["b", "n"])], [value("y", ["b", "n"])]
    return plain_model(plain_graph(None, [tensor(*arguments, **named)], *ports))


def nested(depth):
    """If inside If. Written by hand: the Python library will not nest this deep either."""
    def field(number, contents):
        size, length = len(contents), b""
        while size > 127:
            length, size = length + bytes([size & 127 | 128]), size >> 7
        return bytes([number << 3 | 2]) + length + bytes([size]) + contents

    graph = field(1, node("Identity", "x", "y", "innermost").SerializeToString()) + field(2, b"g")
    for level in range(depth):
        branch = field(1, b"then_branch") + field(6, graph) + b"\xa0\x01\x05"
        graph = field(1, field(1, b"c") + field(2, b"y") + field(4, b"If") + field(5, branch)) + field(2, b"g")
    return plain_model().SerializeToString(deterministic=True) + field(7, graph)


def broken_files():
    good = plain_model().SerializeToString(deterministic=True)
    yield "empty", b""
    yield "text", b"<!DOCTYPE html><html><body>404 Not Found</body></html>\n"
    yield "truncated-in-header", good[:5]
    yield "truncated-in-graph", good[:len(good) // 2]
    yield "truncated-in-last-byte", good[:-1]
    yield "cycle", plain_model(plain_graph([node("Add", "x b", "a", "first"), node("Add", "x a", "b", "second"),
                                            node("Relu", "b", "y", "relu")]))
    yield "cycle-of-one", plain_model(plain_graph([node("Add", "x a", "a", "itself"), node("Relu", "a", "y", "relu")]))
    yield "wrong-types", plain_model(plain_graph(tensors=[onnx.numpy_helper.from_array(np.ones(8, np.int64), "w")]))
    yield "wrong-output-type", plain_model(plain_graph([node("Relu", "x", "y", "relu")],
                                                       outputs=[value("y", ["b", 8], TensorProto.INT64)]))
    yield "duplicate-values", plain_model(plain_graph([node("Relu", "x", "y", "one"), node("Neg", "x", "y", "two")]))
    yield "duplicate-nodes", plain_model(plain_graph([node("Relu", "x", "h", "same"), node("Neg", "h", "y", "same")]))
    yield "duplicate-inputs", plain_model(plain_graph([node("Relu", "x", "y", "relu")],
                                                      inputs=[value("x", ["b", 8]), value("x", ["b", 4])]))
    yield "no-such-input", plain_model(plain_graph([node("Add", "x nowhere", "y", "add")]))
    yield "no-such-output", plain_model(plain_graph([node("Relu", "x", "h", "relu")]))
    yield "external-parent", with_tensor([8], location="../expected.json", offset="0", length="32")
    yield "external-absolute", with_tensor([8], location="/etc/passwd", offset="0", length="32")
    yield "external-missing", with_tensor([8], location="weights.bin", offset="0", length="32")
    yield "external-past-end", with_tensor([8], location="empty.onnx", offset="4096", length="32")
    yield "external-negative", with_tensor([8], location="text.onnx", offset="-32", length="32")
    yield "tensor-of-10-gb", with_tensor([2_500_000_000], raw=bytes(32))
    yield "tensor-too-short", with_tensor([8], raw=bytes(31))
    yield "tensor-too-long", with_tensor([8], raw=bytes(36))
    yield "dims-overflow", with_tensor([2**62, 4], raw=bytes(32))
    yield "dims-overflow-to-8", with_tensor([2**61 + 1, 8], raw=bytes(32))
    yield "dims-negative", with_tensor([-8], raw=bytes(32))
    yield "input-dim-negative", plain_model(plain_graph([node("Relu", "x", "y", "relu")], inputs=[value("x", [-1, 8])]))
    yield "input-dim-huge", plain_model(plain_graph([node("Relu", "x", "y", "relu")], inputs=[value("x", [2**62, 8])]))
    yield "no-opset", plain_model(opsets=())
    yield "opset-99", plain_model(opsets=[("", 99)])
    yield "opset-twice", plain_model(opsets=[("", 13), ("", 15)])
    yield "unknown-operator", plain_model(plain_graph([node("Sing", "x", "y", "sing")]))
    yield "unknown-domain", plain_model(plain_graph([node("Sing", "x", "y", "sing", domain="voxport.test")]),
                                        [("", 15), ("voxport.test", 1)])
    yield "ir-99", plain_model(ir_version=99)
    yield "ir-missing", plain_model(ir_version=0)
    yield "no-graph", onnx.ModelProto(ir_version=8, opset_import=[helper.make_opsetid("", 15)])
    yield "no-nodes", plain_model(helper.make_graph([], "broken", [value("x", ["b"])], [value("x", ["b"])]))
    yield "nested-1000-deep", nested(1000)
    yield "not-utf8", plain_model(plain_graph([node("Relu", "x", "y", "relu@@")])).SerializeToString(
        deterministic=True).replace(b"relu@@", b"relu\xff\xfe")
    yield "name-with-escapes", plain_model(plain_graph([node("Reshape", "x shape", "y", "\x1b[2J\x1b[31mgood\n/Reshape")],
                                                       [onnx.numpy_helper.from_array(i64s(2, 8), "shape")]))
    yield "memory-at-load", plain_model(plain_graph([constant("size", [2**40]), node("ConstantOfShape", "size", "h", "fill"),
                                                     node("ReduceSum", "h", "s", "sum"), node("Add", "x s", "y", "add")]))
    yield "memory-at-run", plain_model(plain_graph([constant("size", [2**38, 1, 1]), node("Expand", "x size", "h", "expand"),
                                                    node("ReduceSum", "h", "s", "sum"), node("Add", "x s", "y", "add")]))
    go, times = constant("go", True, bool), constant("times", 2**60)
    step = [node("Identity", "on", "on_out", "on"), node("Relu", "h", "h_out", "relu")]
    yield "loop-without-end", plain_model(plain_graph([go, node("Loop", " go x", "y", "forever", body=rounds(step, "on_out h_out"))]))
    yield "loop-of-2-to-the-60", plain_model(plain_graph([times, node("Loop", "times  x", "y", "forever",
                                                                      body=rounds(step, "on_out h_out"))]))
    yield "loop-without-nodes", plain_model(plain_graph([go, node("Loop", " go x", "y", "forever", body=rounds([], "on h"))]))
    # A million boxes, each compared with all before it: one node that takes hours.
    yield "node-of-hours", plain_model(plain_graph(
        [node("Range", "zero million one", "r", "range"), node("Reshape", "r column", "low", "low"), node("Add", "low half", "high", "high"),
         node("Mul", "low zero", "left", "left"), node("Add", "left one", "right", "right"),
         node("Concat", "low left high right", "boxes", "boxes", axis=2), node("Reshape", "r row", "scores", "scores"),
         node("NonMaxSuppression", "boxes scores all", "kept", "compare"), node("Cast", "kept", "k", "cast", to=TensorProto.FLOAT),
         node("ReduceSum", "k", "s", "sum"), node("Add", "x s", "y", "add")],
        [onnx.numpy_helper.from_array(np.array(number, dtype), name) for name, number, dtype in
         [("zero", 0, np.float32), ("half", 0.5, np.float32), ("one", 1, np.float32), ("million", 2**20, np.float32),
          ("column", [1, -1, 1], np.int64), ("row", [1, 1, -1], np.int64), ("all", 2**20, np.int64)]]))


# ------------------------------------------------------------------------------------------------ writing


def export(name, entry):
    """The bytes of a traced model, and the module itself."""
    torch.manual_seed(zlib.crc32(name.encode()))
    scripted = isinstance(entry["forward"], type)
    net = entry["forward"]() if scripted else Net(entry["forward"], entry["parts"]())
    rng = np.random.default_rng(0)
    inputs = tuple(torch.tensor(port.make(rng, entry["traced_with"])) for port in entry["inputs"])
    names = {port.name: {a: port.declared(a) for a in range(len(port.words)) if isinstance(port.declared(a), str)}
             for port in entry["inputs"]}
    names.update({output: {a: word for a, word in enumerate(declared) if word.isidentifier()}
                  for output, declared, _ in entry["outputs"]})
    names.update(entry["extra_names"] or {})
    file = io.BytesIO()
    # The fast paths of nn.TransformerEncoderLayer and nn.MultiheadAttention have no ONNX operator; they are not taken while training.
    torch.onnx.export(torch.jit.script(net) if scripted else net.train("layer" in entry["parts"]()), inputs, file,
                      opset_version=entry["opset"], input_names=[port.name for port in entry["inputs"]],
                      output_names=[output for output, _, _ in entry["outputs"]],
                      dynamic_axes={key: axes for key, axes in names.items() if axes},
                      training=torch.onnx.TrainingMode.PRESERVE)
    model = onnx.load_from_string(file.getvalue())
    if entry["edit"]:
        entry["edit"](model)
    return model, net


def build(name, entry):
    """A model put together from nodes."""
    def dims(words):
        return None if words == ["?"] else [None if w == "?" else w if w.isidentifier() else int(w) for w in words]

    inputs = []
    for port in entry["inputs"]:
        shape = None if port.words is None else [port.declared(a) for a in range(len(port.words))]
        make = helper.make_tensor_sequence_value_info if port.sequence else helper.make_tensor_value_info
        inputs.append(make(port.name, port.dtype, shape))
    outputs = [value(output, dims(declared), entry["output_types"].get(output, TensorProto.FLOAT))
               for output, declared, _ in entry["outputs"]]
    tensors = [onnx.numpy_helper.from_array(array, key) for key, array in entry["tensors"].items()]
    for made in entry["nodes"]:
        while made.input and made.input[-1] == "":
            made.input.pop()
    graph = helper.make_graph(entry["nodes"], name, inputs, outputs, tensors, value_info=entry["value_info"])
    opsets = [helper.make_opsetid("", entry["opset"])] + [helper.make_opsetid(f.domain, 1) for f in entry["functions"]]
    return helper.make_model(graph, producer_name="voxport", ir_version=8, opset_imports=opsets, functions=entry["functions"])


def loosened(model, entry):
    """A copy in which the axes that the file fixes have their names, to see what holds them apart from that."""
    loose = onnx.ModelProto()
    loose.CopyFrom(model)
    for port, made in zip(entry["inputs"], loose.graph.input):
        for axis, dim in enumerate(made.type.tensor_type.shape.dim):
            if port.symbol(axis):
                dim.Clear()
                dim.dim_param = port.symbol(axis)
    for made in loose.graph.output:
        for dim in made.type.tensor_type.shape.dim:
            dim.Clear()
    del loose.graph.value_info[:]
    return loose


def nodes_of(nodes):
    """The nodes, and those inside them."""
    for made in nodes:
        yield made
        for attribute in made.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from nodes_of(attribute.g.node)


def all_nodes(model):
    return [made for part in (model.graph, *model.functions) for made in nodes_of(part.node)]


def constants_of(model):
    """Every tensor that the file holds: name -> (kind, array)."""
    found = {made.name: ("initializer", onnx.numpy_helper.to_array(made)) for made in model.graph.initializer}
    found.update({made.output[0]: ("constant", onnx.numpy_helper.to_array(made.attribute[0].t))
                  for made in all_nodes(model) if made.op_type == "Constant"})
    return found


def describe_culprit(model, culprit):
    everything = all_nodes(model)
    found = [made for made in everything if made.name == culprit["node"]]
    found = found or [made for made in everything if not made.name and culprit["node"] in made.output]
    assert len(found) == 1, culprit["node"]
    made, held = found[0], culprit["held"]
    holder = None
    if held and held[0] == "@":
        attribute = next(a for a in made.attribute if a.name == held[1:])
        holder = {"kind": "attribute", "name": attribute.name, "value": list(helper.get_attribute_value(attribute))}
    elif held and held[0] == "%":
        info = next(v for v in model.graph.value_info if v.name == held[1:])
        holder = {"kind": "value_info", "name": info.name, "value": declared_axes(info)}
    elif held:
        kind, array = constants_of(model)[held]
        holder = {"kind": kind, "name": held, "shape": list(array.shape)}
        if array.size <= 16 and array.dtype != np.float32:
            holder["value"] = array.tolist()
    return {"symbols": culprit["symbols"], "op": made.op_type, "node": made.name, "output": made.output[0],
            "held_by": holder, "cause": culprit["cause"]}


def names_in(formula):
    return {part.id for part in ast.walk(ast.parse(formula)) if isinstance(part, ast.Name)} - {"min", "max", "int"}


def judge_name(declared, truth, entry, symbols, others):
    """Is what the file says of an axis of an output so? "unrelated": it has a name of its own, and is an input's axis;
    "unnamed": it has none, or the one that PyTorch makes up from the operator, the output and the number of the axis."""
    if declared is None or re.fullmatch(r"[A-Z]\w+_dim_\d+", str(declared)):
        return "unnamed"
    if truth == "*":
        return "wrong" if isinstance(declared, int) or declared in symbols else "true"
    fixed = {port.symbol(a): port.declared(a) for port in entry["inputs"] for a in range(len(port.words or []))
             if isinstance(port.declared(a), int)}
    constant = eval(truth, {}, fixed) if names_in(truth) <= set(fixed) else None
    if isinstance(declared, int):
        return "true" if constant == declared else "wrong"
    if declared in symbols:
        verdict = entry["axes"].get(declared, FREE)
        held = verdict.get("to") == constant and {verdict.get("below"), verdict.get("above")} == {"fails"} and not verdict["at"]
        return "true" if truth == declared or (constant is not None and held) else "wrong"
    if constant is not None or any(name == declared and formula != truth for name, formula in others):
        return "wrong"
    return "unrelated" if truth.isidentifier() else "true"


def declared_axes(made):
    kind = made.type.sequence_type.elem_type if made.type.HasField("sequence_type") else made.type
    if not kind.tensor_type.HasField("shape"):
        return None
    return [d.dim_param or (d.dim_value if d.HasField("dim_value") else None) for d in kind.tensor_type.shape.dim]


def describe(name, entry, model, contents):
    symbols = {port.declared(a) for port in entry["inputs"] for a in range(len(port.words or [])) if port.symbol(a)}
    inputs = {}
    for port, made in zip(entry["inputs"], model.graph.input):
        assert made.name == port.name
        axes = [{"axis": a, "symbol": port.symbol(a), "declared": port.declared(a), **entry["axes"].get(port.symbol(a), FREE)}
                for a in range(len(port.words or [])) if port.symbol(a)]
        kind = TensorProto.DataType.Name(port.dtype).lower()
        inputs[port.name] = {"type": f"sequence({kind})" if port.sequence else kind, "declared": declared_axes(made), "axes": axes}
        if port.meaning:
            inputs[port.name]["values"] = port.meaning
    real = [declared_axes(made) for made in model.graph.output]
    everything = [(d, t) for axes, (_, _, truth) in zip(real, entry["outputs"]) for d, t in zip(axes or [], truth)]
    outputs = {}
    for axes, (output, _, truth) in zip(real, entry["outputs"]):
        if axes is None or truth == ["rank"]:
            outputs[output] = {"declared": axes, "is": None, "names": None}
            continue
        assert len(axes) == len(truth), (name, axes, truth)
        names = [judge_name(d, t, entry, symbols, everything) for d, t in zip(axes, truth)]
        outputs[output] = {"declared": axes, "is": truth, "names": names}
    described = {"file": name + ".onnx", "group": entry["group"], "made_by": entry["made_by"], "opset": entry["opset"],
                 "bytes": len(contents), "sha256": hashlib.sha256(contents).hexdigest(), "traced_with": entry["traced_with"],
                 "inputs": inputs, "outputs": outputs,
                 "culprits": [describe_culprit(model, culprit) for culprit in entry["culprits"]]}
    if entry.get("judged", "plain") != "plain":
        described["judged"] = entry["judged"]
    if entry["note"]:
        described["note"] = entry["note"]
    return described


def points_of(entry):
    """The sizes to try: each axis alone, some together, and each at zero."""
    start = entry.get("swept_from") or entry["traced_with"]
    sweeps = {"b": SWEPT["b"], "t": SWEPT["t"], "n": [1, 2, 3, 5, 8], "o": [1, 2, 3, 5, 8], "r": [0, 1, 2, 3, 4]}
    points = [{"vary": None, "sizes": dict(start)}]
    for symbol in start:
        points += [{"vary": symbol, "sizes": {**start, symbol: size}} for size in sweeps[symbol[0]]]
    pair = [symbol for symbol in start if symbol in ("b", "t")]
    if len(pair) == 2:
        points += [{"vary": "together", "sizes": {**start, **dict(zip(pair, sizes))}} for sizes in TOGETHER]
    tied = [symbol for symbol, verdict in entry["axes"].items() if verdict["verdict"] == "linked"]
    if tied:
        few = (1, 3, 5, 6, 7, 10, 14)
        points += [{"vary": "together", "sizes": {**start, tied[0]: p, tied[1]: q}} for p in few for q in few]
    points += [{"vary": "zero", "sizes": {**start, symbol: 0}} for symbol in start if symbol != "rank"]
    return points


def answer(net, entry, inputs):
    """What was meant, by PyTorch; None if nobody knows, and "refused" if PyTorch will not."""
    function = entry["intent"] or (None if net is None else entry["forward"])
    if function is None:
        return None
    tensors = [torch.tensor(array) for array in inputs]
    try:
        with torch.no_grad():
            made = function(*tensors) if net is None else function(net, *tensors)
    except (RuntimeError, IndexError, ValueError):
        return "refused"
    return [torch.as_tensor(part).numpy() for part in (made if isinstance(made, tuple) else (made,))]


def write_cases(folder, name, entry, model, net):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    points, arrays = points_of(entry), {}
    for number, point in enumerate(points):
        inputs = [port.make(rng, point["sizes"]) for port in entry["inputs"]]
        for port, array in zip(entry["inputs"], inputs):
            arrays[f"{number}/in/{port.name}"] = array
        meant = answer(net, entry, inputs)
        point["torch"] = "unknown" if meant is None else meant if isinstance(meant, str) else "answers"
        for (output, _, _), array in zip(entry["outputs"], meant if point["torch"] == "answers" else []):
            arrays[f"{number}/out/{output}"] = array
    np.savez(folder / (name + ".npz"), **arrays)
    about = {"points": points, "random": entry["random"], "sequences": [p.name for p in entry["inputs"] if p.sequence]}
    (folder / (name + ".json")).write_text(json.dumps(about))
    fixed = any("~" in word for port in entry["inputs"] for word in port.words or [])
    if fixed:
        (folder / (name + ".onnx")).write_bytes(loosened(model, entry).SerializeToString(deterministic=True))


def json_text(expected):
    """JSON with what is innermost on one line."""
    text = json.dumps(expected, indent=1)
    for _ in range(2):
        text = re.sub(r"[\[{][^\[\]{}]{1,400}[\]}]", lambda found: re.sub(r"\n\s*", " ", found[0]), text)
    return text + "\n"


def compact_text(models):
    """What the tests compare with, a model to a line: of each axis its verdict, the nodes that hold sizes, and whether
    outputs have the sizes that they are declared with."""
    kept = ("axis", "symbol", "verdict", "to", "lo", "hi", "multiple_of", "hidden")
    lines = []
    for name, model in models.items():
        axes = [{"input": port, **{key: axis[key] for key in kept if axis.get(key) is not None}}
                for port, about in model["inputs"].items() for axis in about["axes"]]
        culprits = [{key: one[key] for key in ("symbols", "op", "node", "output")} for one in model["culprits"]]
        names_are_true = all("wrong" not in (about["names"] or []) for about in model["outputs"].values())
        about = {"axes": axes, "culprits": culprits, "names_are_true": names_are_true}
        lines.append(f"{json.dumps(name)}: {json.dumps(about)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cases", type=pathlib.Path)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    folder, cases = arguments.folder, arguments.cases
    (folder / "broken").mkdir(parents=True, exist_ok=True)
    if cases:
        cases.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")

    described = cases / "described.json" if cases else None
    before = json.loads(described.read_text()) if described and described.exists() else {"models": {}, "broken": {}}
    expected = {**before, "models": {}, "broken": {}}
    for name, entry in MODELS.items():
        if arguments.only and arguments.only != name:
            continue
        model, net = export(name, entry) if entry["made_by"] == "torch.onnx.export" else (build(name, entry), None)
        contents = model.SerializeToString(deterministic=True)
        assert len(contents) < 20_000, (name, len(contents))
        (folder / (name + ".onnx")).write_bytes(contents)
        expected["models"][name] = keep_measured(before["models"].get(name, {}), describe(name, entry, model, contents))
        if cases:
            write_cases(cases, name, entry, model, net)
    for name, made in broken_files():
        contents = made if isinstance(made, bytes) else made.SerializeToString(deterministic=True)
        (folder / "broken" / (name + ".onnx")).write_bytes(contents)
        about = {"file": f"broken/{name}.onnx", "bytes": len(contents), "sha256": hashlib.sha256(contents).hexdigest()}
        expected["broken"][name] = keep_measured(before["broken"].get(name, {}), about)
    if not arguments.only:
        (folder / "expected.json").write_text(compact_text(expected["models"]))
    if described and not arguments.only:
        described.write_text(json_text(expected))


def keep_measured(before, described):
    """What run_check_models.py found of the same bytes stays."""
    if "measured" in before and before.get("sha256") == described["sha256"]:
        described["measured"] = before["measured"]
    return described


if __name__ == "__main__":
    main()
