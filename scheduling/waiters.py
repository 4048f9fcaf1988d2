"""Who waits in a VC, by user and by request, in a walk of :mod:`scheduling.attribution`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.attributed import CAPACITY, FRAGMENTATION, Attributed
from scheduling.compilation import allocating_kernel, inner_kernel


class Waiters(NamedTuple):
    """Who waits: of each request the jobs, and of each pair (user · requests + request) those that count.

    ``pairs[:size[0]]`` are the pairs of which any job waits, each at ``place[pair]``. ``cause_s[cause,
    request]``: for how long the cause has kept the request waiting so far; ``waits``: whether a job waits.
    """

    of_request: NDArray[np.int64]
    of_pair: NDArray[np.int64]
    pairs: NDArray[np.int64]
    place: NDArray[np.int64]
    size: NDArray[np.int64]
    cause_s: NDArray[np.float64]
    waits: NDArray[np.bool_]


@allocating_kernel
def nobody_waits(jobs: int, users: int, requests: int) -> Waiters:
    """Every queue is empty."""
    pairs = users * requests
    return Waiters(
        np.zeros(requests, np.int64),
        np.zeros(pairs, np.int64),
        np.empty(pairs, np.int64),
        np.empty(pairs, np.int64),
        np.zeros(1, np.int64),
        np.zeros((3, requests)),
        np.zeros(jobs, np.bool_),
    )


@inner_kernel
def wait(waiters: Waiters, made: Attributed, job: int, request: int, pair: int, counts: bool) -> None:
    """Let a job wait from now on."""
    waiters.waits[job] = True
    waiters.of_request[request] += 1
    made.capacity_s[job] = -waiters.cause_s[CAPACITY, request]
    made.fragmentation_s[job] = -waiters.cause_s[FRAGMENTATION, request]
    if counts:
        waiters.of_pair[pair] += 1
        if waiters.of_pair[pair] == 1:
            waiters.pairs[waiters.size[0]] = pair
            waiters.place[pair] = waiters.size[0]
            waiters.size[0] += 1


@inner_kernel
def wait_no_more(waiters: Waiters, made: Attributed, job: int, request: int, pair: int, counts: bool) -> None:
    """Let a job that waits do so no more."""
    waiters.waits[job] = False
    waiters.of_request[request] -= 1
    made.capacity_s[job] += waiters.cause_s[CAPACITY, request]
    made.fragmentation_s[job] += waiters.cause_s[FRAGMENTATION, request]
    if counts:
        waiters.of_pair[pair] -= 1
        if waiters.of_pair[pair] == 0:
            waiters.size[0] -= 1
            last, hole = waiters.pairs[waiters.size[0]], waiters.place[pair]
            waiters.pairs[hole], waiters.place[last] = last, hole
