"""GPUs that several jobs share, each with a part of it in thousandths.

A GPU is shared from the first job with a part of it until the last. Shared GPUs have numbers of their own,
the lowest unused one first; ``Nodes.shared_milli`` is 1000 where a number is unused.
"""

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import IDLE_MILLI, OPEN, SHARED_GPUS, WHOLE_MILLI, Nodes, give_back, in_mask
from scheduling.compilation import inner_kernel


@inner_kernel
def fullest_shared(nodes: Nodes, milli: int, mask: NDArray[np.uint64]) -> int:
    """The shared GPU with the least left that suffices, lowest number on ties, on an open node in ``mask``;
    −1 if there is none. Time: O(shared GPUs)."""
    best = -1
    for shared in range(nodes.tally[SHARED_GPUS]):
        left = nodes.shared_milli[shared]
        if milli <= left < WHOLE_MILLI and (best < 0 or left < nodes.shared_milli[best]):
            node = nodes.shared_node[shared]
            if nodes.state[node] == OPEN and in_mask(mask, node):
                best = shared
    return best


@inner_kernel
def open_shared(nodes: Nodes, node: int) -> int:
    """Share one GPU of ``node`` that was taken for this; return its number."""
    shared = 0
    while nodes.shared_milli[shared] < WHOLE_MILLI:
        shared += 1
    nodes.shared_node[shared] = node
    nodes.tally[SHARED_GPUS] = max(nodes.tally[SHARED_GPUS], shared + 1)
    nodes.tally[IDLE_MILLI] += WHOLE_MILLI
    return shared


@inner_kernel
def join_shared(nodes: Nodes, shared: int, milli: int) -> None:
    """Give a part of the shared GPU to a job; that much must be left."""
    nodes.shared_milli[shared] -= milli
    nodes.tally[IDLE_MILLI] -= milli


@inner_kernel
def leave_shared(nodes: Nodes, shared: int, milli: int) -> None:
    """Take a job's part back; a GPU that nobody uses is free again."""
    nodes.shared_milli[shared] += milli
    nodes.tally[IDLE_MILLI] += milli
    if nodes.shared_milli[shared] == WHOLE_MILLI:
        nodes.tally[IDLE_MILLI] -= WHOLE_MILLI
        give_back(nodes, nodes.shared_node[shared], 1)
