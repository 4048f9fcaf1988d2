"""What a replay of one VC makes of its jobs."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import part_of_kernel
from scheduling.heap import Heap, push
from scheduling.workload import Workload


class Schedule(NamedTuple):
    """What a replay made of each job; NaN where it has not happened.

    ``missed``: the job waited until its VC had become too small for it. ``expected_s`` and ``rung`` are
    written only where durations are learned during the replay. ``left_s``: what is still to run of a job that
    had started and not ended when the replay stopped. ``reserved_s``: when the job was expected to start as
    it was first held back at the head of the queue; ``backfilled``: it overtook a blocked head.
    """

    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    waiting_s: NDArray[np.float64]
    preemptions: NDArray[np.int64]
    missed: NDArray[np.bool_]
    expected_s: NDArray[np.float64]
    rung: NDArray[np.int64]
    left_s: NDArray[np.float64]
    reserved_s: NDArray[np.float64]
    backfilled: NDArray[np.bool_]


def empty_schedule(jobs: int, columns: Collection[str] = Schedule._fields) -> Schedule:
    """A schedule in which nothing has happened yet; columns in which nothing will happen may have no room."""
    room = {name: jobs if name in columns else 0 for name in Schedule._fields}
    return Schedule(
        np.full(room["start_s"], np.nan),
        np.full(room["end_s"], np.nan),
        np.zeros(room["waiting_s"]),
        np.zeros(room["preemptions"], np.int64),
        np.zeros(room["missed"], np.bool_),
        np.full(room["expected_s"], np.nan),
        np.full(room["rung"], -1, np.int64),
        np.full(room["left_s"], np.nan),
        np.full(room["reserved_s"], np.nan),
        np.zeros(room["backfilled"], np.bool_),
    )


@part_of_kernel
def start(jobs: Workload, schedule: Schedule, ends: Heap, running: int, job: int, time_s: float) -> None:
    """Note that a job that was placed runs from now on, beside ``running`` others."""
    schedule.start_s[job] = time_s
    schedule.waiting_s[job] = time_s - jobs.submit_s[job]
    schedule.end_s[job] = time_s + jobs.duration_s[job]
    push(ends, running, schedule.end_s[job], job)
