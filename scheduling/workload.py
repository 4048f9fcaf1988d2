"""What a replay of one VC is given: its jobs, and the rules by which it is run."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import WHOLE_MILLI, Nodes
from scheduling.compilation import inner_kernel
from scheduling.placement import Placed


class Workload(NamedTuple):
    """Jobs of one VC in trace order (by submission), each of which fits the idle VC at some later time.

    ``gpus``: GPUs on which the job runs, also where it has only a part of one. ``gpu_type``: number of the
    class of nodes that suit the job, 0 for any. ``priority``: the smallest goes first, ties by position.
    Where durations are learned during the replay it is the priority per second of expected duration, and
    becomes the priority when the job is submitted. ``last_chance_s``: from then on the VC is too small for
    the job, even if it is idle.
    """

    submit_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    gpus: NDArray[np.int64]
    gpu_type: NDArray[np.int64]
    priority: NDArray[np.float64]
    last_chance_s: NDArray[np.float64]


class Standing(NamedTuple):
    """What else the rules may look at: the duration that is believed of each job (written at submission where
    durations are learned), the number of its user, and the GPU·s it had attained before the replay."""

    believed_s: NDArray[np.float64]
    user: NDArray[np.int64]
    attained_gpu_s: NDArray[np.float64]


class Rules(NamedTuple):
    """How a VC is run.

    ``placement``: a value of ``PLACEMENTS``. ``order``: one of the orders of :mod:`scheduling.orders`.
    ``backfill``: whether jobs may overtake a blocked head that they do not delay. ``believed_priority``:
    whether learned durations are part of the priority. ``until_s``: what happens later is left undone.
    ``half_life_s``: how fast attained GPU time fades (fair share). ``levels_gpu_s``: the attained GPU times
    at which a job goes to the next level (least attained service).
    """

    placement: int
    order: int
    backfill: bool
    believed_priority: bool
    until_s: float
    half_life_s: float
    levels_gpu_s: NDArray[np.float64]


@inner_kernel
def most_running(jobs: int, nodes: Nodes) -> int:
    """At most so many of the jobs run at once: one per GPU, or all of them where they share GPUs."""
    return jobs if nodes.shared_milli.size > 0 else min(jobs, nodes.size.sum())


@inner_kernel
def gpus_of(jobs: Workload, placed: Placed, job: int) -> float:
    """GPUs that the job has in use while it runs: whole ones, or a part of one."""
    if placed.sharing and placed.share_milli[job] > 0:
        return float(placed.share_milli[job] / WHOLE_MILLI)
    return float(jobs.gpus[job])
