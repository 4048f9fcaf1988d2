"""The event loop of every policy that does not preempt.

It knows no policy by name: it gets a priority per job. Within one instant ended jobs release their GPUs, then
nodes come and go, then arrivals join the queue, then jobs are started from the head of the queue until one
cannot be placed. Nobody overtakes that one (head-of-line blocking), or only who does not delay it
(:mod:`scheduling.backfill`).
"""

import numpy as np
from numpy.typing import NDArray

from scheduling.backfill import UNKNOWN_DURATION_S, no_refusals
from scheduling.capacity import Changes, change_nodes
from scheduling.cluster import Nodes
from scheduling.compilation import inner_kernel, kernel, part_of_kernel
from scheduling.fairness import Usage, change_usage, no_usage, usage_at
from scheduling.filling import some_gpu_is_free, start_behind_the_head
from scheduling.heap import empty_heap, pop
from scheduling.orders import FAIR_SHARE
from scheduling.placement import Placed, place, release
from scheduling.queue import BY_KEY, IN_LANES, IN_ORDER, Lanes, empty_lanes, head_of, join, leave
from scheduling.rolling import RollingMeans, expected_duration, learn
from scheduling.schedule import Schedule, start
from scheduling.steps import Steps, note_step, room_for_steps, trimmed
from scheduling.workload import Rules, Standing, Workload, gpus_of, most_running


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


@inner_kernel
def _leave_undone(schedule: Schedule, running: NDArray[np.int64], until_s: float) -> None:
    """Note what is left to run of the jobs that run when the replay stops."""
    for job in running:
        schedule.left_s[job] = schedule.end_s[job] - until_s
        schedule.end_s[job] = np.nan


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
    refusals = no_refusals(jobs.gpus.max() if rules.backfill and count > 0 else 0, placed.sharing)
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
                start(jobs, schedule, ends, running, head, time_s)
                running += 1
                if fair:
                    gpus = gpus_of(jobs, placed, head)
                    change_usage(usage, standing.user[head], gpus, time_s, rules.half_life_s)
        if rules.backfill and waiting > 1 and some_gpu_is_free(nodes):
            started = start_behind_the_head(
                jobs,
                standing,
                nodes,
                placed,
                rules.placement,
                schedule,
                lanes,
                ends,
                refusals,
                waiting,
                running,
                head,
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
