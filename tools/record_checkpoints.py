#!/usr/bin/env python3
"""Records small checkpoints from a real PyTorch, and what a reader must find in them.

    record_checkpoints.py record FOLDER [NAME ...]     write the cases below (or those named) into FOLDER
    record_checkpoints.py describe FOLDER FILE ...     describe existing checkpoints into FOLDER

Each file `x` gets an `x.expected.json` beside it (its form is in tests/data/checkpoints/README.md).
The recorded data came from three Debian releases, each with `python3-torch` and `python3-numpy`
installed and this file copied beside it:

    bookworm   torch 1.13, Python 3.11, numpy 1.24     python3 record_checkpoints.py record checkpoints
    trixie     torch 2.6,  Python 3.13, numpy 2.2      likewise
    forky      torch 2.14, Python 3.14, numpy 2.4      likewise

A case is written only by the versions it names: the others would give the same bytes but for the
container, which the cases written by all versions show. Every file is read back by the PyTorch that
wrote it, and must give what was saved, before its description is written.
"""

import argparse
import collections
import copyreg
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import io
import json
import pathlib
import pickle
import struct
import sys
import tarfile
import types
import uuid
import warnings
import zipfile
import zlib
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import torch
from torch import nn

warnings.simplefilter("ignore")  # deprecated forms are what we are here for

VERSION = ".".join(torch.__version__.split(".")[:2])
ALL = ("1.13", "2.6", "2.14")
NEW = ("2.6", "2.14")


# What a reader must find ---------------------------------------------------------------------------


def describe(root, folded=None):
    """The expected.json of an object: its tensors, its other leaves, both in order of traversal."""
    tensors, values = [], []
    visit(root, (), (), tensors, values)
    result = {"torch": torch.__version__, "tensors": tensors, "values": values}
    if folded:
        result["folded"] = {name: {"shape": list(w.shape), "values": w.detach().double().flatten().tolist()}
                            for name, w in folded.items()}
    return result


def visit(value, path, parents, tensors, values):
    name = ".".join(path)

    def leaf(kind, what=None, *more):
        values.append([name, kind, what, *more])

    def inside(pairs, kind):
        if not pairs:
            return leaf("empty", kind)
        for key, item in pairs:
            visit(item, path + (key,), parents + ((id(value), name),), tensors, values)

    for parent, parent_name in parents:
        if parent == id(value):
            return leaf("cycle", parent_name)

    if value is None:
        leaf("none")
    elif isinstance(value, (bool, np.bool_)):
        leaf("bool", bool(value))
    elif isinstance(value, enum.Enum):
        opaque(value, leaf)
    elif isinstance(value, (int, np.integer)):
        leaf("int", int(value) if abs(int(value)) <= 2**53 else str(int(value)))
    elif isinstance(value, (float, np.floating)):
        leaf("float", repr(float(value)))
    elif isinstance(value, (complex, np.complexfloating)):
        leaf("complex", [repr(float(value.real)), repr(float(value.imag))])
    elif isinstance(value, str):
        leaf("str", str(value))
    elif isinstance(value, (bytes, bytearray)):
        leaf("bytes", value.hex())
    elif isinstance(value, pathlib.PurePath):
        leaf("path", value.as_posix())
    elif isinstance(value, torch.dtype):
        leaf("dtype", dtype_name(value))
    elif isinstance(value, torch.device):
        leaf("device", str(value))
    elif isinstance(value, torch.Size):
        leaf("size", list(value))
    elif isinstance(value, nn.Module):
        inside(list(value.state_dict().items()), "module")
    elif isinstance(value, torch.Tensor):
        tensors.append(describe_tensor(name, value))
    elif isinstance(value, torch.storage.TypedStorage):
        leaf("storage", dtype_name(value.dtype))
    elif torch.is_storage(value):
        leaf("storage", "untyped")
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        plain = np.ascontiguousarray(value).reshape(value.shape)  # the first call makes 0-d arrays 1-d
        plain = plain.astype(value.dtype.newbyteorder("<"))
        tensors.append({"name": name, "dtype": value.dtype.newbyteorder("=").name, "shape": list(value.shape),
                        "crc32": zlib.crc32(plain.tobytes()), "kind": "numpy"})
    elif type(value) in (dict, OrderedDict, defaultdict, Counter) or type(value).__name__ == "AttributeDict":
        inside([(key_name(k), v) for k, v in value.items()], "dict")
    elif isinstance(value, argparse.Namespace):
        inside([(key_name(k), v) for k, v in vars(value).items()], "namespace")
    elif type(value) in (list, tuple, set, frozenset):
        inside([(str(i), v) for i, v in enumerate(value)], type(value).__name__)
    elif isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        leaf("global", qualified_name(value))
    else:
        opaque(value, leaf)


def opaque(value, leaf):
    """An object we do not look into: its class and, where the pickle calls something else, that."""
    if isinstance(value, (np.ndarray, np.dtype)):
        return leaf("opaque", "numpy.ndarray" if isinstance(value, np.ndarray) else "numpy.dtype")
    cls = qualified_name(type(value))
    registered = copyreg.dispatch_table.get(type(value))
    reduced = registered(value) if registered else value.__reduce_ex__(2)
    if isinstance(reduced, str):  # pickled by its own name, such as torch.per_tensor_affine
        return leaf("global", type(value).__module__ + "." + reduced)
    called = qualified_name(reduced[0])
    if called == cls or reduced[0] is copyreg.__newobj__:
        return leaf("opaque", cls)
    if reduced[0] is copyreg.__newobj_ex__:  # before protocol 4 it calls partial(cls.__new__, cls, ...)()
        called = "functools.partial"
    leaf("opaque", cls, called)


