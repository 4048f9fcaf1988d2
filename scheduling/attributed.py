"""What a walk of :mod:`scheduling.attribution` finds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import allocating_kernel

CAPACITY, FRAGMENTATION, HEAD_OF_LINE = 0, 1, 2
"""What a job waits for: see :mod:`scheduling.waiting`."""


class Attributed(NamedTuple):
    """What a walk finds, in s.

    ``capacity_s`` and ``fragmentation_s``: of each job's wait. ``behind_user_s[blocking, waiting]``: waits by
    users, behind GPUs that were held, and ``behind_head_s`` behind the head of the queue. ``behind_job_s``
    and ``behind_head_job_s``: the same by blocking job.
    """

    capacity_s: NDArray[np.float64]
    fragmentation_s: NDArray[np.float64]
    behind_user_s: NDArray[np.float64]
    behind_head_s: NDArray[np.float64]
    behind_job_s: NDArray[np.float64]
    behind_head_job_s: NDArray[np.float64]


@allocating_kernel
def nothing_attributed(jobs: int, users: int) -> Attributed:
    """Nobody has waited yet."""
    return Attributed(
        np.zeros(jobs),
        np.zeros(jobs),
        np.zeros((users, users)),
        np.zeros((users, users)),
        np.zeros(jobs),
        np.zeros(jobs),
    )
