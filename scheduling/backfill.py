"""EASY backfill: who may overtake a blocked head of the queue without delaying it, as far as estimates tell.

The head gets a reservation: the first instant at which it can be placed if every running job ends when it is
expected to, and the GPUs it would get then. A job behind it may start if it is expected to end by that
instant, or needs only GPUs that the head leaves over (Lifka 1995, *The ANL/IBM SP scheduling system*; Mu'alem
and Feitelson 2001).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import Nodes, copied, take
from scheduling.compilation import allocating_kernel, inner_kernel, kernel
from scheduling.placement import Placed, place, release

SHORTEST_BELIEVED_S = 1.0
UNKNOWN_DURATION_S = 86_400.0
"""Expected of a job of whose duration nothing is known: a day."""


class Reservation(NamedTuple):
    """From ``start_s`` on the head is expected to run (inf: nothing is known), and ``nodes`` are what is free
    beside it then."""

    start_s: float
    nodes: Nodes


@kernel
def expected_end_s(start_s: float, believed_s: float, time_s: float) -> float:
    """When a job that runs at ``time_s`` is expected to end.

    A job that outlives what was believed is believed to last twice as long, as often as it takes.
    """
    span_s = max(believed_s, SHORTEST_BELIEVED_S)
    while start_s + span_s <= time_s:
        span_s *= 2.0
    return start_s + span_s


@allocating_kernel
def reserve(
    nodes: Nodes,
    placed: Placed,
    rule: int,
    head: int,
    gpus: int,
    job_class: int,
    running: NDArray[np.int64],
    start_s: NDArray[np.float64],
    believed_s: NDArray[np.float64],
    time_s: float,
) -> Reservation:
    """The head's reservation, given the jobs that run. It knows of no node that is yet to come or go.

    Time: O(r log r) for r running jobs, and as many attempts to place the head.
    """
    later = copied(nodes)
    ends_s = np.empty(running.size)
    for i in range(running.size):
        ends_s[i] = expected_end_s(start_s[running[i]], believed_s[running[i]], time_s)
    order, i = np.argsort(ends_s), 0
    while i < running.size:
        end_s = ends_s[order[i]]
        while i < running.size and ends_s[order[i]] == end_s:
            release(later, placed, running[order[i]])
            i += 1
        if place(later, placed, rule, head, gpus, job_class):
            placed.held[head] = 0
            return Reservation(end_s, later)
    return Reservation(np.inf, later)


@inner_kernel
def starts_beside(
    reservation: Reservation,
    nodes: Nodes,
    placed: Placed,
    rule: int,
    job: int,
    gpus: int,
    job_class: int,
    believed_s: float,
    time_s: float,
) -> bool:
    """Place the job now unless that is expected to delay the head; return whether it was placed."""
    if not place(nodes, placed, rule, job, gpus, job_class):
        return False
    if time_s + max(believed_s, SHORTEST_BELIEVED_S) <= reservation.start_s:
        return True
    first, beyond = placed.first[job], placed.first[job] + placed.held[job]
    for entry in range(first, beyond):
        if reservation.nodes.free[placed.node[entry]] < max(placed.gpus[entry], 1):
            release(nodes, placed, job)
            placed.held[job] = 0
            return False
    for entry in range(first, beyond):
        take(reservation.nodes, placed.node[entry], max(placed.gpus[entry], 1))
    return True