def describe_tensor(name, tensor):
    row = {"name": name, "dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape)}
    if tensor.device.type == "meta":
        return dict(row, kind="meta")
    if tensor.is_quantized:
        return dict(row, kind="quantized")
    if tensor.layout != torch.strided:
        return dict(row, kind="sparse")
    row["crc32"] = zlib.crc32(tensor_bytes(tensor))
    if tensor.is_conj():
        row["kind"] = "conj"
    elif tensor.is_neg():
        row["kind"] = "neg"
    return row


def tensor_bytes(tensor):
    """The values in row-major order, little-endian, as the bytes of a fresh storage."""
    assert sys.byteorder == "little"
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if type(tensor) is not torch.Tensor:
        tensor = tensor.as_subclass(torch.Tensor)
    if tensor.numel() == 0:
        return b""
    return tensor.contiguous().clone().reshape(-1).view(torch.uint8).numpy().tobytes()


def dtype_name(dtype):
    return str(dtype).replace("torch.", "")


def qualified_name(thing):
    return thing.__module__ + "." + thing.__qualname__


def key_name(key):
    if isinstance(key, str):
        return key
    if isinstance(key, int) and not isinstance(key, bool):
        return str(int(key))
    return qualified_name(key) if isinstance(key, type) else repr(key)


def write_expected(path, description):
    """JSON with one tensor or value to a line, so that a change shows as a line."""
    compact = functools.partial(json.dumps, separators=(",", ":"))
    parts = []
    for key, value in description.items():
        if isinstance(value, list):
            rows = ",\n".join(compact(row) for row in value)
            parts.append('"%s": [%s]' % (key, "\n" + rows + "\n" if rows else ""))
        elif isinstance(value, dict):
            rows = ",\n".join(compact(k) + ":" + compact(v) for k, v in value.items())
            parts.append('"%s": {\n%s\n}' % (key, rows))
        else:
            parts.append('"%s": %s' % (key, json.dumps(value)))
    with open(str(path) + ".expected.json", "w") as out:
        out.write("{" + ",\n".join(parts) + "}\n")


# Ways to write a file ------------------------------------------------------------------------------


def as_zip(value, path, **options):
    torch.save(value, path, **options)


def as_legacy(value, path, **options):
    torch.save(value, path, _use_new_zipfile_serialization=False, **options)


def as_stream(value, path, **options):
    """torch.save to something without a name: the root folder is `archive/`."""
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    path.write_bytes(buffer.getvalue())


def with_protocol(protocol, write=as_zip):
    return functools.partial(write, pickle_protocol=protocol)


def repack(path, change=lambda name, data: data, method=zipfile.ZIP_STORED):
    """Writes a zip again with Python's zipfile: no alignment, no data descriptors."""
    with zipfile.ZipFile(path) as old:
        entries = [(entry.filename, old.read(entry)) for entry in old.infolist()]
    with zipfile.ZipFile(path, "w", method) as new:
        for name, data in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            new.writestr(info, change(name, data))


def as_deflated(value, path, **options):
    torch.save(value, path, **options)
    repack(path, method=zipfile.ZIP_DEFLATED)


def as_big_endian(value, path):
    """What a big-endian machine would have saved; all storages must be of 4-byte elements."""
    def change(name, data):
        if name.endswith("/byteorder"):
            return b"big"
        if "/data/" in name:
            return np.frombuffer(data, "<u4").astype(">u4").tobytes()
        return data

    torch.save(value, path)
    repack(path, change)


def without_crc32(value, path):
    torch.serialization.set_crc32_options(False)
    torch.save(value, path)
    torch.serialization.set_crc32_options(True)


def with_alignment(alignment):
    def write(value, path):
        from torch.utils.serialization import config
        usual = config.save.storage_alignment
        config.save.storage_alignment = alignment
        torch.save(value, path)
        config.save.storage_alignment = usual
    return write


def as_pickle(protocol):
    def write(value, path):
        path.write_bytes(pickle.dumps(value, protocol))
    return write


class Call:
    """Pickles as the call of a function, so that old and rare forms can be written."""

    def __init__(self, function, *args):
        self.reduced = function, args

    def __reduce__(self):
        return self.reduced


class Persistent:
    """Pickles as a persistent id."""

    def __init__(self, saved_id):
        self.saved_id = saved_id


class PersistentPickler(pickle.Pickler):
    def persistent_id(self, value):
        return value.saved_id if isinstance(value, Persistent) else None


def persistent_dumps(value):
    out = io.BytesIO()
    PersistentPickler(out, 2).dump(value)
    return out.getvalue()


class Python2Pickler(pickle._Pickler):
    """Writes str as Python 2 did, as byte strings; bytes too, which is what numpy gave."""

    dispatch = dict(pickle._Pickler.dispatch)

    def save_string(self, value):
        data = value if isinstance(value, bytes) else value.encode("ascii")
        if len(data) < 256:
            self.write(pickle.SHORT_BINSTRING + bytes([len(data)]) + data)
        else:
            self.write(pickle.BINSTRING + struct.pack("<i", len(data)) + data)
        self.memoize(value)

    dispatch[str] = dispatch[bytes] = save_string


def as_python2(value, path):
    def dump(value, out, protocol):
        Python2Pickler(out, protocol).dump(value)

    module = types.SimpleNamespace(Pickler=Python2Pickler, dump=dump, __name__="pickle")
    with open(path, "wb") as out:
        torch.save(value, out, pickle_module=module, _use_new_zipfile_serialization=False)


def as_tar(value, path):
    """The form of torch 0.1: three members and a note, for a flat dict of tensors and plain values.

    Tensors are persistent ids into `tensors`, whose rows point into `storages`. A storage may be a view
    of another, listed after them: here `through_view` sits on elements 2 to 7 of the first.
    """
    typed = {torch.float32: ("FloatTensor", "FloatStorage"), torch.int64: ("LongTensor", "LongStorage")}
    key_of = lambda number: 94137000000000 + 64 * number  # keys were addresses
    root_key, view_key = key_of(0), key_of(500)
    storages, tensors, members = {}, {}, OrderedDict()
    for name, item in value.items():
        if isinstance(item, torch.Tensor):
            address = item.storage().data_ptr()
            storages.setdefault(address, (key_of(len(storages)), item.storage(), item.dtype))
            key = key_of(1000 + len(tensors))
            if name == "through_view":
                tensors[key] = (item, view_key, item.storage_offset() - 2)
            else:
                tensors[key] = (item, storages[address][0], item.storage_offset())
            members[name] = Persistent(str(key))
        else:
            members[name] = item

    out = io.BytesIO()
    out.write(pickle.dumps(len(storages), 2))
    for storage_key, storage, dtype in storages.values():
        out.write(pickle.dumps((storage_key, "cpu", getattr(torch, typed[dtype][1])), 2))
        data = bytes(torch.tensor([], dtype=dtype).set_(storage).numpy().tobytes())
        out.write(struct.pack("<q", len(storage)) + data)
    out.write(pickle.dumps([(view_key, root_key, 2, 6)], 2))
    storages_member = out.getvalue()

    out = io.BytesIO()
    out.write(pickle.dumps(len(tensors), 2))
    for key, (tensor, storage_key, offset) in tensors.items():
        out.write(pickle.dumps((key, storage_key, getattr(torch, typed[tensor.dtype][0])), 2))
        out.write(struct.pack("<i4x", tensor.dim()))
        out.write(struct.pack("<%dq" % tensor.dim(), *tensor.shape))
        out.write(struct.pack("<%dq" % tensor.dim(), *tensor.stride()))
        out.write(struct.pack("<q", offset))
    tensors_member = out.getvalue()

    system = dict(protocol_version=1000, little_endian=True, type_sizes=dict(short=2, int=4, long=8))
    with tarfile.open(path, "w:", format=tarfile.PAX_FORMAT) as tar:
        for name, data in (("sys_info", pickle.dumps(system, 2)), ("pickle", persistent_dumps(members)),
                           ("tensors", tensors_member), ("storages", storages_member)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def as_legacy_with_storage_views(value, path):
    """A legacy stream whose persistent ids name parts of a storage, as torch 0.2 and 0.3 wrote them."""
    root, whole = "94137000000000", value["whole"].flatten()
    parts = {"first": ("94137000000064", 0, 4), "second": ("94137000000128", 4, 8), "whole": None}
    members = OrderedDict()
    for name, tensor in value.items():
        part = parts[name.split(".")[0]]
        storage = Persistent(("storage", torch.FloatStorage, root, "cpu", len(whole), part))
        offset = tensor.storage_offset() - (part[1] if part else 0)
        members[name] = Call(torch._utils._rebuild_tensor, storage, offset, tuple(tensor.shape), tensor.stride())
    system = dict(protocol_version=1001, little_endian=True, type_sizes=dict(short=2, int=4, long=4))
    with open(path, "wb") as out:
        for part in (0x1950A86A20F9469CFC6C, 1001, system):
            out.write(pickle.dumps(part, 2))
        out.write(persistent_dumps(members) + pickle.dumps([root], 2))
        out.write(struct.pack("<q", len(whole)) + whole.numpy().tobytes())


SAFETENSORS_DTYPES = {
    "BOOL": ("bool", 1), "U8": ("uint8", 1), "I8": ("int8", 1), "F8_E4M3": ("float8_e4m3fn", 1),
    "F8_E5M2": ("float8_e5m2", 1), "F8_E8M0": ("float8_e8m0fnu", 1), "I16": ("int16", 2), "U16": ("uint16", 2),
    "F16": ("float16", 2), "BF16": ("bfloat16", 2), "I32": ("int32", 4), "U32": ("uint32", 4),
    "F32": ("float32", 4), "I64": ("int64", 8), "U64": ("uint64", 8), "F64": ("float64", 8), "C64": ("complex64", 8),
}


def write_safetensors(path, entries, metadata, padding, ascii_header=True):
    """entries: (name, dtype, shape, bytes) in the order of the data. Returns the description."""
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, dtype, shape, content in entries:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=ascii_header).encode()
    text += b" " * (-len(text) % padding)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return {
        "torch": None,
        "tensors": [{"name": name, "dtype": SAFETENSORS_DTYPES[dtype][0], "shape": shape, "crc32": zlib.crc32(content)}
                    for name, dtype, shape, content in entries],
        "values": [["__metadata__." + key, "str", value] for key, value in (metadata or {}).items()],
    }


# The cases -----------------------------------------------------------------------------------------

CASES = []


class Case:
    def __init__(self, name, build, versions, write, suffix, load, truth):
        self.name, self.build, self.versions, self.write = name, build, versions, write
        self.suffix, self.load, self.truth = suffix, load, truth


def load_any(path, **options):
    options.update({} if VERSION == "1.13" else {"weights_only": False})
    return torch.load(path, map_location="cpu", **options)


def case(name, versions=ALL, write=as_zip, suffix="pt", load=load_any, truth="both"):
    """Registers build() -> object, or (object, folded weights). May be applied several times.

    truth: what the description is taken from. "both": what was saved and what PyTorch reads back, which
    must agree; "read": the latter alone, for objects that are written by other means than pickling
    them; "saved": the former, where PyTorch reads a file but not quite as it was. A load of None says
    that PyTorch cannot read at all what it wrote.
    """
    def register(build):
        CASES.append(Case(name, build, versions, write, suffix, load, truth))
        return build
    return register


def load_pickle(path):
    return pickle.loads(path.read_bytes())


# Tensors

FLOATS = [0.0, -0.0, 1.5, -2.25, 448.0, float("inf"), float("-inf"), float("nan")]


@case("dtypes")
@case("dtypes_legacy", ("1.13",), as_legacy)
@case("dtypes_legacy", ("2.6",), as_legacy, load=None)  # written, but not read: UntypedStorage has no dtype
def dtypes():
    tensors = OrderedDict()
    for name in ("float32", "float64", "float16", "bfloat16"):
        tensors[name] = torch.tensor(FLOATS).to(getattr(torch, name)).reshape(2, 4)
    for name, bits in (("int8", 8), ("int16", 16), ("int32", 32), ("int64", 64)):
        tensors[name] = torch.tensor([0, 1, -1, 2**(bits - 1) - 1, -2**(bits - 1)], dtype=getattr(torch, name))
    tensors["uint8"] = torch.tensor([0, 1, 127, 128, 255], dtype=torch.uint8)
    tensors["bool"] = torch.tensor([True, False, True])
    tensors["complex64"] = torch.tensor([1 + 2j, -3.5 - 0j, complex("inf")], dtype=torch.complex64)
    tensors["complex128"] = torch.tensor([[1 + 2j], [1e300 - 1j]], dtype=torch.complex128)
    for name in ("uint16", "uint32", "uint64"):  # from here on only in torch 2
        if hasattr(torch, name):
            signed = getattr(torch, name[1:])
            tensors[name] = torch.tensor([0, 1, -1, -2, 77], dtype=signed).view(getattr(torch, name))
            tensors[name + "_slice"] = tensors[name][2:4]
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
        if hasattr(torch, name):
            tensors[name] = torch.tensor(FLOATS).to(getattr(torch, name)).reshape(4, 2)
    if VERSION != "1.13":
        tensors["complex32"] = torch.tensor([1, 2, 3, 4], dtype=torch.int32).view(torch.complex32)
    for name in ("bits8", "bits16", "float4_e2m1fn_x2", "bcomplex32"):
        if hasattr(torch, name):
            size = torch.empty(0, dtype=getattr(torch, name)).element_size()
            raw = torch.arange(4 * size, dtype=torch.uint8)
            tensors[name] = raw.view(getattr(torch, name))
    return tensors


@case("tensor_kinds")
def tensor_kinds():
    dense = torch.tensor([[0.0, 1.5, 0.0, 0.0], [2.5, 0.0, 0.0, -3.0]])
    tensors = OrderedDict([
        ("before", torch.tensor([1.0, 2.0])),
        ("qint8", torch.quantize_per_tensor(dense, 0.5, 3, torch.qint8)),
        ("quint8", torch.quantize_per_tensor(dense, 0.25, 10, torch.quint8)),
        ("qint32", torch.quantize_per_tensor(dense, 0.5, 0, torch.qint32)),
        ("per_channel", torch.quantize_per_channel(dense, torch.tensor([0.5, 0.1]), torch.tensor([0, 1]), 0, torch.qint8)),
        ("coo", dense.to_sparse()),
        ("csr", dense.to_sparse_csr()),
        ("meta", torch.empty(3, 5, dtype=torch.float16, device="meta")),
        ("meta_parameter", nn.Parameter(torch.empty(2, device="meta"))),
        ("after", torch.tensor([3.0])),
    ])
    if VERSION != "1.13":
        tensors["csc"] = dense.to_sparse_csc()
        tensors["bsr"] = dense.to_sparse_bsr((1, 2))
        tensors["uncoalesced"] = torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 3))
    return tensors


