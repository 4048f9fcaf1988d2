"""A VC's replay that pauses, so that someone who sees its load so far may open and close nodes.

:func:`scheduling.replay` is given its capacity beforehand. A controller that lets nodes sleep decides while
the jobs run, and what it decides changes what it will see; so this replay goes on from pause to pause. Its
instants are those of :mod:`scheduling.engine`: given the same nodes, both start every job at the same time.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.capacity import Fleet, NodeSteps
from scheduling.cluster import OPEN, USED_NODES, Nodes, set_open_nodes
from scheduling.compilation import kernel
from scheduling.errors import ScenarioError
from scheduling.heap import Heap, empty_heap, pop, push
from scheduling.orders import BY_PRIORITY
from scheduling.outcome import Outcome
from scheduling.placement import PLACEMENTS, Placed, place, release, room_for_placements
from scheduling.policies import own_column, policy_named
from scheduling.rolling import PRIOR_DURATION_S
from scheduling.schedule import Schedule, empty_schedule
from scheduling.workload import Workload

ARRIVED, WAITING, RUNNING, WRITTEN = 0, 1, 2, 3  # places in Progress.tally
FULL = 0  # group of the full nodes; the other is that of a remainder


class Progress(NamedTuple):
    """How far a replay is: jobs that wait and run, counts of them, and the nodes in use over time.

    From ``time_s[i]`` on, ``used_nodes[i]`` nodes are in use; ``tally[WRITTEN]`` steps are written.
    """

    queue: Heap
    ends: Heap
    tally: NDArray[np.int64]
    time_s: NDArray[np.float64]
    used_nodes: NDArray[np.int64]


@kernel
def advance(
    jobs: Workload,
    nodes: Nodes,
    placed: Placed,
    rule: int,
    progress: Progress,
    schedule: Schedule,
    now_s: float,
    until_s: float,
) -> None:
    """Carry the replay through ``now_s``, at which nodes may have been opened, and all instants before
    ``until_s``."""
    count, queue, ends = progress.tally, progress.queue, progress.ends
    time_s = now_s
    while time_s < until_s:
        while count[RUNNING] > 0 and ends.keys[0] <= time_s:
            release(nodes, placed, ends.items[0])
            pop(ends, count[RUNNING])
            count[RUNNING] -= 1
        while count[ARRIVED] < jobs.submit_s.size and jobs.submit_s[count[ARRIVED]] <= time_s:
            push(queue, count[WAITING], jobs.priority[count[ARRIVED]], count[ARRIVED])
            count[WAITING] += 1
            count[ARRIVED] += 1
        while count[WAITING] > 0:
            head = queue.items[0]
            if not place(nodes, placed, rule, head, jobs.gpus[head], jobs.gpu_type[head]):
                break
            pop(queue, count[WAITING])
            count[WAITING] -= 1
            schedule.start_s[head] = time_s
            push(ends, count[RUNNING], time_s + jobs.duration_s[head], head)
            count[RUNNING] += 1
        progress.time_s[count[WRITTEN]] = time_s
        progress.used_nodes[count[WRITTEN]] = nodes.tally[USED_NODES]
        count[WRITTEN] += 1
        time_s = jobs.submit_s[count[ARRIVED]] if count[ARRIVED] < jobs.submit_s.size else np.inf
        if count[RUNNING] > 0:
            time_s = min(time_s, ends.keys[0])


def refusal(outcome: Outcome) -> str | None:
    """Why the replay behind ``outcome`` cannot pause, as a sentence; None if it can."""
    policy = policy_named(outcome.policy)
    if policy.preempts:
        return f"{policy.title} preempts, and a replay that pauses does not."
    if policy.order != BY_PRIORITY or policy.priority is own_column:
        return f"{policy.title} orders jobs by more than a replay that pauses knows."
    if outcome.reservations is not None or outcome.initial is not None or outcome.until_s is not None:
        return "A replay with backfill, a start state or a horizon cannot pause."
    gpu_num = outcome.jobs["gpu_num"].to_numpy(float)
    if (gpu_num != np.floor(gpu_num)).any():
        return "A replay in which jobs share a GPU cannot pause."
    return None


class PausedReplay:
    """The jobs of ``vc`` that ran in ``outcome``, to be replayed with its policy and placement.

    Of the VC's ``gpus``, full nodes may be closed and opened; a smaller node for a remainder stays open. At
    first all are open and idle. A policy that estimates keeps the estimates of ``outcome``. Raises
    ScenarioError where :func:`refusal` has a reason.
    """

    def __init__(self, outcome: Outcome, vc: str, gpus: int, gpus_per_node: int) -> None:
        if reason := refusal(outcome):
            raise ScenarioError(reason)
        self.jobs = outcome.jobs[((outcome.jobs["vc"] == vc) & outcome.jobs["rejected"].isna()).to_numpy()]
        self.work = _workload(outcome, self.jobs)
        self.rule = PLACEMENTS[outcome.placement]
        self.full_nodes, rest = divmod(gpus, gpus_per_node)
        self.fixed_nodes = int(rest > 0)
        remainder = NodeSteps([0.0], [self.fixed_nodes], max(rest, 1))
        fleet = Fleet((NodeSteps([0.0], [self.full_nodes], gpus_per_node), remainder))
        self.nodes = fleet.idle_nodes(np.array([self.full_nodes, self.fixed_nodes]))
        self.placed = room_for_placements(self.work.gpus, self.nodes.size.size)
        self.schedule = empty_schedule(len(self.jobs))
        count = len(self.jobs)
        self.progress = Progress(
            empty_heap(count),
            empty_heap(count),
            np.zeros(4, np.int64),
            np.zeros(2 * count + 1),
            np.zeros(2 * count + 1, np.int64),
        )
        self.now_s = -np.inf
        self.changed = True
        self.open_nodes = self.full_nodes + self.fixed_nodes

    def go_on(self, until_s: float) -> None:
        """Replay all instants before ``until_s``."""
        if until_s > self.now_s and (self.changed or self._next_s() < until_s):
            begin_s = self.now_s if self.changed and np.isfinite(self.now_s) else self._next_s()
            self._make_room()
            arguments = (self.work, self.nodes, self.placed, self.rule, self.progress, self.schedule)
            advance(*arguments, begin_s, until_s)
            self.changed = False
        self.now_s = max(self.now_s, until_s)

    def set_open(self, nodes: int) -> None:
        """Have this many nodes open from the pause on. Those that close must be idle."""
        set_open_nodes(self.nodes, FULL, nodes - self.fixed_nodes)
        self.open_nodes, self.changed = nodes, True

    @property
    def used_nodes(self) -> int:
        """Nodes with at least one GPU in use, at the pause."""
        return int(self.nodes.tally[USED_NODES])

    @property
    def idle_nodes(self) -> int:
        """Open nodes that could close, at the pause."""
        full = slice(self.nodes.first[FULL], self.nodes.first[FULL + 1])
        idle = (self.nodes.free[full] == self.nodes.size[full]) & (self.nodes.state[full] == OPEN)
        return int(idle.sum())

    @property
    def waiting_gpus(self) -> int:
        """GPUs that the waiting jobs ask for, at the pause."""
        waiting = self.progress.queue.items[: self.progress.tally[WAITING]]
        return int(self.work.gpus[waiting].sum())

    def steps_between(self, begin_s: float, end_s: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Instants in (begin, end) at which the nodes in use change, and the nodes in use from begin on and
        from each of them on."""
        written = int(self.progress.tally[WRITTEN])
        time_s = self.progress.time_s[:written]
        first = int(np.searchsorted(time_s, begin_s, side="right"))
        beyond = int(np.searchsorted(time_s, end_s, side="left"))
        before = int(self.progress.used_nodes[first - 1]) if first else 0
        return time_s[first:beyond], np.append(before, self.progress.used_nodes[first:beyond])

    @property
    def start_s(self) -> NDArray[np.float64]:
        """Start of each of ``jobs``; NaN where it has not started."""
        return self.schedule.start_s

    def _make_room(self) -> None:
        """Room for a step now and at every arrival and end to come."""
        count = self.progress.tally
        to_arrive = len(self.jobs) - count[ARRIVED]
        needed = count[WRITTEN] + 1 + 2 * to_arrive + count[WAITING] + count[RUNNING]
        if needed > self.progress.time_s.size:
            more = needed  # twice as much, so that it is seldom
            self.progress = self.progress._replace(
                time_s=np.append(self.progress.time_s, np.zeros(more)),
                used_nodes=np.append(self.progress.used_nodes, np.zeros(more, np.int64)),
            )

    def _next_s(self) -> float:
        count = self.progress.tally
        arrival = self.work.submit_s[count[ARRIVED]] if count[ARRIVED] < len(self.jobs) else np.inf
        end = self.progress.ends.keys[0] if count[RUNNING] else np.inf
        return float(min(arrival, end))


def _workload(outcome: Outcome, jobs: pd.DataFrame) -> Workload:
    """The jobs with the priorities that they had in ``outcome``."""
    policy = policy_named(outcome.policy)
    priority = policy.priority(jobs).to_numpy(float)
    if outcome.estimates is not None:
        estimated_s = outcome.estimates["estimated_duration_s"].to_numpy(float)[jobs.index]
        priority = priority * np.where(np.isnan(estimated_s), PRIOR_DURATION_S, estimated_s)
    return Workload(
        submit_s=np.array(jobs["submit_s"], dtype=np.float64),
        duration_s=np.array(jobs["duration_s"], dtype=np.float64),
        gpus=np.ceil(np.array(jobs["gpu_num"], dtype=np.float64)).astype(np.int64),
        gpu_type=np.zeros(len(jobs), np.int64),
        priority=np.array(priority, dtype=np.float64),
        last_chance_s=np.full(len(jobs), np.inf),
    )
