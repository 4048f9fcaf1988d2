"""Which nodes a job gets. ``consolidate`` and ``consolidateFirst`` are those of the Helios simulator
(HeliosArtifact, ``placer/consolidate``)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import Nodes, free_gpus, give_back, lowest_node, take
from scheduling.compilation import kernel
from scheduling.shares import fullest_shared, join_shared, leave_shared, open_shared

CONSOLIDATE, CONSOLIDATE_FIRST, BEST_FIT, FIRST_FIT, SPREAD = 0, 1, 2, 3, 4

PLACEMENTS: dict[str, int] = {
    "consolidate": CONSOLIDATE,
    "consolidateFirst": CONSOLIDATE_FIRST,
    "bestFit": BEST_FIT,
    "firstFit": FIRST_FIT,
    "spread": SPREAD,
}
"""Name of each placement rule and its code in the kernels."""


class Placed(NamedTuple):
    """Where each job runs or ran last: entries ``first[job] … first[job] + held[job] − 1`` of node and
    gpus.

    ``share_milli[job]``: thousandths of one GPU that the job asks for, 0 if it asks for whole GPUs;
    ``shared[job]``: number of the GPU that it shares. Both are empty where all jobs ask for whole GPUs.
    """

    first: NDArray[np.int64]
    held: NDArray[np.int64]
    node: NDArray[np.int32]
    gpus: NDArray[np.int32]
    share_milli: NDArray[np.int64]
    shared: NDArray[np.int64]


def room_for_placements(
    gpus: NDArray[np.int64], nodes: int, share_milli: NDArray[np.int64] | None = None
) -> Placed:
    """Empty :class:`Placed` for jobs of these ``gpus`` on so many ``nodes``; a job is on at most as many
    nodes as it has GPUs."""
    most = np.minimum(gpus, nodes)
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(most)])
    entries = int(first[-1])
    whole_only = share_milli is None or not share_milli.any()
    return Placed(
        first,
        np.zeros(gpus.size, np.int64),
        np.zeros(entries, np.int32),
        np.zeros(entries, np.int32),
        np.zeros(0, np.int64) if share_milli is None or whole_only else share_milli,
        np.full(0 if whole_only else gpus.size, -1, np.int64),
    )


@kernel
def _assign(nodes: Nodes, placed: Placed, job: int, node: int, gpus: int) -> None:
    """Give the job ``gpus`` GPUs of ``node``."""
    entry = placed.first[job] + placed.held[job]
    placed.node[entry] = node
    placed.gpus[entry] = gpus
    placed.held[job] += 1
    take(nodes, node, gpus)


@kernel
def _fullest(nodes: Nodes, gpus: int, mask: NDArray[np.uint64]) -> int:
    """The fullest node on which ``gpus`` fit, lowest index on ties; −1 if there is none."""
    for free in range(gpus, nodes.free_count.size):
        node = lowest_node(nodes, free, mask)
        if node >= 0:
            return node
    return -1


@kernel
def _idlest(nodes: Nodes, gpus: int, mask: NDArray[np.uint64]) -> int:
    """The node with the most free GPUs if ``gpus`` fit on it, lowest index on ties; else −1."""
    for free in range(nodes.free_count.size - 1, gpus - 1, -1):
        node = lowest_node(nodes, free, mask)
        if node >= 0:
            return node
    return -1


@kernel
def _first(nodes: Nodes, gpus: int, mask: NDArray[np.uint64]) -> int:
    """The node of lowest index on which ``gpus`` fit; −1 if there is none."""
    first = -1
    for free in range(gpus, nodes.free_count.size):
        node = lowest_node(nodes, free, mask)
        if node >= 0 and (first < 0 or node < first):
            first = node
    return first


@kernel
def _place_whole(nodes: Nodes, placed: Placed, job: int, gpus: int, node: int) -> bool:
    """The whole job on ``node``, unless that is −1."""
    if node >= 0:
        _assign(nodes, placed, job, node, gpus)
    return node >= 0


@kernel
def _place_gang(nodes: Nodes, placed: Placed, job: int, gpus: int, job_class: int) -> bool:
    """Wholly free nodes of one size, lowest index first, and what remains on the idlest of the other nodes.

    Of several sizes the largest is tried first.
    """
    for i in range(nodes.gang_size.shape[1]):
        size = nodes.gang_size[job_class, i]
        if 0 < size <= gpus and nodes.free_count[size] >= gpus // size:
            left, node = gpus, 0
            while left >= size and node >= 0:
                node = lowest_node(nodes, size, nodes.gang_mask[job_class, i])
                if node >= 0:
                    _assign(nodes, placed, job, node, size)
                    left -= size
            if node >= 0 and left > 0:
                node = _idlest(nodes, left, nodes.mask[job_class])
                _place_whole(nodes, placed, job, left, node)
            if node >= 0:
                return True
            release(nodes, placed, job)
            placed.held[job] = 0
    return False


@kernel
def _consolidate(nodes: Nodes, placed: Placed, job: int, gpus: int, job_class: int) -> bool:
    """One node for a job that some node could hold, the fullest; else a gang's nodes."""
    if gpus <= nodes.gang_size[job_class, 0]:
        return _place_whole(nodes, placed, job, gpus, _fullest(nodes, gpus, nodes.mask[job_class]))
    return _place_gang(nodes, placed, job, gpus, job_class)


