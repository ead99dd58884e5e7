#!/usr/bin/env python3
"""Records what PyTorch gives for short programs, one or a few operators each: the tests of the lowering.

    record_ops.py FOLDER [FAMILY ...]               record tools/ops/FAMILY.py (or all of tools/ops) into FOLDER
    record_ops.py FOLDER FAMILY --only CASE ...     record these cases; the family's others stay as they were recorded

FOLDER is tests/data/ops; recorded with torch 2.6 on Debian trixie, and cases that were added later with the torch that
their entry names. A family is a Python file with a list CASES:

    from record_ops import case, of, weight

    CASES = [
        case("add_alpha", "y = aten.add.Tensor(x, z, alpha=2)",
             x="f32[b, 3]", z="f32[1, 3]", runs=[dict(b=1), dict(b=4)]),
        case("conv1d", "y = aten.conv1d.default(x, w, None, [2])",
             x="f32[b, 3, t]", w=weight("f32[4, 3, 5]"), runs=[dict(b=1, t=5), dict(b=2, t=12)], tolerance=1e-4),
        case("max_dim", '''
             a, b = aten.max.dim(x, 1, keepdim=True)
             c = aten.add.Scalar(a, n)
             return b, c''', x=of("i64[2, t]", distinct=True), n="int", runs=[dict(t=3, n=-1)]),
    ]

The lines are Python, where aten is torch.ops.aten, and what src/program/text.h reads: one call a line, no calls in
calls, each name assigned once. float32, int64, bool and so on are element types, inf and nan numbers. Write
aten.add.Tensor as torch.export does, or aten.add as TorchScript does, who finds the overload by the types. Without a
line `return`, the results of the last line are returned. Lists and tuples among the results are taken apart; a number
is recorded as a tensor of rank 0 (int64, float64 or bool).

Inputs are declared in the words of text.h: f32[b, 2*t + 1, 3] with f32 f64 f16 bf16 i64 i32 i16 i8 u8 bool; int, float
and bool are plain numbers. `runs` gives for each run what the letters stand for, and the numbers. Run sizes 1 and, where
PyTorch can, 0. What an input holds:

    "f32[b]"                        floats: normal, around 0; ints: -5 to 5; bools: either
    of("f32[b]", low=0.1, high=4)   evenly in [low, high), ints too
    of("f32[b]", special=True)      starts with nan, inf, -inf, -0.0, 0.0 and halves (what rounds to even), as many as fit
    of("f32[b]", distinct=True)     no two alike, in a random order (for sort, topk, argmax)
    of("f32[3]", values=[1, 2, 3])  these, in row-major order
    weight(...)                     as of(), but a constant of the program, the same in all runs; no letters

Values depend only on the names of family, case, run and input. A case is compared with |a - b| <= tolerance * (1 + |b|),
1e-5 for floats of 32 and 64 bits where nothing is said; ints and bools must be equal, NaN equals NaN.

Written are FAMILY.json, the programs, and FAMILY.safetensors with CASE.RUN/in/NAME, CASE.RUN/out/0 and, for weights,
CASE/in/NAME. A family must stay under 300 kB: shapes of a few elements tell as much as large ones.
"""

import argparse
import dataclasses
import importlib
import json
import math
import pathlib
import re
import struct
import sys
import textwrap
import zlib

import torch

LIMIT = 300_000  # bytes of a family
DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}
NUMBERS = {"int": torch.int64, "float": torch.float64, "bool": torch.bool}
SPECIAL = [math.nan, math.inf, -math.inf, -0.0, 0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1e-30, -3.7, 1e4]
WORDS = {name: getattr(torch, name) for name in
         ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool",
          "complex64", "complex128", "contiguous_format", "preserve_format", "channels_last"]}


@dataclasses.dataclass
class Input:
    type: str
    low: float | None = None
    high: float | None = None
    special: bool = False
    distinct: bool = False
    values: list | None = None
    is_constant: bool = False


@dataclasses.dataclass
class Case:
    name: str
    lines: str
    inputs: dict
    runs: list
    tolerance: float | None


