"""The event loop of the policies that preempt: at every decision the jobs that come first in order run.

The rules are those of the Helios simulator's SRTF, which decides every second; here a decision is made only
at the instants where it can differ from the one before. The order is one of :mod:`scheduling.orders`:
remaining time, remaining GPU time, or the level of attained GPU time. The key by which a job is ordered stays
as it is while the job waits, and changes while it runs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.capacity import Changes
from scheduling.cluster import ANY, FREE_GPUS, OPEN, USED_GPUS, WHOLE_MILLI, Nodes, in_mask
from scheduling.compilation import kernel, part_of_kernel
from scheduling.engine import (
    Rules,
    Schedule,
    Standing,
    Steps,
    Workload,
    change_nodes,
    gpus_of,
    most_running,
    note_step,
    room_for_steps,
    trimmed,
)
from scheduling.orders import ATTAINED, REMAINING
from scheduling.placement import Placed, place, release

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


class Work(NamedTuple):
    """Of each job: what is left to run when it is placed next, the instant at which nothing is left while it
    runs, since when it runs, and the GPU·s that it had attained by then."""

    left_s: NDArray[np.float64]
    done_s: NDArray[np.float64]
    since_s: NDArray[np.float64]
    attained_gpu_s: NDArray[np.float64]


class Line(NamedTuple):
    """Jobs sorted by key and then by ticket, the order in which they joined."""

    key: NDArray[np.float64]
    ticket: NDArray[np.int64]
    job: NDArray[np.int64]


class _Vc(NamedTuple):
    """All that an instant of a VC's replay may change or look at."""

    jobs: Workload
    nodes: Nodes
    placed: Placed
    rules: Rules
    costs: Costs
    schedule: Schedule
    work: Work
    waiting: Line
    running: Line


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
def _level(rules: Rules, attained_gpu_s: float) -> int:
    """How many of the rules' levels a job is past."""
    level = 0
    while level < rules.levels_gpu_s.size and attained_gpu_s >= rules.levels_gpu_s[level]:
        level += 1
    return level


@kernel
def _attained_gpu_s(vc: _Vc, job: int, time_s: float) -> float:
    """GPU·s that a running job has attained."""
    ran_s = time_s - vc.work.since_s[job]
    return float(vc.work.attained_gpu_s[job] + ran_s * gpus_of(vc.jobs, vc.placed, job))


@kernel
def _waiting_key(vc: _Vc, job: int) -> float:
    """The key by which a waiting job is ordered."""
    if vc.rules.order == ATTAINED:
        return float(_level(vc.rules, vc.work.attained_gpu_s[job]) * vc.jobs.submit_s.size + job)
    if vc.rules.order == REMAINING:
        return float(vc.work.left_s[job])
    return float(vc.work.left_s[job] * gpus_of(vc.jobs, vc.placed, job))


@kernel
def _running_key(vc: _Vc, job: int, time_s: float) -> float:
    """The key by which a running job is ordered at ``time_s``."""
    if vc.rules.order == ATTAINED:
        return float(_level(vc.rules, _attained_gpu_s(vc, job, time_s)) * vc.jobs.submit_s.size + job)
    if vc.rules.order == REMAINING:
        return float(vc.work.done_s[job] - time_s)
    return float((vc.work.done_s[job] - time_s) * gpus_of(vc.jobs, vc.placed, job))


@kernel
def _sort_running(vc: _Vc, runners: int, time_s: float) -> None:
    """Bring the running jobs into their order at ``time_s``; they hardly ever leave the one before."""
    line = vc.running
    for r in range(runners):
        job, ticket = line.job[r], line.ticket[r]
        key, at = _running_key(vc, job, time_s), r
        while at > 0 and (
            line.key[at - 1] > key or (line.key[at - 1] == key and line.ticket[at - 1] > ticket)
        ):
            line.key[at], line.ticket[at] = line.key[at - 1], line.ticket[at - 1]
            line.job[at] = line.job[at - 1]
            at -= 1
        line.key[at], line.ticket[at], line.job[at] = key, ticket, job


