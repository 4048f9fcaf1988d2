"""The event loop of the policies that preempt: at every decision the jobs that come first in order run.

The rules are those of the Helios simulator's SRTF, which decides every second; here a decision is made only
at the instants where it can differ from the one before. The order is one of :mod:`scheduling.orders`:
remaining time, remaining GPU time, or the level of attained GPU time. The key by which a job is ordered stays
as it is while the job waits, and changes while it runs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.capacity import Changes, change_nodes
from scheduling.cluster import ANY, Nodes
from scheduling.compilation import inner_kernel, kernel, part_of_kernel
from scheduling.line import Line, empty_line, join_line, leave_line
from scheduling.orders import ATTAINED, REMAINING
from scheduling.placement import Placed, place, release
from scheduling.quota import classes_within, fill_quota, spend
from scheduling.schedule import Schedule
from scheduling.steps import Steps, grown, note_step, room_for_steps, trimmed
from scheduling.work import Work, attained_gpu_s_of, key_of, level_of, work_of
from scheduling.workload import Rules, Standing, Workload, most_running

PAUSE_S = 1.0
"""A preempted job waits this long at least, and a change of order between decisions is seen at a multiple of
it after the last one (one tick of the Helios simulator's clock)."""


class Costs(NamedTuple):
    """Seconds that a preemption adds to a job's remaining time, by its size (HeliosArtifact, ``srtf.py``)."""

    one_gpu_s: float = 7.0
    one_node_s: float = 30.0
    """2–8 GPUs."""
    many_nodes_s: float = 60.0
    """More than 8 GPUs."""
    extra_s: float = 0.0
    """Held by every job beyond its duration; the Helios simulator holds 1 s."""


@inner_kernel
def _cost_s(costs: Costs, gpus: int) -> float:
    if gpus == 1:
        return costs.one_gpu_s
    return costs.one_node_s if gpus <= 8 else costs.many_nodes_s


@inner_kernel
def _sort_running(running: Line, runners: int, rules: Rules, work: Work, time_s: float) -> None:
    """Bring the running jobs into their order at ``time_s``; they hardly ever leave the one before."""
    for r in range(runners):
        job, ticket = running.job[r], running.ticket[r]
        attained_gpu_s = attained_gpu_s_of(work, job, time_s)
        key, at = key_of(rules, work, job, work.done_s[job] - time_s, attained_gpu_s), r
        while at > 0 and (
            running.key[at - 1] > key or (running.key[at - 1] == key and running.ticket[at - 1] > ticket)
        ):
            running.key[at], running.ticket[at] = running.key[at - 1], running.ticket[at - 1]
            running.job[at] = running.job[at - 1]
            at -= 1
        running.key[at], running.ticket[at], running.job[at] = key, ticket, job


@inner_kernel
def _choose(
    jobs: Workload,
    nodes: Nodes,
    work: Work,
    waiting: Line,
    waiters: int,
    running: Line,
    runners: int,
    quota: NDArray[np.int64],
    within: NDArray[np.bool_],
    chosen: NDArray[np.int64],
    out: NDArray[np.bool_],
    time_s: float,
) -> int:
    """Walk all jobs in order with a quota of GPUs, skipping what does not fit.

    A running job that could not start again because its VC has become too small keeps its GPUs. ``chosen``
    gets the positions of waiting jobs that fit, ``out`` marks the running jobs that do not; returns the
    number chosen. A waiting job goes before a running one of equal key.
    """
    fill_quota(nodes, quota)
    for r in range(runners):
        job = running.job[r]
        if jobs.last_chance_s[job] <= time_s:
            spend(quota, within, jobs.gpu_type[job], work.milli[job])
    picked, w, r = 0, 0, 0
    while r < runners or (w < waiters and quota[ANY] > 0):
        if w < waiters and quota[ANY] > 0 and (r == runners or waiting.key[w] <= running.key[r]):
            job = waiting.job[w]
            if spend(quota, within, jobs.gpu_type[job], work.milli[job]):
                chosen[picked] = w
                picked += 1
            w += 1
        else:
            job = running.job[r]
            if jobs.last_chance_s[job] > time_s:
                out[r] = not spend(quota, within, jobs.gpu_type[job], work.milli[job])
            r += 1
    return picked


@inner_kernel
def _next_change_of_order(
    rules: Rules, work: Work, waiting: Line, waiters: int, running: Line, runners: int, time_s: float
) -> float:
    """The instant at which a running job has fallen behind a job that waits, by whole seconds from now on."""
    nearest_s, w = np.inf, 0
    for r in range(runners):
        job = running.job[r]
        if rules.order == ATTAINED:
            attained_gpu_s = attained_gpu_s_of(work, job, time_s)
            level = level_of(rules.levels_gpu_s, attained_gpu_s)
            if level < rules.levels_gpu_s.size:
                left_s = (rules.levels_gpu_s[level] - attained_gpu_s) / work.gpus[job]
                nearest_s = min(nearest_s, np.ceil(left_s))
            continue
        while w < waiters and waiting.key[w] <= running.key[r]:
            w += 1
        if w > 0:
            ahead = running.key[r] - waiting.key[w - 1]
            rate = 1.0 if rules.order == REMAINING else work.gpus[job]
            nearest_s = min(nearest_s, np.floor(ahead / rate) + PAUSE_S)
    return time_s + nearest_s


@inner_kernel
def _requeue(
    jobs: Workload,
    rules: Rules,
    costs: Costs,
    work: Work,
    schedule: Schedule,
    waiting: Line,
    waiters: int,
    running: Line,
    runners: int,
    stopping: NDArray[np.bool_],
    time_s: float,
    ticket: int,
) -> None:
    """Put the running jobs marked in ``stopping`` back into the queue, at the cost of their preemption."""
    for r in range(runners):
        if stopping[r]:
            job = running.job[r]
            work.left_s[job] = work.done_s[job] - time_s + _cost_s(costs, jobs.gpus[job])
            work.attained_gpu_s[job] = attained_gpu_s_of(work, job, time_s)
            key = key_of(rules, work, job, work.left_s[job], work.attained_gpu_s[job])
            join_line(waiting, waiters, key, ticket, job)
            waiters += 1
            ticket += 1
            schedule.preemptions[job] += 1
            schedule.waiting_s[job] -= time_s  # the next start adds its own instant


@inner_kernel
def _turn_away(
    jobs: Workload, schedule: Schedule, waiting: Line, waiters: int, leaving: NDArray[np.bool_], time_s: float
) -> int:
    """Let the waiting jobs leave for which the VC has become too small; return how many still wait."""
    for w in range(waiters):
        job = waiting.job[w]
        if jobs.last_chance_s[job] <= time_s:
            leaving[w] = True
            schedule.missed[job] = True
    return leave_line(waiting, waiters, leaving, 0)


@part_of_kernel
def _start(
    jobs: Workload, work: Work, schedule: Schedule, running: Line, runners: int, job: int, time_s: float
) -> None:
    """Note a start, the first or one after a preemption, from whose instant on the job has waited again."""
    work.done_s[job] = time_s + work.left_s[job]
    work.since_s[job] = time_s
    running.key[runners], running.job[runners] = np.inf, job  # its place is found at the next decision
    if schedule.preemptions[job] == 0:
        schedule.start_s[job] = time_s
        schedule.waiting_s[job] = time_s - jobs.submit_s[job]
    else:
        schedule.waiting_s[job] += time_s


@inner_kernel
def _leave_undone(
    work: Work,
    schedule: Schedule,
    waiting: NDArray[np.int64],
    running: NDArray[np.int64],
    until_s: float,
) -> None:
    """Note what is left to run of the jobs that have started when the replay stops."""
    for job in running:
        schedule.left_s[job] = work.done_s[job] - until_s
    for job in waiting:
        if schedule.preemptions[job] > 0:
            schedule.left_s[job] = work.left_s[job]
            schedule.waiting_s[job] += until_s


@kernel
def replay_preempting(
    jobs: Workload,
    standing: Standing,
    nodes: Nodes,
    changes: Changes,
    placed: Placed,
    rules: Rules,
    costs: Costs,
    schedule: Schedule,
) -> Steps:
    """Replay ``jobs`` under an order that preempts on idle ``nodes`` into ``schedule``; return the steps of
    the VC's load.

    Time: O(jobs waiting or running) per decision.
    """
    count = jobs.submit_s.size
    room = most_running(count, nodes)
    waiting, running = empty_line(count), empty_line(room)
    work = work_of(jobs, placed, standing.attained_gpu_s)
    quota, within = np.empty(nodes.mask.shape[0], np.int64), classes_within(nodes)
    chosen, starting = np.empty(count, np.int64), np.zeros(count, np.bool_)
    starters = np.empty(room, np.int64)
    stopping, ending = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    steps, written = room_for_steps(2 * count + changes.time_s.size + 2), 0
    arrived, waiters, runners, ticket, changed = 0, 0, 0, 0, 0
    wake_s = np.inf
    while arrived < count or waiters > 0 or runners > 0:
        time_s = wake_s
        for r in range(runners):
            time_s = min(time_s, work.done_s[running.job[r]] + costs.extra_s)
        if arrived < count:
            time_s = min(time_s, jobs.submit_s[arrived])
        if changed < changes.time_s.size:
            time_s = min(time_s, changes.time_s[changed])
        if time_s > rules.until_s:
            break
        if time_s == np.inf:  # nobody runs, and who waits would wait for ever
            waiters = _turn_away(jobs, schedule, waiting, waiters, starting, time_s)
            break

        ends = 0
        for r in range(runners):
            job = running.job[r]
            if work.done_s[job] + costs.extra_s <= time_s:
                release(nodes, placed, job)
                schedule.end_s[job] = time_s
                ending[r] = True
                ends += 1
        if ends > 0:
            runners = leave_line(running, runners, ending, 0)
        had_changed, had_arrived = changed, arrived
        changed = change_nodes(nodes, changes, changed, time_s)
        if changed > had_changed:
            waiters = _turn_away(jobs, schedule, waiting, waiters, starting, time_s)
        while arrived < count and jobs.submit_s[arrived] <= time_s:
            key = key_of(rules, work, arrived, work.left_s[arrived], work.attained_gpu_s[arrived])
            join_line(waiting, waiters, key, ticket, arrived)
            ticket += 1
            waiters += 1
            arrived += 1

        stops, starts, picked = 0, 0, 0
        if waiters > 0:
            _sort_running(running, runners, rules, work, time_s)
            picked = _choose(
                jobs, nodes, work, waiting, waiters, running, runners, quota, within, chosen, stopping, time_s
            )
        for r in range(runners):
            if stopping[r]:
                release(nodes, placed, running.job[r])
                stops += 1
        for c in range(picked):
            job = waiting.job[chosen[c]]
            if place(nodes, placed, rules.placement, job, jobs.gpus[job], jobs.gpu_type[job]):
                starting[chosen[c]] = True
                starters[starts] = job
                starts += 1
        if starts > 0:
            waiters = leave_line(waiting, waiters, starting, chosen[0])
        if stops > 0:
            _requeue(
                jobs,
                rules,
                costs,
                work,
                schedule,
                waiting,
                waiters,
                running,
                runners,
                stopping,
                time_s,
                ticket,
            )
            waiters += stops
            ticket += stops
            runners = leave_line(running, runners, stopping, 0)
        for s in range(starts):
            _start(jobs, work, schedule, running, runners, starters[s], time_s)
            running.ticket[runners] = ticket
            ticket += 1
            runners += 1

        if ends + stops + starts > 0 or changed > had_changed or arrived > had_arrived:
            if written == steps.time_s.size:
                steps = grown(steps)
            written = note_step(steps, written, time_s, nodes, waiters, waiting.job[0])
        if waiters == 0:
            wake_s = np.inf
        elif stops + starts > 0:
            wake_s = time_s + PAUSE_S
        else:
            wake_s = _next_change_of_order(rules, work, waiting, waiters, running, runners, time_s)
    if waiters + runners > 0:
        _leave_undone(work, schedule, waiting.job[:waiters], running.job[:runners], rules.until_s)
        if written == steps.time_s.size:
            steps = grown(steps)
        written = note_step(steps, written, rules.until_s, nodes, waiters, waiting.job[0])
    return trimmed(steps, written)
