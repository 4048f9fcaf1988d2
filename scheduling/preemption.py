"""The event loop of SRTF, which preempts: at every decision the jobs with the least remaining time run.

The rules are those of the Helios simulator, which decides every second; here a decision is made only at the
instants where it can differ from the one before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.capacity import Changes
from scheduling.cluster import ANY_TYPE, USED_GPUS, Nodes
from scheduling.compilation import kernel, part_of_kernel
from scheduling.engine import Schedule, Steps, Workload, change_nodes, note_step, room_for_steps, trimmed
from scheduling.placement import Placed, place, release

PAUSE_S = 1.0
"""A preempted job waits this long at least, and a change of order is acted on this long after it (one tick of
the Helios simulator's clock)."""


class Costs(NamedTuple):
    """Seconds that a preemption adds to a job's remaining time, by its size (HeliosArtifact, ``srtf.py``)."""

    one_gpu_s: float = 7.0
    one_node_s: float = 30.0
    """2–8 GPUs."""
    many_nodes_s: float = 60.0
    """More than 8 GPUs."""
    extra_s: float = 0.0
    """Held by every job beyond its duration; the Helios simulator holds 1 s."""


class Line(NamedTuple):
    """Jobs sorted by key and then by ticket, the order in which they joined."""

    key: NDArray[np.float64]
    ticket: NDArray[np.int64]
    job: NDArray[np.int64]


@kernel
def _empty_line(room: int) -> Line:
    return Line(np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64))


@kernel
def _join(line: Line, size: int, key: float, ticket: int, job: int) -> None:
    """Insert a job; its ticket is larger than any in the line, so it goes behind all equal keys."""
    at = np.searchsorted(line.key[:size], key, side="right")
    for i in range(size, at, -1):
        line.key[i], line.ticket[i], line.job[i] = line.key[i - 1], line.ticket[i - 1], line.job[i - 1]
    line.key[at], line.ticket[at], line.job[at] = key, ticket, job


@kernel
def _leave(line: Line, size: int, leaving: NDArray[np.bool_], first: int) -> int:
    """Remove the jobs at the positions ≥ ``first`` that are marked in ``leaving``, and unmark them; return
    the new size."""
    kept = first
    for i in range(first, size):
        if leaving[i]:
            leaving[i] = False
        else:
            line.key[kept], line.ticket[kept], line.job[kept] = line.key[i], line.ticket[i], line.job[i]
            kept += 1
    return kept


@kernel
def _choose(
    waiting: Line,
    waiters: int,
    running: Line,
    runners: int,
    time_s: float,
    gpus: NDArray[np.int64],
    quota: int,
    chosen: NDArray[np.int64],
    out: NDArray[np.bool_],
) -> int:
    """Walk all jobs by remaining time with a quota of GPUs, skipping what does not fit.

    ``chosen`` gets the positions of waiting jobs that fit, ``out`` marks the running jobs that do not;
    returns the number chosen. A waiting job goes before a running one of equal remaining time.
    """
    picked, w, r = 0, 0, 0
    while r < runners or (w < waiters and quota > 0):
        if w < waiters and quota > 0 and (r == runners or waiting.key[w] <= running.key[r] - time_s):
            need = gpus[waiting.job[w]]
            if need <= quota:
                quota -= need
                chosen[picked] = w
                picked += 1
            w += 1
        else:
            need = gpus[running.job[r]]
            if need <= quota:
                quota -= need
            else:
                out[r] = True
            r += 1
    return picked


@kernel
def _next_change_of_order(waiting: Line, waiters: int, running: Line, runners: int, time_s: float) -> float:
    """The instant at which a running job's remaining time has fallen below that of a job waiting before
    it."""
    nearest, w = np.inf, 0
    for r in range(runners):
        remaining = running.key[r] - time_s
        while w < waiters and waiting.key[w] <= remaining:
            w += 1
        if w > 0:
            nearest = min(nearest, remaining - waiting.key[w - 1])
    return time_s + nearest + PAUSE_S


@kernel
def _grown(steps: Steps) -> Steps:
    size = steps.time_s.size
    more = room_for_steps(2 * size)
    more.time_s[:size] = steps.time_s
    more.used_nodes[:size] = steps.used_nodes
    more.running_gpus[:size] = steps.running_gpus
    more.waiting_jobs[:size] = steps.waiting_jobs
    more.draining_gpus[:size] = steps.draining_gpus
    return more


@kernel
def _cost_s(costs: Costs, gpus: int) -> float:
    if gpus == 1:
        return costs.one_gpu_s
    return costs.one_node_s if gpus <= 8 else costs.many_nodes_s


