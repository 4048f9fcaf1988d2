"""The event loop of every policy that does not preempt.

It knows no policy by name: it gets a priority per job. Within one instant ended jobs release their GPUs, then
nodes come and go, then arrivals join the queue, then jobs are started from the head of the queue until one
cannot be placed; nobody overtakes that one (head-of-line blocking).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.capacity import Changes
from scheduling.cluster import DRAINING_GPUS, USED_GPUS, USED_NODES, Nodes, set_open_nodes
from scheduling.compilation import kernel, part_of_kernel
from scheduling.heap import Heap, empty_heap, pop, push
from scheduling.placement import Placed, place, release
from scheduling.rolling import RollingMeans, expected_duration, learn


class Workload(NamedTuple):
    """Jobs of one VC in trace order (by submission), each of which fits the idle VC at some later time.

    ``gpu_type``: number of the GPU type that the job asks for, 0 for any. ``priority``: the smallest goes
    first, ties by position. Where durations are learned during the replay it is the priority per second of
    expected duration, and becomes the priority when the job is submitted. ``last_chance_s``: from then on the
    VC is too small for the job, even if it is idle.
    """

    submit_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    gpus: NDArray[np.int64]
    gpu_type: NDArray[np.int64]
    priority: NDArray[np.float64]
    last_chance_s: NDArray[np.float64]


class Schedule(NamedTuple):
    """What a replay made of each job; NaN where it has not happened.

    ``missed``: the job waited until its VC had become too small for it. ``expected_s`` and ``rung`` are
    written only where durations are learned during the replay.
    """

    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    waiting_s: NDArray[np.float64]
    preemptions: NDArray[np.int64]
    missed: NDArray[np.bool_]
    expected_s: NDArray[np.float64]
    rung: NDArray[np.int64]


class Steps(NamedTuple):
    """Step function of a VC's load: from ``time_s[i]`` until ``time_s[i + 1]`` the other columns hold.

    ``draining_gpus``: GPUs of the nodes that are to leave once their last job ends.
    """

    time_s: NDArray[np.float64]
    used_nodes: NDArray[np.int64]
    running_gpus: NDArray[np.int64]
    waiting_jobs: NDArray[np.int64]
    draining_gpus: NDArray[np.int64]


def empty_schedule(jobs: int) -> Schedule:
    """A schedule in which nothing has happened yet."""
    return Schedule(
        np.full(jobs, np.nan),
        np.full(jobs, np.nan),
        np.zeros(jobs),
        np.zeros(jobs, np.int64),
        np.zeros(jobs, np.bool_),
        np.full(jobs, np.nan),
        np.full(jobs, -1, np.int64),
    )


@kernel
def room_for_steps(steps: int) -> Steps:
    """Unwritten steps."""
    return Steps(
        np.empty(steps),
        np.empty(steps, np.int64),
        np.empty(steps, np.int64),
        np.empty(steps, np.int64),
        np.empty(steps, np.int64),
    )


@kernel
def note_step(steps: Steps, written: int, time_s: float, nodes: Nodes, waiting: int) -> int:
    """Write the load from ``time_s`` on, over the last step if that is of the same instant; return the new
    count."""
    at = written - 1 if written > 0 and steps.time_s[written - 1] == time_s else written
    steps.time_s[at] = time_s
    steps.used_nodes[at] = nodes.tally[USED_NODES]
    steps.running_gpus[at] = nodes.tally[USED_GPUS]
    steps.waiting_jobs[at] = waiting
    steps.draining_gpus[at] = nodes.tally[DRAINING_GPUS]
    return at + 1


@kernel
def _never_falls(values: NDArray[np.float64]) -> bool:
    for i in range(1, values.size):  # noqa: SIM110  (stops at the first fall, and compiles)
        if not values[i] >= values[i - 1]:
            return False
    return True


@part_of_kernel
def _head(in_order: bool, queue: Heap, arrived: int, waiting: int) -> int:
    """The job at the head of the queue; one must be waiting."""
    return arrived - waiting if in_order else queue.items[0]


@kernel
def trimmed(steps: Steps, written: int) -> Steps:
    """The steps that were written."""
    return Steps(
        steps.time_s[:written].copy(),
        steps.used_nodes[:written].copy(),
        steps.running_gpus[:written].copy(),
        steps.waiting_jobs[:written].copy(),
        steps.draining_gpus[:written].copy(),
    )


@part_of_kernel
def _set_priority(jobs: Workload, means: RollingMeans, schedule: Schedule, job: int) -> None:
    """Estimate the job at its submission and make its priority of that."""
    schedule.expected_s[job], schedule.rung[job] = expected_duration(means, job)
    jobs.priority[job] *= schedule.expected_s[job]


@part_of_kernel
def _start(jobs: Workload, schedule: Schedule, ends: Heap, running: int, job: int, time_s: float) -> None:
    """Note that a job that was placed runs from now on."""
    schedule.start_s[job] = time_s
    schedule.waiting_s[job] = time_s - jobs.submit_s[job]
    schedule.end_s[job] = time_s + jobs.duration_s[job]
    push(ends, running, schedule.end_s[job], job)


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
    nodes: Nodes,
    changes: Changes,
    placed: Placed,
    rule: int,
    means: RollingMeans,
    schedule: Schedule,
) -> Steps:
    """Replay ``jobs`` on idle ``nodes`` into ``schedule``; return the steps of the VC's load.

    If ``means`` has groups, a job's priority is its priority per second × its expected duration, known from
    the jobs that the replay had ended by its submission. Time: O(log n) per job; memory: two heaps.
    """
    count = jobs.submit_s.size
    learning = means.group.shape[0] > 0
    # If no job's priority is below that of the one before, the queue is a range of positions, not a heap.
    in_order = not learning and _never_falls(jobs.priority)
    queue, ends = empty_heap(0 if in_order else count), empty_heap(min(count, nodes.size.sum()))
    steps, written = room_for_steps(2 * count + changes.time_s.size), 0
    arrived, waiting, running, changed = 0, 0, 0, 0
    while arrived < count or running > 0 or waiting > 0:
        time_s = jobs.submit_s[arrived] if arrived < count else np.inf
        if running > 0:
            time_s = min(time_s, ends.keys[0])
        if changed < changes.time_s.size:
            time_s = min(time_s, changes.time_s[changed])
        # Until something is released, a head that was refused is refused again.
        refused = -1 if waiting == 0 else _head(in_order, queue, arrived, waiting)
        while running > 0 and ends.keys[0] <= time_s:
            ended = ends.items[0]
            pop(ends, running)
            running -= 1
            release(nodes, placed, ended)
            refused = -1
            if learning:
                learn(means, ended, jobs.duration_s[ended])
        if changed < changes.time_s.size and changes.time_s[changed] <= time_s:
            changed = change_nodes(nodes, changes, changed, time_s)
            refused = -1
        while arrived < count and jobs.submit_s[arrived] <= time_s:
            if learning:
                _set_priority(jobs, means, schedule, arrived)
            if not in_order:
                push(queue, waiting, jobs.priority[arrived], arrived)
            waiting += 1
            arrived += 1
        while waiting > 0:
            head = _head(in_order, queue, arrived, waiting)
            missed = jobs.last_chance_s[head] <= time_s
            if head == refused:
                break
            if not missed and not place(nodes, placed, rule, head, jobs.gpus[head], jobs.gpu_type[head]):
                break
            if not in_order:
                pop(queue, waiting)
            waiting -= 1
            if missed:
                schedule.missed[head] = True
            else:
                _start(jobs, schedule, ends, running, head, time_s)
                running += 1
        written = note_step(steps, written, time_s, nodes, waiting)
    return trimmed(steps, written)
