"""EASY backfill: who may overtake a blocked head of the queue without delaying it, as far as estimates tell.

The head gets a reservation: the first instant at which it can be placed if every running job ends when it is
expected to, and the GPUs it would get then. A job behind it may start if it is expected to end by that
instant, or needs only GPUs that the head leaves over (Lifka 1995, *The ANL/IBM SP scheduling system*; Mu'alem
and Feitelson 2001).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import ANY, Nodes, copied, take
from scheduling.compilation import allocating_kernel, inner_kernel, kernel, part_of_kernel
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


class Refusals(NamedTuple):
    """What a walk along the queue has found out about requests for so many GPUs of any type.

    ``room[gpus]``: the last walk in which they did not fit, so nor will they later in it; ``late[gpus]``: the
    last turn in which their placement had GPUs that the head is to get. ``walk[0]`` is the walk, and
    ``turn[0]`` the turn, which ends when a job starts. Empty where jobs share GPUs.
    """

    walk: NDArray[np.int64]
    turn: NDArray[np.int64]
    room: NDArray[np.int64]
    late: NDArray[np.int64]


@allocating_kernel
def no_refusals(most_gpus: int, sharing: bool) -> Refusals:
    """Nothing has been found out."""
    room = 0 if sharing else most_gpus + 1
    return Refusals(
        np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(room, np.int64), np.zeros(room, np.int64)
    )


@part_of_kernel
def next_walk(refusals: Refusals) -> None:
    """Begin a walk along the queue."""
    refusals.walk[0] += 1
    refusals.turn[0] += 1


@part_of_kernel
def next_turn(refusals: Refusals) -> None:
    """A job has started."""
    refusals.turn[0] += 1


@part_of_kernel
def no_room(refusals: Refusals, gpus: int, job_class: int) -> bool:
    """Whether it is known that the request does not fit."""
    return job_class == ANY and refusals.room.size > 0 and refusals.room[gpus] == refusals.walk[0]


@part_of_kernel
def refuse_room(refusals: Refusals, gpus: int, job_class: int) -> None:
    """Remember that the request does not fit."""
    if job_class == ANY and refusals.room.size > 0:
        refusals.room[gpus] = refusals.walk[0]


@part_of_kernel
def would_delay(refusals: Refusals, gpus: int, job_class: int) -> bool:
    """Whether it is known that the request, if it lasts beyond the head's start, delays the head."""
    return job_class == ANY and refusals.late.size > 0 and refusals.late[gpus] == refusals.turn[0]


@part_of_kernel
def refuse_late(refusals: Refusals, gpus: int, job_class: int) -> None:
    """Remember that the request delays the head if it lasts beyond the head's start."""
    if job_class == ANY and refusals.late.size > 0:
        refusals.late[gpus] = refusals.turn[0]


@inner_kernel
def takes_from_head(reservation: Reservation, placed: Placed, job: int) -> bool:
    """Whether a job that was placed has GPUs that the head is to get."""
    for entry in range(placed.first[job], placed.first[job] + placed.held[job]):
        if reservation.nodes.free[placed.node[entry]] < max(placed.gpus[entry], 1):
            return True
    return False


@inner_kernel
def take_beside_head(reservation: Reservation, placed: Placed, job: int) -> None:
    """Let a job that was placed hold its GPUs beyond the head's start."""
    for entry in range(placed.first[job], placed.first[job] + placed.held[job]):
        take(reservation.nodes, placed.node[entry], max(placed.gpus[entry], 1))
