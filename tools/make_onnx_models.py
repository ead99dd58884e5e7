#!/usr/bin/env python3
"""Writes the small models that the tests of the runtime and the benchmarks run.

    tools/make_onnx_models.py tests/data/onnx

Asks for Debian's python3-onnx (1.12). The same version writes the same bytes.
"""

import pathlib
import sys

from onnx import TensorProto, ValueInfoProto, helper

TYPES = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
    "int8": TensorProto.INT8,
    "int16": TensorProto.INT16,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "uint8": TensorProto.UINT8,
    "uint16": TensorProto.UINT16,
    "uint32": TensorProto.UINT32,
    "uint64": TensorProto.UINT64,
    "bool": TensorProto.BOOL,
}


def port(name, shape, dtype=TensorProto.FLOAT):
    """An input or an output. A shape of None says nothing, not even how many axes there are."""
    return helper.make_tensor_value_info(name, dtype, shape)


def model(name, nodes, inputs, outputs, domain="", tensors=(), **metadata):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(tensors))
    opsets = [helper.make_opsetid("", 15)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    made = helper.make_model(graph, producer_name="voxport", ir_version=8, opset_imports=opsets)
    helper.set_model_props(made, metadata)
    return made


def identities(ports):
    """Each port comes out as it went in, as NAME_out."""
    nodes = [helper.make_node("Identity", [p.name], [p.name + "_out"]) for p in ports]
    outputs = [ValueInfoProto(name=p.name + "_out", type=p.type) for p in ports]
    return nodes, ports, outputs


def models():
    types = [port(name, ["n"], dtype) for name, dtype in TYPES.items()]
    yield model("types", *identities(types), hop="256", language="en-us")
    yield model("shapes", *identities([port("scalar", []), port("any", None),
                                                 port("named", ["batch_size", 2, None])]))
    yield model("strings", *identities([port("text", ["n"], TensorProto.STRING)]))
    # Two symbols that have to be equal, or one: ONNX Runtime notices while it runs.
    yield model("add", [helper.make_node("Add", ["x", "y"], ["sum"], name="the_sum")],
                [port("x", ["a"]), port("y", ["b"])], [port("sum", ["c"])])
    yield model("matmul", [helper.make_node("MatMul", ["a", "b"], ["c"])],
                [port("a", ["m", "k"]), port("b", ["k", "n"])], [port("c", ["m", "n"])])
    # At a size of 257 it takes 17 GB: all products of four elements.
    yield model("products", [helper.make_node("Unsqueeze", ["x", f"axes{i}"], [f"x{i}"]) for i in range(4)] +
                [helper.make_node("Mul", ["x0", "x1"], ["pairs"]), helper.make_node("Mul", ["pairs", "x2"], ["triples"]),
                 helper.make_node("Mul", ["triples", "x3"], ["all"]), helper.make_node("ReduceMax", ["all"], ["y"], keepdims=0)],
                [port("x", ["n"])], [port("y", [])],
                tensors=[helper.make_tensor(f"axes{i}", TensorProto.INT64, [3], [a for a in range(4) if a != i]) for i in range(4)])
    yield model("unknown-operator", [helper.make_node("Sing", ["x"], ["y"], domain="voxport.test")],
                [port("x", ["n"])], [port("y", ["n"])], domain="voxport.test")


def main():
    folder = pathlib.Path(sys.argv[1])
    for made in models():
        (folder / (made.graph.name + ".onnx")).write_bytes(made.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
