#!/usr/bin/env python3
"""Writes small models of opsets above 17, whose operators take sizes and axes as inputs, and of float8 inputs.

    tools/make_newer_opset_models.py tests/data/check_newer

Asks for Debian 12's python3-onnx (1.12), which knows neither these opsets nor float8 and so checks nothing.
"""

import pathlib
import sys

from onnx import TensorProto, helper

FLOAT, INT64, FLOAT8E4M3FN, FLOAT8E5M2 = TensorProto.FLOAT, TensorProto.INT64, 17, 19


def value(name, shape, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(opset, nodes, inputs, outputs):
    graph = helper.make_graph(nodes, "model", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def branch(name, nodes, outputs):
    return helper.make_graph(nodes, name, [], outputs)


def by_branch():
    """The sizes that an Expand is given come out of a branch."""
    pair = [value("high", [1], INT64), value("wide", [1], INT64)]
    names = ["high", "wide"]
    then = branch("then", [helper.make_node("Split", ["size"], names, num_outputs=2)], pair)
    other = branch("other", [helper.make_node("Identity", ["size"], names[:1]),
                             helper.make_node("Identity", ["size"], names[1:])], pair)
    return model(18, [helper.make_node("Size", ["size"], ["count"]),
                      helper.make_node("Constant", [], ["two"], value_int=2),
                      helper.make_node("Equal", ["count", "two"], ["is_pair"]),
                      helper.make_node("If", ["is_pair"], names, then_branch=then, else_branch=other),
                      helper.make_node("Concat", names, ["shape"], axis=0),
                      helper.make_node("Reshape", ["x", "shape"], ["y"])],
                 [value("x", [3, 4]), value("size", [2], INT64)], [value("y", [6, 2])])


MODELS = {
    "reduce-by-input": lambda: model(18, [helper.make_node("ReduceL1", ["x", "axes"], ["y"], keepdims=1)],
                                     [value("x", [3, 2, 2]), value("axes", [1], INT64)], [value("y", [3, 2, 1])]),
    "crop-by-input": lambda: model(18, [helper.make_node("CenterCropPad", ["x", "shape"], ["y"])],
                                   [value("x", [20, 10]), value("shape", [2], INT64)], [value("y", [10, 7])]),
    "columns-by-input": lambda: model(18, [helper.make_node("Col2Im", ["x", "image", "block"], ["y"])],
                                      [value("x", [1, 5, 5]), value("image", [2], INT64), value("block", [2], INT64)],
                                      [value("y", [1, 1, 5, 5])]),
    "shape-by-branch": by_branch,
    "float8-e4m3fn": lambda: model(19, [helper.make_node("Cast", ["x"], ["y"], to=FLOAT)],
                                   [value("x", ["batch", 4], FLOAT8E4M3FN)], [value("y", ["batch", 4])]),
    "float8-e5m2": lambda: model(19, [helper.make_node("Cast", ["x"], ["y"], to=FLOAT)],
                                 [value("x", ["batch", 4], FLOAT8E5M2)], [value("y", ["batch", 4])]),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MODELS.items():
        (folder / f"{name}.onnx").write_bytes(make().SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
