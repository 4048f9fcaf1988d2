"""The nodes of one VC and their free GPUs, held so that no search looks at every node."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import allocating_kernel, inner_kernel, kernel, part_of_kernel

OPEN, DRAINING, ABSENT = 0, 1, 2
"""State of a node: takes jobs; is to leave once its last job ends, and takes none; is not there."""

USED_NODES, USED_GPUS, DRAINING_GPUS, FREE_GPUS, SHARED_GPUS, IDLE_MILLI = range(6)  # places in Nodes.tally
ANY = 0  # the class of jobs that run on nodes of any GPU type
WHOLE_MILLI = 1000  # a GPU in thousandths, the unit of shares


class Nodes(NamedTuple):
    """The state of a VC's nodes, changed in place by :func:`take`, :func:`give_back` and
    :func:`set_open_nodes`.

    Nodes are numbered through *groups* of equal size and GPU type: group g has the nodes ``first[g]`` to
    ``first[g + 1] − 1``. Of the open nodes, ``free_set[f]`` is a bit set of those with exactly f free GPUs
    and ``free_count[f]`` their number. A *mask* is a bit set of the nodes that a search may choose:
    ``mask[c]`` is that of jobs of class c (of the nodes whose GPU type suits them; all nodes at 0), and
    ``gang_mask[c, i]`` that of its nodes of ``gang_size[c, i]`` GPUs, largest size first, 0 behind the last.
    ``shared_node`` and ``shared_milli``: node and unused part of each GPU that jobs share (see
    :mod:`scheduling.shares`). ``tally``: nodes and GPUs in use, GPUs of draining nodes, free GPUs of open
    nodes, shared GPUs so far, and what is unused of them.
    """

    size: NDArray[np.int64]
    free: NDArray[np.int64]
    state: NDArray[np.int64]
    first: NDArray[np.int64]
    free_set: NDArray[np.uint64]
    free_count: NDArray[np.int64]
    mask: NDArray[np.uint64]
    gang_size: NDArray[np.int64]
    gang_mask: NDArray[np.uint64]
    shared_node: NDArray[np.int64]
    shared_milli: NDArray[np.int64]
    tally: NDArray[np.int64]


def absent_nodes(
    count: NDArray[np.int64], size: NDArray[np.int64], suits: NDArray[np.bool_], shareable_gpus: int
) -> Nodes:
    """Nodes of which none is there yet, ``count[g]`` of ``size[g]`` GPUs in each group g.

    ``suits[c, g]`` says whether jobs of class c may use group g; at most ``shareable_gpus`` GPUs are shared
    at once.
    """
    first = np.r_[0, np.cumsum(count)].astype(np.int64)
    sizes, allowed = np.repeat(size, count), np.repeat(suits, count, axis=1)
    most, nodes = int(size.max(initial=0)), int(first[-1])
    words = (nodes + 63) // 64
    distinct = np.unique(size)[::-1]
    gang_size = np.zeros((len(suits), distinct.size), np.int64)
    gang_mask = np.zeros((len(suits), distinct.size, words), np.uint64)
    for c, own in enumerate(allowed):
        present = [each for each in distinct if (own & (sizes == each)).any()]
        gang_size[c, : len(present)] = present
        for i, each in enumerate(present):
            gang_mask[c, i] = _bits(own & (sizes == each), words)
    return Nodes(
        sizes,
        sizes.copy(),
        np.full(nodes, ABSENT, np.int64),
        first,
        np.zeros((most + 1, words), np.uint64),
        np.zeros(most + 1, np.int64),
        np.array([_bits(own, words) for own in allowed]),
        gang_size,
        gang_mask,
        np.zeros(shareable_gpus, np.int64),
        np.full(shareable_gpus, WHOLE_MILLI, np.int64),
        np.zeros(6, np.int64),
    )


@allocating_kernel
def copied(nodes: Nodes) -> Nodes:
    """The nodes as they are, to try out what will happen to them."""
    return Nodes(
        nodes.size,
        nodes.free.copy(),
        nodes.state.copy(),
        nodes.first,
        nodes.free_set.copy(),
        nodes.free_count.copy(),
        nodes.mask,
        nodes.gang_size,
        nodes.gang_mask,
        nodes.shared_node.copy(),
        nodes.shared_milli.copy(),
        nodes.tally.copy(),
    )


def _bits(chosen: NDArray[np.bool_], words: int) -> NDArray[np.uint64]:
    """The bit set of the positions that are true."""
    padded = np.zeros(words * 64, np.uint8)
    padded[: chosen.size] = chosen
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def _bit_index_of_product() -> NDArray[np.int64]:
    """Index of the only bit set in a word, found from the word's product with a de Bruijn sequence."""
    table = np.zeros(64, dtype=np.int64)
    for index in range(64):
        table[((DE_BRUIJN << index) & (2**64 - 1)) >> 58] = index
    return table