@kernel
def _drain(nodes: Nodes, placed: Placed, job: int, gpus: int, rule: int, mask: NDArray[np.uint64]) -> None:
    """Node after node until the job has its GPUs; that many must be free in all.

    Best fit ends on the fullest node that holds the rest, and first fit goes by index; else, and until then,
    nodes go in descending order of free GPUs.
    """
    while gpus > 0:
        node = -1
        if rule == BEST_FIT:
            node = _fullest(nodes, gpus, mask)
        elif rule == FIRST_FIT:
            node = _first(nodes, gpus, mask)
            if node < 0:
                node = _first(nodes, 1, mask)
        if node < 0:
            node = _idlest(nodes, 1, mask)
        share = min(nodes.free[node], gpus)
        _assign(nodes, placed, job, node, share)
        gpus -= share


@kernel
def _place_share(nodes: Nodes, placed: Placed, rule: int, job: int, mask: NDArray[np.uint64]) -> bool:
    """Part of a GPU: of the shared GPU with the least left that suffices, else of a free one."""
    shared = fullest_shared(nodes, placed.share_milli[job], mask)
    if shared < 0:
        if rule == SPREAD:
            node = _idlest(nodes, 1, mask)
        elif rule == FIRST_FIT:
            node = _first(nodes, 1, mask)
        else:
            node = _fullest(nodes, 1, mask)
        if node < 0:
            return False
        take(nodes, node, 1)
        shared = open_shared(nodes, node)
    join_shared(nodes, shared, placed.share_milli[job])
    placed.shared[job] = shared
    placed.node[placed.first[job]] = nodes.shared_node[shared]
    placed.gpus[placed.first[job]] = 0
    placed.held[job] = 1
    return True


@kernel
def place(nodes: Nodes, placed: Placed, rule: int, job: int, gpus: int, job_class: int) -> bool:
    """Give the job all its GPUs at once under ``rule`` (a value of :data:`PLACEMENTS`), on nodes that suit
    its class, or refuse and change nothing."""
    if placed.share_milli.size > 0 and placed.share_milli[job] > 0:
        return _place_share(nodes, placed, rule, job, nodes.mask[job_class])
    if free_gpus(nodes, job_class) < gpus:
        return False
    placed.held[job] = 0
    found = False
    if rule in (CONSOLIDATE, CONSOLIDATE_FIRST):
        found = _consolidate(nodes, placed, job, gpus, job_class)
    if not found and rule != CONSOLIDATE:
        _drain(nodes, placed, job, gpus, rule, nodes.mask[job_class])
        found = True
    return found


@kernel
def release(nodes: Nodes, placed: Placed, job: int) -> None:
    """Free every GPU of the job; :class:`Placed` keeps saying where it ran."""
    if placed.share_milli.size > 0 and placed.share_milli[job] > 0:
        leave_shared(nodes, placed.shared[job], placed.share_milli[job])
        return
    for entry in range(placed.first[job], placed.first[job] + placed.held[job]):
        give_back(nodes, placed.node[entry], placed.gpus[entry])


@kernel
def startable(
    nodes: Nodes, placed: Placed, rule: int, gpus: NDArray[np.int64], job_class: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which requests these idle ``nodes`` can ever hold; ``placed`` has room for one job per request."""
    answer = np.zeros(gpus.size, dtype=np.bool_)
    for request in range(gpus.size):
        answer[request] = place(nodes, placed, rule, request, gpus[request], job_class[request])
        if answer[request]:
            release(nodes, placed, request)
    return answer
