"""What goes wrong."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """A failure, in the words of the command line.

    ``code`` is what the command line would exit with: 1 where an axis that was declared dynamic is fixed, 2 for wrong
    usage, 3 for a file that cannot be read, is corrupt or does not fit the others, 4 for a file that is unsupported or
    needs more time or memory than there is, 6 for a file that cannot be written, 70 for a bug in voxport. ``option``
    is the name of the option that the message is about, or empty.

    >>> import voxport
    >>> try:
    ...     voxport.inspect("nothing.onnx")
    ... except voxport.Error as error:
    ...     print(error.code, error)
    3 cannot open 'nothing.onnx': No such file or directory
    """

    CHECK_FAILED = 1
    USAGE = 2
    UNREADABLE = 3
    UNSUPPORTED = 4
    UNWRITABLE = 6
    INTERNAL = 70

    def __init__(self, code: int, text: str, option: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.option = option

    def __reduce__(self) -> "tuple[Any, ...]":
        return type(self), (self.code, str(self), self.option)  # on its way to another process


Error.__module__ = "voxport"  # as callers know it
