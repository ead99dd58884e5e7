#!/usr/bin/env python3
"""Writes src/program/schema_table.cpp: the signatures of PyTorch's operators, as PyTorch itself declares them.

    make_schemas.py ask FILE                what this PyTorch declares, as JSON
    make_schemas.py write CPP FILE...       the table of what those files say, the newest PyTorch first

The first file that has an overload decides what it looks like; overloads that only later files have follow the others.
Written with torch 2.14 (Debian forky), 2.6 (trixie) and 1.13 (bookworm).

Within an operator the order is that in which TorchScript tries overloads. Names are written as torch.export has them,
aten.add.Tensor; a default overload has none. What a program for inference never contains is left out, and so is what
says nothing to us: which arguments alias, and whether an int may be symbolic.
"""

import argparse
import json
import pathlib
import re

# Parts of the names of operators: for training, for storages and devices of another kind, inside of PyTorch's kernels
# and fusers, and of algebra that networks do without.
PARTS_LEFT_OUT = """
    backward foreach optim gradient autograd Autograd _loss dual dirichlet gamma_grad _amp_ _autocast_to fused_a fused_s
    sparse csr_ csc_ bsr_ bsc_ coalesce quantize quant_ fake_quant qparams qscheme nested_ jagged
    cudnn miopen mkldnn MKLDNN mkl_ mps vulkan nnpack xla_ cuda_ fbgemm cufft cslt triton rpc_
    Fusion Fused Guard Bail Profile profile TensorExpr MMTree MMBatch Stat Fallback Differentiable RequiresGrad TypeCheck
    _fw_ _lazy batch_dim philox _thnn thnn_ slow_conv conv_depthwise _mm_v2 grouped_mm scaled_mm int4pack int8pack
    transform_bias_rescale decoder_only validate_ test_ foobar dep_token
    batch_norm_stats batch_norm_gather batch_norm_update batch_norm_elemt batch_norm_reduce masked_scale helper
    cholesky symeig linalg_eig lstsq lobpcg geqrf ormqr orgqr svd triangular linalg_lu lu_unpack ldl_ _solve spsolve
    histogramdd sobol segment_ ctc bessel chebyshev hermite laguerre legendre scaled_modified spherical zeta airy
""".split()

# Names that are kept in spite of that: the fast path of nn.TransformerEncoder, and losses that networks give as results.
KEPT = {"_nested_tensor_from_mask", "_nested_tensor_from_mask_left_aligned", "huber_loss", "l1_loss", "mse_loss",
        "smooth_l1_loss"}

# Whole names: methods of strings, of processes far away, of names for axes, and the like.
LEFT_OUT = set("""
    capitalize center encode endswith expandtabs isalnum isalpha isdecimal isdigit isidentifier islower isnumeric
    isprintable isspace istitle isupper ljust lower lstrip partition replace rfind rindex rjust rpartition rsplit rstrip
    splitlines startswith strip swapcase title upper zfill ord chr hex oct bin hash save manual_seed seed initial_seed
    confirmed_by_owner is_owner owner owner_name to_here local_value wait fork awaitable awaitable_nowait awaitable_wait
    align_as align_tensors align_to refine_names rename rename_ names unify from_file Generator
    lu qr _conj_physical _neg_view_copy hspmm smm sspaddmm record_stream set_ set_data retain_grad grad output_nr
    AddStatValue BroadcastSizes ReductionSizes ConstantMKLDNNTensor PythonOp IgnoredPythonOp TimePoint Print
""".split())

# Of overloads: those of named axes, of generators, and of types that only Python has.
OVERLOADS_LEFT_OUT = re.compile(r".*([Nn]ames?$|names_|[Dd]imname|generator|Storage).*")
TYPES_LEFT_OUT = re.compile(r"\b(complex|Future|RRef|Await|Storage|Stream|QScheme|AnyEnumType|AnyClassType|Dimname|classes)\b"
                            r"|Dict\((bool|float|complex|Tensor),|\((bool|float|complex|Tensor), tV?\)")

ALIAS = re.compile(r"\((?:[a-z]!?(?:\|[a-z])*|\*)(?: -> (?:[a-z|]+|\*))?\)")


def ask():
    import torch

    names = sorted({schema.name for schema in torch._C._jit_get_all_schemas()})
    return {name: [str(schema) for schema in torch._C._jit_get_schemas_for_operator(name)]
            for name in names if name.startswith(("aten::", "prim::"))}


def overload_of(schema):
    """Text up to the first bracket, in two: aten::add.Tensor(...) is ("aten::add", "Tensor")."""
    name, _, overload = schema.partition("(")[0].partition(".")
    return name, overload


def writes_into_an_argument_by_name(schema):
    return re.search(r"\*, .*!\)", schema.partition(") -> ")[0]) is not None


def is_kept(schema):
    name, overload = overload_of(schema)
    word = name.partition("::")[2]
    types = schema.partition("(")[2]
    is_left_out = word not in KEPT and any(part in word for part in PARTS_LEFT_OUT)
    return not (word in LEFT_OUT or is_left_out
                or OVERLOADS_LEFT_OUT.fullmatch(overload)
                or TYPES_LEFT_OUT.search(types) or writes_into_an_argument_by_name(schema))


def line_of(schema):
    return ALIAS.sub("", schema).replace("::", ".", 1).replace("SymInt", "int").replace("SymBool", "bool")


def merged(declared):
    """All that is kept, {operator: {overload: line}}."""
    table = {}
    for operators in declared:
        for schema in (schema for schemas in operators.values() for schema in schemas):
            if is_kept(schema):
                name, overload = overload_of(schema)
                table.setdefault(name, {}).setdefault(overload, line_of(schema))
    return table


def source_of(table):
    lines = [line for name in sorted(table) for line in table[name].values()]
    body = "\n".join(f"    R\"({line})\"," for line in lines)
    return f"""// Written by tools/make_schemas.py.
#include "program/schema_table.h"

namespace voxport {{
namespace {{

// clang-format off
constexpr std::string_view kLines[] = {{
{body}
}};
// clang-format on

}}  // namespace

std::span<const std::string_view> schema_lines() {{ return kLines; }}

}}  // namespace voxport
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("ask").add_argument("file", type=pathlib.Path)
    write = commands.add_parser("write")
    write.add_argument("cpp", type=pathlib.Path)
    write.add_argument("files", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "ask":
        arguments.file.write_text(json.dumps(ask()))
    else:
        table = merged([json.loads(file.read_text()) for file in arguments.files])
        arguments.cpp.write_text(source_of(table))


if __name__ == "__main__":
    main()