DE_BRUIJN = 0x03F79D71B4CB0A89  # 64 bits in which every window of 6 bits differs (Leiserson et al. 1998)
BIT_INDEX = _bit_index_of_product()


@part_of_kernel
def lowest_node(
    free_set: NDArray[np.uint64],
    free_count: NDArray[np.int64],
    free: int,
    mask: NDArray[np.uint64],
    row: int,
) -> int:
    """Lowest index of the nodes in ``mask[row]`` with exactly ``free`` free GPUs, −1 if there is none.

    The sets are those of :class:`Nodes`, handed over alone because to hand over the others takes time.
    """
    if free_count[free] == 0:
        return -1
    for word in range(mask.shape[1]):
        found = free_set[free, word] & mask[row, word]
        if found != np.uint64(0):
            lowest_bit = found & (~found + np.uint64(1))
            index: int = BIT_INDEX[(lowest_bit * np.uint64(DE_BRUIJN)) >> np.uint64(58)]
            return (word << 6) + index
    return -1


@part_of_kernel
def in_mask(mask: NDArray[np.uint64], node: int) -> bool:
    """Whether a search with this mask may choose the node."""
    return bool((mask[node >> 6] >> np.uint64(node & 63)) & np.uint64(1))


@inner_kernel
def free_gpus_of_class(nodes: Nodes, job_class: int) -> int:
    """Free GPUs that jobs of this class may use. Time: O(nodes)."""
    free = 0
    for node in range(nodes.size.size):
        if nodes.state[node] == OPEN and in_mask(nodes.mask[job_class], node):
            free += nodes.free[node]
    return free


@part_of_kernel
def _move(nodes: Nodes, node: int, free: int) -> None:
    """Set the free GPUs of ``node`` and keep the sets and tallies true; a draining node that is idle
    leaves."""
    before, size = nodes.free[node], nodes.size[node]
    nodes.free[node] = free
    nodes.tally[USED_GPUS] += before - free
    nodes.tally[USED_NODES] += (free < size) - (before < size)
    if nodes.state[node] == OPEN:
        word = node >> 6
        bit = np.uint64(1) << np.uint64(node & 63)
        nodes.free_set[before, word] &= ~bit
        nodes.free_set[free, word] |= bit
        nodes.free_count[before] -= 1
        nodes.free_count[free] += 1
        nodes.tally[FREE_GPUS] += free - before
    elif free == size:
        nodes.state[node] = ABSENT
        nodes.tally[DRAINING_GPUS] -= size


@part_of_kernel
def take(nodes: Nodes, node: int, gpus: int) -> None:
    """Put ``gpus`` GPUs of ``node`` in use; that many must be free."""
    _move(nodes, node, nodes.free[node] - gpus)


@part_of_kernel
def give_back(nodes: Nodes, node: int, gpus: int) -> None:
    """Free ``gpus`` GPUs of ``node`` that were taken."""
    _move(nodes, node, nodes.free[node] + gpus)


@inner_kernel
def _open(nodes: Nodes, node: int) -> None:
    """Let a node that is draining or absent take jobs."""
    if nodes.state[node] == DRAINING:
        nodes.tally[DRAINING_GPUS] -= nodes.size[node]
    nodes.state[node] = OPEN
    free = nodes.free[node]
    nodes.free_set[free, node >> 6] |= np.uint64(1) << np.uint64(node & 63)
    nodes.free_count[free] += 1
    nodes.tally[FREE_GPUS] += free


@inner_kernel
def _close(nodes: Nodes, node: int) -> None:
    """Let an open node take no more jobs: it leaves at once if it is idle, else it drains."""
    free = nodes.free[node]
    nodes.free_set[free, node >> 6] &= ~(np.uint64(1) << np.uint64(node & 63))
    nodes.free_count[free] -= 1
    nodes.tally[FREE_GPUS] -= free
    if free == nodes.size[node]:
        nodes.state[node] = ABSENT
    else:
        nodes.state[node] = DRAINING
        nodes.tally[DRAINING_GPUS] += nodes.size[node]


@kernel
def set_open_nodes(nodes: Nodes, group: int, count: int) -> None:
    """Make ``count`` nodes of a group open, at most all of it.

    Nodes that are too many go from the highest index down, idle ones before those in use. Nodes that are
    missing come from the lowest index up, draining ones before absent ones.
    """
    first, beyond = nodes.first[group], nodes.first[group + 1]
    missing = count
    for node in range(first, beyond):
        missing -= nodes.state[node] == OPEN
    for idle_only in (True, False):
        for node in range(beyond - 1, first - 1, -1):
            leaves = nodes.state[node] == OPEN and (not idle_only or nodes.free[node] == nodes.size[node])
            if missing < 0 and leaves:
                _close(nodes, node)
                missing += 1
    for state in (DRAINING, ABSENT):
        for node in range(first, beyond):
            if missing > 0 and nodes.state[node] == state:
                _open(nodes, node)
                missing -= 1
