"""Bytes and lines that say how far their reading has come."""

from collections.abc import Sequence

import pyarrow as pa

from traces.progress import tell, teller

TOLD_BYTES = 10_000_000
"""Size of a file from which on its reading takes long enough to be told."""
LINES = 20_000
"""Lines after which it is told again how many are read."""


class _Counted:
    """A file of bytes in memory; pieces of it are given without a copy."""

    closed = False

    def __init__(self, data: bytes | pa.Buffer, name: str) -> None:
        self._data, self._name, self._at = memoryview(data), name, 0
        self._say = teller()  # it is read in a thread of its own

    def read(self, size: int = -1) -> memoryview:
        """The next `size` bytes."""
        total = len(self._data)
        if total >= TOLD_BYTES:
            step = f"Read {self._at / 1e6:,.0f} of {total / 1e6:,.0f} MB of {self._name}"
            self._say(self._at / total, step)
        piece = self._data[self._at :] if size < 0 else self._data[self._at : self._at + size]
        self._at += len(piece)
        return piece


def counted(data: bytes | pa.Buffer, name: str) -> pa.PythonFile:
    """`data`, a file called `name`, for Arrow to read."""
    return pa.PythonFile(_Counted(data, name), mode="r")


def tell_lines(offset: int, lines: Sequence[object], name: str) -> None:
    """Tell that the line at `offset` of a file is reached, now and then."""
    if offset % LINES == 0:
        tell(offset / max(len(lines), 1), f"Read {offset:,} of {len(lines):,} lines of {name}")