@case("views")
@case("views_legacy", ("1.13", "2.14"), as_legacy)
@case("views_stream", ("1.13", "2.14"), as_stream)
@case("views_deflated", ("2.6",), as_deflated)
@case("views_protocol3", ("2.6",), with_protocol(3))
@case("views_protocol4", ("1.13",), with_protocol(4))
@case("views_protocol5", ("2.6",), with_protocol(5))
@case("views_legacy_protocol4", ("2.6",), with_protocol(4, as_legacy))
@case("views_no_crc32", NEW, without_crc32)
@case("views_align1", ("2.14",), with_alignment(1))
@case("views_align512", ("2.14",), with_alignment(512))
def views():
    base = torch.arange(24, dtype=torch.float32) * 0.5 - 3
    matrix = base.reshape(4, 6)
    numbers = torch.arange(10, dtype=torch.int64)
    tied = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    lone = torch.arange(5, dtype=torch.int16)
    return OrderedDict([
        ("base", base),
        ("matrix", matrix),
        ("transposed", matrix.t()),
        ("row", matrix[2]),
        ("column", matrix[:, 3]),
        ("block", matrix[1:3, 2:5]),
        ("every_second", base[1::2]),
        ("permuted", base.reshape(2, 3, 4).permute(2, 0, 1)),
        ("expanded", base[5:8].reshape(3, 1).expand(3, 4)),
        ("expanded_scalar", base[7].expand(2, 3)),
        ("overlapping", base.as_strided((4, 3), (2, 1), 1)),
        ("last", base[23]),
        ("scalar", torch.tensor(2.5, dtype=torch.float64)),
        ("scalar_int", torch.tensor(-7)),
        ("empty", torch.empty(0)),
        ("empty_rows", torch.empty(0, 3, dtype=torch.int32)),
        ("empty_columns", torch.empty(4, 0, 2)),
        ("empty_slice", base[24:]),
        ("empty_of_other_stride", matrix[:, 6:]),
        ("tied.weight", tied),
        ("tied.weight_again", tied),
        ("tied.weight_view", tied.view(3, 2)),
        ("tail_of_ten", numbers[7:]),
        ("middle_of_five", lone[1:4]),  # nothing else shows that the storage holds five
        ("one_by_one", torch.ones(1, 1, 1, dtype=torch.float16).expand(1, 1, 1)),
        ("channels_last", torch.arange(24, dtype=torch.uint8).reshape(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)),
    ])


