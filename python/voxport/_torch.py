"""Modules of PyTorch, which is imported only if a module is exported."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any, Dict, List, Mapping, Tuple

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


def save_program(module: Any, example: Tuple[Any, ...], kwargs: Dict[str, Any], dynamic: Dynamic,
                 folder: Path) -> Tuple[Path, List[str]]:
    """Saves the module's program. Gives its file, and the specifications of inputs that the file does not record."""
    import torch

    if isinstance(module, torch.jit.ScriptModule):
        raise Error(Error.USAGE, "the module is TorchScript already; save() it, and export the file")
    if module.training:
        raise Error(Error.USAGE, "the module is in training mode; call its eval() first")
    if not example and not kwargs:
        raise Error(Error.USAGE, "a module is exported with an example of its inputs: export(module, out, (x,))")
    arguments = _arguments_of(module, example, kwargs)
    for name in dynamic:
        if name not in arguments:
            raise Error(Error.USAGE, f"there is no input {name!r} in the example; there are {', '.join(arguments)}",
                        "dynamic")
    if hasattr(getattr(torch, "export", None), "save"):
        return _save_exported(torch, module, example, kwargs, arguments, dynamic, folder / "model.pt2")
    return _save_traced(torch, module, example, kwargs, arguments, dynamic, folder / "model.pt")


def _arguments_of(module: Any, example: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """What forward() is called with, by the names of its parameters."""
    try:
        return dict(inspect.signature(module.forward).bind(*example, **kwargs).arguments)
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
    with torch.no_grad():
        torch.jit.save(torch.jit.trace(module, example), str(path))
    return path, [_specification(torch, name, value, dynamic.get(name, {})) for name, value in arguments.items()]


def _specification(torch: Any, name: str, value: Any, axes: Mapping[int, str]) -> str:
    """x:f32[batch,10], of a tensor [2, 10] whose first axis is dynamic."""
    if not isinstance(value, torch.Tensor):
        raise Error(Error.UNSUPPORTED, f"the input {name!r} is a {type(value).__name__}; a module that is traced takes "
                    "tensors")
    sizes = ",".join(str(axes.get(axis, size)) for axis, size in enumerate(value.shape))
    return f"{name}:{_TYPES[str(value.dtype)]}[{sizes}]"
