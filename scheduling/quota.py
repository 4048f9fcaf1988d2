"""The GPUs that a decision of a policy that preempts gives out, by class of jobs."""

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import ANY, FREE_GPUS, OPEN, USED_GPUS, WHOLE_MILLI, Nodes, in_mask
from scheduling.compilation import allocating_kernel, inner_kernel, part_of_kernel


@allocating_kernel
def classes_within(nodes: Nodes) -> NDArray[np.bool_]:
    """Whether the nodes that suit a class of jobs (row) all suit another (column)."""
    classes = nodes.mask.shape[0]
    within = np.ones((classes, classes), np.bool_)
    for one in range(classes):
        for other in range(classes):
            for word in range(nodes.mask.shape[1]):
                if nodes.mask[one, word] & ~nodes.mask[other, word]:
                    within[one, other] = False
    return within


@inner_kernel
def fill_quota(nodes: Nodes, quota: NDArray[np.int64]) -> None:
    """Thousandths of GPUs that can be given out, per class: free ones and those in use."""
    quota[ANY] = (nodes.tally[FREE_GPUS] + nodes.tally[USED_GPUS]) * WHOLE_MILLI
    for c in range(1, quota.size):
        quota[c] = 0
        for node in range(nodes.size.size):
            if in_mask(nodes.mask[c], node):
                free = nodes.free[node] if nodes.state[node] == OPEN else 0
                quota[c] += (free + nodes.size[node] - nodes.free[node]) * WHOLE_MILLI


@part_of_kernel
def spend(quota: NDArray[np.int64], within: NDArray[np.bool_], job_class: int, milli: int) -> bool:
    """Take a job's GPUs from the quota of every class that its own is within, if they fit.

    The same for a job that waits and one that runs, wherever it runs: else a job could be stopped for one
    that cannot be placed, start again, and be stopped again, for ever.
    """
    for c in range(quota.size):
        if within[job_class, c] and milli > quota[c]:
            return False
    for c in range(quota.size):
        if within[job_class, c]:
            quota[c] -= milli
    return True