@case("views_big_endian", ("2.6",), as_big_endian)
def views_big_endian():
    base = torch.arange(12, dtype=torch.float32) + 0.25
    return OrderedDict([("base", base), ("transposed", base.view(3, 4).t()),
                        ("int32", torch.tensor([1, -2, 2**30], dtype=torch.int32)),
                        ("complex64", torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex64))])


class PlainSubclass(torch.Tensor):
    pass


@case("parameters")
@case("parameters_legacy", ("2.6",), as_legacy)
def parameters():
    data = torch.arange(6, dtype=torch.float32)
    noted = nn.Parameter(data[:4].clone())
    noted.note = "kept"
    noted.companion = torch.ones(3)
    marked = data[2:5].clone()
    marked.tag = {"axis": 1}
    subclass = torch.arange(4.0).as_subclass(PlainSubclass)
    subclass.note = "without a state torch 1.13 cannot read it back"
    with_grad = torch.tensor([1.0, 2.0], requires_grad=True)
    tensors = OrderedDict([
        ("parameter", nn.Parameter(data)),
        ("parameter_view", nn.Parameter(data.view(2, 3).t())),
        ("frozen", nn.Parameter(torch.tensor([1, 2]), requires_grad=False)),
        ("half", nn.Parameter(data.half())),
        ("with_attributes", noted),
        ("tensor_with_attributes", marked),
        ("requires_grad", with_grad),
        ("not_a_leaf", with_grad * 3),
        ("subclass", subclass),
    ])
    if hasattr(nn, "Buffer"):
        tensors["buffer"] = nn.Buffer(torch.tensor([5.0, 6.0]))
        tensors["buffer_not_persistent"] = nn.Buffer(torch.tensor([7]), persistent=False)
    return tensors


@case("conjugated", NEW)
def conjugated():
    """torch 1.13 forgets both bits when it saves."""
    z = torch.tensor([[1 + 2j, 3 - 4j], [0.5j, -1]], dtype=torch.complex64)
    other = torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex128)
    return OrderedDict([("plain", z), ("conj", z.conj()), ("conj_transposed", z.t().conj()),
                        ("imag_of_conj", other.conj().imag)])


@case("rebuilders", truth="read")
def rebuilders():
    """Functions that today's CPU tensors do not need: old files and other devices call them."""
    base = torch.arange(12, dtype=torch.float32)
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensors = OrderedDict([
        ("v1", Call(torch._utils._rebuild_tensor, base.storage(), 2, (3, 2), (2, 1))),
        ("from_numpy", Call(torch._utils._rebuild_device_tensor_from_numpy, array, torch.float32, "cpu", False)),
        ("from_numpy_to_bfloat16", Call(torch._utils._rebuild_device_tensor_from_numpy, array, torch.bfloat16, "cpu", False)),
        ("from_type", Call(torch._tensor._rebuild_from_type, torch._utils._rebuild_tensor_v2, nn.Parameter,
                           (base.storage(), 0, (4,), (3,), True, OrderedDict()), {"note": 1})),
        ("with_hooks", Call(torch._utils._rebuild_tensor_v2, base.storage(), 1, (2,), (1,), False,
                            OrderedDict())),
    ])
    if VERSION != "1.13":
        tensors["from_cpu_tensor"] = Call(torch._utils._rebuild_device_tensor_from_cpu_tensor,
                                          torch.tensor([1.5, 2.5]), torch.float32, "cpu", False)
        tensors["v3"] = Call(torch._utils._rebuild_tensor_v3, torch.arange(8, dtype=torch.int16).untyped_storage(),
                             1, (3, 2), (2, 1), False, OrderedDict(), torch.float16)
    return tensors


