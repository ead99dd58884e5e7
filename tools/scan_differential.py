#!/usr/bin/env python3
"""Asks Python what loading a pickle does, and holds `voxport inspect --scan` to it.

    /usr/bin/python3 tools/scan_differential.py attack build/release/voxport [--seed 1] [--count 1000]
    /usr/bin/python3 tools/scan_differential.py record tests/data/scan/differential.json [--seed 1] [--count 400]

Pickles are made from a seed: random programs of listed names, calls, states and containers, and honest pickles of
tests/data/scan/honest with a few opcodes changed. Each is loaded by a child process in which the standard library, PyTorch
and numpy are imported already; an audit hook (sys.addaudithook) notes and stops what touches files, processes, code or
the network, and a profile hook notes each Python function that runs. Whatever is not in HARMLESS_FUNCTIONS, and every
crash, is what the pickle "did". `attack` fails if the scan calls such a pickle clean; `record` writes the pickles with
what they did, for tests/checkpoint/differential_test.cpp. Needs Debian's python3-torch, python3-numpy and
python3-omegaconf.
"""

import argparse
import io
import json
import os
import pickle
import pickletools
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
HONEST = os.path.join(HERE, "..", "tests", "data", "scan", "honest")

# Functions that run when honest pickles are loaded: file and qualified name, as patterns. They make the values of
# listed types, and call nothing that the pickle chooses.
HARMLESS_FUNCTIONS = [
    r"torch/_utils\.py _rebuild_(tensor|tensor_v2|parameter|qtensor|sparse_tensor|sparse_csr_tensor|meta_tensor_no_storage"
    r"|device_tensor_from_numpy)(\.<locals>.*)?",
    r"torch/_utils\.py _validate_loaded_sparse_tensors",
    r"torch/_tensor\.py _rebuild_from_type(_v2)?",
    r"torch/_tensor\.py Tensor\.(__hash__|__setstate__|__torch_function__|is_shared)",
    r"torch/nn/parameter\.py .*Parameter\.__new__",
    r"torch/nn/parameter\.py _ParameterMeta\.__instancecheck__",
    r"torch/nn/modules/\w+\.py \w+\.(__setstate__|__setattr__|__getattr__)",
    r"torch/nn/modules/module\.py Module\.__setattr__\.<locals>\.remove_from",
    r"torch/nn/modules/rnn\.py RNNBase\.__setstate__\.<locals>.*",
    r"torch/nn/utils/rnn\.py PackedSequence\.__new__",
    r"torch/nn/utils/rnn\.py (_packed_sequence_init_args|invert_permutation)",
    r"torch/optim/\w+\.py \w+\.__setstate__(\.<locals>.*)?",
    r"torch/optim/optimizer\.py Optimizer\._hook_for_profile(\.<locals>.*)?",
    r"torch/storage\.py .*",
    r"torch/serialization\.py _get_layout",
    r"torch/jit/_pickle\.py (build_\w+|restore_type_tag)",
    r"torch/__init__\.py (\w+Storage\.dtype|is_tensor)",
    r"torch/_utils\.py _ClassPropertyDescriptor\.__get__",
    r"collections/__init__\.py Counter\.(__init__|update)",
    r"copyreg\.py _reconstructor",
    r"(fractions|uuid|pathlib|enum|datetime|numbers|decimal)\.py .*",
    r"<frozen abc> ABCMeta\.__(instance|subclass)check__",
    r"omegaconf/(base|basecontainer|dictconfig|listconfig|nodes)\.py \w+\.(__setstate__|__new__)",
    r"<frozen importlib\._bootstrap> _handle_fromlist",
    r"omegaconf/_utils\.py is_\w+",
    r"numpy/core/numeric\.py _frombuffer",
    r"numpy/core/_internal\.py .*",
    r"scan_differential\.py .*",
]
HARMLESS_PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in HARMLESS_FUNCTIONS))

# Events that the loader itself and the making of values cause.
HARMLESS_EVENTS = re.compile(r"builtins\.id|object\.__\w+__|sys\._getframe|cpython\..*|time\..*|array\.__new__")

