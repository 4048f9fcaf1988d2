"""The nodes of one VC and their free GPUs, held so that no search looks at every node."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import kernel
from scheduling.errors import ScenarioError

MOST_GPUS_PER_NODE = 1024
MOST_NODES = 1_000_000

FREE_GPUS, USED_NODES = 0, 1  # places in Nodes.tally


class Nodes(NamedTuple):
    """The state of a VC's nodes, changed in place by :func:`take` and :func:`give_back`.

    ``free_set[f]`` is a bit set of the nodes with exactly f free GPUs and ``free_count[f]`` their number, so
    the node of lowest index with f free GPUs is the lowest bit of the first word that is not 0.
    """

    size: NDArray[np.int64]
    free: NDArray[np.int64]
    free_set: NDArray[np.uint64]
    free_count: NDArray[np.int64]
    tally: NDArray[np.int64]
    gpus_per_node: int


def node_sizes(gpus: int, gpus_per_node: int) -> NDArray[np.int64]:
    """GPUs of each node of a VC of ``gpus`` GPUs: full nodes, and a smaller last one for a remainder."""
    if not 1 <= gpus_per_node <= MOST_GPUS_PER_NODE:
        raise ScenarioError(
            f"GPUs per node must be between 1 and {MOST_GPUS_PER_NODE:,}, not {gpus_per_node}."
        )
    full, rest = divmod(gpus, gpus_per_node)
    if full > MOST_NODES:
        raise ScenarioError(f"A VC of {gpus:,} GPUs has more than {MOST_NODES:,} nodes; check its capacity.")
    return np.array([gpus_per_node] * full + [rest] * (rest > 0), dtype=np.int64)


def idle_nodes(sizes: NDArray[np.int64], gpus_per_node: int) -> Nodes:
    """Nodes of these ``sizes`` with nothing on them. A *full* node is one of ``gpus_per_node`` GPUs."""
    most = max(int(sizes.max(initial=0)), gpus_per_node)
    free_set = np.zeros((most + 1, (sizes.size + 63) // 64), dtype=np.uint64)
    for node, size in enumerate(sizes):
        free_set[size, node >> 6] |= np.uint64(1 << (node & 63))
    free_count = np.bincount(sizes, minlength=most + 1).astype(np.int64)
    tally = np.array([sizes.sum(), 0], dtype=np.int64)
    return Nodes(sizes.copy(), sizes.copy(), free_set, free_count, tally, int(gpus_per_node))


def _bit_index_of_product() -> NDArray[np.int64]:
    """Index of the only bit set in a word, found from the word's product with a de Bruijn sequence."""
    table = np.zeros(64, dtype=np.int64)
    for index in range(64):
        table[((DE_BRUIJN << index) & (2**64 - 1)) >> 58] = index
    return table


DE_BRUIJN = 0x03F79D71B4CB0A89  # 64 bits in which every window of 6 bits differs (Leiserson et al. 1998)
BIT_INDEX = _bit_index_of_product()


@kernel
def lowest_node(nodes: Nodes, free: int) -> int:
    """Lowest index of the nodes with exactly ``free`` free GPUs; there must be one."""
    words = nodes.free_set[free]
    word = 0
    while words[word] == np.uint64(0):
        word += 1
    lowest_bit = words[word] & (~words[word] + np.uint64(1))
    index: int = BIT_INDEX[(lowest_bit * np.uint64(DE_BRUIJN)) >> np.uint64(58)]
    return (word << 6) + index


@kernel
def _move(nodes: Nodes, node: int, free: int) -> None:
    """Set the free GPUs of ``node`` and keep the sets and tallies true."""
    before = nodes.free[node]
    word = node >> 6
    bit = np.uint64(1) << np.uint64(node & 63)
    nodes.free_set[before, word] &= ~bit
    nodes.free_set[free, word] |= bit
    nodes.free_count[before] -= 1
    nodes.free_count[free] += 1
    nodes.free[node] = free
    nodes.tally[FREE_GPUS] += free - before
    size = nodes.size[node]
    nodes.tally[USED_NODES] += (free < size) - (before < size)


@kernel
def take(nodes: Nodes, node: int, gpus: int) -> None:
    """Put ``gpus`` GPUs of ``node`` in use; that many must be free."""
    _move(nodes, node, nodes.free[node] - gpus)


@kernel
def give_back(nodes: Nodes, node: int, gpus: int) -> None:
    """Free ``gpus`` GPUs of ``node`` that were taken."""
    _move(nodes, node, nodes.free[node] + gpus)
