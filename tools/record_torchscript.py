#!/usr/bin/env python3
"""What PyTorch finds in TorchScript archives: how often each operator is called once all methods
are written out. Prints JSON, for tests/data/programs/calls.json.

    tools/record_torchscript.py tests/data/programs/*.pt > tests/data/programs/calls.json

What makes and takes apart containers is left out, as are conversions that PyTorch simplifies as it
loads a file. Both PyTorch 1.13 (ts113) and 2.6 (ts26) give the same for their files.
"""

import collections
import json
import pathlib
import sys

import torch

LEFT_OUT = {
    "prim::Constant", "prim::GetAttr", "prim::SetAttr", "prim::ListConstruct", "prim::ListUnpack",
    "prim::TupleConstruct", "prim::TupleIndex", "prim::TupleUnpack", "prim::unchecked_cast",
    "prim::DictConstruct", "aten::__getitem__", "aten::Int", "prim::NumToTensor",
    "aten::FloatImplicit", "aten::IntImplicit", "aten::ScalarImplicit",
}


def count(block, counts):
    for node in block.nodes():
        kind = node.kind()
        if kind not in LEFT_OUT:
            counts[kind.replace("::", ".")] += 1
        for inner in node.blocks():
            count(inner, counts)


def calls_of(path):
    counts = collections.Counter()
    count(torch.jit.load(path).inlined_graph, counts)
    return dict(sorted(counts.items()))


print(json.dumps({pathlib.Path(path).name: calls_of(path) for path in sys.argv[1:]}, indent=1))
