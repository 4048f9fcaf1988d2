"""A binary heap of (key, item) in two arrays; the smallest key is on top, and of equal keys the smallest
item.

The caller holds the size: it counts up after :func:`push` and down after :func:`pop`.
"""

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import kernel

Keys = NDArray[np.float64]
Items = NDArray[np.int64]


@kernel
def push(keys: Keys, items: Items, size: int, key: float, item: int) -> None:
    """Put (key, item) into the heap of ``size`` entries; the arrays must have room for one more."""
    hole = size
    while hole > 0:
        parent = (hole - 1) >> 1
        if keys[parent] < key or (keys[parent] == key and items[parent] < item):
            break
        keys[hole] = keys[parent]
        items[hole] = items[parent]
        hole = parent
    keys[hole] = key
    items[hole] = item


@kernel
def pop(keys: Keys, items: Items, size: int) -> None:
    """Remove the top of the heap of ``size`` ≥ 1 entries."""
    last = size - 1
    key = keys[last]
    item = items[last]
    hole = 0
    child = 1
    while child < last:
        right = child + 1
        if right < last and (
            keys[right] < keys[child] or (keys[right] == keys[child] and items[right] < items[child])
        ):
            child = right
        if key < keys[child] or (key == keys[child] and item < items[child]):
            break
        keys[hole] = keys[child]
        items[hole] = items[child]
        hole = child
        child = 2 * hole + 1
    keys[hole] = key
    items[hole] = item