CLASSES = [("torch.nn.modules.linear", "Linear"), ("torch.nn.modules.linear", "Identity"),
           ("torch.nn.modules.container", "Sequential"), ("torch.nn.modules.container", "ModuleList"),
           ("torch.nn.modules.container", "ModuleDict"), ("torch.nn.modules.container", "ParameterDict"),
           ("torch.nn.modules.container", "ParameterList"), ("torch.nn.modules.rnn", "LSTM"),
           ("torch.nn.modules.activation", "Softmax"), ("torch.nn.modules.activation", "MultiheadAttention"),
           ("torch.nn.modules.transformer", "TransformerEncoderLayer"), ("torch.nn.modules.conv", "Conv1d"),
           ("torch.nn.modules.pooling", "AvgPool3d"), ("torch.nn.modules.loss", "TripletMarginWithDistanceLoss"),
           ("torch.nn.parallel.data_parallel", "DataParallel"), ("torch.nn.modules.module", "_WrappedHook"),
           ("torch.optim.adam", "Adam"), ("torch.optim.adamw", "AdamW"), ("torch.optim.adagrad", "Adagrad"),
           ("torch.optim.sgd", "SGD"), ("torch.optim.lbfgs", "LBFGS"), ("torch.optim.rmsprop", "RMSprop"),
           ("torch.optim.lr_scheduler", "StepLR"), ("torch.optim.lr_scheduler", "OneCycleLR"),
           ("torch.nn.utils.weight_norm", "WeightNorm"), ("torch.nn.utils.spectral_norm", "SpectralNorm"),
           ("argparse", "Namespace"), ("uuid", "UUID"), ("omegaconf.dictconfig", "DictConfig"),
           ("omegaconf.listconfig", "ListConfig"), ("omegaconf.nodes", "AnyNode"), ("omegaconf.base", "ContainerMetadata"),
           ("omegaconf.base", "Metadata"), ("builtins", "object"), ("collections", "OrderedDict")]
FUNCTIONS = [("torch._utils", "_rebuild_tensor_v2"), ("torch._utils", "_rebuild_parameter"),
             ("torch._tensor", "_rebuild_from_type_v2"), ("torch._tensor", "_rebuild_from_type"),
             ("torch.jit._pickle", "restore_type_tag"), ("torch.jit._pickle", "build_intlist"),
             ("torch.jit._pickle", "build_tensorlist"), ("copyreg", "_reconstructor"), ("_codecs", "encode"),
             ("torch._utils", "_rebuild_qtensor"), ("torch._utils", "_rebuild_sparse_tensor"),
             ("torch._utils", "_rebuild_meta_tensor_no_storage"), ("torch.serialization", "_get_layout"),
             ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "scalar"),
             ("numpy.core.numeric", "_frombuffer"), ("torch.nn.functional", "relu"), ("torch._C._nn", "gelu")]
CALLED_CLASSES = [("builtins", "set"), ("builtins", "frozenset"), ("builtins", "bytearray"), ("builtins", "bytes"),
                  ("builtins", "complex"), ("builtins", "range"), ("builtins", "slice"), ("builtins", "dict"),
                  ("builtins", "list"), ("builtins", "tuple"), ("builtins", "int"), ("builtins", "str"),
                  ("builtins", "float"), ("builtins", "bool"), ("collections", "Counter"),
                  ("collections", "defaultdict"), ("collections", "deque"), ("datetime", "date"), ("datetime", "datetime"),
                  ("datetime", "timedelta"), ("datetime", "timezone"), ("decimal", "Decimal"), ("fractions", "Fraction"),
                  ("pathlib", "PurePosixPath"), ("pathlib", "PosixPath"), ("torch", "Size"), ("torch", "device"),
                  ("torch.nn.utils.rnn", "PackedSequence"), ("numpy", "dtype"), ("torch", "Tensor"),
                  ("torch", "FloatTensor"), ("torch.nn.parameter", "Parameter"), ("numpy", "ndarray"),
                  ("torch.storage", "UntypedStorage"), ("torch", "FloatStorage")]