@case("storages", truth="saved")
def storages():
    """Storages saved as such, one of them also that of a tensor. All are typed when PyTorch has read them."""
    tensor = torch.arange(4, dtype=torch.float32)
    untyped = torch.arange(3, dtype=torch.uint8).storage()
    untyped = untyped.untyped() if hasattr(untyped, "untyped") else untyped
    return {"storage": tensor.storage(), "tensor": tensor[1:], "untyped": untyped}


# Python values

def in_protocols(stem, versions=("2.6",)):
    """Registers a case in pickle protocols 3, 4 and 5."""
    def register(build):
        for protocol in (3, 4, 5):
            case("%s_protocol%d" % (stem, protocol), versions, with_protocol(protocol))(build)
        return build
    return register


@case("containers", ("1.13", "2.14"))
@in_protocols("containers")
def containers():
    tensor = torch.tensor([1.0, 2.0, 3.0])
    shared = ["shared", 1]
    own_list = [1]
    own_list.append(own_list)
    own_dict = {"name": "loop"}
    own_dict["self"] = own_dict
    own_dict["list"] = [own_dict, own_list]
    counts = defaultdict(list)
    counts["a"].append(1)
    counts[3] += ["x", None]
    return {
        "none": None,
        "bools": [True, False],
        "ints": [0, 1, -1, 255, 256, 65535, 65536, 2**31 - 1, -2**31, 2**31, 2**32, 2**53, 2**53 + 1, 2**63 - 1,
                 -2**63, 2**63, 2**64, -2**64, -2**80, 127, 128, -128, -129, -2**39, 10**300, 2**2100],
        "floats": [0.0, -0.0, 0.1, 1.5, -1e-5, 1e16, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"),
                   float("nan")],
        "complex": [1 - 2j, complex("nan"), -0.0j],
        "bytes": [b"", b"abc", bytes(range(256)), b"\x80" * 300],
        "bytearray": [bytearray(), bytearray(b"\x00\xff\x7f")],
        "strings": ["", "ascii", "na\u00efve", "\u65e5\u672c\u8a9e", "\U0001f600", "a\0b\n\t\"\\/\x7f", "x" * 300],
        "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), ((), ((),), (((1,),),))],
        "lists": [[], [[]], [[1], [2, [3, [4]]]]],
        "dicts": {"deep": {"deeper": {"deepest": 1}}, "empty": {}},
        "ordered": OrderedDict([("z", 1), ("a", OrderedDict([("tensor", tensor)])), ("none", OrderedDict())]),
        "defaultdict": counts,
        "defaultdict_empty": defaultdict(int),
        "counter": Counter("hello"),
        "sets": [set(), {7}, {1, 2, 3}, frozenset(), frozenset([4, 5]), {("a", 1)}],
        "keys": {0: "int", -5: "negative", 2**70: "big", "0": "str", "": "empty", "a.b": "dot", ("a", 1): "tuple",
                 None: "none", True: "bool", 1.5: "float", b"k": "bytes", (): "no tuple", ((1,), "it's"): "nested",
                 "\u00e9": "unicode", dict: "class", frozenset(): "set"},
        "shared": [shared, shared],
        "same_tensor": [tensor, {"again": tensor}],
        "own_list": own_list,
        "own_dict": own_dict,
        "last": "end",
    }


@case("same_names", ("1.13",))
def same_names():
    """Different keys that make the same name, and integers that no double holds."""
    big = torch.tensor([2 ** 63 - 1, -2 ** 63, 2 ** 53 + 1])
    return {0: torch.tensor([1]), "0": torch.tensor([2]), "a.b": torch.tensor([3]), "a": {"b": torch.tensor([4])},
            "big": big}


@case("root_tensor", ("1.13",))
def root_tensor():
    return torch.tensor(3.5)


@case("packed_sequence", ("1.13",))
def packed_sequence():
    """Tensors that are arguments of an object, here of a namedtuple."""
    return {"packed": torch.nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 4), [3, 2])}


@case("batches_deflated", ("2.6",), as_deflated)
def batches():
    """More than 1000 items, which pickle writes in batches, and more than 256 memo entries."""
    return {str(i): None for i in range(1003)}


@case("recursive_tuple", ("1.13",))
@case("recursive_tuple_protocol4", ("1.13",), with_protocol(4))
def recursive_tuple():
    """Pickle notices such tuples late and throws its work away: POP and POP_MARK."""
    short, long = ([],), ([], 1, 2, 3, 4)
    short[0].append(short)
    long[0].append(long)
    return {"short": short, "long": long, "tensor": torch.tensor([1.0, 2.0])}


@case("frames_deflated", ("1.13",), with_protocol(4, as_deflated))
@case("frames_protocol5_deflated", ("2.6",), with_protocol(5, as_deflated))
def frames():
    """Above 64 KiB protocol 4 begins new frames, and puts large objects between them."""
    text = ["line %d of many" % i for i in range(40)]
    return {"before": text, "array": np.repeat(np.arange(20, dtype=np.float32), 1000), "between": torch.tensor([1, 2]),
            "bytes_after": b"tail", "many": [np.full(2000, i, dtype=np.int64) for i in range(9)], "last": "end"}


# Objects


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Config:
    def __init__(self):
        self.rate = 22050
        self.nested = {"channels": (192, 2)}


class Slotted:
    __slots__ = ("left", "right")

    def __init__(self):
        self.left, self.right = 1, [2]


class WithKeywords:
    def __new__(cls, *args, **keywords):
        return super().__new__(cls)

    def __getnewargs_ex__(self):
        return (1, "two"), {"three": 3}


class ListOfSorts(list):
    pass


class DictOfSorts(dict):
    pass


@dataclasses.dataclass
class Record:
    name: str = "record"
    values: tuple = (1, 2)


Pair = collections.namedtuple("Pair", "left right")