@kernel
def _need_milli(vc: _Vc, job: int) -> int:
    """Thousandths of GPUs that the job has in use while it runs."""
    if vc.placed.share_milli.size > 0 and vc.placed.share_milli[job] > 0:
        return int(vc.placed.share_milli[job])
    return int(vc.jobs.gpus[job] * WHOLE_MILLI)


@kernel
def _held_milli(vc: _Vc, job: int, job_class: int) -> int:
    """Thousandths of GPUs that a running job has in use on nodes that suit a class."""
    if job_class == ANY:
        return _need_milli(vc, job)
    held, mask = 0, vc.nodes.mask[job_class]
    for entry in range(vc.placed.first[job], vc.placed.first[job] + vc.placed.held[job]):
        if in_mask(mask, vc.placed.node[entry]):
            held += (
                _need_milli(vc, job) if vc.placed.gpus[entry] == 0 else vc.placed.gpus[entry] * WHOLE_MILLI
            )
    return held


@kernel
def _quota_milli(nodes: Nodes) -> NDArray[np.int64]:
    """Thousandths of GPUs that can be given out, per class: free ones and those in use."""
    quota = np.zeros(nodes.mask.shape[0], np.int64)
    quota[ANY] = (nodes.tally[FREE_GPUS] + nodes.tally[USED_GPUS]) * WHOLE_MILLI
    for c in range(1, quota.size):
        for node in range(nodes.size.size):
            if in_mask(nodes.mask[c], node):
                free = nodes.free[node] if nodes.state[node] == OPEN else 0
                quota[c] += (free + nodes.size[node] - nodes.free[node]) * WHOLE_MILLI
    return quota


@kernel
def _spend_on_waiting(vc: _Vc, quota: NDArray[np.int64], job: int) -> bool:
    """Take a waiting job's GPUs from the quota, if they fit."""
    need, own = _need_milli(vc, job), vc.jobs.gpu_type[job]
    if need > quota[ANY] or need > quota[own]:
        return False
    quota[ANY] -= need
    if own != ANY:
        quota[own] -= need
    return True


@kernel
def _spend_on_running(vc: _Vc, quota: NDArray[np.int64], job: int) -> bool:
    """Take a running job's GPUs from the quota, if they fit."""
    for c in range(quota.size):
        if _held_milli(vc, job, c) > quota[c]:
            return False
    for c in range(quota.size):
        quota[c] -= _held_milli(vc, job, c)
    return True


@kernel
def _choose(vc: _Vc, waiters: int, runners: int, chosen: NDArray[np.int64], out: NDArray[np.bool_]) -> int:
    """Walk all jobs in order with a quota of GPUs, skipping what does not fit.

    ``chosen`` gets the positions of waiting jobs that fit, ``out`` marks the running jobs that do not;
    returns the number chosen. A waiting job goes before a running one of equal key.
    """
    waiting, running = vc.waiting, vc.running
    quota = _quota_milli(vc.nodes)
    picked, w, r = 0, 0, 0
    while r < runners or (w < waiters and quota[ANY] > 0):
        if w < waiters and quota[ANY] > 0 and (r == runners or waiting.key[w] <= running.key[r]):
            if _spend_on_waiting(vc, quota, waiting.job[w]):
                chosen[picked] = w
                picked += 1
            w += 1
        else:
            out[r] = not _spend_on_running(vc, quota, running.job[r])
            r += 1
    return picked


