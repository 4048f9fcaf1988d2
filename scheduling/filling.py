"""Start jobs behind a blocked head of the queue: the pass of backfill along the queue."""

import numpy as np
from numpy.typing import NDArray

from scheduling.backfill import (
    SHORTEST_BELIEVED_S,
    Refusals,
    Reservation,
    next_turn,
    next_walk,
    no_room,
    refuse_late,
    refuse_room,
    reserve,
    take_beside_head,
    takes_from_head,
    would_delay,
)
from scheduling.cluster import FREE_GPUS, IDLE_MILLI, Nodes
from scheduling.compilation import allocating_kernel, inner_kernel, part_of_kernel
from scheduling.heap import Heap
from scheduling.placement import Placed, place, release
from scheduling.queue import Lanes, lanes_in_order, leave_lane
from scheduling.schedule import Schedule, start
from scheduling.workload import Standing, Workload


@part_of_kernel
def some_gpu_is_free(nodes: Nodes) -> bool:
    """Whether a GPU or a part of one is free."""
    return bool(nodes.tally[FREE_GPUS] + nodes.tally[IDLE_MILLI] > 0)


@inner_kernel
def _may_start(jobs: Workload, nodes: Nodes, refusals: Refusals, job: int, time_s: float) -> bool:
    """Whether a waiting job may fit, as far as is known without trying."""
    gpus = jobs.gpus[job]
    enough = gpus <= nodes.tally[FREE_GPUS] or nodes.tally[IDLE_MILLI] > 0
    return enough and jobs.last_chance_s[job] > time_s and not no_room(refusals, gpus, jobs.gpu_type[job])


@inner_kernel
def _somebody_fits(
    jobs: Workload,
    nodes: Nodes,
    placed: Placed,
    placement: int,
    lanes: Lanes,
    order: NDArray[np.int64],
    refusals: Refusals,
    head: int,
    time_s: float,
) -> bool:
    """Whether a job behind the blocked head can be placed."""
    for lane in order:
        job = lanes.first[lane]
        while job >= 0:
            if job != head and _may_start(jobs, nodes, refusals, job, time_s):
                if place(nodes, placed, placement, job, jobs.gpus[job], jobs.gpu_type[job]):
                    release(nodes, placed, job)
                    placed.held[job] = 0
                    return True
                refuse_room(refusals, jobs.gpus[job], jobs.gpu_type[job])
            job = lanes.next[job]
    return False


@inner_kernel
def _fill(
    jobs: Workload,
    standing: Standing,
    nodes: Nodes,
    placed: Placed,
    placement: int,
    schedule: Schedule,
    lanes: Lanes,
    order: NDArray[np.int64],
    ends: Heap,
    refusals: Refusals,
    reservation: Reservation,
    running: int,
    head: int,
    time_s: float,
    filling: NDArray[np.int64],
) -> int:
    """Start the jobs not expected to delay the head, and list them in ``filling``; return their number."""
    started = 0
    for lane in order:
        following = lanes.first[lane]
        while following >= 0 and some_gpu_is_free(nodes):
            job, following = following, lanes.next[following]
            if job == head or not _may_start(jobs, nodes, refusals, job, time_s):
                continue
            gpus, job_class = jobs.gpus[job], jobs.gpu_type[job]
            late = time_s + max(standing.believed_s[job], SHORTEST_BELIEVED_S) > reservation.start_s
            if late and would_delay(refusals, gpus, job_class):
                continue
            if not place(nodes, placed, placement, job, gpus, job_class):
                refuse_room(refusals, gpus, job_class)
                continue
            if late and takes_from_head(reservation, placed, job):
                release(nodes, placed, job)
                placed.held[job] = 0
                refuse_late(refusals, gpus, job_class)
                continue
            if late:
                take_beside_head(reservation, placed, job)
            leave_lane(lanes, job)
            schedule.backfilled[job] = True
            start(jobs, schedule, ends, running + started, job, time_s)
            filling[started] = job
            started += 1
            next_turn(refusals)
    return started


@allocating_kernel
def start_behind_the_head(
    jobs: Workload,
    standing: Standing,
    nodes: Nodes,
    placed: Placed,
    placement: int,
    schedule: Schedule,
    lanes: Lanes,
    ends: Heap,
    refusals: Refusals,
    waiting: int,
    running: int,
    head: int,
    time_s: float,
) -> NDArray[np.int64]:
    """Start jobs that are not expected to delay the blocked head of the queue; return them."""
    order, filling = lanes_in_order(lanes), np.empty(waiting, np.int64)
    next_walk(refusals)
    fits = _somebody_fits(jobs, nodes, placed, placement, lanes, order, refusals, head, time_s)
    if not fits and not np.isnan(schedule.reserved_s[head]):
        return filling[:0]
    reservation = reserve(
        nodes,
        placed,
        placement,
        head,
        jobs.gpus[head],
        jobs.gpu_type[head],
        ends.items[:running],
        schedule.start_s,
        standing.believed_s,
        time_s,
    )
    if np.isnan(schedule.reserved_s[head]) and reservation.start_s < np.inf:
        schedule.reserved_s[head] = reservation.start_s
    if not fits:
        return filling[:0]
    started = _fill(
        jobs,
        standing,
        nodes,
        placed,
        placement,
        schedule,
        lanes,
        order,
        ends,
        refusals,
        reservation,
        running,
        head,
        time_s,
        filling,
    )
    return filling[:started]