@case("objects")
@in_protocols("objects")
def objects():
    items = ListOfSorts([1, 2])
    items.note = "a list with an attribute"
    mapping = DictOfSorts(a=1)
    mapping.note = "a dict with an attribute"
    return OrderedDict([
        ("namespace", argparse.Namespace(epochs=3, inner=argparse.Namespace(rate=0.5, layers=[1, (2, 3)]), none=None)),
        ("namespace_empty", argparse.Namespace()),
        ("size", [torch.Size([]), torch.Size([2, 3])]),
        ("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool]),
        ("device", [torch.device("cpu"), torch.device("cuda:1"), torch.device("meta")]),
        ("layout", torch.strided),
        ("qscheme", torch.per_tensor_affine),
        ("datetime", datetime.datetime(2024, 2, 29, 13, 37, 1, 250, datetime.timezone.utc)),
        ("date", datetime.date(2024, 2, 29)),
        ("timedelta", datetime.timedelta(days=1, seconds=2)),
        ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678")),
        ("enum", [Mode.FAST, Level.HIGH]),
        ("partial", functools.partial(int, "3", base=10)),
        ("slice", slice(1, None, 2)),
        ("range", range(2, 10, 3)),
        ("deque", collections.deque([1, 2], 5)),
        ("decimal", decimal.Decimal("1.50")),
        ("fraction", fractions.Fraction(1, 3)),
        ("exception", ValueError("wrong")),
        ("class", [nn.Linear, OrderedDict, int, range, Config]),
        ("function", [nn.functional.relu, len, torch.nn.init.zeros_]),
        ("config", Config()),
        ("config_again", [Config()] * 2),
        ("slotted", Slotted()),
        ("record", Record()),
        ("pair", Pair(1, 2)),
        ("simple_namespace", types.SimpleNamespace(a=1)),
        ("list_of_sorts", items),
        ("dict_of_sorts", mapping),
        ("tensor", torch.tensor([1.0, 2.0])),
    ])


@case("keyword_objects", ("1.13",))
@case("keyword_objects_protocol4", ("2.6",), with_protocol(4))
def keyword_objects():
    return [WithKeywords(), torch.tensor([1.0]), WithKeywords()]


@case("paths")
@case("paths_protocol4", ("2.6",), with_protocol(4))
def paths():
    path, windows = pathlib.PosixPath, pathlib.PureWindowsPath
    return [path("/data/voice/dataset.jsonl"), path("/data") / "voice" / "x.wav", path("relative/x"), path("."), path(),
            path("/"), path("a") / "/absolute/wins", path("a//b/./c/../d/"), path("//two/slashes"), path("///three"),
            pathlib.PurePosixPath("pure/posix"), windows("C:\\data\\x.wav"), windows("C:relative", "x"),
            windows("a\\b") / "D:\\c", windows("\\\\host\\share\\x"), path("\u00e9t\u00e9/\u65e5\u672c"),
            {"dataset": [path("/a.jsonl"), path("/b.jsonl")]}]


@case("numpy", ("1.13", "2.6"))
@in_protocols("numpy", ("1.13",))
@case("numpy_protocol5", ("2.6",), with_protocol(5))
def numpy():
    grid = np.arange(12).reshape(3, 4)
    return {
        "scalars": [np.float64(0.1), np.float32(1.5), np.float16(-2.5), np.int8(-8), np.int16(-300), np.int32(70000),
                    np.int64(-2**62), np.uint8(200), np.uint16(65535), np.uint32(2**32 - 1), np.uint64(2**64 - 1),
                    np.bool_(True), np.bool_(False), np.complex64(1 + 2j), np.complex128(3 - 4j), np.float32("nan")],
        "strings": [np.str_("caf\u00e9"), np.bytes_(b"\x00\xff")],
        "arrays": [grid.astype(name) for name in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?",
                                                  "c8", "c16")],
        "fortran": np.asfortranarray(grid.astype("f4")),
        "fortran3": np.asfortranarray(np.arange(24, dtype="i2").reshape(2, 3, 4)),
        "big_endian": grid.astype(">f4"),
        "big_endian_fortran": np.asfortranarray(grid.astype(">i8")),
        "big_endian_complex": np.array([1 + 2j, 3], dtype=">c16"),
        "transposed": grid.astype("i4").T,
        "strided": grid.astype("i4")[::2, 1::2],
        "scalar_array": np.array(2.5, dtype="f4"),
        "empty": np.zeros((0, 3), dtype="f4"),
        "one": np.ones((1, 1), dtype="f8"),
        "read_only": np.frombuffer(b"\x01\x02\x03", dtype="u1"),
        "unicode": np.array(["a", "bb"]),
        "bytes": np.array([b"a", b"bb"]),
        "object": np.array([1, "two", None, [3]], dtype=object),
        "record": np.array([(1, 2.5)], dtype=[("left", "i4"), ("right", "f8")]),
        "datetime": np.array(["2024-02-29"], dtype="M8[D]"),
        "dtype": [np.dtype("f4"), np.dtype(">i8"), np.dtype([("x", "i2")])],
        "shared": [grid, grid],
    }


# Modules


def small_model():
    torch.manual_seed(0)
    model = nn.Sequential(OrderedDict([
        ("conv", nn.Conv1d(2, 3, 3, bias=False)),
        ("norm", nn.BatchNorm1d(3)),
        ("act", nn.LeakyReLU(0.1)),
        ("rnn", nn.LSTM(3, 2, batch_first=True, bidirectional=True)),
        ("head", nn.Linear(4, 2)),
    ]))
    model.register_buffer("scale", torch.tensor(0.5))
    model.register_buffer("scratch", torch.zeros(3), persistent=False)
    model.register_buffer("absent", None)
    return model


@case("state_dict")
@case("state_dict_legacy", ("1.13",), as_legacy)
def state_dict():
    return small_model().state_dict()


