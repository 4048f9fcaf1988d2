"""The event loop of every policy that does not preempt.

It knows no policy by name: it gets a priority per job. Within one instant ended jobs release their GPUs, then
nodes come and go, then arrivals join the queue, then jobs are started from the head of the queue until one
cannot be placed. Nobody overtakes that one (head-of-line blocking), or only who does not delay it
(:mod:`scheduling.backfill`).
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.backfill import UNKNOWN_DURATION_S, reserve, starts_beside
from scheduling.capacity import Changes
from scheduling.cluster import (
    DRAINING_GPUS,
    FREE_GPUS,
    IDLE_MILLI,
    USED_GPUS,
    USED_NODES,
    WHOLE_MILLI,
    Nodes,
    set_open_nodes,
)
from scheduling.compilation import allocating_kernel, inner_kernel, kernel, part_of_kernel
from scheduling.fairness import Usage, change_usage, no_usage, usage_at
from scheduling.heap import Heap, empty_heap, pop, push
from scheduling.orders import FAIR_SHARE
from scheduling.placement import Placed, place, release
from scheduling.queue import (
    BY_KEY,
    IN_LANES,
    IN_ORDER,
    Lanes,
    empty_lanes,
    head_of,
    join,
    leave,
    leave_lane,
    walk,
)
from scheduling.rolling import RollingMeans, expected_duration, learn


class Workload(NamedTuple):
    """Jobs of one VC in trace order (by submission), each of which fits the idle VC at some later time.

    ``gpus``: GPUs on which the job runs, also where it has only a part of one. ``gpu_type``: number of the
    class of nodes that suit the job, 0 for any. ``priority``: the smallest goes first, ties by position.
    Where durations are learned during the replay it is the priority per second of expected duration, and
    becomes the priority when the job is submitted. ``last_chance_s``: from then on the VC is too small for
    the job, even if it is idle.
    """

    submit_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    gpus: NDArray[np.int64]
    gpu_type: NDArray[np.int64]
    priority: NDArray[np.float64]
    last_chance_s: NDArray[np.float64]


class Standing(NamedTuple):
    """What else the rules may look at: the duration that is believed of each job (written at submission where
    durations are learned), the number of its user, and the GPU·s it had attained before the replay."""

    believed_s: NDArray[np.float64]
    user: NDArray[np.int64]
    attained_gpu_s: NDArray[np.float64]


class Rules(NamedTuple):
    """How a VC is run.

    ``placement``: a value of ``PLACEMENTS``. ``order``: one of the orders of :mod:`scheduling.orders`.
    ``backfill``: whether jobs may overtake a blocked head that they do not delay. ``believed_priority``:
    whether learned durations are part of the priority. ``until_s``: what happens later is left undone.
    ``half_life_s``: how fast attained GPU time fades (fair share). ``levels_gpu_s``: the attained GPU times
    at which a job goes to the next level (least attained service).
    """

    placement: int
    order: int
    backfill: bool
    believed_priority: bool
    until_s: float
    half_life_s: float
    levels_gpu_s: NDArray[np.float64]


class Schedule(NamedTuple):
    """What a replay made of each job; NaN where it has not happened.

    ``missed``: the job waited until its VC had become too small for it. ``expected_s`` and ``rung`` are
    written only where durations are learned during the replay. ``left_s``: what is still to run of a job that
    had started and not ended when the replay stopped. ``reserved_s``: when the job was expected to start as
    it was first held back at the head of the queue; ``backfilled``: it overtook a blocked head.
    """

    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    waiting_s: NDArray[np.float64]
    preemptions: NDArray[np.int64]
    missed: NDArray[np.bool_]
    expected_s: NDArray[np.float64]
    rung: NDArray[np.int64]
    left_s: NDArray[np.float64]
    reserved_s: NDArray[np.float64]
    backfilled: NDArray[np.bool_]


class Steps(NamedTuple):
    """Step function of a VC's load: from ``time_s[i]`` until ``time_s[i + 1]`` the other columns hold.

    ``running_gpus`` counts of shared GPUs what is in use. ``draining_gpus``: GPUs of the nodes that are to
    leave once their last job ends. ``free_gpus``: wholly free GPUs of the other nodes; ``head``: the job at
    the head of the queue, −1 if nobody waits.
    """

    time_s: NDArray[np.float64]
    used_nodes: NDArray[np.int32]
    running_gpus: NDArray[np.float64]
    waiting_jobs: NDArray[np.int32]
    draining_gpus: NDArray[np.int32]
    free_gpus: NDArray[np.int32]
    head: NDArray[np.int32]


def empty_schedule(jobs: int, columns: Collection[str] = Schedule._fields) -> Schedule:
    """A schedule in which nothing has happened yet; columns in which nothing will happen may have no room."""
    room = {name: jobs if name in columns else 0 for name in Schedule._fields}
    return Schedule(
        np.full(room["start_s"], np.nan),
        np.full(room["end_s"], np.nan),
        np.zeros(room["waiting_s"]),
        np.zeros(room["preemptions"], np.int64),
        np.zeros(room["missed"], np.bool_),
        np.full(room["expected_s"], np.nan),
        np.full(room["rung"], -1, np.int64),
        np.full(room["left_s"], np.nan),
        np.full(room["reserved_s"], np.nan),
        np.zeros(room["backfilled"], np.bool_),
    )


@allocating_kernel
def room_for_steps(steps: int) -> Steps:
    """Unwritten steps."""
    return Steps(
        np.empty(steps),
        np.empty(steps, np.int32),
        np.empty(steps),
        np.empty(steps, np.int32),
        np.empty(steps, np.int32),
        np.empty(steps, np.int32),
        np.empty(steps, np.int32),
    )


@part_of_kernel
def note_step(steps: Steps, written: int, time_s: float, nodes: Nodes, waiting: int, head: int) -> int:
    """Write the load from ``time_s`` on, over the last step if that is of the same instant; return the new
    count."""
    at = written - 1 if written > 0 and steps.time_s[written - 1] == time_s else written
    steps.time_s[at] = time_s
    steps.used_nodes[at] = nodes.tally[USED_NODES]
    steps.running_gpus[at] = nodes.tally[USED_GPUS] - nodes.tally[IDLE_MILLI] / WHOLE_MILLI
    steps.waiting_jobs[at] = waiting
    steps.draining_gpus[at] = nodes.tally[DRAINING_GPUS]
    steps.free_gpus[at] = nodes.tally[FREE_GPUS]
    steps.head[at] = head if waiting > 0 else -1
    return at + 1


@allocating_kernel
def trimmed(steps: Steps, written: int) -> Steps:
    """The steps that were written."""
    return Steps(
        steps.time_s[:written],
        steps.used_nodes[:written],
        steps.running_gpus[:written],
        steps.waiting_jobs[:written],
        steps.draining_gpus[:written],
        steps.free_gpus[:written],
        steps.head[:written],
    )


@inner_kernel
def most_running(jobs: int, nodes: Nodes) -> int:
    """At most so many of the jobs run at once: one per GPU, or all of them where they share GPUs."""
    return jobs if nodes.shared_milli.size > 0 else min(jobs, nodes.size.sum())


@inner_kernel
def gpus_of(jobs: Workload, placed: Placed, job: int) -> float:
    """GPUs that the job has in use while it runs: whole ones, or a part of one."""
    if placed.sharing and placed.share_milli[job] > 0:
        return float(placed.share_milli[job] / WHOLE_MILLI)
    return float(jobs.gpus[job])


@inner_kernel
def _never_falls(values: NDArray[np.float64]) -> bool:
    for i in range(1, values.size):  # noqa: SIM110  (stops at the first fall, and compiles)
        if not values[i] >= values[i - 1]:
            return False
    return True


@inner_kernel
def _kind_of_queue(jobs: Workload, rules: Rules, learning: bool) -> int:
    """The cheapest kind of queue that serves the rules."""
    if rules.backfill or rules.order == FAIR_SHARE:
        return IN_LANES
    in_order = not (learning and rules.believed_priority) and _never_falls(jobs.priority)
    return IN_ORDER if in_order else BY_KEY


@part_of_kernel
def _believe(
    jobs: Workload, standing: Standing, rules: Rules, means: RollingMeans, schedule: Schedule, job: int
) -> None:
    """Estimate the job at its submission, and make its priority of that where that is the rule."""
    expected_s, rung = expected_duration(means, job)
    schedule.expected_s[job], schedule.rung[job] = expected_s, rung
    standing.believed_s[job] = expected_s if rung < means.group.shape[1] else UNKNOWN_DURATION_S
    if rules.believed_priority:
        jobs.priority[job] *= expected_s


@inner_kernel
def _weigh_users(lanes: Lanes, usage: Usage, half_life_s: float, time_s: float) -> None:
    """Bring the order of the users up to date."""
    for user in range(lanes.weight.size):
        if lanes.first[user] >= 0:
            lanes.weight[user] = usage_at(usage, user, time_s, half_life_s)


@part_of_kernel
def _start(jobs: Workload, schedule: Schedule, ends: Heap, running: int, job: int, time_s: float) -> None:
    """Note that a job that was placed runs from now on, beside ``running`` others."""
    schedule.start_s[job] = time_s
    schedule.waiting_s[job] = time_s - jobs.submit_s[job]
    schedule.end_s[job] = time_s + jobs.duration_s[job]
    push(ends, running, schedule.end_s[job], job)


@part_of_kernel
def _some_gpu_is_free(nodes: Nodes) -> bool:
    return bool(nodes.tally[FREE_GPUS] + nodes.tally[IDLE_MILLI] > 0)


@allocating_kernel
def _start_behind_the_head(
    jobs: Workload,
    standing: Standing,
    nodes: Nodes,
    placed: Placed,
    placement: int,
    schedule: Schedule,
    lanes: Lanes,
    ends: Heap,
    waiting: int,
    running: int,
    time_s: float,
) -> NDArray[np.int64]:
    """Start jobs that are not expected to delay the blocked head of the queue; return them."""
    started, candidates = 0, walk(lanes, waiting)
    head, running_jobs = candidates[0], ends.items[:running]
    head_gpus, head_class = jobs.gpus[head], jobs.gpu_type[head]
    believed_s = standing.believed_s
    reservation = reserve(
        nodes,
        placed,
        placement,
        head,
        head_gpus,
        head_class,
        running_jobs,
        schedule.start_s,
        believed_s,
        time_s,
    )
    if np.isnan(schedule.reserved_s[head]) and reservation.start_s < np.inf:
        schedule.reserved_s[head] = reservation.start_s
    for job in candidates[1:]:
        if not _some_gpu_is_free(nodes):
            break
        gpus, job_class = jobs.gpus[job], jobs.gpu_type[job]
        enough = gpus <= nodes.tally[FREE_GPUS] or nodes.tally[IDLE_MILLI] > 0
        if not enough or jobs.last_chance_s[job] <= time_s:
            continue
        if starts_beside(
            reservation, nodes, placed, placement, job, gpus, job_class, believed_s[job], time_s
        ):
            leave_lane(lanes, job)
            schedule.backfilled[job] = True
            _start(jobs, schedule, ends, running + started, job, time_s)
            candidates[started] = job  # a place that has been looked at
            started += 1
    return candidates[:started]


@inner_kernel
def _leave_undone(schedule: Schedule, running: NDArray[np.int64], until_s: float) -> None:
    """Note what is left to run of the jobs that run when the replay stops."""
    for job in running:
        schedule.left_s[job] = schedule.end_s[job] - until_s
        schedule.end_s[job] = np.nan


@part_of_kernel
def change_nodes(nodes: Nodes, changes: Changes, changed: int, time_s: float) -> int:
    """Let nodes come and go that do so by ``time_s``; return how many changes have been made by then."""
    while changed < changes.time_s.size and changes.time_s[changed] <= time_s:
        set_open_nodes(nodes, changes.group[changed], changes.nodes[changed])
        changed += 1
    return changed


@kernel
def replay_by_priority(
    jobs: Workload,
    standing: Standing,
    nodes: Nodes,
    changes: Changes,
    placed: Placed,
    rules: Rules,
    means: RollingMeans,
    schedule: Schedule,
) -> Steps:
    """Replay ``jobs`` on idle ``nodes`` into ``schedule``; return the steps of the VC's load.

    If ``means`` has groups, durations are learned from the jobs that the replay has ended. Time: O(log n) per
    job and memory for two heaps; with backfill or fair share O(jobs waiting and running) per instant.
    """
    count = jobs.submit_s.size
    learning, fair = means.group.shape[0] > 0, rules.order == FAIR_SHARE
    kind = _kind_of_queue(jobs, rules, learning)
    queue, lanes = empty_heap(count if kind == BY_KEY else 0), empty_lanes(kind, standing.user)
    ends = empty_heap(most_running(count, nodes))
    usage = no_usage(standing.user.max() + 1 if fair else 0)
    steps, written = room_for_steps(2 * count + changes.time_s.size + 1), 0
    arrived, waiting, running, changed, head = 0, 0, 0, 0, -1
    while arrived < count or running > 0 or waiting > 0:
        time_s = jobs.submit_s[arrived] if arrived < count else np.inf
        if running > 0:
            time_s = min(time_s, ends.keys[0])
        if changed < changes.time_s.size:
            time_s = min(time_s, changes.time_s[changed])
        if time_s > rules.until_s:
            break
        # Until something is released, a head that was refused is refused again.
        refused = -1 if waiting == 0 else head_of(kind, queue, lanes, arrived, waiting)
        while running > 0 and ends.keys[0] <= time_s:
            ended = ends.items[0]
            pop(ends, running)
            running -= 1
            release(nodes, placed, ended)
            refused = -1
            if learning:
                learn(means, ended, jobs.duration_s[ended])
            if fair:
                gpus = gpus_of(jobs, placed, ended)
                change_usage(usage, standing.user[ended], -gpus, time_s, rules.half_life_s)
        if changed < changes.time_s.size and changes.time_s[changed] <= time_s:
            changed = change_nodes(nodes, changes, changed, time_s)
            refused = -1
        while arrived < count and jobs.submit_s[arrived] <= time_s:
            if learning:
                _believe(jobs, standing, rules, means, schedule, arrived)
            join(kind, queue, lanes, waiting, jobs.priority[arrived], arrived)
            waiting += 1
            arrived += 1
        if fair:
            _weigh_users(lanes, usage, rules.half_life_s, time_s)
        while waiting > 0:
            head = head_of(kind, queue, lanes, arrived, waiting)
            if head == refused:
                break
            missed = jobs.last_chance_s[head] <= time_s
            if not missed and not place(
                nodes, placed, rules.placement, head, jobs.gpus[head], jobs.gpu_type[head]
            ):
                break
            leave(kind, queue, lanes, waiting, head)
            waiting -= 1
            if missed:
                schedule.missed[head] = True
            else:
                _start(jobs, schedule, ends, running, head, time_s)
                running += 1
                if fair:
                    gpus = gpus_of(jobs, placed, head)
                    change_usage(usage, standing.user[head], gpus, time_s, rules.half_life_s)
        if rules.backfill and waiting > 1 and _some_gpu_is_free(nodes):
            started = _start_behind_the_head(
                jobs,
                standing,
                nodes,
                placed,
                rules.placement,
                schedule,
                lanes,
                ends,
                waiting,
                running,
                time_s,
            )
            if fair:
                for job in started:
                    gpus = gpus_of(jobs, placed, job)
                    change_usage(usage, standing.user[job], gpus, time_s, rules.half_life_s)
            waiting -= started.size
            running += started.size
        written = note_step(steps, written, time_s, nodes, waiting, head)
    if running + waiting > 0:
        _leave_undone(schedule, ends.items[:running], rules.until_s)
        written = note_step(steps, written, rules.until_s, nodes, waiting, head)
    return trimmed(steps, written)
