"""The jobs that wait, in the order in which they are to start.

There are three kinds of queue, of which the cheapest that serves is used: a range of positions where jobs
start in the order in which they arrive, a heap where only the head is ever looked at, and *lanes* (one, or
one per user), which can also be walked from the head to the end.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import kernel, part_of_kernel
from scheduling.heap import Heap, empty_heap, pop, push

IN_ORDER, BY_KEY, IN_LANES = 0, 1, 2


class Queue(NamedTuple):
    """Waiting jobs; ``kind`` says which of the other fields hold them.

    A lane is a list of jobs by key, then by index: ``first[lane]``, ``last[lane]``, and of each job its lane,
    the ``next`` one and the one before; −1 where there is none. Lanes are in order of ``weight[lane]``, ties
    by first job.
    """

    kind: int
    heap: Heap
    lane: NDArray[np.int64]
    next: NDArray[np.int64]
    before: NDArray[np.int64]
    key: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    weight: NDArray[np.float64]


@kernel
def empty_queue(kind: int, lane: NDArray[np.int64]) -> Queue:
    """A queue of this kind for jobs of these lanes."""
    jobs = lane.size
    in_lanes = jobs if kind == IN_LANES else 0
    lanes = lane.max() + 1 if in_lanes > 0 else 0
    return Queue(
        kind,
        empty_heap(jobs if kind == BY_KEY else 0),
        lane,
        np.full(in_lanes, -1, np.int64),
        np.full(in_lanes, -1, np.int64),
        np.empty(in_lanes),
        np.full(lanes, -1, np.int64),
        np.full(lanes, -1, np.int64),
        np.zeros(lanes),
    )


@kernel
def _insert(queue: Queue, key: float, job: int) -> None:
    """Put a job, whose index is above all in its lane, behind all jobs of its lane with at most its key."""
    lane, follower = queue.lane[job], -1
    queue.key[job] = key
    ahead = queue.last[lane]
    while ahead >= 0 and queue.key[ahead] > key:
        follower, ahead = ahead, queue.before[ahead]
    queue.before[job], queue.next[job] = ahead, follower
    if ahead < 0:
        queue.first[lane] = job
    else:
        queue.next[ahead] = job
    if follower < 0:
        queue.last[lane] = job
    else:
        queue.before[follower] = job


@kernel
def _remove(queue: Queue, job: int) -> None:
    lane, ahead, follower = queue.lane[job], queue.before[job], queue.next[job]
    if ahead < 0:
        queue.first[lane] = follower
    else:
        queue.next[ahead] = follower
    if follower < 0:
        queue.last[lane] = ahead
    else:
        queue.before[follower] = ahead


@kernel
def _lightest(queue: Queue) -> int:
    """The first job of the lane that goes first; a lane must have one."""
    best = -1
    for lane in range(queue.first.size):
        job = queue.first[lane]
        if job >= 0:
            own, least = queue.weight[lane], np.inf if best < 0 else queue.weight[queue.lane[best]]
            if best < 0 or own < least or (own == least and job < best):
                best = job
    return best


@part_of_kernel
def join(queue: Queue, waiting: int, key: float, job: int) -> None:
    """Let the job that arrived last wait; ``waiting`` jobs do before it."""
    if queue.kind == BY_KEY:
        push(queue.heap, waiting, key, job)
    elif queue.kind == IN_LANES:
        _insert(queue, key, job)


@part_of_kernel
def head_of(queue: Queue, arrived: int, waiting: int) -> int:
    """The job that is to start next; one must be waiting, of the ``arrived`` so far."""
    if queue.kind == IN_ORDER:
        return arrived - waiting
    if queue.kind == BY_KEY:
        return queue.heap.items[0]
    return _lightest(queue)


@part_of_kernel
def leave(queue: Queue, waiting: int, job: int) -> None:
    """Take a job out, which unless the queue is in lanes must be the head; ``waiting`` jobs wait with it."""
    if queue.kind == BY_KEY:
        pop(queue.heap, waiting)
    elif queue.kind == IN_LANES:
        _remove(queue, job)


@kernel
def walk(queue: Queue, waiting: int) -> NDArray[np.int64]:
    """The waiting jobs of a queue in lanes, lane by lane."""
    jobs, found = np.empty(waiting, np.int64), 0
    starts = np.flatnonzero(queue.first >= 0)
    for at in range(1, starts.size):  # by weight, then by first job; there are few lanes
        lane, i = starts[at], at
        while i > 0 and _goes_after(queue, starts[i - 1], lane):
            starts[i] = starts[i - 1]
            i -= 1
        starts[i] = lane
    for lane in starts:
        job = queue.first[lane]
        while job >= 0:
            jobs[found] = job
            found += 1
            job = queue.next[job]
    return jobs


@kernel
def _goes_after(queue: Queue, one: int, other: int) -> bool:
    """Whether lane ``one`` goes after lane ``other``."""
    if queue.weight[one] != queue.weight[other]:
        return bool(queue.weight[one] > queue.weight[other])
    return bool(queue.first[one] > queue.first[other])