@case("optimizer", ("1.13", "2.14"))
def optimizer():
    """What plain training scripts save: {'model', 'optimizer', 'iteration'} after a step of Adam."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    adam = torch.optim.AdamW(model.parameters(), lr=2e-4, betas=(0.8, 0.99))
    model(torch.ones(4, 3)).sum().backward()
    adam.step()
    scheduler = torch.optim.lr_scheduler.ExponentialLR(adam, gamma=0.999875)
    ddp_names = OrderedDict(("module." + name, tensor) for name, tensor in model.state_dict().items())
    return {"model": ddp_names, "optimizer": adam.state_dict(), "scheduler": scheduler.state_dict(),
            "learning_rate": 2e-4, "iteration": 1234, "rng": torch.arange(16, dtype=torch.uint8)}


@case("module", ("1.13", "2.14"))
@case("module_protocol4", ("2.6",), with_protocol(4))
def module():
    """A whole model, pickled, and other containers of modules beside it."""
    model = small_model()
    twice = nn.Linear(2, 2)
    return {"epoch": 3, "model": model, "tied": nn.Sequential(twice, nn.Tanh(), twice),
            "lists": nn.ModuleDict({"l": nn.ModuleList([nn.Embedding(3, 2), nn.Identity()]),
                                    "p": nn.ParameterList([torch.ones(2), torch.zeros(1, 2)]),
                                    "d": nn.ParameterDict({"x": nn.Parameter(torch.ones(1))})}),
            "no_weights": nn.ReLU()}


@case("module_root", ("1.13",))
def module_root():
    return small_model()


@case("module_legacy", ("1.13", "2.6"), as_legacy)
def module_legacy():
    """The legacy stream saves the source text of module classes too."""
    torch.manual_seed(0)
    return {"identity": nn.Identity(), "linear": nn.Linear(2, 1), "again": nn.Linear(1, 1)}


def weight_norm_modules():
    torch.manual_seed(0)
    return OrderedDict([  # name -> (module, parameter, dim)
        ("conv", (nn.Conv1d(3, 4, 3), "weight", 0)),
        ("conv_post", (nn.Conv1d(4, 1, 3, bias=False), "weight", 0)),
        ("conv2d", (nn.Conv2d(1, 2, (3, 1)), "weight", 0)),
        ("up", (nn.ConvTranspose1d(4, 2, 4, stride=2), "weight", 0)),
        ("up_dim1", (nn.ConvTranspose1d(2, 3, 2), "weight", 1)),
        ("linear", (nn.Linear(5, 3).double(), "weight", 0)),
        ("linear_none", (nn.Linear(3, 2), "weight", None)),
        ("conv_none", (nn.Conv1d(2, 2, 2), "weight", None)),
        ("rnn", (nn.LSTM(2, 2), "weight_hh_l0", 0)),
    ])


def old_weight_norm(names=None):
    model, folded = nn.Module(), {}
    for name, (part, parameter, dim) in weight_norm_modules().items():
        if names and name not in names:
            continue
        nn.utils.weight_norm(part, parameter, dim)
        getattr(part, parameter + "_g").data.mul_(1.25).add_(0.125)
        hook = next(hook for hook in part._forward_pre_hooks.values() if hook.name == parameter)
        folded[name + "." + parameter] = hook.compute_weight(part)
        model.add_module(name, part)
    return model, folded


@case("weight_norm", ("1.13", "2.14"))
def weight_norm():
    model, folded = old_weight_norm()
    return model.state_dict(), folded


@case("weight_norm_module", ("1.13", "2.6"))
def weight_norm_module():
    """Pickled whole: the module also carries its last product of g and v, which is not in the state dict."""
    model, folded = old_weight_norm(("conv", "up_dim1"))
    sequence = nn.Sequential(OrderedDict(model.named_children()))
    return {"generator": sequence}, {"generator." + name: weight for name, weight in folded.items()}


@case("weight_norm_parametrized", NEW)
def weight_norm_parametrized():
    model, folded = nn.Module(), {}
    for name, (part, parameter, dim) in weight_norm_modules().items():
        nn.utils.parametrizations.weight_norm(part, parameter, dim)
        getattr(part.parametrizations, parameter).original0.data.mul_(1.25).add_(0.125)
        folded[name + "." + parameter] = getattr(part, parameter)
        model.add_module(name, part)
    return model.state_dict(), folded


# Trainers


def stand_in(module, name, base=object):
    """A class that pickles as module.name, where the real one is not installed."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(".".join(parts[:end])))
    cls = type(name, (base,), {"__module__": module})
    setattr(sys.modules[module], name, cls)
    return cls


ModelCheckpoint = stand_in("pytorch_lightning.callbacks.model_checkpoint", "ModelCheckpoint")
AttributeDict = stand_in("lightning.fabric.utilities.data", "AttributeDict", dict)
OldAttributeDict = stand_in("pytorch_lightning.utilities.parsing", "AttributeDict", dict)


def trained(prefix):
    torch.manual_seed(0)
    model = nn.Sequential(OrderedDict([("emb", nn.Embedding(4, 2)), ("conv_pre", nn.Conv1d(2, 2, 3))]))
    adam = torch.optim.AdamW(model.parameters(), lr=2e-4, betas=(0.8, 0.99), eps=1e-9)
    model.conv_pre(model.emb(torch.tensor([[0, 1, 2, 3]])).transpose(1, 2)).sum().backward()
    adam.step()
    return OrderedDict((prefix + name, tensor) for name, tensor in model.state_dict().items()), adam


def lightning(state, optimizers, callbacks, hyper_parameters, version, **more):
    progress = lambda n: {"total": {"ready": n, "completed": n}, "current": {"ready": 0, "completed": 0}}
    schedulers = [torch.optim.lr_scheduler.ExponentialLR(adam, gamma=0.999875).state_dict() for adam in optimizers]
    return dict({
        "epoch": 7, "global_step": 1986, "pytorch-lightning_version": version, "state_dict": state,
        "loops": {"fit_loop": {"state_dict": {}, "epoch_progress": progress(7)}, "validate_loop": {}},
        "callbacks": callbacks, "optimizer_states": [adam.state_dict() for adam in optimizers],
        "lr_schedulers": schedulers, "hparams_name": "kwargs", "hyper_parameters": hyper_parameters,
    }, **more)


VITS = dict(num_symbols=256, num_speakers=1, resblock="2", resblock_kernel_sizes=(3, 5, 7),
            resblock_dilation_sizes=((1, 2), (2, 6), (3, 12)), upsample_rates=(8, 8, 4), upsample_initial_channel=256,
            upsample_kernel_sizes=(16, 16, 8), filter_length=1024, hop_length=256, win_length=1024, mel_fmin=0.0,
            mel_fmax=None, hidden_channels=192, use_sdp=True, gin_channels=0, learning_rate=2e-4, betas=(0.8, 0.99),
            eps=1e-9, lr_decay=0.999875, seed=1234)


@case("lightning_old", ("1.13", "2.6"), suffix="ckpt")
def lightning_old():
    """pytorch-lightning before 1.5: callbacks by class, tuples, paths; what Piper's own voices look like."""
    state, adam_g = trained("model_g.")
    other, adam_d = trained("model_d.")
    state.update(other)
    score = {"monitor": "val_loss", "best_model_score": torch.tensor(0.25), "best_model_path": "epoch=7.ckpt",
             "best_k_models": {"epoch=7.ckpt": torch.tensor(0.25)}, "dirpath": pathlib.Path("/train/checkpoints")}
    hyper_parameters = OldAttributeDict(VITS, dataset=[pathlib.Path("/train/dataset.jsonl")], dataset_dir=pathlib.Path("/train"))
    return lightning(state, [adam_g, adam_d], {ModelCheckpoint: score}, hyper_parameters, "1.4.9",
                     native_amp_scaling_state={"scale": 65536.0, "growth_interval": 2000})


