"""libvoxport.so.0: where it is found, and how it is called.

The classes here are the structs of voxport.h, with their names and members in its order.
"""

from __future__ import annotations

import ctypes
import functools
import operator
import os
import signal
import threading
from contextlib import contextmanager, nullcontext
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_float, c_int, c_int16, c_int64,
                    c_size_t, c_uint64, c_void_p)
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, List, Optional

from ._errors import Error

_NAME = "libvoxport.so.0"
_END = -1  # VOXPORT_END

OnStage = Callable[[str, str, float], Any]
OnProgress = Callable[[float], Any]


class _Strings(Structure):
    _fields_ = [("items", POINTER(c_char_p)), ("count", c_size_t)]


class _Pair(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class _Pairs(Structure):
    _fields_ = [("items", POINTER(_Pair)), ("count", c_size_t)]


class _Sizes(Structure):
    _fields_ = [("items", POINTER(c_int64)), ("count", c_size_t)]


_CStage = CFUNCTYPE(None, c_char_p, c_char_p, c_double, c_void_p)
_CProgress = CFUNCTYPE(None, c_double, c_void_p)


class ExportOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("architecture", c_char_p), ("configs", _Strings),
                ("hyper_parameters", _Pairs), ("opset", c_int), ("plain", c_int), ("share_weights", c_int),
                ("target", c_char_p), ("no_check", c_int), ("noise_input", c_int), ("cut_after_flow", c_int),
                ("batch_scales", c_int), ("d_vector_input", c_int), ("own_energy_control", c_int),
                ("silent_padding", c_int), ("duration_control", c_int), ("vocoder", c_char_p),
                ("vocoder_configs", _Strings), ("inputs", _Strings), ("dynamic", _Strings),
                ("input_names", _Strings), ("output_names", _Strings), ("model", c_char_p), ("allow_fixed", c_int),
                ("method", c_char_p), ("on_stage", _CStage), ("user", c_void_p)]


class CheckOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("quick", c_int), ("sizes", _Sizes), ("allow_multiple", c_int),
                ("seconds", POINTER(c_double)), ("inputs", _Pairs), ("references", _Strings),
                ("tolerance", POINTER(c_double)), ("on_stage", _CStage), ("on_progress", _CProgress),
                ("user", c_void_p)]


class InspectOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("stats", c_int), ("model", c_char_p), ("on_stage", _CStage),
                ("on_progress", _CProgress), ("user", c_void_p)]


class ScanOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("on_stage", _CStage), ("user", c_void_p)]


class VoiceOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int), ("decoder", c_int), ("espeak", c_char_p),
                ("romaniser", c_char_p), ("expects_no_text", c_int), ("cache", c_char_p), ("max_memory", c_uint64),
                ("on_stage", _CStage), ("user", c_void_p), ("config", c_char_p)]


class SayOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("input", c_int), ("speaker", c_char_p), ("language", c_char_p),
                ("length_scale", POINTER(c_double)), ("noise_scale", POINTER(c_double)),
                ("noise_w", POINTER(c_double)), ("pitch", POINTER(c_double)), ("energy", POINTER(c_double)),
                ("seed", c_uint64), ("chunk_frames", c_int64), ("one_shot", c_int), ("sentence_silence", c_double),
                ("whole", c_int)]


class CPhoneme(Structure):
    _fields_ = [("symbol", c_char_p), ("start", c_double), ("end", c_double)]


class CPiece(Structure):
    _fields_ = [("struct_size", c_size_t), ("samples", POINTER(c_float)), ("num_samples", c_size_t),
                ("is_last", c_int), ("text", c_char_p), ("start", c_double), ("end", c_double),
                ("phonemes", POINTER(CPhoneme)), ("num_phonemes", c_size_t)]


class GraphOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int), ("seconds", c_double)]


class CTensor(Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_char_p), ("shape", POINTER(c_int64)), ("rank", c_size_t),
                ("data", c_void_p), ("num_bytes", c_size_t)]


