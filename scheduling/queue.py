"""The jobs that wait, in the order in which they are to start.

There are three kinds of queue, of which the cheapest that serves is used: a range of positions where jobs
start in the order in which they arrive, a heap where only the head is ever looked at, and *lanes* (one, or
one per user), which can also be walked from the head to the end.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import allocating_kernel, inner_kernel, part_of_kernel
from scheduling.heap import Heap, pop, push

IN_ORDER, BY_KEY, IN_LANES = 0, 1, 2


class Lanes(NamedTuple):
    """Waiting jobs in lanes, each a list of jobs by key, then by index.

    ``first[lane]``, ``last[lane]``, and of each job its ``lane``, the ``next`` one and the one ``before``; −1
    where there is none. Lanes are in order of ``weight[lane]``, ties by first job.
    """

    lane: NDArray[np.int64]
    next: NDArray[np.int64]
    before: NDArray[np.int64]
    key: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    weight: NDArray[np.float64]


@allocating_kernel
def empty_lanes(kind: int, lane: NDArray[np.int64]) -> Lanes:
    """Room for jobs of these lanes; none if the queue is of another kind."""
    jobs = lane.size if kind == IN_LANES else 0
    lanes = lane.max() + 1 if jobs > 0 else 0
    return Lanes(
        lane,
        np.full(jobs, -1, np.int64),
        np.full(jobs, -1, np.int64),
        np.empty(jobs),
        np.full(lanes, -1, np.int64),
        np.full(lanes, -1, np.int64),
        np.zeros(lanes),
    )


@inner_kernel
def _insert(lanes: Lanes, key: float, job: int) -> None:
    """Put a job, whose index is above all in its lane, behind all jobs of its lane with at most its key."""
    lane, follower = lanes.lane[job], -1
    lanes.key[job] = key
    ahead = lanes.last[lane]
    while ahead >= 0 and lanes.key[ahead] > key:
        follower, ahead = ahead, lanes.before[ahead]
    lanes.before[job], lanes.next[job] = ahead, follower
    if ahead < 0:
        lanes.first[lane] = job
    else:
        lanes.next[ahead] = job
    if follower < 0:
        lanes.last[lane] = job
    else:
        lanes.before[follower] = job


@inner_kernel
def leave_lane(lanes: Lanes, job: int) -> None:
    """Take a job out of its lane."""
    lane, ahead, follower = lanes.lane[job], lanes.before[job], lanes.next[job]
    if ahead < 0:
        lanes.first[lane] = follower
    else:
        lanes.next[ahead] = follower
    if follower < 0:
        lanes.last[lane] = ahead
    else:
        lanes.before[follower] = ahead


@inner_kernel
def _lightest(lanes: Lanes) -> int:
    """The first job of the lane that goes first; a lane must have one."""
    best = -1
    for lane in range(lanes.first.size):
        job = lanes.first[lane]
        if job >= 0:
            own, least = lanes.weight[lane], np.inf if best < 0 else lanes.weight[lanes.lane[best]]
            if best < 0 or own < least or (own == least and job < best):
                best = job
    return best


@part_of_kernel
def join(kind: int, heap: Heap, lanes: Lanes, waiting: int, key: float, job: int) -> None:
    """Let the job that arrived last wait in the queue of this ``kind``; ``waiting`` jobs do before it."""
    if kind == BY_KEY:
        push(heap, waiting, key, job)
    elif kind == IN_LANES:
        _insert(lanes, key, job)


@part_of_kernel
def head_of(kind: int, heap: Heap, lanes: Lanes, arrived: int, waiting: int) -> int:
    """The job that is to start next; one must be waiting, of the ``arrived`` so far."""
    if kind == IN_ORDER:
        return arrived - waiting
    if kind == BY_KEY:
        return int(heap.items[0])
    return _lightest(lanes)


@part_of_kernel
def leave(kind: int, heap: Heap, lanes: Lanes, waiting: int, job: int) -> None:
    """Take a job out, which unless the queue is in lanes must be the head; ``waiting`` jobs wait with it."""
    if kind == BY_KEY:
        pop(heap, waiting)
    elif kind == IN_LANES:
        leave_lane(lanes, job)


@allocating_kernel
def lanes_in_order(lanes: Lanes) -> NDArray[np.int64]:
    """The lanes in which jobs wait, the one that goes first first."""
    starts = np.flatnonzero(lanes.first >= 0)
    for at in range(1, starts.size):  # by weight, then by first job; there are few lanes
        lane, i = starts[at], at
        while i > 0 and _goes_after(lanes, starts[i - 1], lane):
            starts[i] = starts[i - 1]
            i -= 1
        starts[i] = lane
    return starts


@inner_kernel
def _goes_after(lanes: Lanes, one: int, other: int) -> bool:
    """Whether lane ``one`` goes after lane ``other``."""
    if lanes.weight[one] != lanes.weight[other]:
        return bool(lanes.weight[one] > lanes.weight[other])
    return bool(lanes.first[one] > lanes.first[other])