@kernel
def _next_change_of_order(vc: _Vc, waiters: int, runners: int, time_s: float) -> float:
    """The instant at which a running job has fallen behind a job that waits, by whole seconds from now on."""
    waiting, running = vc.waiting, vc.running
    nearest_s, w = np.inf, 0
    for r in range(runners):
        job = running.job[r]
        if vc.rules.order == ATTAINED:
            attained = _attained_gpu_s(vc, job, time_s)
            level = _level(vc.rules, attained)
            if level < vc.rules.levels_gpu_s.size:
                left = (vc.rules.levels_gpu_s[level] - attained) / gpus_of(vc.jobs, vc.placed, job)
                nearest_s = min(nearest_s, np.ceil(left))
            continue
        while w < waiters and waiting.key[w] <= running.key[r]:
            w += 1
        if w > 0:
            ahead = running.key[r] - waiting.key[w - 1]
            rate = 1.0 if vc.rules.order == REMAINING else gpus_of(vc.jobs, vc.placed, job)
            nearest_s = min(nearest_s, np.floor(ahead / rate) + PAUSE_S)
    return time_s + nearest_s


@kernel
def _grown(steps: Steps) -> Steps:
    size = steps.time_s.size
    more = room_for_steps(2 * size)
    more.time_s[:size] = steps.time_s
    more.used_nodes[:size] = steps.used_nodes
    more.running_gpus[:size] = steps.running_gpus
    more.waiting_jobs[:size] = steps.waiting_jobs
    more.draining_gpus[:size] = steps.draining_gpus
    more.free_gpus[:size] = steps.free_gpus
    more.head_gpus[:size] = steps.head_gpus
    return more


@kernel
def _cost_s(costs: Costs, gpus: int) -> float:
    if gpus == 1:
        return costs.one_gpu_s
    return costs.one_node_s if gpus <= 8 else costs.many_nodes_s


@kernel
def _requeue(
    vc: _Vc, waiters: int, runners: int, stopping: NDArray[np.bool_], time_s: float, ticket: int
) -> None:
    """Put the running jobs marked in ``stopping`` back into the queue, at the cost of their preemption."""
    work = vc.work
    for r in range(runners):
        if stopping[r]:
            job = vc.running.job[r]
            work.left_s[job] = work.done_s[job] - time_s + _cost_s(vc.costs, vc.jobs.gpus[job])
            work.attained_gpu_s[job] = _attained_gpu_s(vc, job, time_s)
            _join(vc.waiting, waiters, _waiting_key(vc, job), ticket, job)
            waiters += 1
            ticket += 1
            vc.schedule.preemptions[job] += 1
            vc.schedule.waiting_s[job] -= time_s  # the next start adds its own instant


@kernel
def _turn_away(vc: _Vc, waiters: int, leaving: NDArray[np.bool_], time_s: float) -> int:
    """Let the waiting jobs leave for which the VC has become too small; return how many still wait."""
    for w in range(waiters):
        job = vc.waiting.job[w]
        if vc.jobs.last_chance_s[job] <= time_s:
            leaving[w] = True
            vc.schedule.missed[job] = True
    return _leave(vc.waiting, waiters, leaving, 0)


@kernel
def _end(vc: _Vc, runners: int, ending: NDArray[np.bool_], time_s: float) -> int:
    """Let the jobs release their GPUs that end by ``time_s``; return how many still run."""
    for r in range(runners):
        job = vc.running.job[r]
        if vc.work.done_s[job] + vc.costs.extra_s <= time_s:
            release(vc.nodes, vc.placed, job)
            vc.schedule.end_s[job] = time_s
            ending[r] = True
    return _leave(vc.running, runners, ending, 0)


@kernel
def _next_end_s(vc: _Vc, runners: int) -> float:
    """When the next running job ends."""
    nearest_s = np.inf
    for r in range(runners):
        nearest_s = min(nearest_s, vc.work.done_s[vc.running.job[r]])
    return nearest_s + vc.costs.extra_s


@part_of_kernel
def _start(vc: _Vc, runners: int, job: int, time_s: float, ticket: int) -> None:
    """Note a start, the first or one after a preemption, from whose instant on the job has waited again."""
    vc.work.done_s[job] = time_s + vc.work.left_s[job]
    vc.work.since_s[job] = time_s
    vc.running.key[runners], vc.running.ticket[runners], vc.running.job[runners] = np.inf, ticket, job
    if vc.schedule.preemptions[job] == 0:
        vc.schedule.start_s[job] = time_s
        vc.schedule.waiting_s[job] = time_s - vc.jobs.submit_s[job]
    else:
        vc.schedule.waiting_s[job] += time_s