# Each function's result and arguments. Those that can fail return c_int and end in an error.
_ERROR = POINTER(c_void_p)
_FUNCTIONS = {
    "voxport_version": (c_char_p, []),
    "voxport_error_text": (c_char_p, [c_void_p]),
    "voxport_error_option": (c_char_p, [c_void_p]),
    "voxport_error_free": (None, [c_void_p]),
    "voxport_report_json": (c_char_p, [c_void_p]),
    "voxport_report_html": (c_char_p, [c_void_p]),
    "voxport_report_code": (c_int, [c_void_p]),
    "voxport_report_faults": (c_char_p, [c_void_p]),
    "voxport_report_free": (None, [c_void_p]),
    "voxport_export": (c_int, [c_char_p, c_char_p, POINTER(ExportOptions), POINTER(c_void_p), _ERROR]),
    "voxport_check": (c_int, [c_char_p, POINTER(CheckOptions), POINTER(c_void_p), _ERROR]),
    "voxport_inspect": (c_int, [c_char_p, POINTER(InspectOptions), POINTER(c_void_p), _ERROR]),
    "voxport_scan": (c_int, [c_char_p, POINTER(ScanOptions), POINTER(c_void_p), _ERROR]),
    "voxport_graph_open": (c_int, [c_char_p, POINTER(GraphOptions), POINTER(c_void_p), _ERROR]),
    "voxport_graph_json": (c_char_p, [c_void_p]),
    "voxport_graph_run": (c_int, [c_void_p, POINTER(CTensor), c_size_t, POINTER(c_void_p), _ERROR]),
    "voxport_graph_close": (None, [c_void_p]),
    "voxport_tensors_count": (c_size_t, [c_void_p]),
    "voxport_tensors_items": (POINTER(CTensor), [c_void_p]),
    "voxport_tensors_free": (None, [c_void_p]),
    "voxport_voice_open": (c_int, [c_char_p, POINTER(VoiceOptions), POINTER(c_void_p), _ERROR]),
    "voxport_voice_json": (c_char_p, [c_void_p]),
    "voxport_voice_close": (None, [c_void_p]),
    "voxport_say": (c_int, [c_void_p, c_char_p, POINTER(SayOptions), POINTER(c_void_p), _ERROR]),
    "voxport_say_ids": (c_int, [c_void_p, POINTER(c_int64), c_size_t, POINTER(SayOptions), POINTER(c_void_p), _ERROR]),
    "voxport_stream_next": (c_int, [c_void_p, POINTER(CPiece), _ERROR]),
    "voxport_stream_notes": (c_char_p, [c_void_p]),
    "voxport_stream_cancel": (None, [c_void_p]),
    "voxport_stream_close": (None, [c_void_p]),
    "voxport_to_pcm16": (None, [POINTER(c_float), c_size_t, POINTER(c_int16)]),
}


def _candidates() -> Iterable[str]:
    """Where the library may be: as it was chosen, beside this module, in the build tree, or on the system."""
    chosen = os.environ.get("VOXPORT_LIBRARY")
    if chosen:
        return [chosen]
    here = Path(__file__).resolve().parent
    beside = [folder / _NAME for folder in (here, *list(here.parents)[:3])]  # PREFIX/lib/python3/dist-packages/voxport
    built = here.parents[1] / "build" / "release" / _NAME
    return [str(path) for path in (*beside, built) if path.exists()] + [_NAME]


