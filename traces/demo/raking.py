"""Make tables of non-negative weights agree with given margins."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def raked(prior: Floats, rows: Floats, columns: Floats, rounds: int = 60) -> Floats:
    """`prior` (r × c) scaled by rows and columns until its sums are `rows` and `columns` (same total).

    Iterative proportional fitting; zeros stay zero. Where the zeros make both impossible, the rows hold.
    """
    table = prior.copy()
    for _ in range(rounds):
        table *= ratio(columns, table.sum(axis=0))
        table *= ratio(rows, table.sum(axis=1))[:, None]
    return table


def ratio(wanted: Floats, found: Floats) -> Floats:
    """`wanted` ÷ `found`, 0 where nothing was found."""
    return np.divide(wanted, found, out=np.zeros_like(found), where=found > 0)


def apportioned(total: int, weights: Floats, least: int = 0) -> Ints:
    """`total` split into whole numbers in proportion to `weights`, each at least `least`.

    Largest remainders, ties by position; `total` must be at least `least` × the number of weights.
    """
    spare = total - least * len(weights)
    exact = weights / weights.sum() * spare
    whole = np.floor(exact).astype(np.int64)
    remainders = np.argsort(-(exact - whole), kind="stable")
    whole[remainders[: spare - int(whole.sum())]] += 1
    result: Ints = whole + least
    return result


def filled(work: Floats, shares: Floats) -> Ints:
    """Bins for consecutive pieces of `work` so that bin b holds about `shares[b]` of the total.

    A piece goes to the bin in which its middle falls. Bins of share 0 stay empty.
    """
    edges = np.cumsum(shares) / shares.sum()
    middle = (np.cumsum(work) - work / 2) / work.sum()
    bins: Ints = np.minimum(np.searchsorted(edges, middle, side="right"), np.flatnonzero(shares)[-1])
    return bins


def sums(keys: Ints, weights: Floats, count: int = 0) -> Floats:
    """The sum of `weights` for each key 0, 1, … (at least `count` of them)."""
    return np.asarray(np.bincount(keys, weights, count), dtype=np.float64)
