"""Whether the axes of an ONNX model are dynamic, and whether it gives what it should."""

from __future__ import annotations

import html
import json
import math
import tempfile
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import Error
from ._library import Callbacks, CheckOptions, CReport, OnProgress, OnStage, options, path_bytes
from ._safetensors import write_safetensors

_Path = Union[str, "PathLike[str]"]


@dataclass(frozen=True)
class Case:
    """Inputs of a model by name, and the outputs that it should give for them: NumPy arrays or PyTorch tensors."""

    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]


@dataclass(frozen=True)
class Axis:
    """A dynamic axis of the inputs, or one that is declared as a number."""

    name: str
    verdict: str  #: "dynamic", "limited", "fixed", "linked", "required", "could be dynamic"
    text: str  #: "dynamic, at least 17", "fixed at 7"
    places: List["tuple[str, int]"]  #: the inputs that have it, and which of their axes it is
    node: str  #: the node that fixes it, or requires its least size; else empty
    data: Dict[str, Any] = field(repr=False)  #: all that the report has

    @property
    def dynamic(self) -> bool:
        """Whether every size that was tried ran, by itself or together with another axis."""
        return self.verdict in ("dynamic", "linked")


@dataclass(frozen=True)
class CheckedOutput:
    """An output of a case, beside what it should have been."""

    case: str
    name: str
    good: bool
    largest: float  #: the largest absolute difference; infinite where there is no number
    problem: str  #: another shape or type, or why the case did not run; else empty


class CheckReport:
    """What a check found. True if it is good; in a notebook it shows the page that ``--html`` writes.

    >>> import voxport
    >>> report = voxport.check("baked-reshape.onnx")
    >>> bool(report)
    False
    >>> print(report.faults[0])
    batch_size is fixed at 2 by Reshape '/Reshape', its shape, the constant [2, 7, 3, 4]
    >>> report.axis("time").node
    '/Reshape'
    >>> report.require()
    Traceback (most recent call last):
    voxport.Error: 'baked-reshape.onnx' failed its check:
      batch_size is fixed at 2 by Reshape '/Reshape', its shape, the constant [2, 7, 3, 4]
      time is fixed at 7 by Reshape '/Reshape', its shape, the constant [2, 7, 3, 4]
    """

    def __init__(self, report: CReport) -> None:
        self.data: Dict[str, Any] = json.loads(report.json)  #: as ``voxport check --json`` prints it
        self.html: str = report.html  #: as ``voxport check --html`` writes it
        self.faults: List[str] = report.faults.splitlines()  #: what is wrong, with the node that fixes an axis
        self.axes: List[Axis] = [_axis_of(axis) for axis in self.data["axes"]]
        self.outputs: List[CheckedOutput] = [
            output for case in self.data["cases"] for output in _outputs_of(case)]  #: of all cases

    @property
    def good(self) -> bool:
        """Whether every axis is dynamic, every declared name is true and every comparison is within its tolerance."""
        return self.data["good"]

    def __bool__(self) -> bool:
        return self.good

    def axis(self, name: str) -> Axis:
        """The axis of that name, such as "time"; KeyError if there is none."""
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise KeyError(f"there is no axis {name!r}; there are {', '.join(axis.name for axis in self.axes)}")

    def require(self) -> "CheckReport":
        """Raises an Error that names the nodes if the report is not good."""
        if self.good:
            return self
        lines = "".join(f"\n  {fault}" for fault in self.faults)
        raise Error(Error.CHECK_FAILED, f"{self.data['path']!r} failed its check:{lines}")

    def __repr__(self) -> str:
        verdict = "PASS: all axes are dynamic" if self.good else f"FAIL: {'; '.join(self.faults)}"
        return f"<voxport.CheckReport of {self.data['path']!r}: {verdict}>"

    def _repr_html_(self) -> str:
        # In a frame of its own, so that neither page changes how the other looks.
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="" '
                'style="width: 100%; height: 36em; border: 1px solid #ccc"></iframe>')


def _axis_of(data: Dict[str, Any]) -> Axis:
    culprit = data.get("culprit") or data.get("needed_by") or {}
    places = [(place["input"], place["axis"]) for place in data["places"]]
    return Axis(data["name"], data["verdict"], data["text"], places, culprit.get("node", ""), data)


def _outputs_of(case: Dict[str, Any]) -> List[CheckedOutput]:
    if "error" in case:
        return [CheckedOutput(case["name"], "", False, math.inf, case["error"])]
    return [CheckedOutput(case["name"], output["name"], output["good"], _difference_of(output),
                          output.get("problem", ""))
            for output in case["outputs"]]


def _difference_of(output: Dict[str, Any]) -> float:
    largest = output.get("largest")
    return math.inf if largest is None else largest


def check(model: _Path, *, quick: bool = False, sizes: Sequence[int] = (),
          allow_multiple: bool = False, seconds: Optional[float] = None, inputs: Optional[Mapping[str, str]] = None,
          references: Union[_Path, Sequence[_Path]] = (), cases: Sequence[Case] = (),
          tolerance: Optional[float] = None, strict: bool = False, on_stage: Optional[OnStage] = None,
          on_progress: Optional[OnProgress] = None) -> CheckReport:
    """Runs an ONNX model, whichever exporter wrote it, at many sizes of each of its axes, and on all cases.

    ``cases`` are compared with what the model gives; ``references`` are files of cases (safetensors with tensors
    ``<case>/in/<name>`` and ``<case>/out/<name>``); ``tolerance`` is the largest absolute difference that is allowed,
    by default 1e-4. ``inputs`` says what to fill an input with: a number, or a range such as "0..9". ``strict`` raises
    an Error that names the nodes if the report is not good.

    The model runs in this process; ``voxport check`` on the command line gives it a process of its own, with limits.

    >>> import voxport
    >>> report = voxport.check("full.onnx")
    >>> [(axis.name, axis.text) for axis in report.axes if axis.dynamic]
    [('batch_size', 'dynamic'), ('sequence_length', 'dynamic')]
    """
    callbacks = Callbacks(on_stage, on_progress)
    with tempfile.TemporaryDirectory() as folder:
        files: List[_Path] = [references] if isinstance(references, (str, PathLike)) else list(references)
        if cases:
            files.append(_file_of_cases(Path(folder) / "cases.safetensors", cases))
        given = options(CheckOptions, quick=quick, sizes=list(sizes), allow_multiple=allow_multiple, seconds=seconds,
                        inputs=inputs, references=files, tolerance=tolerance, **callbacks.options)
        report = CheckReport(CReport("voxport_check", path_bytes(model), given, callbacks=callbacks))
    return report.require() if strict else report


def _file_of_cases(path: Path, cases: Sequence[Case]) -> Path:
    tensors = {}
    for number, case in enumerate(cases):
        for side, values in (("in", case.inputs), ("out", case.outputs)):
            tensors.update({f"case{number}/{side}/{name}": value for name, value in values.items()})
    write_safetensors(path, tensors)
    return path