@case("lightning_new", NEW, suffix="ckpt")
def lightning_new():
    """LightningCLI: tuples as strings, callbacks by the text of their settings, AttributeDict."""
    state, adam = trained("model_g.")
    key = "ModelCheckpoint{'monitor': None, 'mode': 'min', 'every_n_train_steps': 0, 'every_n_epochs': 1}"
    score = {"monitor": None, "best_model_score": None, "best_k_models": {}, "kth_value": torch.tensor(float("inf"))}
    as_text = {name: str(value) if isinstance(value, tuple) else value for name, value in VITS.items()}
    return lightning(state, [adam], {key: score}, AttributeDict(as_text, sample_rate=22050), "2.5.1",
                     datamodule_hyper_parameters={"csv_path": "/train/metadata.csv", "_instantiator": None},
                     MixedPrecision=AttributeDict(scale=1.0))


# Old files


@case("tar", ("1.13",), as_tar)
def tar():
    base = torch.arange(12, dtype=torch.float32)
    return OrderedDict([("weight", base.view(3, 4)), ("transposed", base.view(3, 4).t()), ("tail", base[9:]), ("through_view", base[3:7].view(2, 2)),
                        ("steps", torch.tensor([5, -6, 2**40])), ("epoch", 17), ("name", "old")])


@case("legacy_storage_views", ("1.13",), as_legacy_with_storage_views)
def legacy_storage_views():
    base = torch.arange(12, dtype=torch.float32)
    return OrderedDict([("first", base[:4].view(2, 2)), ("second", base[5:11].view(2, 3).t()),
                        ("whole", base.view(3, 4)), ("second.again", base[4:])])


@case("python2", ("1.13",), as_python2)
def python2():
    state = small_model().state_dict()
    return {"state_dict": state, "epoch": 90, "arch": "resnet18", "best": 69.75, "long": 2**40, "text": "t" * 300,
            "same": ["resnet18", "resnet18"]}


@case("python2_numpy", ("1.13",), as_python2, load=functools.partial(load_any, encoding="latin1"))
def python2_numpy():
    return {"array": np.array([1.5, -2.5], dtype="f4"), "scalar": np.float64(0.1), "tensor": torch.tensor([1, 2])}


# Not torch.save at all


def bare():
    return {"steps": 12, "rate": 0.5, "big": 2**70, "negative": -3, "flags": (True, False, None), "name": "caf\u00e9 \u65e5\\n\n",
            "tuples": [(), (1,), (1, 2, 3), (1, 2, 3, 4)], "weights": np.arange(6, dtype="f4").reshape(2, 3) - 1.5,
            "fortran": np.asfortranarray(np.arange(6, dtype="i8").reshape(2, 3)), "mask": np.array([True, False]),
            "mean": np.float32(0.25), "count": np.int64(300), "bytes": b"\x00\xffab", "set": {1, 2}, "complex": 1 - 2j,
            "ordered": OrderedDict([("a", 1.0)]), "config": Config(), "namespace": argparse.Namespace(x=1, y=[2]),
            "floats": [float("inf"), float("-inf"), float("nan"), -0.0, 1e-320], "ints": [255, 65535, -2**31, 2**31]}


for protocol in range(6):
    case("pickle_protocol%d" % protocol, ("1.13",), as_pickle(protocol), "pkl", load_pickle)(bare)
for protocol in (2, 5):
    case("pickle_protocol%d" % protocol, ("2.6",), as_pickle(protocol), "pkl", load_pickle)(bare)


def record_safetensors(folder):
    """Written by hand: the format is simple, and neither a dtype nor an order should be missing."""
    counting = lambda size: bytes((37 * i + 11) % 256 for i in range(size))
    entries = [(name.lower(), name, [3, 2], bytes([1, 0, 1, 1, 0, 0]) if name == "BOOL" else counting(6 * size))
               for name, (_, size) in sorted(SAFETENSORS_DTYPES.items(), key=lambda item: -item[1][1])]
    files = {
        "dtypes.safetensors": (entries, {"format": "pt", "note": "all dtypes"}, 8),
        "dtypes_unaligned.safetensors": (entries[::-1], None, 1),
        "shapes.safetensors": ([("scalar", "F32", [], counting(4)), ("empty", "F32", [0, 3], b""),
                                ("cube", "I64", [2, 1, 2], counting(32)), ("na\u00efve \"quoted\"\\/\n\U0001f600", "U8", [2], b"ab"),
                                ("a.b.c", "F16", [1], counting(2)), ("", "I8", [1], b"\xff")],
                               {"format": "np", "na\u00efve": "\u65e5\u672c", "empty": ""}, 64),
        "shapes_utf8.safetensors": ([("na\u00efve \U0001f600", "U8", [2], b"ab")], {"\u65e5": "\u672c"}, 8, False),
        "no_tensors.safetensors": ([], {"only": "metadata"}, 8),
        "nothing.safetensors": ([], None, 8),
    }
    for name, arguments in files.items():
        write_expected(folder / name, write_safetensors(folder / name, *arguments))


# Running -------------------------------------------------------------------------------------------


def record(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    unknown = set(names) - {case.name for case in CASES} - {"safetensors"}
    if unknown:
        sys.exit("no such case: " + " ".join(sorted(unknown)))
    for case in CASES:
        if VERSION not in case.versions or (names and case.name not in names):
            continue
        path = folder / ("%s.torch%s.%s" % (case.name, VERSION, case.suffix))
        value, folded = case.build(), None
        if type(value) is tuple:
            value, folded = value
        case.write(value, path)
        saved = describe(value, folded)
        read = describe(case.load(path), folded) if case.load else saved
        if case.truth == "both" and saved != read:
            different = [pair for key in ("tensors", "values") for pair in zip(saved[key], read[key]) if pair[0] != pair[1]]
            sys.exit("%s does not come back as it was saved: %s" % (path, different))
        write_expected(path, saved if case.truth == "saved" else read)
        print(path.name, path.stat().st_size)
    if VERSION == ALL[-1] and (not names or "safetensors" in names):
        record_safetensors(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("record")
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("names", nargs="*")
    command = commands.add_parser("describe")
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.command == "record":
        return record(arguments.folder, arguments.names)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for path in arguments.files:
        write_expected(arguments.folder / path.name, describe(load_any(path)))


if __name__ == "__main__":
    main()
