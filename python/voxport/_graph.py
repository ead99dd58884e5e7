"""ONNX models that run."""

from __future__ import annotations

import ctypes
import json
from ctypes import POINTER, byref, c_int64, c_void_p, cast
from dataclasses import dataclass
from os import PathLike
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._errors import Error
from ._handle import Handle
from ._library import CTensor, GraphOptions, call, library, options, path_bytes, text_bytes

# What the element types are called in the buffers of Python.
_FORMATS = {
    "d": "float64", "f": "float32", "e": "float16", "q": "int64", "l": "int64", "i": "int32", "h": "int16", "b": "int8",
    "Q": "uint64", "L": "uint64", "I": "uint32", "H": "uint16", "B": "uint8", "?": "bool"
}


@dataclass(frozen=True)
class Port:
    """An input or an output of a graph."""

    name: str
    dtype: str  #: "float32"
    shape: List[Union[int, str]]  #: sizes, and the names of dynamic axes


class Graph:
    """An ONNX model that runs, whichever exporter wrote it. It may be called on several threads at once.

    It takes NumPy arrays, PyTorch tensors and whatever else gives its bytes as a buffer, in the model's order or by
    name, and gives its outputs by name: NumPy arrays, or memoryviews where NumPy is not installed.

    >>> import array, voxport
    >>> graph = voxport.Graph("full.onnx")
    >>> graph.inputs
    [Port(name='input_tokens', dtype='int64', shape=['batch_size', 'sequence_length'])]
    >>> tokens = memoryview(array.array("q", [5, 3, 8])).cast("B").cast("q", (1, 3))
    >>> graph(tokens)["output_mel"].shape
    (1, 3, 80)
    >>> graph(input_tokens=tokens)["output_mel"].shape
    (1, 3, 80)
    """

    def __init__(self, model: Union[str, "PathLike[str]"], *, threads: int = 0, seconds: float = 0) -> None:
        """Loads the model. ``threads`` share the work of a run; 0 is one for each core. ``seconds`` is the longest that
        a run may take; 0 is any time."""
        handle = c_void_p()
        call("voxport_graph_open", path_bytes(model), options(GraphOptions, threads=threads, seconds=seconds),
             byref(handle))
        self._handle = Handle(self, handle, "voxport_graph_close")
        described = json.loads(library().voxport_graph_json(handle).decode())
        self.inputs: List[Port] = [Port(**port) for port in described["inputs"]]
        self.outputs: List[Port] = [Port(**port) for port in described["outputs"]]

    def __call__(self, *arguments: Any, **named: Any) -> Dict[str, Any]:
        """Runs the model."""
        return self.run(self._by_name(arguments, named))

    def run(self, inputs: Mapping[str, Any]) -> Dict[str, Any]:
        """Runs the model; for inputs whose names are no names of Python."""
        buffers = [_Buffer(name, value) for name, value in inputs.items()]
        tensors = (CTensor * len(buffers))(*[buffer.tensor for buffer in buffers])
        outputs = c_void_p()
        with self._handle.shared() as handle:
            if handle is None:
                raise Error(Error.USAGE, "the graph is closed")
            call("voxport_graph_run", handle, tensors, len(buffers), byref(outputs))
        try:
            count = library().voxport_tensors_count(outputs)
            return {tensor.name.decode(): _array_of(tensor)
                    for tensor in library().voxport_tensors_items(outputs)[:count]}
        finally:
            library().voxport_tensors_free(outputs)

    def _by_name(self, arguments: Tuple[Any, ...], named: Dict[str, Any]) -> Dict[str, Any]:
        if len(arguments) > len(self.inputs):
            raise Error(Error.USAGE, f"the graph was given {len(arguments)} inputs, expected "
                        f"{', '.join(port.name for port in self.inputs)}")
        inputs = {port.name: value for port, value in zip(self.inputs, arguments)}
        for name, value in named.items():
            if name in inputs:
                raise Error(Error.USAGE, f"the input {name!r} is given twice")
            inputs[name] = value
        return inputs

    def close(self) -> None:
        """Gives the model back, after the runs that are under way."""
        self._handle.close()

    def __enter__(self) -> "Graph":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class _Buffer:
    """An input as C has it, which is valid as long as this."""

    def __init__(self, name: str, value: Any) -> None:
        if hasattr(value, "detach"):  # a tensor of PyTorch
            value = value.detach().cpu().numpy()
        try:
            view = memoryview(value)
        except TypeError:
            raise Error(Error.USAGE, f"the input {name!r} is of type {type(value).__name__}, expected an array or a "
                        "tensor") from None
        dtype = _FORMATS.get(view.format.lstrip("@=<"))
        if dtype is None:
            raise Error(Error.USAGE, f"the input {name!r} has elements of the format {view.format!r}, expected one of "
                        f"{', '.join(sorted(set(_FORMATS.values())))}")
        self._bytes = view.tobytes()  # in row-major order
        self._shape = (c_int64 * view.ndim)(*(view.shape or ()))
        self.tensor = CTensor(text_bytes("the name of an input", name), dtype.encode(),
                              cast(self._shape, POINTER(c_int64)), view.ndim,
                              cast(ctypes.c_char_p(self._bytes), c_void_p), len(self._bytes))


def _array_of(tensor: CTensor) -> Any:
    data = bytearray(ctypes.string_at(tensor.data, tensor.num_bytes) if tensor.num_bytes else b"")
    shape, dtype = tuple(tensor.shape[:tensor.rank]), tensor.dtype.decode()
    numpy = _numpy()
    if numpy is not None:
        if not hasattr(numpy, "bool_" if dtype == "bool" else dtype):
            raise Error(Error.UNSUPPORTED, f"the output {tensor.name.decode()!r} is of type {dtype}, which NumPy does "
                        "not have")
        return numpy.frombuffer(data, dtype).reshape(shape)
    format = next((format for format, known in _FORMATS.items() if known == dtype), "B")
    if 0 in shape:
        return memoryview(data).cast(format)  # which cannot have such a shape
    return memoryview(data).cast(format, shape)


def _numpy() -> Optional[Any]:
    try:
        import numpy
    except ImportError:
        return None
    return numpy
