#!/usr/bin/env python3
"""Records scripted modules that keep a state, enter `with`, have tensors for defaults and so on, and what PyTorch
computes with them.

    record_scripted.py FOLDER      write FOLDER/NAME.ts113.pt and NAME.cases.safetensors, and name them in manifest.json

FOLDER is tests/data/programs; recorded with torch 1.13.

A case of a module that keeps a state is one run of several: its inputs are the arguments and what the attributes were
before, its outputs the results and what they were after.
"""

import json
import pathlib
import struct
import sys
from typing import List, Optional

import torch
from torch import Tensor, nn

import manifest


class WithBlocks(nn.Module):
    """Enters no_grad, in a method too; a method that forward never calls has what cannot be converted."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 4)

    def twice(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            y = x * 2
        return y

    @torch.jit.export
    def aside(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            future = torch.jit.fork(torch.relu, x)
        return torch.jit.wait(future)

    def forward(self, x):
        with torch.no_grad():
            y = self.twice(self.linear(x))
        return y


class StateWhenEmpty(nn.Module):
    """A state that is empty at first and is made in a branch."""

    def __init__(self):
        super().__init__()
        self.h = torch.zeros(0)

    def forward(self, x):
        if not len(self.h):
            self.h = torch.zeros(x.size(0), 5)
        y = x + self.h
        self.h = y
        return y


class Cell(nn.Module):
    """Keeps h, and how often it ran."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 3)
        self.h = torch.zeros(1, 3)
        self.count = 0

    def step(self, x: Tensor) -> Tensor:
        self.h = self.cell(x, self.h.expand(x.size(0), 3))
        if bool(self.h.sum() > 0):
            self.count += 1
        return self.h

    def forward(self, x: Tensor) -> Tensor:
        y = x.new_zeros(x.size(1), 3)
        for t in range(x.size(0)):
            y = y + self.step(x[t])
        return y


class StateInLoop(nn.Module):
    """States of a part, which a method assigns that is called in a loop; `last` is only assigned, `pair` a tuple."""

    def __init__(self):
        super().__init__()
        self.part = Cell()
        self.pair = (torch.ones(1), torch.full((1,), 0.5))
        self.last = torch.zeros(1)

    def forward(self, x):
        y = self.part(x)
        a, b = self.pair
        self.pair = (a + b, a * b)
        self.last = y
        return y * a


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(6, 4)
        self.state = torch.zeros(0)

    def reset(self):
        self.state = torch.zeros(0)

    def forward(self, x: Tensor) -> Tensor:
        state = self.state
        if len(state):
            h, c = self.cell(x, (state[0], state[1]))
        else:
            h, c = self.cell(x)
        self.state = torch.stack([h, c])
        return h


class StateReset(nn.Module):
    """Forgets what it keeps when the batch has another size, or the rate is another."""

    def __init__(self):
        super().__init__()
        self.part = Recurrent()
        self.context = torch.zeros(0)
        self.last_rate = 0
        self.last_batch = 0

    def reset(self):
        self.part.reset()
        self.context = torch.zeros(0)

    def forward(self, x, rate: int):
        if self.last_rate and self.last_rate != rate:
            self.reset()
        if self.last_batch and self.last_batch != x.size(0):
            self.reset()
        if not len(self.context):
            self.context = torch.zeros(x.size(0), 2)
        x = torch.cat([self.context, x], dim=1)
        y = self.part(x)
        self.context = x[..., -2:]
        self.last_rate = rate
        self.last_batch = x.size(0)
        return y