def _load() -> ctypes.CDLL:
    troubles = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            troubles.append(f"\n  {path}: {error}")
    raise Error(Error.UNSUPPORTED, "cannot load voxport's library; VOXPORT_LIBRARY may name it" + "".join(troubles))


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded when it is first asked for."""
    loaded = _load()
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            raise Error(Error.UNSUPPORTED, f"{loaded._name} has no {name}(); it is older than this module") from None
        function.restype = result
        function.argtypes = arguments
    return loaded


def call(name: str, *arguments: Any) -> int:
    """Calls a function that can fail; what it fails with is raised."""
    error = c_void_p()
    code: int = getattr(library(), name)(*arguments, byref(error))
    if code in (0, _END):
        return code
    text = library().voxport_error_text(error).decode()
    option = library().voxport_error_option(error).decode()
    library().voxport_error_free(error)
    raise Error(code, text, option)


def path_bytes(path: Any) -> bytes:
    return _terminated("the path", os.fsencode(path))


def text_bytes(name: str, text: Any) -> bytes:
    """Text as C has it; `name` is what messages call it."""
    if not isinstance(text, str):
        raise Error(Error.USAGE, f"{name} is of type {type(text).__name__}, expected str", name)
    try:
        return _terminated(name, text.encode())
    except UnicodeEncodeError as error:
        raise Error(Error.USAGE, f"{name} has half of a surrogate pair at character {error.start}, expected text",
                    name) from None


def _terminated(name: str, value: bytes) -> bytes:
    """C reads up to the first zero byte."""
    if b"\0" in value:
        raise Error(Error.USAGE, f"{name} has a zero byte at {value.index(0)}, expected none")
    return value


def _bytes_of(name: str, value: Any) -> bytes:
    if isinstance(value, bytes) or hasattr(value, "__fspath__"):
        return path_bytes(value)
    return text_bytes(name, str(value))


def _number_of(name: str, kind: Any, value: Any) -> Any:
    """An integer of C. ctypes would cut off what does not fit."""
    number = operator.index(value)
    made = kind(number)
    if made.value != number:
        raise Error(Error.USAGE, f"{name} is {number}, which is out of range", name)
    return made


def numbers_of(name: str, values: Iterable[Any]) -> Any:
    """An array of C."""
    numbers = [_number_of(name, c_int64, value) for value in values]
    return (c_int64 * len(numbers))(*numbers)


def _list_of(kind: Any, items: List[Any]) -> Any:
    """One of the structs of a list."""
    element = kind._fields_[0][1]._type_
    array = (element * len(items))(*items)
    return kind(ctypes.cast(array, POINTER(element)), len(items))


def _value_of(name: str, kind: Any, value: Any) -> Any:
    """What a member of that name and type is set to."""
    if kind is c_char_p:
        return _bytes_of(name, value)
    if kind is _Strings:
        items = [value] if isinstance(value, (str, os.PathLike)) else value
        return _list_of(kind, [_bytes_of(name, item) for item in items])
    if kind is _Pairs:
        return _list_of(kind, [_Pair(_bytes_of(name, key), _bytes_of(name, text)) for key, text in value.items()])
    if kind is _Sizes:
        return _list_of(kind, list(numbers_of(name, value)))
    if kind == POINTER(c_double):
        return ctypes.pointer(c_double(value))
    return _number_of(name, kind, value) if kind in (c_int, c_int64, c_uint64) else kind(value)


def options(kind: Any, **values: Any) -> Any:
    """A struct of options. None is the default."""
    made = kind(struct_size=ctypes.sizeof(kind))
    kinds = dict(kind._fields_)
    made.kept = [(name, _value_of(name, kinds[name], value)) for name, value in values.items() if value is not None]
    for name, value in made.kept:  # which live as long as the struct that points to them
        setattr(made, name, value)
    return made


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Ctrl-C takes effect at the end: raised where C has just called a function of Python, it would be lost."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    kept: List[Any] = []
    signal.signal(signal.SIGINT, lambda *interrupt: kept.append(interrupt))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if kept:
            handler(*kept[0])


class Callbacks:
    """Functions of Python that C calls. What they raise is kept, and raised again when the call is over."""

    def __init__(self, on_stage: Optional[OnStage] = None, on_progress: Optional[OnProgress] = None) -> None:
        self._raised: Optional[BaseException] = None
        self.options = {}
        if on_stage is not None:
            stage = on_stage
            self.options["on_stage"] = _CStage(self._kept(
                lambda name, detail, seconds, user: stage(name.decode(), detail.decode(), seconds)))
        if on_progress is not None:
            progress = on_progress
            self.options["on_progress"] = _CProgress(self._kept(lambda done, user: progress(done)))

    def _kept(self, function: Callable[..., Any]) -> Callable[..., None]:
        def called(*arguments: Any) -> None:
            if self._raised is not None:
                return
            try:
                function(*arguments)
            except BaseException as error:  # C cannot be left by an exception
                self._raised = error
        return called

    @contextmanager
    def called(self) -> Iterator[None]:
        """While C may call them. What was raised comes before what C failed with."""
        try:
            with _interrupts_kept() if self.options else nullcontext():
                yield
        except Error:
            self._raise_what_was_raised()
            raise
        self._raise_what_was_raised()

    def _raise_what_was_raised(self) -> None:
        if self._raised is not None:
            raise self._raised


class CReport:
    """A report of C, while it is copied."""

    def __init__(self, name: str, *arguments: Any, callbacks: Callbacks) -> None:
        self._handle = c_void_p()
        try:
            with callbacks.called():
                call(name, *arguments, byref(self._handle))
            self.json: str = library().voxport_report_json(self._handle).decode()
            self.html: str = library().voxport_report_html(self._handle).decode()
            self.faults: str = library().voxport_report_faults(self._handle).decode()
        finally:
            library().voxport_report_free(self._handle)
