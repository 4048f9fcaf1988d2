"""A binary heap of (key, item) in two arrays; the smallest key is on top, and of equal keys the smallest
item.

The caller holds the size: it counts up after :func:`push` and down after :func:`pop`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import inner_kernel, kernel


class Heap(NamedTuple):
    """Room for a heap; see the module for what holds in it."""

    keys: NDArray[np.float64]
    items: NDArray[np.int64]


@kernel
def empty_heap(room: int) -> Heap:
    """A heap with ``room`` for so many entries."""
    return Heap(np.empty(room), np.empty(room, np.int64))


@inner_kernel
def push(heap: Heap, size: int, key: float, item: int) -> None:
    """Put (key, item) into the heap of ``size`` entries; there must be room for one more."""
    hole = size
    while hole > 0:
        parent = (hole - 1) >> 1
        if heap.keys[parent] < key or (heap.keys[parent] == key and heap.items[parent] < item):
            break
        heap.keys[hole] = heap.keys[parent]
        heap.items[hole] = heap.items[parent]
        hole = parent
    heap.keys[hole] = key
    heap.items[hole] = item


@inner_kernel
def pop(heap: Heap, size: int) -> None:
    """Remove the top of the heap of ``size`` ≥ 1 entries."""
    last = size - 1
    key = heap.keys[last]
    item = heap.items[last]
    hole = 0
    child = 1
    while child < last:
        right = child + 1
        if right < last and (
            heap.keys[right] < heap.keys[child]
            or (heap.keys[right] == heap.keys[child] and heap.items[right] < heap.items[child])
        ):
            child = right
        if key < heap.keys[child] or (key == heap.keys[child] and item < heap.items[child]):
            break
        heap.keys[hole] = heap.keys[child]
        heap.items[hole] = heap.items[child]
        hole = child
        child = 2 * hole + 1
    heap.keys[hole] = key
    heap.items[hole] = item