OTHERS = [("os", "getpid"), ("builtins", "getattr"), ("torch.nn.modules.linear", "F"), ("builtins", "len"),
          ("torch.optim.lr_scheduler", "LambdaLR"), ("torch.optim.swa_utils", "AveragedModel"), ("functools", "partial"),
          ("operator", "attrgetter"), ("torch.nn.modules.module", "Module"), ("copy", "deepcopy"), ("builtins", "print"),
          ("torch.nn.modules.container", "Container"), ("torch.nn.modules.lazy", "LazyModuleMixin")]
VALUES = [("torch", "float32"), ("torch", "int64"), ("torch", "per_tensor_affine"), ("typing", "Any")]
NAMES = ["_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "training", "_keys",
         "_size", "weight", "bias", "in_features", "__class__", "__dict__", "__setstate__", "__reduce_ex__", "__call__",
         "__getattr__", "__deepcopy__", "__len__", "__hash__", "forward", "items", "keys", "values", "append", "extend",
         "update", "add", "state", "param_groups", "defaults", "step", "_metadata", "_content", "_parent", "_val", "name",
         "dim", "hook", "module", "with_module", "_flat_weights", "_flat_weights_names", "all_weights", "as_subclass",
         "default_factory", "data", "grad", "requires_grad", "int", "is_safe", "_state_dict_hooks", "relu", "activation",
         "element_type", "key_type", "ref_type", "object_type", "flags", "a", "b", "0", "latin1", "utf-8", "zip", "f8", "O8",
         "<", "|", "cpu", "storage", "torch.strided", "x"]


