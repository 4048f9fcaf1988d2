"""Which nodes a job gets. ``consolidate`` and ``consolidateFirst`` are those of the Helios simulator
(HeliosArtifact, ``placer/consolidate``)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import ANY, FREE_GPUS, Nodes, free_gpus_of_class, give_back, lowest_node, take
from scheduling.compilation import inner_kernel, kernel, part_of_kernel
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
    ``shared[job]``: number of the GPU that it shares. Both are empty unless there is ``sharing``.
    """

    first: NDArray[np.int64]
    held: NDArray[np.int64]
    node: NDArray[np.int32]
    gpus: NDArray[np.int32]
    share_milli: NDArray[np.int64]
    shared: NDArray[np.int64]
    sharing: bool


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
        not whole_only,
    )


@part_of_kernel
def _assign(nodes: Nodes, placed: Placed, job: int, node: int, gpus: int) -> None:
    """Give the job ``gpus`` GPUs of ``node``."""
    entry = placed.first[job] + placed.held[job]
    placed.node[entry] = node
    placed.gpus[entry] = gpus
    placed.held[job] += 1
    take(nodes, node, gpus)


@inner_kernel
def _fullest(
    free_set: NDArray[np.uint64],
    free_count: NDArray[np.int64],
    gpus: int,
    mask: NDArray[np.uint64],
    row: int,
) -> int:
    """The fullest node on which ``gpus`` fit, lowest index on ties; −1 if there is none."""
    for free in range(gpus, free_count.size):
        node = lowest_node(free_set, free_count, free, mask, row)
        if node >= 0:
            return node
    return -1


@inner_kernel
def _idlest(
    free_set: NDArray[np.uint64],
    free_count: NDArray[np.int64],
    gpus: int,
    mask: NDArray[np.uint64],
    row: int,
) -> int:
    """The node with the most free GPUs if ``gpus`` fit on it, lowest index on ties; else −1."""
    for free in range(free_count.size - 1, gpus - 1, -1):
        node = lowest_node(free_set, free_count, free, mask, row)
        if node >= 0:
            return node
    return -1


@inner_kernel
def _first(
    free_set: NDArray[np.uint64],
    free_count: NDArray[np.int64],
    gpus: int,
    mask: NDArray[np.uint64],
    row: int,
) -> int:
    """The node of lowest index on which ``gpus`` fit; −1 if there is none."""
    first = -1
    for free in range(gpus, free_count.size):
        node = lowest_node(free_set, free_count, free, mask, row)
        if node >= 0 and (first < 0 or node < first):
            first = node
    return first


@inner_kernel
def _place_gang(nodes: Nodes, placed: Placed, job: int, gpus: int, job_class: int) -> bool:
    """Wholly free nodes of one size, lowest index first, and what remains on the idlest of the other nodes.

    Of several sizes the largest is tried first.
    """
    for i in range(nodes.gang_size.shape[1]):
        size = nodes.gang_size[job_class, i]
        if 0 < size <= gpus and nodes.free_count[size] >= gpus // size:
            left, node = gpus, 0
            while left >= size and node >= 0:
                node = lowest_node(nodes.free_set, nodes.free_count, size, nodes.gang_mask[job_class], i)
                if node >= 0:
                    _assign(nodes, placed, job, node, size)
                    left -= size
            if node >= 0 and left > 0:
                node = _idlest(nodes.free_set, nodes.free_count, left, nodes.mask, job_class)
                if node >= 0:
                    _assign(nodes, placed, job, node, left)
            if node >= 0:
                return True
            release(nodes, placed, job)
            placed.held[job] = 0
    return False


@inner_kernel
def _drain(nodes: Nodes, placed: Placed, job: int, gpus: int, rule: int, job_class: int) -> None:
    """Node after node until the job has its GPUs; that many must be free in all.

    Best fit ends on the fullest node that holds the rest, and first fit goes by index; else, and until then,
    nodes go in descending order of free GPUs.
    """
    while gpus > 0:
        node = -1
        if rule == BEST_FIT:
            node = _fullest(nodes.free_set, nodes.free_count, gpus, nodes.mask, job_class)
        elif rule == FIRST_FIT:
            node = _first(nodes.free_set, nodes.free_count, gpus, nodes.mask, job_class)
            if node < 0:
                node = _first(nodes.free_set, nodes.free_count, 1, nodes.mask, job_class)
        if node < 0:
            node = _idlest(nodes.free_set, nodes.free_count, 1, nodes.mask, job_class)
        share = min(nodes.free[node], gpus)
        _assign(nodes, placed, job, node, share)
        gpus -= share


@inner_kernel
def _place_share(nodes: Nodes, placed: Placed, rule: int, job: int, job_class: int) -> bool:
    """Part of a GPU: of the shared GPU with the least left that suffices, else of a free one."""
    shared = fullest_shared(nodes, placed.share_milli[job], nodes.mask[job_class])
    if shared < 0:
        if rule == SPREAD:
            node = _idlest(nodes.free_set, nodes.free_count, 1, nodes.mask, job_class)
        elif rule == FIRST_FIT:
            node = _first(nodes.free_set, nodes.free_count, 1, nodes.mask, job_class)
        else:
            node = _fullest(nodes.free_set, nodes.free_count, 1, nodes.mask, job_class)
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


@inner_kernel
def place(nodes: Nodes, placed: Placed, rule: int, job: int, gpus: int, job_class: int) -> bool:
    """Give the job all its GPUs at once under ``rule`` (a value of :data:`PLACEMENTS`), on nodes that suit
    its class, or refuse and change nothing."""
    if placed.sharing and placed.share_milli[job] > 0:
        return _place_share(nodes, placed, rule, job, job_class)
    if nodes.tally[FREE_GPUS] < gpus or (job_class != ANY and free_gpus_of_class(nodes, job_class) < gpus):
        return False
    placed.held[job] = 0
    if rule in (CONSOLIDATE, CONSOLIDATE_FIRST):
        if gpus <= nodes.gang_size[job_class, 0]:  # some node could hold it
            node = _fullest(nodes.free_set, nodes.free_count, gpus, nodes.mask, job_class)
            if node >= 0:
                _assign(nodes, placed, job, node, gpus)
                return True
        elif _place_gang(nodes, placed, job, gpus, job_class):
            return True
    if rule == CONSOLIDATE:
        return False
    _drain(nodes, placed, job, gpus, rule, job_class)
    return True


@inner_kernel
def release(nodes: Nodes, placed: Placed, job: int) -> None:
    """Free every GPU of the job; :class:`Placed` keeps saying where it ran."""
    if placed.sharing and placed.share_milli[job] > 0:
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
