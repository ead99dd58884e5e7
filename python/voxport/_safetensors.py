"""Tensors as a safetensors file: the length of a JSON header, the header, the bytes."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, Mapping

from ._errors import Error

_TYPES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
    "uint8": "U8", "bool": "BOOL"
}


def _array_of(name: str, value: Any) -> Any:
    """A NumPy array, contiguous and little-endian, of an array or of a tensor of PyTorch."""
    try:
        import numpy
    except ImportError:
        raise Error(Error.UNSUPPORTED,
                    "cases are NumPy arrays or PyTorch tensors, and NumPy is not installed") from None
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    array = numpy.asarray(value)
    if array.dtype.name not in _TYPES:
        raise Error(Error.USAGE, f"{name!r} has the type {array.dtype}, expected one of {', '.join(_TYPES)}")
    # ascontiguousarray would make a scalar one of rank 1.
    return numpy.require(array.astype(array.dtype.newbyteorder("<"), copy=False), requirements="C").reshape(array.shape)


def write_safetensors(path: Path, tensors: Mapping[str, Any]) -> None:
    header, parts, end = {}, [], 0
    for name, value in tensors.items():
        array = _array_of(name, value)
        part = array.tobytes()
        header[name] = {"dtype": _TYPES[array.dtype.name], "shape": list(array.shape),
                        "data_offsets": [end, end + len(part)]}
        parts.append(part)
        end += len(part)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