class Generator:
    """Random programs: each function returns the opcodes that leave one value on the stack."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.memo = 0

    def pick(self, items):
        return self.random.choice(items)

    def text(self, value=None):
        data = (value if value is not None else self.pick(NAMES)).encode()
        return b"X" + struct.pack("<I", len(data)) + data

    def number(self, value):
        return b"J" + struct.pack("<i", value)

    def name(self, pair):
        return f"c{pair[0]}\n{pair[1]}\n".encode()

    def items(self, make, most=3):
        return b"".join(make() for _ in range(self.random.randint(0, most)))

    def scalar(self):
        return self.pick([lambda: b"N", lambda: b"\x88", lambda: b"\x89", lambda: self.number(self.pick([-1, 0, 1, 3, 8, 63])),
                          lambda: b"G" + struct.pack(">d", self.pick([0.0, 1.5])), self.text,
                          lambda: b"C" + bytes([8]) + bytes(self.random.randrange(256) for _ in range(8))])()

    def storage(self):
        return b"(" + self.text("storage") + self.name(("torch", "FloatStorage")) + self.text("0") + self.text("cpu") \
            + self.number(4) + b"tQ"

    def tensor(self):
        hooks = self.name(("collections", "OrderedDict")) + b")R"
        return self.name(("torch._utils", "_rebuild_tensor_v2")) + b"(" + self.storage() + self.number(0) \
            + b"(" + self.number(2) + b"t(" + self.number(1) + b"t\x89" + hooks + b"tR"

    def dtype(self):
        state = b"(" + self.number(3) + self.text(self.pick(["<", "|"])) + b"N" \
            + self.pick([b"NN", b"NN", b"(" + self.text("a") + b"t" + self.dict(1)]) \
            + self.number(self.pick([-1, -1, 8])) + self.number(self.pick([-1, -1, 1])) + self.number(self.pick([0, 0, 8, 63])) + b"t"
        code = self.pick(["f8", "f8", "i4", "O8", "S5", "U2", "V8"])
        return self.name(("numpy", "dtype")) + b"(" + self.text(code) + b"\x89\x88tR" + state + b"b"

    def array(self):
        made = self.name(("numpy.core.multiarray", "_reconstruct")) + b"(" + self.name(("numpy", "ndarray")) \
            + b"(" + self.number(0) + b"tC\x01btR"
        data = self.pick([b"C\x08" + b"\x00" * 8, b"C\x08zzzzzzzz", b"](N" + b"e"])
        return made + b"(" + self.number(1) + b"(" + self.number(1) + b"t" + self.pick([self.dtype, self.value_later])() + b"\x89" \
            + data + b"tb"

    def dict(self, depth):
        make = lambda: self.pick([self.text, self.text, self.text, lambda: self.value(depth - 1)])() + self.value(depth - 1)
        return b"}(" + self.items(make) + b"u"

    def list(self, depth):
        return b"](" + self.items(lambda: self.value(depth - 1)) + b"e"

    def tuple(self, depth):
        return b"(" + self.items(lambda: self.value(depth - 1), 4) + b"t"

    def any_name(self):
        lists = [CLASSES] * 4 + [CALLED_CLASSES] * 3 + [FUNCTIONS] * 4 + [VALUES] + [OTHERS]
        return self.name(self.pick(self.pick(lists)))

    def instance(self, depth):
        made = self.name(self.pick(CLASSES)) + b")\x81"
        if self.random.random() < 0.1:
            made = self.name(("copyreg", "_reconstructor")) + b"(" + self.name(self.pick(CLASSES)) \
                + self.name(self.pick([("builtins", "object"), ("builtins", "dict")])) + b"NtR"
        return made + (self.state(depth) + b"b" if self.random.random() < 0.7 else b"")

    def state(self, depth):
        if self.random.random() < 0.1:
            return self.value(depth - 1)
        names = self.random.sample(NAMES, self.random.randint(0, 5))
        if self.random.random() < 0.6:
            names += ["_parameters", "_buffers", "_modules"]
        def attribute(name):
            if name in ("_parameters", "_buffers", "_modules") and self.random.random() < 0.8:
                return b"}"
            if name == "_metadata" and self.random.random() < 0.5:
                return self.name(("omegaconf.base", "ContainerMetadata")) + b")\x81" \
                    + b"}(" + b"".join(self.text(key) + self.value(0) for key in ("ref_type", "key_type", "element_type")) + b"ub"
            return self.value(depth - 1)
        return b"}(" + b"".join(self.text(name) + attribute(name) for name in names) + b"u"

    def call(self, depth):
        callee = self.pick([self.any_name, self.any_name, self.any_name, self.value_later])()
        return callee + self.tuple(depth) + self.pick([b"R", b"R", b"R", b"\x81"])

    def from_type(self, depth):
        function = self.pick([lambda: self.name(self.pick(FUNCTIONS)), self.value_later, lambda: self.value(depth - 1)])()
        types = self.name(self.pick([("torch", "Tensor"), ("torch.nn.parameter", "Parameter"), ("argparse", "Namespace")]))
        state = self.pick([lambda: b"N", lambda: self.state(depth)])()
        return self.name(("torch._tensor", self.pick(["_rebuild_from_type_v2", "_rebuild_from_type"]))) + b"(" + function \
            + types + self.tuple(depth) + state + b"tR"

    def typed_call(self, depth):
        one = lambda pair, *args: self.name(pair) + b"(" + b"".join(args) + b"tR"
        value = lambda: self.value(depth - 1)
        return self.pick([
            lambda: one(("collections", "OrderedDict")),
            lambda: one(("collections", "defaultdict"), self.pick([lambda: self.name(self.pick(CALLED_CLASSES)), value])()),
            lambda: one(("collections", "Counter"), self.pick([lambda: self.dict(depth), value])()),
            lambda: one(("collections", "deque"), self.pick([lambda: self.list(depth), value])()),
            lambda: one(("builtins", "set"), self.pick([lambda: self.list(depth), value])()),
            lambda: one(("torch.jit._pickle", "restore_type_tag"), value(), self.text()),
            lambda: one(("torch.jit._pickle", "build_intlist"), value()),
            lambda: one(("_codecs", "encode"), self.text(), self.text(self.pick(["latin1", "latin1", "zip", "utf-8"]))),
            lambda: one(("pathlib", "PurePosixPath"), self.pick([self.text, value])()),
            lambda: one(("torch._utils", "_rebuild_parameter"), self.pick([self.tensor, value])(), b"\x88",
                        self.pick([lambda: one(("collections", "OrderedDict")), value])()),
            lambda: one(("numpy.core.multiarray", "scalar"), self.dtype(), b"C\x08" + b"\x01" * 8),
            lambda: one(("torch.nn.utils.rnn", "PackedSequence"), value(), value()),
        ])()

    def value_later(self):
        """A value from the memo, or a new one while there is none."""
        if self.memo == 0:
            return self.tensor()
        return b"j" + struct.pack("<I", self.random.randrange(self.memo))

    def changed(self, depth):
        """Something done to a value that is remembered: aliases see it."""
        target = self.value_later()
        return target + self.pick([
            lambda: self.value(depth - 1) + b"a",
            lambda: b"(" + self.items(lambda: self.value(depth - 1)) + b"e",
            lambda: self.text() + self.value(depth - 1) + b"s",
            lambda: self.state(depth) + b"b",
            lambda: b"(" + self.items(lambda: self.value(depth - 1)) + b"\x90",
        ])()

    def module(self, cls, **attributes):
        """An instance as it is saved, with some attributes changed."""
        state = dict.fromkeys(("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks",
                               "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
                               "_non_persistent_buffers_set", "_is_full_backward_hook"), b"}")
        state.update(attributes)
        return self.name(cls) + b")\x81}(" + b"".join(self.text(key) + value for key, value in state.items()) + b"ub"

    def aimed(self, depth):
        """Parts of attacks: lookups, calls and copies through classes that saved models have."""
        container = "torch.nn.modules.container"
        names = b"}(" + b"".join(self.text(name) + b"N" for name in self.random.sample(NAMES, 2)) + b"u"
        looked_up = lambda: self.module((container, "ParameterDict"), _keys=names)
        called = self.pick([lambda: self.module((container, "Sequential"), _modules=looked_up()), looked_up,
                            lambda: self.module(("torch.nn.modules.linear", "Identity"), forward=self.any_name()),
                            lambda: self.module(("torch.nn.modules.linear", "Identity"), __deepcopy__=self.any_name())])
        one = lambda pair, *args: self.name(pair) + b"(" + b"".join(args) + b"tR"
        argument = self.pick([looked_up, called, self.text, lambda: self.list(depth), self.tensor])
        return self.pick([
            lambda: one(("torch._tensor", "_rebuild_from_type_v2"), called(), self.name(("torch", "Tensor")),
                        b"(" + argument() + b"t", b"N"),
            lambda: one((container, self.pick(["ParameterDict", "ModuleList", "ModuleDict", "ParameterList"])), argument()),
            lambda: one(("torch.optim.swa_utils", "AveragedModel"), called()),
            lambda: called() + argument() + b"a",
            lambda: called() + self.text() + argument() + b"s",
            lambda: b"}" + called() + self.scalar() + b"s",
            lambda: one(("builtins", self.pick(["set", "list", "tuple", "str", "dict", "frozenset"])), called()),
            lambda: one(("collections", self.pick(["Counter", "OrderedDict", "deque"])), called()),
            lambda: self.name(("torch.optim.adam", "Adam")) + b")\x81}(" + self.text("state") + argument() + self.text("param_groups")
            + self.list(depth) + b"ub",
            lambda: one(("torch._utils", "_rebuild_parameter"), called(), b"\x88", b"}"),
            lambda: one(("torch.nn.utils.rnn", "PackedSequence"), called(), argument()),
            lambda: one(("torch", "Size"), called()),
        ])()

    def value(self, depth):
        if depth <= 0:
            return self.pick([self.scalar, self.scalar, self.tensor, self.value_later, lambda: self.name(self.pick(VALUES)),
                              lambda: b"}", lambda: b"]", lambda: b")"])()
        made = self.pick([lambda: self.scalar(), lambda: self.tensor(), lambda: self.dict(depth), lambda: self.list(depth),
                          lambda: self.tuple(depth), lambda: self.instance(depth), lambda: self.instance(depth),
                          lambda: self.instance(depth), lambda: self.call(depth), lambda: self.typed_call(depth),
                          lambda: self.typed_call(depth), lambda: self.from_type(depth), lambda: self.any_name(),
                          lambda: self.array(), lambda: self.value_later(), lambda: self.changed(depth), lambda: self.aimed(depth)])()
        if self.random.random() < 0.5:
            made += b"r" + struct.pack("<I", self.memo)
            self.memo += 1
        return made

    def pickle(self):
        values = b"".join(self.value(self.random.randint(1, 3)) + b"0" for _ in range(self.pick([1, 1, 2, 3])))
        return b"\x80" + bytes([self.pick([2, 2, 4])]) + values + b"N."


def honest_pickles():
    found = []
    for entry in sorted(os.listdir(HONEST)):
        with zipfile.ZipFile(os.path.join(HONEST, entry)) as archive:
            data = next(archive.read(name) for name in archive.namelist() if name.endswith("data.pkl"))
            if len(data) < 20000:
                found.append(data)
    return found


def opcodes_of(data):
    starts = [position for _, _, position in pickletools.genops(data)] + [len(data)]
    return [data[a:b] for a, b in zip(starts, starts[1:])]


def mutated(honest, seed):
    """An honest pickle with a few opcodes changed: other names, other calls, other states, other strings."""
    chance = Generator(seed)
    pick = chance.pick
    opcodes = list(pick(honest))
    for _ in range(chance.random.randint(1, 3)):
        kinds = {"name": [i for i, code in enumerate(opcodes) if code[:1] == b"c"],
                 "text": [i for i, code in enumerate(opcodes) if code[:1] == b"X"],
                 "call": [i for i, code in enumerate(opcodes) if code[:1] in b"R\x81"],
                 "get": [i for i, code in enumerate(opcodes) if code[:1] in b"hj"],
                 "any": list(range(2, len(opcodes) - 1))}
        kind = pick([kind for kind in ("name", "name", "text", "call", "get", "any", "insert") if kinds.get(kind, [1])])
        at = pick(kinds.get(kind) or kinds["any"])
        if kind == "name":
            opcodes[at] = chance.any_name()
        elif kind == "text":
            opcodes[at] = chance.text()
        elif kind == "call":
            opcodes[at] = pick([b"R", b"\x81", b"b", chance.state(1) + b"b"])
        elif kind == "get":
            opcodes[at] = pick([opcodes[pick(kinds["get"])], chance.value(1)])
        elif kind == "insert":
            opcodes.insert(at, pick([chance.state(1) + b"b", chance.value(1) + b"0", chance.value(1) + b"a",
                                     chance.text() + chance.value(1) + b"s"]))
        else:
            opcodes[at] = pick([b"", opcodes[pick(kinds["any"])]])
    return b"".join(opcodes)


def pickles(seed, count):
    honest = [opcodes_of(data) for data in honest_pickles()]
    for i in range(count):
        yield mutated(honest, f"{seed}/{i}") if i % 3 == 2 else Generator(f"{seed}/{i}").pickle()


class Stopped(BaseException):
    """What a pickle was about to do is known, and must not happen."""


class Loader(pickle.Unpickler):
    """torch.load's, with storages that are empty."""

    def persistent_load(self, pid):
        import torch
        assert isinstance(pid, tuple) and pid[0] == "storage"
        dtype = torch.uint8 if pid[1] is torch.UntypedStorage else pid[1].dtype
        return torch.storage.TypedStorage(wrap_storage=torch.UntypedStorage(64), dtype=dtype)