def of(type, **values):
    return Input(type, **values)


def weight(type, **values):
    return Input(type, is_constant=True, **values)


def case(name, lines, runs=({},), tolerance=None, **inputs):
    inputs = {key: of(value) if isinstance(value, str) else value for key, value in inputs.items()}
    return Case(name, with_return(textwrap.dedent(lines).strip()), inputs, list(runs), tolerance)


def with_return(lines):
    last = lines.splitlines()[-1].strip()
    if last.startswith("return "):
        return lines
    results = last.partition(" = ")[0].strip("[],")
    return f"{lines}\nreturn {results}"


def parts_of(type):
    """f32[b, 3] in two: the dtype and the texts of its sizes, or None for a number."""
    if type in NUMBERS:
        return NUMBERS[type], None
    word, sizes = re.fullmatch(r"(\w+)\[(.*)\]", type).groups()
    # Commas inside of brackets belong to their size.
    return DTYPES[word], [size for size in re.split(r",\s*(?![^()]*\))", sizes) if size]


def shape_of(sizes, run):
    names = {"floor": math.floor, "max": max, "min": min, **run}
    return [int(eval(size, {"__builtins__": {}}, names)) for size in sizes]


def drawn(source, dtype, shape, random):
    count = math.prod(shape)
    if source.values is not None:
        return torch.tensor(source.values).to(dtype).reshape(shape)
    if source.distinct:
        return (torch.randperm(count, generator=random) - count // 2).to(dtype).reshape(shape)
    if dtype == torch.bool:
        return torch.rand(count, generator=random).lt(0.5).reshape(shape)
    if not dtype.is_floating_point:
        low, high = source.low if source.low is not None else -5, source.high if source.high is not None else 6
        return torch.randint(low, high, (count,), generator=random).to(dtype).reshape(shape)
    if source.low is None:
        values = torch.randn(count, generator=random)
    else:
        values = source.low + torch.rand(count, generator=random) * (source.high - source.low)
    if source.special:
        values[: len(SPECIAL)] = torch.tensor(SPECIAL[:count])
    return values.to(dtype).reshape(shape)


def value_of(source, name, run, seed):
    dtype, sizes = parts_of(source.type)
    if sizes is None:
        return torch.tensor(run[name], dtype=dtype)
    random = torch.Generator().manual_seed(zlib.crc32(seed.encode()))
    return drawn(source, dtype, shape_of(sizes, run), random)


def flat(result):
    """All tensors of a result; numbers become tensors."""
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in flat(part)]
    if not isinstance(result, torch.Tensor):
        result = torch.tensor(result, dtype=torch.float64 if isinstance(result, float) else None)
    if result.is_complex():
        raise TypeError("a result is complex: return aten.view_as_real.default of it")
    return [result]


def run_lines(lines, inputs):
    arguments = ", ".join(inputs)
    source = f"def program({arguments}):\n{textwrap.indent(lines, '    ')}"
    names = {"aten": torch.ops.aten, "inf": math.inf, "nan": math.nan, **WORDS}
    exec(source, names)
    torch.manual_seed(0)
    with torch.no_grad():
        return flat(names["program"](**inputs))


def given(source, tensor):
    """What the program is given: a number as a number, and a copy, which it may write into."""
    return tensor.item() if source.type in NUMBERS else tensor.clone()


def record_case(family, recorded, tensors):
    constants = {name: value_of(source, name, {}, f"{family}/{recorded.name}/{name}")
                 for name, source in recorded.inputs.items() if source.is_constant}
    tensors.update({f"{recorded.name}/in/{name}": stored(tensor) for name, tensor in constants.items()})
    for i, run in enumerate(recorded.runs):
        inputs = {name: value_of(source, name, run, f"{family}/{recorded.name}/{i}/{name}")
                  for name, source in recorded.inputs.items() if not source.is_constant}
        results = run_lines(recorded.lines, {name: given(recorded.inputs[name], tensor)
                                             for name, tensor in {**constants, **inputs}.items()})
        key = f"{recorded.name}.{i}"
        tensors.update({f"{key}/in/{name}": stored(tensor) for name, tensor in inputs.items()})
        tensors.update({f"{key}/out/{j}": stored(tensor) for j, tensor in enumerate(results)})
    declared = "\n".join(f"{name}: {source.type}" for name, source in recorded.inputs.items())
    entry = {"name": recorded.name, "program": f"{declared}\n{recorded.lines}", "constants": list(constants),
             "runs": len(recorded.runs)}
    if recorded.tolerance is not None:
        entry["tolerance"] = recorded.tolerance
    return entry


