"""A trained model becomes ONNX."""

from __future__ import annotations

import json
import tempfile
import warnings
from dataclasses import dataclass, field
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import Error
from ._library import Callbacks, CReport, ExportOptions, OnStage, options, path_bytes
from ._torch import Dynamic, is_module, save_program

_DURATION_CONTROLS = ("best", "truncated", "rounded")
Paths = Sequence[Union[str, "PathLike[str]"]]


@dataclass(frozen=True)
class ExportReport:
    """What was written."""

    architecture: str  #: "VITS (Piper)", or what saved the program
    opset: int
    files: List[Path]
    inputs: List[str]  #: of a program: "x: float32[batch, 10]"
    outputs: List[str]
    checks: List[str]  #: what was proved before the files appeared
    notes: List[str]  #: what was decided for the caller
    data: Dict[str, Any] = field(repr=False)  #: all of it, as ``voxport export --json`` prints it


def export(model: Any, out: Union[str, "PathLike[str]"], example: Sequence[Any] = (), *,
           kwargs: Optional[Mapping[str, Any]] = None, dynamic: Optional[Dynamic] = None,
           inputs: Sequence[str] = (), input_names: Sequence[str] = (), output_names: Sequence[str] = (),
           allow_fixed: bool = False, program: Optional[str] = None, method: Optional[str] = None,
           architecture: Optional[str] = None, configs: Paths = (),
           hyper_parameters: Optional[Mapping[str, Any]] = None, opset: int = 0, plain: bool = False,
           share_weights: bool = False, target: Optional[str] = None, check: bool = True, noise_input: bool = False,
           cut_after_flow: bool = False, batch_scales: bool = False, d_vector_input: bool = False,
           own_energy_control: bool = False, silent_padding: bool = False, duration_control: str = "best",
           vocoder: Optional[Union[str, "PathLike[str]"]] = None, vocoder_configs: Paths = (),
           on_stage: Optional[OnStage] = None) -> ExportReport:
    """Converts a model to ONNX: a checkpoint or a program in a file, or a ``torch.nn.Module``.

    ``out`` is a folder, or a file that ends in .onnx. The files appear when all of them are complete and checked.

    >>> import voxport
    >>> report = voxport.export("rnn.pt2", "rnn.onnx", dynamic={"x": {0: "batch", 1: "time"}}, output_names=["y"])
    >>> report.outputs
    ['y: float32[batch, time, 4]']

    ``dynamic`` names axes of inputs; a name stands for the same size wherever it is. If an operator fixes such an axis,
    the export fails and names it, unless ``allow_fixed``:

    >>> voxport.export("rnn.pt2", "rnn.onnx", dynamic={"x": {2: "features"}})
    Traceback (most recent call last):
    voxport.Error: the program fixes axes that were declared dynamic:
      features is fixed at 8 by aten.rnn_tanh.input in rnn at rnn.py:716, in forward
      while exporting 'rnn.pt2'

    A module needs an ``example`` of its inputs, and ``kwargs`` where it has such; it must be in eval mode. Its program
    is saved by ``torch.export`` or, on PyTorch before 2.1, by tracing. Axes that ``dynamic`` does not name keep the
    sizes of the example.

    The other options are those of ``voxport export`` on the command line: ``configs`` is ``--config``,
    ``hyper_parameters`` ``--set``, ``program`` ``--model``, ``target`` ``--for``, and ``check`` the opposite of
    ``--no-check``. What may be wrong with the model itself is a warning of Python.
    """
    if duration_control not in _DURATION_CONTROLS:
        raise Error(Error.USAGE, f"duration_control is {duration_control!r}, expected one of "
                    f"{', '.join(_DURATION_CONTROLS)}", "duration_control")
    callbacks = Callbacks(on_stage)

    def export_file(path: Union[str, "PathLike[str]"], dynamic: Dynamic, inputs: Sequence[str]) -> Dict[str, Any]:
        given = options(
            ExportOptions, architecture=architecture, configs=configs, hyper_parameters=hyper_parameters, opset=opset,
            plain=plain, share_weights=share_weights, target=target, no_check=not check, noise_input=noise_input,
            cut_after_flow=cut_after_flow, batch_scales=batch_scales, d_vector_input=d_vector_input,
            own_energy_control=own_energy_control, silent_padding=silent_padding,
            duration_control=_DURATION_CONTROLS.index(duration_control), vocoder=vocoder,
            vocoder_configs=vocoder_configs, inputs=inputs, dynamic=_specifications(dynamic),
            input_names=input_names, output_names=output_names, model=program, allow_fixed=allow_fixed, method=method,
            **callbacks.options)
        report = CReport("voxport_export", path_bytes(path), path_bytes(out), given, callbacks=callbacks)
        return json.loads(report.json)

    dynamic = _checked(dynamic or {})
    if is_module(model):
        data = _export_module(model, example, dict(kwargs or {}), dynamic, inputs, export_file)
    elif len(example) or kwargs:
        raise Error(Error.USAGE, "an example of inputs belongs to a torch.nn.Module; this model is a file")
    else:
        data = export_file(fspath(model), dynamic, inputs)
    for warning in data["warnings"]:
        warnings.warn(warning, stacklevel=2)
    return ExportReport(data["architecture"], data["opset"], [Path(file["path"]) for file in data["files"]],
                        data.get("inputs", []), data.get("outputs", []), data["checks"], data["notes"], data)


def _checked(dynamic: Dynamic) -> Dynamic:
    """The same with numbers and names of Python."""
    try:
        return {name: {index(axis): _size_name(size) for axis, size in axes.items()} for name, axes in dynamic.items()}
    except (AttributeError, TypeError):
        raise Error(Error.USAGE, f"dynamic is {dynamic!r}, expected names by input and number of its axis, as in "
                    "{'x': {0: 'batch'}}", "dynamic") from None


def _size_name(size: Any) -> str:
    if not isinstance(size, str) or "," in size or size.strip().isdigit():
        raise Error(Error.USAGE, f"an axis is called {size!r}, expected a name such as 'batch'", "dynamic")
    return size


def _export_module(module: Any, example: Sequence[Any], kwargs: Dict[str, Any], dynamic: Dynamic,
                   inputs: Sequence[str], export_file: Callable[..., Dict[str, Any]]) -> Dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path, recorded = save_program(module, example, kwargs, dynamic, Path(folder))
        try:
            if recorded and not inputs:  # what describes the inputs names their axes
                return export_file(path, {}, recorded)
            return export_file(path, dynamic, inputs)
        except Error as error:
            text = str(error).replace(f"'{path}'", f"the module {type(module).__name__}")
            raise Error(error.code, text, error.option) from None


def _specifications(dynamic: Dynamic) -> List[str]:
    """{"x": {0: "batch"}} as the library takes it: ["x:0=batch"]."""
    return [f"{name}:" + ",".join(f"{axis}={size}" for axis, size in axes.items()) for name, axes in dynamic.items()
            if axes]
