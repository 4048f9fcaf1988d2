"""Which nodes a job gets. The rules are those of the Helios simulator (HeliosArtifact,
``placer/consolidate``)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import FREE_GPUS, Nodes, give_back, lowest_node, take
from scheduling.compilation import kernel

CONSOLIDATE, CONSOLIDATE_FIRST = 0, 1

PLACEMENTS: dict[str, int] = {"consolidate": CONSOLIDATE, "consolidateFirst": CONSOLIDATE_FIRST}
"""Name of each placement rule and its code in the kernels."""


class Placed(NamedTuple):
    """Where each job runs or ran last: entries ``first[job] … first[job] + held[job] − 1`` of node and
    gpus."""

    first: NDArray[np.int64]
    held: NDArray[np.int64]
    node: NDArray[np.int32]
    gpus: NDArray[np.int32]


def room_for_placements(gpus: NDArray[np.int64], nodes: Nodes) -> Placed:
    """Empty :class:`Placed` for jobs of these ``gpus``; a job is on at most as many nodes as it has GPUs."""
    most = np.minimum(gpus, nodes.size.size)
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(most)])
    entries = int(first[-1])
    return Placed(
        first, np.zeros(gpus.size, np.int64), np.zeros(entries, np.int32), np.zeros(entries, np.int32)
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
def _place_on_one(nodes: Nodes, placed: Placed, job: int, gpus: int) -> bool:
    """The fullest node on which all ``gpus`` fit, lowest index on ties."""
    for free in range(gpus, nodes.free_count.size):
        if nodes.free_count[free] > 0:
            _assign(nodes, placed, job, lowest_node(nodes, free), gpus)
            return True
    return False


@kernel
def _place_on_full(nodes: Nodes, placed: Placed, job: int, gpus: int) -> bool:
    """Wholly free full nodes, lowest index first, and what remains on the idlest of the other nodes."""
    full = nodes.gpus_per_node
    wholes = gpus // full
    rest = gpus - wholes * full
    if nodes.free_count[full] < wholes:
        return False
    idlest = nodes.free_count.size - 1
    while idlest >= rest and nodes.free_count[idlest] - wholes * (idlest == full) <= 0:
        idlest -= 1
    if rest > 0 and idlest < rest:
        return False
    for _ in range(wholes):
        _assign(nodes, placed, job, lowest_node(nodes, full), full)
    if rest > 0:
        _assign(nodes, placed, job, lowest_node(nodes, idlest), rest)
    return True


@kernel
def _drain(nodes: Nodes, placed: Placed, job: int, gpus: int) -> None:
    """Node after node in descending order of free GPUs; that many must be free in all."""
    free = nodes.free_count.size - 1
    while gpus > 0:
        while nodes.free_count[free] == 0:
            free -= 1
        share = min(free, gpus)
        _assign(nodes, placed, job, lowest_node(nodes, free), share)
        gpus -= share


@kernel
def place(nodes: Nodes, placed: Placed, rule: int, job: int, gpus: int) -> bool:
    """Give the job all its GPUs at once under ``rule`` (a value of :data:`PLACEMENTS`), or refuse and change
    nothing."""
    if nodes.tally[FREE_GPUS] < gpus:
        return False
    placed.held[job] = 0
    if gpus <= nodes.gpus_per_node:
        found = _place_on_one(nodes, placed, job, gpus)
    else:
        found = _place_on_full(nodes, placed, job, gpus)
    if not found and rule == CONSOLIDATE_FIRST:
        _drain(nodes, placed, job, gpus)
        found = True
    return found


@kernel
def release(nodes: Nodes, placed: Placed, job: int) -> None:
    """Free every GPU of the job; :class:`Placed` keeps saying where it ran."""
    for entry in range(placed.first[job], placed.first[job] + placed.held[job]):
        give_back(nodes, placed.node[entry], placed.gpus[entry])


@kernel
def startable(nodes: Nodes, placed: Placed, rule: int, gpus: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which requests these idle ``nodes`` can ever hold; ``placed`` has room for one job per request."""
    answer = np.zeros(gpus.size, dtype=np.bool_)
    for request in range(gpus.size):
        answer[request] = place(nodes, placed, rule, request, gpus[request])
        if answer[request]:
            release(nodes, placed, request)
    return answer