@dataclasses.dataclass
class Stored:
    """A tensor as a safetensors file has it."""
    dtype: str
    shape: list
    data: bytes


def stored(tensor):
    kinds = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
             torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}
    data = bytes(tensor.detach().contiguous().reshape(-1).view(torch.uint8).tolist())
    return Stored(kinds[tensor.dtype], list(tensor.shape), data)


def read_safetensors(path):
    content = path.read_bytes()
    start = 8 + struct.unpack_from("<Q", content)[0]
    entries = json.loads(content[8:start])
    return {name: Stored(entry["dtype"], entry["shape"], content[start + begin:start + end])
            for name, entry in entries.items() for begin, end in [entry["data_offsets"]]}


def write_safetensors(path, tensors):
    header, parts, offset = {}, [], 0
    for name, tensor in tensors.items():
        parts.append(tensor.data)
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape,
                        "data_offsets": [offset, offset + len(tensor.data)]}
        offset += len(tensor.data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def kept_case(name, before, tensors):
    """The entry of a case as it was recorded before; its tensors are taken over."""
    entry = next((entry for entry in before["cases"] if entry["name"] == name), None)
    if entry is None:
        sys.exit(f"{name} was not recorded before: name it with --only, too")
    runs = [name, *(f"{name}.{i}" for i in range(entry["runs"]))]
    tensors.update({key: tensor for key, tensor in before["tensors"].items() if key.partition("/")[0] in runs})
    return entry


def recorded_before(files):
    return {**json.loads(files[0].read_text()), "tensors": read_safetensors(files[1])}


def record_family(family, folder, only):
    cases = importlib.import_module(family).CASES
    names = [recorded.name for recorded in cases]
    if len(set(names)) != len(names):
        sys.exit(f"{family}: two cases have one name: {sorted(name for name in set(names) if names.count(name) > 1)}")
    if unknown := set(only) - set(names):
        sys.exit(f"{family}: there is no case {', '.join(sorted(unknown))}")
    files = [folder / f"{family}.json", folder / f"{family}.safetensors"]
    before = recorded_before(files) if only else None
    version = torch.__version__.partition("+")[0]
    tensors, entries = {}, []
    for recorded in cases:
        if only and recorded.name not in only:
            entries.append(kept_case(recorded.name, before, tensors))
            continue
        try:
            entries.append(record_case(family, recorded, tensors))
        except Exception as error:
            sys.exit(f"{family}: {recorded.name}: {type(error).__name__}: {error}")
        if only and version != before["torch"]:
            entries[-1]["torch"] = version
    text = json.dumps({"torch": before["torch"] if only else version, "cases": entries}, indent=1)
    files[0].write_text(text + "\n")
    write_safetensors(files[1], tensors)
    size = sum(file.stat().st_size for file in files)
    print(f"{family}: {len(cases)} cases, {size:,} bytes")
    if size > LIMIT:
        sys.exit(f"{family}: more than {LIMIT:,} bytes; choose smaller shapes or fewer runs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--only", nargs="+", default=[], metavar="CASE")
    arguments = parser.parse_args()
    if arguments.only and len(arguments.families) != 1:
        parser.error("--only takes cases of one family")
    ops = pathlib.Path(__file__).resolve().parent / "ops"
    sys.path.insert(0, str(ops))
    sys.dont_write_bytecode = True
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for family in arguments.families or sorted(path.stem for path in ops.glob("*.py")):
        record_family(family, arguments.folder, arguments.only)


if __name__ == "__main__":
    main()
