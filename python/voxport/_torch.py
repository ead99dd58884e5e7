"""Modules of PyTorch, which is imported only if a module is exported."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ._errors import Error

#: The names of axes by input and number: {"x": {0: "batch"}}.
Dynamic = Mapping[str, Mapping[int, str]]

# What the element types are called in the specification of an input.
_TYPES = {
    "torch.float32": "f32", "torch.float16": "f16", "torch.bfloat16": "bf16", "torch.float64": "f64",
    "torch.int64": "i64", "torch.int32": "i32", "torch.int16": "i16", "torch.int8": "i8", "torch.uint8": "u8",
    "torch.bool": "bool"
}


def is_module(model: Any) -> bool:
    torch = sys.modules.get("torch")  # whoever has a module has imported it
    return torch is not None and isinstance(model, torch.nn.Module)


def save_program(module: Any, example: Sequence[Any], kwargs: Dict[str, Any], dynamic: Dynamic,
                 folder: Path) -> Tuple[Path, List[str]]:
    """Saves the module's program. Gives its file, and the specifications of inputs that the file does not record."""
    import torch

    if isinstance(module, torch.jit.ScriptModule):
        raise Error(Error.USAGE, "the module is TorchScript already; save() it, and export the file")
    if module.training:
        raise Error(Error.USAGE, "the module is in training mode; call its eval() first")
    if not isinstance(example, (tuple, list)) or not (example or kwargs):
        raise Error(Error.USAGE, "a module is exported with an example of its inputs: export(module, out, (x,))")
    example = tuple(example)
    bound = _bound(module, example, kwargs)
    arguments = dict(bound.arguments)
    for name in dynamic:
        if name not in arguments:
            raise Error(Error.USAGE, f"there is no input {name!r} in the example; there are {', '.join(arguments)}",
                        "dynamic")
    if hasattr(getattr(torch, "export", None), "save"):
        return _save_exported(torch, module, example, kwargs, arguments, dynamic, folder / "model.pt2")
    # Tracing knows no names: what is given by name takes its position, as far as it has one.
    return _save_traced(torch, module, bound.args, bound.kwargs, arguments, dynamic, folder / "model.pt")


def _bound(module: Any, example: Tuple[Any, ...], kwargs: Dict[str, Any]) -> inspect.BoundArguments:
    """What forward() is called with, by the names of its parameters."""
    try:
        return inspect.signature(module.forward).bind(*example, **kwargs)
    except TypeError as error:
        raise Error(Error.USAGE, f"the example does not fit forward(): {error}") from None


def _save_exported(torch: Any, module: Any, example: Tuple[Any, ...], kwargs: Dict[str, Any],
                   arguments: Dict[str, Any], dynamic: Dynamic, path: Path) -> Tuple[Path, List[str]]:
    sizes = {size: torch.export.Dim(size) for axes in dynamic.values() for size in axes.values()}
    shapes = {name: {axis: sizes[size] for axis, size in dynamic.get(name, {}).items()} or None for name in arguments}
    try:
        program = torch.export.export(module, example, kwargs or None, dynamic_shapes=shapes)
    except Exception:
        # PyTorch fixes some sizes that no operator depends on, such as the steps of an RNN. The program is saved with
        # the sizes of the example, and voxport finds which of them it depends on.
        program = torch.export.export(module, example, kwargs or None)
    torch.export.save(program, str(path))
    return path, []


def _save_traced(torch: Any, module: Any, example: Tuple[Any, ...], kwargs: Dict[str, Any], arguments: Dict[str, Any],
                 dynamic: Dynamic, path: Path) -> Tuple[Path, List[str]]:
    if kwargs:
        raise Error(Error.UNSUPPORTED, f"PyTorch {torch.__version__} traces with inputs by position only, not by name: "
                    f"{', '.join(kwargs)}")
    inputs = [_specification(torch, name, value, dynamic.get(name, {})) for name, value in arguments.items()]
    with torch.no_grad():
        torch.jit.save(torch.jit.trace(module, example), str(path))
    return path, inputs


def _specification(torch: Any, name: str, value: Any, axes: Mapping[int, str]) -> str:
    """x:f32[batch,10], of a tensor [2, 10] whose first axis is dynamic."""
    if not isinstance(value, torch.Tensor):
        raise Error(Error.UNSUPPORTED, f"the input {name!r} is a {type(value).__name__}; a module that is traced takes "
                    "tensors")
    if str(value.dtype) not in _TYPES:
        raise Error(Error.UNSUPPORTED, f"the input {name!r} is of type {value.dtype}, expected one of "
                    f"{', '.join(_TYPES)}")
    sizes = [str(size) for size in value.shape]
    for axis, size in axes.items():
        if not -len(sizes) <= axis < len(sizes):
            raise Error(Error.USAGE, f"there is no axis {axis} in {name!r}, whose example is {list(value.shape)}",
                        "dynamic")
        sizes[axis] = size
    return f"{name}:{_TYPES[str(value.dtype)]}[{','.join(sizes)}]"
