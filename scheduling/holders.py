"""Who holds the GPUs of a VC, and how long others wait behind them, in a walk of
:mod:`scheduling.attribution`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.attributed import Attributed
from scheduling.cluster import WHOLE_MILLI, Nodes, in_mask
from scheduling.compilation import allocating_kernel, inner_kernel
from scheduling.placement import Placed


class Holders(NamedTuple):
    """Who holds the GPUs that suit each class of jobs, in thousandths, and how long jobs wait behind one.

    ``pressure_s[class, user]`` is the integral over time of (the user's jobs that wait for GPUs of the class)
    ÷ (thousandths in use); ``all_s[class]`` that of all users. ``seen_s[class, holder, user]``: the user's
    pressure when the holder's GPUs last changed; ``at_start_s[class, job]``: that of all when the job
    started.
    """

    milli: NDArray[np.int64]
    of_user: NDArray[np.int64]
    pressure_s: NDArray[np.float64]
    all_s: NDArray[np.float64]
    seen_s: NDArray[np.float64]
    at_start_s: NDArray[np.float64]


@allocating_kernel
def nobody_holds(jobs: int, users: int, classes: int) -> Holders:
    """Every GPU is free."""
    return Holders(
        np.zeros(classes, np.int64),
        np.zeros((classes, users), np.int64),
        np.zeros((classes, users)),
        np.zeros(classes),
        np.zeros((classes, users, users)),
        np.zeros((classes, jobs)),
    )


@inner_kernel
def _milli_on(mask: NDArray[np.uint64], placed: Placed, job: int) -> int:
    """Thousandths of GPUs that the job holds on the nodes of a mask."""
    milli = 0
    for entry in range(placed.first[job], placed.first[job] + placed.held[job]):
        if in_mask(mask, placed.node[entry]):
            shares = placed.sharing and placed.share_milli[job] > 0
            milli += placed.share_milli[job] if shares else placed.gpus[entry] * WHOLE_MILLI
    return milli


@inner_kernel
def settle(holders: Holders, made: Attributed, job_class: int, user: int) -> None:
    """Write down the waits behind a user whose GPUs are about to change."""
    milli = holders.of_user[job_class, user]
    for waiting in range(holders.pressure_s.shape[1]):
        pressure_s = holders.pressure_s[job_class, waiting]
        made.behind_user_s[user, waiting] += milli * (pressure_s - holders.seen_s[job_class, user, waiting])
        holders.seen_s[job_class, user, waiting] = pressure_s


@inner_kernel
def hold(
    holders: Holders, made: Attributed, nodes: Nodes, placed: Placed, job: int, user: int, sign: int
) -> None:
    """Let a job hold its GPUs from now on (``sign`` 1), or no more (−1)."""
    for c in range(holders.milli.size):
        milli = _milli_on(nodes.mask[c], placed, job)
        if milli > 0:
            settle(holders, made, c, user)
            holders.of_user[c, user] += sign * milli
            holders.milli[c] += sign * milli
            if sign > 0:
                holders.at_start_s[c, job] = holders.all_s[c]
            else:
                made.behind_job_s[job] += milli * (holders.all_s[c] - holders.at_start_s[c, job])