def watch(data):
    """Loads the pickle in this process and returns the names of what it did beyond making values."""
    did = set()
    state = {"on": False}

    def audited(event, arguments):
        if not state["on"]:
            return
        if event == "pickle.find_class":
            listed = CLASSES + CALLED_CLASSES + FUNCTIONS + VALUES + HONEST_NAMES
            if (arguments[0], arguments[1]) not in listed:
                did.add(f"imports {arguments[0]}.{arguments[1]}")
        elif event == "import":
            did.add(f"imports {arguments[0]}")
        elif not HARMLESS_EVENTS.fullmatch(event):
            did.add(f"causes {event}")
            raise Stopped(event)

    def profiled(frame, event, argument):
        if event != "call":
            return
        code = frame.f_code
        where = code.co_filename.split("dist-packages/")[-1].split("lib/python3.11/")[-1].split("/tools/")[-1]
        called = f"{where} {code.co_qualname}"
        if not HARMLESS_PATTERN.fullmatch(called):
            did.add(f"calls {called}")

    sys.addaudithook(audited)
    try:
        sys.setprofile(profiled)
        state["on"] = True
        Loader(io.BytesIO(data)).load()
    except BaseException:
        pass
    finally:
        state["on"] = False
        sys.setprofile(None)
    return sorted(did)


