"""What is in a model file, and whether it is safe to load, without running any of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from typing import Any, Dict, List, Optional, Union

from ._library import Callbacks, CReport, InspectOptions, OnProgress, OnStage, ScanOptions, options, path_bytes

Path = Union[str, "PathLike[str]"]


def inspect(path: Path, *, stats: bool = False, model: Optional[str] = None, on_stage: Optional[OnStage] = None,
            on_progress: Optional[OnProgress] = None) -> Dict[str, Any]:
    """What a model file contains: the object that ``voxport inspect --json`` prints.

    ``stats`` reads all values and adds their ranges; ``model`` chooses one of several in a .pt2.

    >>> import voxport
    >>> found = voxport.inspect("linear.pt2")
    >>> [(tensor["name"], tensor["shape"]) for tensor in found["tensors"]]
    [('fc.weight', [5, 10]), ('fc.bias', [5])]
    """
    callbacks = Callbacks(on_stage, on_progress)
    given = options(InspectOptions, stats=stats, model=model, **callbacks.options)
    return json.loads(CReport("voxport_inspect", path_bytes(path), given, callbacks=callbacks).json)


@dataclass(frozen=True)
class ScanReport:
    """What loading a file in Python would run."""

    verdict: str  #: "clean", "suspicious" or "dangerous"
    findings: List[Dict[str, Any]]  #: what is named, called or given a state, the most dangerous first
    problems: List[str]  #: all else that is not clean, a sentence each
    data: Dict[str, Any]  #: all of it, as ``voxport inspect --scan --json`` prints it

    @property
    def clean(self) -> bool:
        """Whether everything in the file is known to be harmless."""
        return self.verdict == "clean"


def scan(path: Path, *, on_stage: Optional[OnStage] = None) -> ScanReport:
    """Whether a model file of any kind would be safe to load in Python. Nothing in it is called.

    >>> import voxport
    >>> voxport.scan("linear.pt2").clean
    True
    """
    callbacks = Callbacks(on_stage)
    given = options(ScanOptions, **callbacks.options)
    data = json.loads(CReport("voxport_scan", path_bytes(path), given, callbacks=callbacks).json)
    return ScanReport(data["verdict"], data["findings"], data["problems"], data)
