"""What the jobs of one VC waited for, and behind whom, found by walking a finished replay once more.

Between two steps of the replay nothing changes, so what keeps a request from starting is the same for every
job that makes it, and is looked up once. Time: O(distinct requests that wait + pairs of waiting user and
request) per step, and O(users) per start and end.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.attributed import CAPACITY, FRAGMENTATION, HEAD_OF_LINE, Attributed, nothing_attributed
from scheduling.capacity import Changes, change_nodes
from scheduling.cluster import (
    FREE_GPUS,
    IDLE_MILLI,
    OPEN,
    SHARED_GPUS,
    WHOLE_MILLI,
    Nodes,
    free_gpus_of_class,
    in_mask,
    take,
)
from scheduling.compilation import inner_kernel, kernel
from scheduling.holders import Holders, hold, nobody_holds, settle
from scheduling.placement import Placed, place, release
from scheduling.shares import join_shared
from scheduling.waiters import Waiters, nobody_waits, wait, wait_no_more


class Past(NamedTuple):
    """A finished replay of a VC: its steps, and of each job in trace order when it joined the queue, started
    and ended.

    ``time_s`` and ``head``: as in :class:`scheduling.steps.Steps`. ``start_s``: inf for a job that waited to
    the end, −inf for one whose wait does not count (it left without a start). ``end_s``: inf for a job that
    ran to the end. ``starts`` and ``ends``: the jobs that started, and those of them that ended after their
    start, in this order.
    """

    time_s: NDArray[np.float64]
    head: NDArray[np.int32]
    submit_s: NDArray[np.float64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class Asked(NamedTuple):
    """The ``request`` of each job, and the GPUs and the class of nodes of each request."""

    request: NDArray[np.int64]
    gpus: NDArray[np.int64]
    job_class: NDArray[np.int64]


@inner_kernel
def _shared_milli_left(nodes: Nodes, job_class: int) -> int:
    """Thousandths that are left on GPUs which jobs share and which suit the class."""
    left = 0
    for shared in range(nodes.tally[SHARED_GPUS]):
        node = nodes.shared_node[shared]
        if nodes.shared_milli[shared] < WHOLE_MILLI and nodes.state[node] == OPEN:
            left += nodes.shared_milli[shared] if in_mask(nodes.mask[job_class], node) else 0
    return left


@inner_kernel
def obstacle(nodes: Nodes, room: Placed, rule: int, asked: Asked, request: int) -> int:
    """What keeps a request from starting now; ``room`` has a place for each request."""
    gpus, job_class = asked.gpus[request], asked.job_class[request]
    free = nodes.tally[FREE_GPUS] if job_class == 0 else free_gpus_of_class(nodes, job_class)
    free_milli, milli = free * WHOLE_MILLI, gpus * WHOLE_MILLI
    if room.sharing and room.share_milli[request] > 0:
        milli = room.share_milli[request]
        free_milli += _shared_milli_left(nodes, job_class) if nodes.tally[IDLE_MILLI] > 0 else 0
    if free_milli < milli:
        return CAPACITY
    if place(nodes, room, rule, request, gpus, job_class):
        release(nodes, room, request)
        return HEAD_OF_LINE
    return FRAGMENTATION


@inner_kernel
def _take_again(nodes: Nodes, placed: Placed, job: int) -> None:
    """Give the job the GPUs that it had."""
    first, beyond = placed.first[job], placed.first[job] + placed.held[job]
    if placed.sharing and placed.share_milli[job] > 0:
        shared = placed.shared[job]
        if nodes.shared_milli[shared] == WHOLE_MILLI:
            take(nodes, placed.node[first], 1)
            nodes.shared_node[shared] = placed.node[first]
            nodes.tally[SHARED_GPUS] = max(nodes.tally[SHARED_GPUS], shared + 1)
            nodes.tally[IDLE_MILLI] += WHOLE_MILLI
        join_shared(nodes, shared, placed.share_milli[job])
        return
    for entry in range(first, beyond):
        take(nodes, placed.node[entry], placed.gpus[entry])


@inner_kernel
def _pass_time(
    waiters: Waiters,
    holders: Holders,
    made: Attributed,
    asked: Asked,
    obstacles: NDArray[np.int64],
    head: int,
    head_user: int,
    span_s: float,
) -> None:
    """Let a span pass in which nothing changes, with an obstacle before each request that waits."""
    requests = asked.gpus.size
    for request in range(requests):
        if waiters.of_request[request] > 0:
            waiters.cause_s[obstacles[request], request] += span_s
    for i in range(waiters.size[0]):
        pair = waiters.pairs[i]
        user, request = pair // requests, pair % requests
        wait_s = waiters.of_pair[pair] * span_s
        if obstacles[request] == HEAD_OF_LINE:
            made.behind_head_s[head_user, user] += wait_s
            made.behind_head_job_s[head] += wait_s
        elif holders.milli[asked.job_class[request]] > 0:
            job_class = asked.job_class[request]
            pressure_s = wait_s / holders.milli[job_class]
            holders.pressure_s[job_class, user] += pressure_s
            holders.all_s[job_class] += pressure_s


@kernel
def attribute(
    past: Past,
    asked: Asked,
    user: NDArray[np.int64],
    users: int,
    counts: NDArray[np.bool_],
    nodes: Nodes,
    changes: Changes,
    placed: Placed,
    room: Placed,
    rule: int,
) -> Attributed:
    """Walk the ``past`` of a VC on its ``nodes``, idle before the first step, and attribute every wait.

    ``user``: that of each job, of so many ``users``; ``counts``: whose waits count towards what is behind
    whom. ``placed``: where each job ran; ``room``: a place for each request, to try it out.
    """
    count, requests = past.submit_s.size, asked.gpus.size
    made, waiters = nothing_attributed(count, users), nobody_waits(count, users, requests)
    holders = nobody_holds(count, users, nodes.mask.shape[0])
    obstacles, looked_up = np.zeros(requests, np.int64), np.full(requests, -1, np.int64)
    arrived, started, ended, changed, version = 0, 0, 0, 0, 0
    for step in range(past.time_s.size):
        time_s = past.time_s[step]
        before = started + ended + changed
        while ended < past.ends.size and past.end_s[past.ends[ended]] <= time_s:
            job = past.ends[ended]
            hold(holders, made, nodes, placed, job, user[job], -1)
            release(nodes, placed, job)
            ended += 1
        changed = change_nodes(nodes, changes, changed, time_s)
        while arrived < count and past.submit_s[arrived] <= time_s:
            if past.start_s[arrived] > time_s:
                request = asked.request[arrived]
                pair = user[arrived] * requests + request
                wait(waiters, made, arrived, request, pair, counts[arrived])
            arrived += 1
        while started < past.starts.size and past.start_s[past.starts[started]] <= time_s:
            job = past.starts[started]
            if waiters.waits[job]:
                request = asked.request[job]
                wait_no_more(waiters, made, job, request, user[job] * requests + request, counts[job])
            if past.end_s[job] > past.start_s[job]:  # else it held nothing for any time
                _take_again(nodes, placed, job)
                hold(holders, made, nodes, placed, job, user[job], 1)
            started += 1
        if started + ended + changed > before:
            version += 1
        for request in range(requests):
            if waiters.of_request[request] > 0 and looked_up[request] != version:
                obstacles[request] = obstacle(nodes, room, rule, asked, request)
                looked_up[request] = version
        if step + 1 < past.time_s.size and past.head[step] >= 0:
            head, span_s = past.head[step], past.time_s[step + 1] - time_s
            _pass_time(waiters, holders, made, asked, obstacles, head, user[head], span_s)
    for job in range(count):
        if waiters.waits[job]:
            request = asked.request[job]
            wait_no_more(waiters, made, job, request, user[job] * requests + request, counts[job])
    for c in range(holders.milli.size):
        for each in range(users):
            settle(holders, made, c, each)
    for i in range(past.starts.size):
        job = past.starts[i]
        if past.end_s[job] == np.inf:
            hold(holders, made, nodes, placed, job, user[job], -1)
    return made
