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

    Threads may use, cancel and close it at the same time: it is not given back while it is used.
    """

    def __init__(self, owner: Any, handle: c_void_p, close: str, cancel: Optional[str] = None) -> None:
        self._handle = handle
        self._close, self._cancel = close, cancel
        self._process = os.getpid()
        self._alone = threading.Lock()
        self._lives = threading.Condition(threading.RLock())
        self._users = 0
        self._finalizer = weakref.finalize(owner, self._give_back)

    @property
    def is_closed(self) -> bool:
        return not self._finalizer.alive

    @contextmanager
    def shared(self) -> Iterator[Optional[c_void_p]]:
        """The handle, which others may use as well; None if it is closed."""
        if os.getpid() != self._process:
            raise Error(Error.USAGE, "the process was forked, and its threads are not there; open the model anew")
        with self._lives:
            is_closed = self.is_closed
            self._users += 1
        try:
            yield None if is_closed else self._handle
        finally:
            with self._lives:
                self._users -= 1
                self._lives.notify_all()

    @contextmanager
    def used(self) -> Iterator[Optional[c_void_p]]:
        """The same, while nobody else has it."""
        with self.shared() as handle, self._alone:
            yield handle

    def cancel(self) -> None:
        with self._lives:
            if self._cancel and not self.is_closed and os.getpid() == self._process:
                getattr(library(), self._cancel)(self._handle)

    def close(self) -> None:
        self._finalizer()

    def _give_back(self) -> None:
        if os.getpid() != self._process:  # it is the parent's, and would wait for threads that are not here
            return
        with self._lives:
            if self._cancel:
                getattr(library(), self._cancel)(self._handle)
            while self._users:
                self._lives.wait()
            getattr(library(), self._close)(self._handle)
