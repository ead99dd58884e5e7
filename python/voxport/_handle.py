"""What belongs to C, and is given back once."""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import contextmanager
from ctypes import c_void_p
from typing import Any, Iterator, Optional

from ._errors import Error
from ._library import library


class Handle:
    """A handle of C. It is given back when it is closed, or when its owner is gone, whichever comes first.

    Threads may use, cancel and close it at the same time: only one uses it, and it is not given back meanwhile.
    """

    def __init__(self, owner: Any, handle: c_void_p, close: str, cancel: Optional[str] = None) -> None:
        self._handle = handle
        self._close, self._cancel = close, cancel
        self._process = os.getpid()
        self._in_use = threading.Lock()
        self._lives = threading.RLock()  # what is called with it holds this, or _in_use
        self._finalizer = weakref.finalize(owner, self._give_back)

    @property
    def is_closed(self) -> bool:
        return not self._finalizer.alive

    @contextmanager
    def used(self) -> Iterator[Optional[c_void_p]]:
        """The handle, while nobody else uses it; None if it is closed."""
        if os.getpid() != self._process:
            raise Error(Error.USAGE, "the process was forked, and its threads are not there; open the voice anew")
        with self._in_use:
            yield None if self.is_closed else self._handle

    def cancel(self) -> None:
        with self._lives:
            if self._cancel and not self.is_closed and os.getpid() == self._process:
                getattr(library(), self._cancel)(self._handle)

    def close(self) -> None:
        self._finalizer()

    def _give_back(self) -> None:
        if os.getpid() != self._process:  # it is the parent's, and would wait for threads that are not here
            return
        if self._cancel:
            with self._lives:
                getattr(library(), self._cancel)(self._handle)
        with self._in_use, self._lives:
            getattr(library(), self._close)(self._handle)