class StateByRate(nn.Module):
    """A rate that decides in which steps the input is taken, which layer it goes through and how much of it is kept."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Conv1d(1, 4, 7)
        self.narrow = nn.Conv1d(1, 4, 4)
        self.context = torch.zeros(0)
        self.last_rate = 0

    def forward(self, x, rate: int):
        if rate != 16 and rate % 16 == 0:
            x = x[:, ::rate // 16]
            rate = 16
        if x.size(-1) != (5 if rate == 16 else 3):
            raise ValueError("the input must have 5 or 3 samples")
        if self.last_rate and self.last_rate != rate:
            self.context = torch.zeros(0)
            self.last_rate = 0
        context_size = 2 if rate == 16 else 1
        if not len(self.context):
            self.context = torch.ones(x.size(0), context_size)
        x = torch.cat([self.context, x], dim=1)
        if rate == 16:
            y = self.wide(x.unsqueeze(1)).squeeze(-1)
        else:
            y = self.narrow(x.unsqueeze(1)).squeeze(-1)
        if y.dim() != 2:
            raise ValueError("the layers must leave one frame")
        self.context = x[:, -context_size:]
        self.last_rate = rate
        return y


class JoinedParts(nn.Module):
    """Parts of a tensor, of different lengths, in lists that grow in the run and are joined along either axis."""

    def forward(self, x):
        rows: List[Tensor] = []
        columns: List[Tensor] = []
        for i in range(x.size(0) - 1):
            rows.append(x[i:2 * i + 1])
            if i % 2 == 0:
                columns.append(x[:, i:] * i)
        columns.append(x[:, -1:])
        joined: List[Tensor] = []
        for axis, parts in enumerate([rows, columns]):
            joined.append(torch.cat(parts, axis).flatten())
        return torch.cat(joined)


class TensorDefault(nn.Module):
    """An argument that is an empty tensor where nobody gives it."""

    def forward(self, x, state: Tensor = torch.zeros(0)):
        if len(state):
            return x + state
        return x * 2


class OtherMethod(nn.Module):
    """A module whose encode is exported."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 4)

    @torch.jit.export
    def encode(self, x):
        return torch.relu(self.linear(x))

    def forward(self, x):
        return x


def grid(n: int, device: str = "cpu") -> Tensor:
    return torch.arange(n, device=torch.device(device))


class DeviceOfText(nn.Module):
    """A device that is made of a string at run time."""

    def forward(self, x):
        return x + grid(x.size(1), device=str(x.device))


class NoneInBranch(nn.Module):
    """Tensors that are None depending on a size and on values."""

    def mask(self, x: Tensor) -> Optional[Tensor]:
        if x.size(0) == 1:
            return None
        return x > 0

    def forward(self, x):
        mask = self.mask(x)
        extra: Optional[Tensor] = None
        if bool(x.sum() > 0):
            extra = x * 3
        if mask is not None:
            x = x.masked_fill(mask, 0.5)
        if extra is None:
            extra = x - 1
        return x + extra


class Linears(nn.Module):
    """Dynamically quantized layers: one scale for all weights and one for each row. The outputs are those of the weights
    as floats."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(5, 4)
        self.second = nn.Linear(4, 3, bias=False)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def quantized_linears():
    configs = {"first": torch.quantization.default_dynamic_qconfig,
               "second": torch.quantization.per_channel_dynamic_qconfig}
    return torch.quantization.quantize_dynamic(Linears().eval(), configs)


def with_floats(module, x):
    """What quantized_linears() gives if only its weights are quantized."""
    y = nn.functional.linear(x, module.first.weight().dequantize(), module.first.bias())
    return nn.functional.linear(torch.relu(y), module.second.weight().dequantize())


class AutocastOff(nn.Module):
    """Autocast that is switched off, or is for another device than the CPU."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 4)

    def forward(self, x):
        with torch.cuda.amp.autocast(False):
            y = self.linear(x)
        with torch.autocast(device_type="cuda", dtype=torch.float16):
            z = self.linear(y.repeat(1, 2)[:, :5])
        return y + z


class AutocastCpu(nn.Module):
    """Autocast for the CPU, which computes linear() in bfloat16."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 4)

    def forward(self, x):
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
            y = self.linear(x)
        return y


class Decoder(nn.Module):
    """nn.TransformerDecoder with a causal mask, and padding of both lengths."""

    def __init__(self, **options):
        super().__init__()
        layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, **options)
        self.decoder = nn.TransformerDecoder(layer, 1, nn.LayerNorm(8))

    def forward(self, x, memory, tgt_padding: Tensor, memory_padding: Tensor):
        t = x.size(1)
        mask = torch.triu(torch.full((t, t), float("-inf")), diagonal=1)
        return self.decoder(x, memory, tgt_mask=mask, tgt_key_padding_mask=tgt_padding,
                            memory_key_padding_mask=memory_padding)


class TimeFirstDecoder(nn.Module):
    """nn.TransformerDecoder over [t, b, 8] with a mask of bools, that normalizes first."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerDecoderLayer(8, 2, 16, norm_first=True, activation="gelu")
        self.decoder = nn.TransformerDecoder(layer, 1)

    def forward(self, x, memory, tgt_padding: Tensor):
        t = x.size(0)
        mask = torch.ones(t, t, dtype=torch.bool).triu(1)
        return self.decoder(x, memory, tgt_mask=mask, tgt_key_padding_mask=tgt_padding)


