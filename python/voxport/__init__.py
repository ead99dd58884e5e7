"""PyTorch speech models to ONNX with dynamic axes, proofs that they are dynamic, and voices.

>>> import voxport
>>> report = voxport.export("linear.pt2", "linear.onnx", dynamic={"x": {0: "batch"}})
>>> report.inputs
['x: float32[batch, 10]']
>>> voxport.check("linear.onnx").good
True

Everything is done by the C++ library behind the program ``voxport``, in this process. Ctrl-C takes effect when the call
that is under way is over. Functions may be called on any thread, and other threads run meanwhile.

``VOXPORT_LIBRARY`` names the library to use; else it is looked for beside this module, in the build tree, and on the
system. When it is loaded, it sets ``ORT_DISABLE_TELEMETRY=1`` for this process, so that ONNX Runtime sends nothing.
"""

from __future__ import annotations

from . import _library
from ._check import Axis, Case, CheckedOutput, CheckReport, check
from ._errors import Error
from ._export import ExportReport, export
from ._graph import Graph, Port
from ._inspect import ScanReport, inspect, scan
from ._voice import Phoneme, Piece, Stream, Voice

__all__ = [
    "Axis", "Case", "CheckReport", "CheckedOutput", "Error", "ExportReport", "Graph", "Phoneme", "Piece", "Port",
    "ScanReport", "Stream", "Voice", "check", "export", "inspect", "scan", "version"
]


def version() -> str:
    """The version of the library.

    >>> import voxport
    >>> voxport.version().count(".")
    2
    """
    return _library.library().voxport_version().decode()