HONEST_NAMES = []


def note_honest_names():
    for data in honest_pickles():
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name == "GLOBAL":
                module, name = argument.split(" ")
                HONEST_NAMES.append(({"__builtin__": "builtins", "copy_reg": "copyreg"}.get(module, module),
                                     {"long": "int", "unicode": "str", "xrange": "range"}.get(name, name)))
                HONEST_NAMES.append((module, name))
    HONEST_NAMES.extend([("torch.nn.modules.linear", "NonDynamicallyQuantizableLinear")])


def what_python_does(data):
    """In a child, which may crash."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(20)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        try:
            os.write(writing, json.dumps(watch(data)[:50]).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return [f"ends by signal {os.WTERMSIG(status)}"]
    return json.loads(answer) if answer else ["ends without an answer"]


def import_all():
    warnings.simplefilter("ignore")
    import numpy
    import numpy.core.numeric
    import omegaconf
    import torch
    import torch.jit._pickle
    import torch.optim.swa_utils
    import encodings.zlib_codec  # noqa: F401
    import decimal, fractions, pathlib, uuid, datetime, copy  # noqa: F401
    torch.set_num_threads(1)
    for module, _ in CLASSES + CALLED_CLASSES + FUNCTIONS + OTHERS:
        __import__(module)
    for data in honest_pickles():  # whatever is imported or compiled when it is first used
        try:
            Loader(io.BytesIO(data)).load()
        except Exception as error:
            print("cannot load an honest pickle:", error, file=sys.stderr)


def verdict_of(voxport, data):
    with tempfile.NamedTemporaryFile(suffix=".pkl") as file:
        file.write(data)
        file.flush()
        answer = subprocess.run([voxport, "inspect", "--scan", "--json", file.name], capture_output=True, text=True)
        return json.loads(answer.stdout)["verdict"] if answer.stdout else f"failed: {answer.stderr}"


def attack(voxport, seed, count):
    made = list(pickles(seed, count))
    results = [what_python_does(data) for data in made]
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda data: verdict_of(voxport, data), made))
    missed = [(i, did) for i, (did, verdict) in enumerate(zip(results, verdicts)) if did and verdict == "clean"]
    for index, did in missed:
        with open(os.path.join(tempfile.gettempdir(), f"missed-{seed}-{index}.pkl"), "wb") as file:
            file.write(made[index])
        print(f"clean, but number {index} of seed {seed}:", "; ".join(did)[:300])
    quiet = [verdict for did, verdict in zip(results, verdicts) if not did]
    print(f"{count} pickles of seed {seed}: Python did something in {count - len(quiet)}, of which {len(missed)} were called "
          f"clean; of the other {len(quiet)}, {quiet.count('clean')} were called clean")
    return 1 if missed else 0


def record(path, seed, count):
    """Half of them did something, and half did not."""
    acted, quiet = [], []
    for data in pickles(seed, 40 * count):
        if len(data) > 800:
            continue
        entry = {"pickle": data.hex(), "python": what_python_does(data)[:3]}
        (acted if entry["python"] else quiet).append(entry)
        if len(acted) >= count // 2:
            break
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(entry) for entry in acted + quiet[:count // 2]) + "\n]\n")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["attack", "record"])
    parser.add_argument("path", help="the program voxport, or the file to write")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400)
    arguments = parser.parse_args()
    import_all()
    note_honest_names()
    run = attack if arguments.what == "attack" else record
    sys.exit(run(arguments.path, arguments.seed, arguments.count))


if __name__ == "__main__":
    main()
