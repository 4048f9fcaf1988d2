"""Which virtual clusters' nodes wake and sleep, when a controller has said how many of the cluster's should.

Nodes belong to their VC. A controller counts the cluster's, so somebody has to choose: first the VCs whose
jobs wait, then so that the free nodes are even.
"""

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


def spread_wakes(nodes: int, needed: Counts, free: Counts, asleep: Counts) -> Counts:
    """How many of ``nodes`` each VC wakes: one after the other, to the VC that still needs most for its
    waiting jobs, and when none does to the one with the fewest free nodes; ties to the first VC.

    ``free``: nodes awake or booting that no job uses. Never more than are ``asleep``.
    """
    woken = np.zeros_like(asleep)
    for _ in range(min(nodes, int(asleep.sum()))):
        can = woken < asleep
        missing = np.where(can, needed - woken, 0)
        if missing.max() > 0:
            chosen = int(missing.argmax())
        else:
            chosen = int(np.where(can, free + woken, np.iinfo(np.int64).max).argmin())
        woken[chosen] += 1
    return woken


def spread_sleeps(nodes: int, needed: Counts, idle: Counts) -> Counts:
    """How many of ``nodes`` each VC puts to sleep: one after the other, from the VC with the most idle ones;
    ties from the first. A VC whose jobs wait for nodes keeps its own."""
    slept = np.zeros_like(idle)
    available = np.where(needed > 0, 0, idle)
    for _ in range(min(nodes, int(available.sum()))):
        slept[int((available - slept).argmax())] += 1
    return slept