@kernel
def _leave_undone(vc: _Vc, waiters: int, runners: int) -> None:
    """Note what is left to run of the jobs that have started when the replay stops."""
    until_s, schedule = vc.rules.until_s, vc.schedule
    for job in vc.running.job[:runners]:
        schedule.left_s[job] = vc.work.done_s[job] - until_s
    for job in vc.waiting.job[:waiters]:
        if schedule.preemptions[job] > 0:
            schedule.left_s[job] = vc.work.left_s[job]
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
    waiting, running = _empty_line(count), _empty_line(room)
    work = Work(jobs.duration_s.copy(), np.empty(count), np.empty(count), standing.attained_gpu_s.copy())
    vc = _Vc(jobs, nodes, placed, rules, costs, schedule, work, waiting, running)
    chosen, starting = np.empty(count, np.int64), np.zeros(count, np.bool_)
    starters = np.empty(room, np.int64)
    stopping, ending = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    steps, written = room_for_steps(2 * count + changes.time_s.size + 2), 0
    arrived, waiters, runners, ticket, changed = 0, 0, 0, 0, 0
    wake_s = np.inf
    while arrived < count or waiters > 0 or runners > 0:
        time_s = min(wake_s, _next_end_s(vc, runners))
        if arrived < count:
            time_s = min(time_s, jobs.submit_s[arrived])
        if changed < changes.time_s.size:
            time_s = min(time_s, changes.time_s[changed])
        if time_s > rules.until_s:
            break

        before = (runners, changed, arrived)
        runners = _end(vc, runners, ending, time_s)
        changed = change_nodes(nodes, changes, changed, time_s)
        if changed != before[1]:
            waiters = _turn_away(vc, waiters, starting, time_s)
        while arrived < count and jobs.submit_s[arrived] <= time_s:
            _join(waiting, waiters, _waiting_key(vc, arrived), ticket, arrived)
            ticket += 1
            waiters += 1
            arrived += 1
        happened = before != (runners, changed, arrived)

        _sort_running(vc, runners, time_s)
        picked = _choose(vc, waiters, runners, chosen, stopping)
        stops = 0
        for r in range(runners):
            if stopping[r]:
                release(nodes, placed, running.job[r])
                stops += 1
        starts = 0
        for c in range(picked):
            job = waiting.job[chosen[c]]
            if place(nodes, placed, rules.placement, job, jobs.gpus[job], jobs.gpu_type[job]):
                starting[chosen[c]] = True
                starters[starts] = job
                starts += 1
        if starts > 0:
            waiters = _leave(waiting, waiters, starting, chosen[0])
        if stops > 0:
            _requeue(vc, waiters, runners, stopping, time_s, ticket)
            waiters += stops
            ticket += stops
            runners = _leave(running, runners, stopping, 0)
        for s in range(starts):
            _start(vc, runners, starters[s], time_s, ticket)
            ticket += 1
            runners += 1

        if happened or stops + starts > 0:
            if written == steps.time_s.size:
                steps = _grown(steps)
            head_gpus = jobs.gpus[waiting.job[0]] if waiters > 0 else 0
            written = note_step(steps, written, time_s, nodes, waiters, head_gpus)
        if waiters == 0:
            wake_s = np.inf
        elif stops + starts > 0:
            wake_s = time_s + PAUSE_S
        else:
            wake_s = _next_change_of_order(vc, waiters, runners, time_s)
    if waiters + runners > 0:
        _leave_undone(vc, waiters, runners)
        if written == steps.time_s.size:
            steps = _grown(steps)
        head_gpus = jobs.gpus[waiting.job[0]] if waiters > 0 else 0
        written = note_step(steps, written, rules.until_s, nodes, waiters, head_gpus)
    return trimmed(steps, written)
