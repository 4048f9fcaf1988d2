"""A number of nodes shared between VCs in proportion to those that they have."""

from collections.abc import Mapping

import numpy as np


def apportioned(nodes: int, present: Mapping[str, int]) -> dict[str, int]:
    """Nodes of each VC, ``nodes`` in all, by Webster's method (the divisors 1, 3, 5, …).

    Unlike rounding shares it never takes a node from a VC when there is one more in all. A VC without any
    gets none. Ties go to the VC that comes first.
    """
    vcs = [vc for vc, own in present.items() if own > 0]
    own = np.array([present[vc] for vc in vcs], dtype=float)
    given = np.zeros(own.size, dtype=np.int64)
    if vcs:
        # No share is further below the proportional one than half a node per VC, so only the last are dealt.
        sure = np.floor(own * nodes / own.sum()) - own.size // 2 - 2
        given = np.maximum(sure, 0).astype(np.int64)
    for _ in range(nodes - int(given.sum()) if vcs else 0):
        given[int(np.argmax(own / (2 * given + 1)))] += 1
    return dict.fromkeys(present, 0) | {vc: int(n) for vc, n in zip(vcs, given, strict=True)}