class Transformer(nn.Module):
    """nn.Transformer with a causal mask, and padding of both lengths."""

    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)

    def forward(self, memory, x, memory_padding: Tensor, tgt_padding: Tensor):
        t = x.size(1)
        mask = torch.triu(torch.full((t, t), float("-inf")), diagonal=1)
        return self.transformer(memory, x, tgt_mask=mask, src_key_padding_mask=memory_padding,
                                tgt_key_padding_mask=tgt_padding, memory_key_padding_mask=memory_padding)


CASES = [dict(b=2), dict(b=1), dict(b=3)]
RESETS = [dict(b=2, rate=8), dict(b=2, rate=8), dict(b=3, rate=8), dict(b=3, rate=16), dict(b=3, rate=16)]
RATES = [dict(b=2, rate=16, t=5), dict(b=2, rate=16, t=5), dict(b=2, rate=48, t=13), dict(b=2, rate=8, t=3),
         dict(b=2, rate=8, t=3), dict(b=2, rate=32, t=10)]
RUNS = {"state_reset": RESETS, "state_by_rate": RATES}


def models():
    """Name, module, method, inputs by name with their axes, attributes with theirs; what computes the outputs, if not it;
    whether it is traced. The sizes t and u are those of two sequences; inputs whose name ends in padding are masks of
    their rows."""
    plain = {"x": ([2, 5], {"0": "b"})}
    yield "with_blocks", WithBlocks(), "forward", plain, {}
    yield "state_when_empty", StateWhenEmpty(), "forward", plain, {"h": ([2, 5], {"0": "h_dim_0"}, "float32")}
    yield "state_in_loop", StateInLoop(), "forward", {"x": ([3, 2, 4], {"0": "t", "1": "b"})}, {
        "part.h": ([1, 3], {"0": "part_h_dim_0"}, "float32"), "part.count": ([], {}, "int64"),
        "pair.0": ([1], {}, "float32"), "pair.1": ([1], {}, "float32")}
    yield "state_reset", StateReset(), "forward", {"x": ([2, 4], {"0": "b"}), "rate": ([], {})}, {
        "last_rate": ([], {}, "int64"),
        "part.state": ([2, 2, 4], {"0": "part_state_dim_0", "1": "part_state_dim_1"}, "float32"),
        "context": ([2, 2], {"0": "context_dim_0"}, "float32"), "last_batch": ([], {}, "int64")}
    yield "tensor_default", TensorDefault(), "forward", plain, {}
    yield "tensor_given", TensorDefault(), "forward", {**plain, "state": ([2, 5], {"0": "b"})}, {}
    yield "other_method", OtherMethod(), "encode", plain, {}
    yield "device_of_text", DeviceOfText(), "forward", plain, {}
    yield "none_in_branch", NoneInBranch(), "forward", plain, {}
    yield "quantized_linear", quantized_linears(), "forward", plain, {}, with_floats
    yield "autocast_off", AutocastOff(), "forward", plain, {}
    x = {"x": ([2, 3, 8], {"0": "b", "1": "t"}), "memory": ([2, 5, 8], {"0": "b", "1": "u"})}
    padding = {"tgt_padding": ([2, 3], {"0": "b", "1": "t"}), "memory_padding": ([2, 5], {"0": "b", "1": "u"})}
    yield "decoder", Decoder(), "forward", {**x, **padding}, {}
    yield "decoder_traced", Decoder(norm_first=True, activation="gelu"), "forward", {**x, **padding}, {}, None, True
    by_time = {"x": ([3, 2, 8], {"0": "t", "1": "b"}), "memory": ([5, 2, 8], {"0": "u", "1": "b"}),
               "tgt_padding": padding["tgt_padding"]}
    yield "decoder_time_first", TimeFirstDecoder(), "forward", by_time, {}
    swapped = {"memory": x["memory"], "x": x["x"], "memory_padding": padding["memory_padding"],
               "tgt_padding": padding["tgt_padding"]}
    yield "transformer", Transformer(), "forward", swapped, {}
    yield "transformer_traced", Transformer(), "forward", swapped, {}, None, True
    yield "state_by_rate", StateByRate(), "forward", {"x": ([2, 5], {"0": "b", "1": "t"}), "rate": ([], {})}, {
        "last_rate": ([], {}, "int64"),
        "context": ([2, 2], {"0": "context_dim_0", "1": "context_dim_1"}, "float32")}
    yield "joined_parts", JoinedParts(), "forward", {"x": ([3, 5], {"0": "t", "1": "u"})}, {}


