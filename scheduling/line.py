"""Jobs in a line, sorted: the queue and the running jobs of a policy that preempts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import allocating_kernel, inner_kernel


class Line(NamedTuple):
    """Jobs sorted by key and then by ticket, the order in which they joined."""

    key: NDArray[np.float64]
    ticket: NDArray[np.int64]
    job: NDArray[np.int64]


@allocating_kernel
def empty_line(room: int) -> Line:
    """A line with room for so many jobs."""
    return Line(np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64))


@inner_kernel
def join_line(line: Line, size: int, key: float, ticket: int, job: int) -> None:
    """Insert a job; its ticket is larger than any in the line, so it goes behind all equal keys."""
    at = np.searchsorted(line.key[:size], key, side="right")
    for i in range(size, at, -1):
        line.key[i], line.ticket[i], line.job[i] = line.key[i - 1], line.ticket[i - 1], line.job[i - 1]
    line.key[at], line.ticket[at], line.job[at] = key, ticket, job


@inner_kernel
def leave_line(line: Line, size: int, leaving: NDArray[np.bool_], first: int) -> int:
    """Remove the jobs at the positions ≥ ``first`` that are marked in ``leaving``, and unmark them; return
    the new size."""
    kept = first
    for i in range(first, size):
        if leaving[i]:
            leaving[i] = False
        else:
            line.key[kept], line.ticket[kept], line.job[kept] = line.key[i], line.ticket[i], line.job[i]
            kept += 1
    return kept
