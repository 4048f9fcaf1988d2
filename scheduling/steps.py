"""The load of one VC over time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import DRAINING_GPUS, FREE_GPUS, IDLE_MILLI, USED_GPUS, USED_NODES, WHOLE_MILLI, Nodes
from scheduling.compilation import allocating_kernel, part_of_kernel


class Steps(NamedTuple):
    """Step function of a VC's load: from ``time_s[i]`` until ``time_s[i + 1]`` the other columns hold.

    ``running_gpus`` counts of shared GPUs what is in use. ``draining_gpus``: GPUs of the nodes that are to
    leave once their last job ends. ``free_gpus``: wholly free GPUs of the other nodes; ``head``: the job at
    the head of the queue, −1 if nobody waits.
    """

    time_s: NDArray[np.float64]
    used_nodes: NDArray[np.int32]
    running_gpus: NDArray[np.float64]
    waiting_jobs: NDArray[np.int32]
    draining_gpus: NDArray[np.int32]
    free_gpus: NDArray[np.int32]
    head: NDArray[np.int32]


@allocating_kernel
def room_for_steps(steps: int) -> Steps:
    """Unwritten steps."""
    return Steps(
        np.empty(steps),
        np.empty(steps, np.int32),
        np.empty(steps),
        np.empty(steps, np.int32),
        np.empty(steps, np.int32),
        np.empty(steps, np.int32),
        np.empty(steps, np.int32),
    )


@part_of_kernel
def note_step(steps: Steps, written: int, time_s: float, nodes: Nodes, waiting: int, head: int) -> int:
    """Write the load from ``time_s`` on, over the last step if that is of the same instant; return the new
    count."""
    at = written - 1 if written > 0 and steps.time_s[written - 1] == time_s else written
    steps.time_s[at] = time_s
    steps.used_nodes[at] = nodes.tally[USED_NODES]
    steps.running_gpus[at] = nodes.tally[USED_GPUS] - nodes.tally[IDLE_MILLI] / WHOLE_MILLI
    steps.waiting_jobs[at] = waiting
    steps.draining_gpus[at] = nodes.tally[DRAINING_GPUS]
    steps.free_gpus[at] = nodes.tally[FREE_GPUS]
    steps.head[at] = head if waiting > 0 else -1
    return at + 1


@allocating_kernel
def trimmed(steps: Steps, written: int) -> Steps:
    """The steps that were written."""
    return Steps(
        steps.time_s[:written],
        steps.used_nodes[:written],
        steps.running_gpus[:written],
        steps.waiting_jobs[:written],
        steps.draining_gpus[:written],
        steps.free_gpus[:written],
        steps.head[:written],
    )


@allocating_kernel
def grown(steps: Steps) -> Steps:
    """The steps, with room for as many again."""
    size = steps.time_s.size
    more = room_for_steps(2 * size)
    more.time_s[:size] = steps.time_s
    more.used_nodes[:size] = steps.used_nodes
    more.running_gpus[:size] = steps.running_gpus
    more.waiting_jobs[:size] = steps.waiting_jobs
    more.draining_gpus[:size] = steps.draining_gpus
    more.free_gpus[:size] = steps.free_gpus
    more.head[:size] = steps.head
    return more