@kernel
def _requeue(
    jobs: Workload,
    costs: Costs,
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
            left_s = running.key[r] - time_s + _cost_s(costs, jobs.gpus[job])
            _join(waiting, waiters, left_s, ticket, job)
            waiters += 1
            ticket += 1
            schedule.preemptions[job] += 1
            schedule.waiting_s[job] -= time_s  # the next start adds its own instant


@kernel
def _turn_away(
    jobs: Workload, schedule: Schedule, waiting: Line, waiters: int, leaving: NDArray[np.bool_], time_s: float
) -> int:
    """Let the waiting jobs leave for which the VC has become too small; return how many still wait."""
    for w in range(waiters):
        job = waiting.job[w]
        if jobs.last_chance_s[job] <= time_s:
            leaving[w] = True
            schedule.missed[job] = True
    return _leave(waiting, waiters, leaving, 0)


@part_of_kernel
def _note_start(jobs: Workload, schedule: Schedule, job: int, time_s: float) -> None:
    """Note a start, the first or one after a preemption, from whose instant on the job has waited again."""
    if schedule.preemptions[job] == 0:
        schedule.start_s[job] = time_s
        schedule.waiting_s[job] = time_s - jobs.submit_s[job]
    else:
        schedule.waiting_s[job] += time_s


@kernel
def replay_shortest_remaining(
    jobs: Workload,
    nodes: Nodes,
    changes: Changes,
    placed: Placed,
    rule: int,
    costs: Costs,
    schedule: Schedule,
) -> Steps:
    """Replay ``jobs`` under SRTF on idle ``nodes`` into ``schedule``; return the steps of the VC's load.

    A running job's key is the instant at which nothing of it remains, a waiting job's key its remaining time,
    so neither changes while the job stays where it is. Time: O(jobs waiting or running) per decision.
    """
    count = jobs.submit_s.size
    room = min(count, nodes.size.sum())
    waiting, running = _empty_line(count), _empty_line(room)
    chosen, starting = np.empty(room, np.int64), np.zeros(count, np.bool_)
    starters, remaining_s = np.empty(room, np.int64), np.empty(room)
    stopping, ending = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    steps, written = room_for_steps(2 * count + 1), 0
    arrived, waiters, runners, ticket, changed = 0, 0, 0, 0, 0
    wake_s = np.inf
    while arrived < count or waiters > 0 or runners > 0:
        time_s = wake_s
        if arrived < count:
            time_s = min(time_s, jobs.submit_s[arrived])
        if runners > 0:
            time_s = min(time_s, running.key[0] + costs.extra_s)
        if changed < changes.time_s.size:
            time_s = min(time_s, changes.time_s[changed])

        ends = 0
        while ends < runners and running.key[ends] + costs.extra_s <= time_s:
            release(nodes, placed, running.job[ends])
            schedule.end_s[running.job[ends]] = time_s
            ending[ends] = True
            ends += 1
        runners = _leave(running, runners, ending, 0)
        news = changed
        changed = change_nodes(nodes, changes, changed, time_s)
        news = changed - news
        if news > 0:
            waiters = _turn_away(jobs, schedule, waiting, waiters, starting, time_s)
        arrivals = arrived
        while arrived < count and jobs.submit_s[arrived] <= time_s:
            _join(waiting, waiters, jobs.duration_s[arrived], ticket, arrived)
            ticket += 1
            waiters += 1
            arrived += 1
        arrivals = arrived - arrivals

        quota = nodes.free_gpus[ANY_TYPE] + nodes.tally[USED_GPUS]
        picked = _choose(waiting, waiters, running, runners, time_s, jobs.gpus, quota, chosen, stopping)
        stops = 0
        for r in range(runners):
            if stopping[r]:
                release(nodes, placed, running.job[r])
                stops += 1
        starts = 0
        for c in range(picked):
            job = waiting.job[chosen[c]]
            if place(nodes, placed, rule, job, jobs.gpus[job], jobs.gpu_type[job]):
                starting[chosen[c]] = True
                starters[starts], remaining_s[starts] = job, waiting.key[chosen[c]]
                starts += 1
        if starts > 0:
            waiters = _leave(waiting, waiters, starting, chosen[0])
        if stops > 0:
            _requeue(jobs, costs, schedule, waiting, waiters, running, runners, stopping, time_s, ticket)
            waiters += stops
            ticket += stops
            runners = _leave(running, runners, stopping, 0)
        for s in range(starts):
            job = starters[s]
            _join(running, runners, time_s + remaining_s[s], ticket, job)
            ticket += 1
            runners += 1
            _note_start(jobs, schedule, job, time_s)

        if ends + news + arrivals + stops + starts > 0:
            if written == steps.time_s.size:
                steps = _grown(steps)
            written = note_step(steps, written, time_s, nodes, waiters)
        if waiters == 0:
            wake_s = np.inf
        elif stops + starts > 0:
            wake_s = time_s + PAUSE_S
        else:
            wake_s = _next_change_of_order(waiting, waiters, running, runners, time_s)
    return trimmed(steps, written)