def attribute(module, path):
    for name in path.split("."):
        module = module[int(name)] if isinstance(module, tuple) else getattr(module, name)
    return module if isinstance(module, Tensor) else torch.tensor(module)


def state_of(module, attributes):
    """The state as the graph takes it: an empty tensor has all axes of what comes after it."""
    state = {}
    for path, (example, _, _) in attributes.items():
        value = attribute(module, path).clone()
        state[path.replace(".", "_")] = value if value.numel() else value.reshape([0] + example[1:])
    return state


def write_safetensors(path, tensors):
    names = {torch.float32: "F32", torch.int64: "I64", torch.bool: "BOOL"}
    header, data = {}, b""
    for name, tensor in tensors.items():
        part = tensor.contiguous().numpy().tobytes()
        header[name] = dict(dtype=names[tensor.dtype], shape=list(tensor.shape),
                            data_offsets=[len(data), len(data) + len(part)])
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def input_sizes(example, axes, sizes, i):
    letters = {"b": sizes["b"], "t": sizes.get("t", i + 2), "u": 2 * i + 5}
    return [letters.get(axes.get(str(axis)), size) for axis, size in enumerate(example)]


def drawn(name, shape):
    if not name.endswith("padding"):
        return torch.randn(shape)
    lengths = torch.randint(1, shape[1] + 1, (shape[0], 1))
    lengths[0] = shape[1]
    return torch.arange(shape[1]) >= lengths


def traced(module, inputs):
    example = [drawn(key, input_sizes(shape, axes, dict(b=2), 1)) for key, (shape, axes) in inputs.items()]
    return torch.jit.trace(module, example, check_trace=False)


def record(folder, name, module, method, inputs, attributes, reference=None, is_traced=False):
    script = traced(module.eval(), inputs) if is_traced else torch.jit.script(module.eval())
    script.save(str(folder / f"{name}.ts113.pt"))
    tensors = {}
    cases = RUNS.get(name, [dict(b=2)] * 3) if attributes else CASES
    for i, sizes in enumerate(cases):
        given = {key: torch.tensor(sizes[key]) if key in sizes else drawn(key, input_sizes(example, axes, sizes, i))
                 for key, (example, axes) in inputs.items()}
        before = state_of(script, attributes)
        with torch.no_grad():
            arguments = [value if value.dim() else value.item() for value in given.values()]
            y = reference(module, *arguments) if reference else getattr(script, method)(*arguments)
        after = state_of(script, attributes)
        for key, value in {**given, **before}.items():
            tensors[f"case{i}/in/{key}"] = value
        for key, value in {"y": y, **{f"{key}_out": value for key, value in after.items()}}.items():
            tensors[f"case{i}/out/{key}"] = value
    write_safetensors(folder / f"{name}.cases.safetensors", tensors)
    entry = dict(name=name, torchscript_kind="trace" if is_traced else "script", note=module.__doc__,
                 files=dict(ts_torch113=f"{name}.ts113.pt", cases=f"{name}.cases.safetensors"),
                 valid_cases=dict(ts_torch113=list(range(len(cases)))),
                 inputs=[dict(name=key, dtype=str(given[key].dtype).removeprefix("torch."), rank=len(example), example=example, axes=axes)
                         for key, (example, axes) in inputs.items()],
                 states=[dict(name=path.replace(".", "_"), dtype=dtype, rank=len(example), example=example, axes=axes)
                         for path, (example, axes, dtype) in attributes.items()],
                 outputs=[dict(name="y", dtype="float32", rank=y.dim(), example=list(y.shape), axes={})],
                 rtol=1e-5)
    if method != "forward":
        entry["method"] = method
    return entry


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(1)
    recorded = [record(folder, *model) for model in models()]
    torch.jit.script(AutocastCpu().eval()).save(str(folder / "autocast_cpu.ts113.pt"))
    manifest.update(folder, recorded)


main()
