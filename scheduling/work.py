"""What is left to run of each job that may be stopped, and what it has attained: what it is ordered by."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import WHOLE_MILLI
from scheduling.compilation import allocating_kernel, inner_kernel, part_of_kernel
from scheduling.orders import ATTAINED, REMAINING
from scheduling.placement import Placed
from scheduling.workload import Rules, Workload, gpus_of


class Work(NamedTuple):
    """Of each job: what is left to run when it is placed next, the instant at which nothing is left while it
    runs, since when it runs, the GPU·s that it had attained by then, and the GPUs that it has while it runs,
    shares included, also in thousandths."""

    left_s: NDArray[np.float64]
    done_s: NDArray[np.float64]
    since_s: NDArray[np.float64]
    attained_gpu_s: NDArray[np.float64]
    gpus: NDArray[np.float64]
    milli: NDArray[np.int64]


@allocating_kernel
def work_of(jobs: Workload, placed: Placed, attained_gpu_s: NDArray[np.float64]) -> Work:
    """The work of jobs that have not been placed yet."""
    count = jobs.submit_s.size
    gpus = np.empty(count)
    for job in range(count):
        gpus[job] = gpus_of(jobs, placed, job)
    milli = np.round(gpus * WHOLE_MILLI).astype(np.int64)
    return Work(jobs.duration_s.copy(), np.empty(count), np.empty(count), attained_gpu_s.copy(), gpus, milli)


@inner_kernel
def level_of(levels_gpu_s: NDArray[np.float64], attained_gpu_s: float) -> int:
    """How many of the levels a job is past."""
    level = 0
    while level < levels_gpu_s.size and attained_gpu_s >= levels_gpu_s[level]:
        level += 1
    return level


@part_of_kernel
def attained_gpu_s_of(work: Work, job: int, time_s: float) -> float:
    """GPU·s that a running job has attained."""
    return float(work.attained_gpu_s[job] + (time_s - work.since_s[job]) * work.gpus[job])


@part_of_kernel
def key_of(rules: Rules, work: Work, job: int, left_s: float, attained_gpu_s: float) -> float:
    """What a job is ordered by, given what is left of it and what it has attained."""
    if rules.order == REMAINING:
        return left_s
    if rules.order == ATTAINED:
        return float(level_of(rules.levels_gpu_s, attained_gpu_s) * work.gpus.size + job)
    return float(left_s * work.gpus[job])
