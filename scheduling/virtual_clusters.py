"""The jobs of one replay, grouped by VC, and the replay of each VC on its own nodes."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.capacity import Fleet
from scheduling.cluster import WHOLE_MILLI, Nodes
from scheduling.engine import replay_by_priority
from scheduling.gpu_types import job_classes
from scheduling.orders import BY_PRIORITY, FAIR_SHARE
from scheduling.placement import Placed, room_for_placements
from scheduling.policies import Policy
from scheduling.preemption import Costs, replay_preempting
from scheduling.requests import held_by, last_chances_s, last_gpus_s, requests
from scheduling.rolling import RollingMeans, empty_means, no_means
from scheduling.schedule import Schedule, empty_schedule
from scheduling.steps import Steps
from scheduling.workload import Rules, Standing, Workload

ACCEPTED, UNKNOWN_CAPACITY, NO_CAPACITY, LARGER_THAN_VC, MISSED = range(5)  # places in REASONS
REASONS = (
    None,
    "capacity unknown",
    "no capacity",
    "larger than its VC",
    "its VC shrank while it waited",
)
"""Why a job can never start; None of a job that can."""
WORTH_A_THREAD, WORTH_A_THREAD_WHERE_SLOW = 200_000, 10_000
"""From so many jobs on, VCs are replayed by several threads: in the time that a new thread's memory costs,
the plain event loop replays tens of thousands of jobs; with preemption, backfill or fair share far fewer."""

Columns = TypeVar("Columns", Workload, Standing, Schedule)


@dataclass(frozen=True)
class Setting:
    """What is the same for every VC of a replay."""

    policy: Policy
    rules: Rules
    costs: Costs
    begin_s: float = -np.inf
    """Jobs that were submitted before that are there from then on."""


@dataclass(frozen=True)
class Vc:
    """One VC: its accepted jobs (``rows`` of the replay's, in trace order) and what came of them."""

    number: int
    rows: NDArray[np.int64]
    schedule: Schedule
    steps: Steps
    placed: Placed


@dataclass(frozen=True)
class Accepted:
    """The jobs of a VC that can start (``rows`` of the replay's), each until ``last_s``; its idle nodes, if
    they were needed to find that out and are as they were."""

    vc: int
    rows: NDArray[np.int64]
    last_s: NDArray[np.float64]
    nodes: Nodes | None = None


def members_of(vc: NDArray[np.int64], count: int) -> list[NDArray[np.int64]]:
    """The rows of each VC, given the number of each row's."""
    # Numpy sorts 16-bit integers by their digits, which is several times as fast.
    order = np.argsort(vc.astype(np.int16) if count < 2**15 else vc, kind="stable")
    return np.split(order, np.cumsum(np.bincount(vc, minlength=count))[:-1]) if count else []


def _joined(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *parts])


def _of(columns: Columns, part: slice) -> Columns:
    """The same columns of the jobs of one VC."""
    return type(columns)._make(column[part] for column in columns)


def _on_all_cores(one: Callable[[int], Vc], jobs: Sequence[int], worth_a_thread: int) -> list[Vc]:
    """``one`` of each place, with so many jobs; where there is enough to do by several threads, the largest
    first, so that no thread ends long after others."""
    threads = min(len(jobs), os.cpu_count() or 1)
    if threads < 2 or sum(jobs) < worth_a_thread:
        return [one(at) for at in range(len(jobs))]
    order = sorted(range(len(jobs)), key=lambda at: -jobs[at])
    with ThreadPoolExecutor(threads) as pool:
        return sorted(pool.map(one, order), key=lambda vc: vc.number)


class VirtualClusters:
    """The VCs that a replay's jobs are in; replaying them fills ``reason`` and ``vcs``.

    ``jobs`` are in trace order, with the columns that a replay needs; ``vc`` is the number of each one's VC
    in ``names``; ``standing`` goes with them. ``reason``: of each job a place in :data:`REASONS`.
    """

    def __init__(
        self,
        jobs: pd.DataFrame,
        vc: NDArray[np.int64],
        names: Sequence[str],
        fleets: Mapping[str, Fleet],
        setting: Setting,
        standing: Standing,
    ) -> None:
        self.setting, self.standing, self.names, self.vc = setting, standing, names, vc
        classes = job_classes(
            jobs, frozenset(g.gpu_type for fleet in fleets.values() for g in fleet.groups if g.gpu_type)
        )
        self.fleets = [
            replace(fleets[name], classes=classes.types)
            if name in fleets and classes.types
            # A fleet that is not copied keeps what it has computed.
            else fleets.get(name)
            for name in names
        ]
        self.submit_s = np.maximum(jobs["submit_s"].to_numpy(dtype=float), setting.begin_s)
        self.duration_s = jobs["duration_s"].to_numpy(dtype=float, copy=True)
        self.asked = requests(jobs["gpu_num"].to_numpy(dtype=float), classes.number)
        self.reason = np.zeros(len(jobs), dtype=np.int8)
        self.vcs: list[Vc] = []

    def replay(self, priority: NDArray[np.float64], group: NDArray[np.int64] | None) -> Schedule:
        """Replay every VC and return the schedule of all jobs; rejected ones have NaN times and a reason."""
        accepted = [
            self._accept(vc, members) for vc, members in enumerate(members_of(self.vc, len(self.names)))
        ]
        accepted = [each for each in accepted if each.rows.size]
        rows = _joined([each.rows for each in accepted], np.int64)
        written = self._written(group is not None)
        own = empty_schedule(rows.size, written)
        work = self._workload(rows, priority, _joined([each.last_s for each in accepted], np.float64))
        standing = self._standing(rows, group is not None)
        group = None if group is None else group[rows]
        beyond = np.cumsum([each.rows.size for each in accepted])

        def one(at: int) -> Vc:
            vc = accepted[at]
            part = slice(beyond[at] - vc.rows.size, beyond[at])
            means = no_means() if group is None else empty_means(group[part])
            return self._replay_one(vc, _of(work, part), _of(standing, part), means, _of(own, part))

        self.vcs = _on_all_cores(one, [each.rows.size for each in accepted], self._jobs_worth_a_thread())
        made = empty_schedule(self.reason.size, written)
        for column in written:
            getattr(made, column)[rows] = getattr(own, column)
        if own.missed.any():
            self.reason[rows[own.missed]] = MISSED
            made.start_s[rows[own.missed]] = np.nan
        made.waiting_s[np.isnan(made.start_s)] = np.nan
        return made

    def _jobs_worth_a_thread(self) -> int:
        rules = self.setting.rules
        slow = rules.backfill or rules.order != BY_PRIORITY
        return WORTH_A_THREAD_WHERE_SLOW if slow else WORTH_A_THREAD

    def _written(self, learning: bool) -> tuple[str, ...]:
        """The columns of a schedule in which something can happen."""
        rules = self.setting.rules
        columns = ["start_s", "end_s", "waiting_s", "preemptions", "missed"]
        columns += ["expected_s", "rung"] * learning
        columns += ["left_s"] * (rules.until_s < np.inf) + ["reserved_s", "backfilled"] * rules.backfill
        return tuple(columns)

    def _workload(
        self, rows: NDArray[np.int64], priority: NDArray[np.float64], last_s: NDArray[np.float64]
    ) -> Workload:
        """The jobs of these rows, VC by VC."""
        which = self.asked.which[rows]
        job_class = (
            self.asked.job_class[which] if self.asked.job_class.any() else np.zeros(rows.size, np.int64)
        )
        return Workload(
            self.submit_s[rows],
            self.duration_s[rows],
            self.asked.gpus[which],
            job_class,
            priority[rows],
            last_s,
        )

    def _standing(self, rows: NDArray[np.int64], learning: bool) -> Standing:
        """What else is known of the jobs of these rows, as far as the rules look at it."""
        rules, whole = self.setting.rules, self.standing
        return Standing(
            whole.believed_s[rows] if rules.backfill or learning else np.zeros(rows.size),
            whole.user[rows] if rules.order == FAIR_SHARE else np.zeros(rows.size, np.int64),
            whole.attained_gpu_s[rows] if self.setting.policy.preempts else np.zeros(rows.size),
        )

    def _accept(self, vc: int, members: NDArray[np.int64]) -> Accepted:
        """The jobs of a VC that can start on it, idle, at some time after their submission, and until when;
        the others get their reason."""
        fleet = self.fleets[vc]
        if fleet is None:
            self.reason[members] = UNKNOWN_CAPACITY
            return Accepted(vc, members[:0], np.zeros(0))
        rule, nodes = self.setting.rules.placement, None
        if len(fleet.periods[0]) == 1 and not self.asked.share_milli.any():
            nodes = fleet.idle_nodes(fleet.periods[1][0])
            if held_by(nodes, rule, self.asked).size == self.asked.gpus.size:
                return Accepted(vc, members, np.full(members.size, np.inf), nodes)
        submit_s = self.submit_s[members]
        last_s = last_chances_s(fleet, rule, self.asked)[self.asked.which[members]]
        fits = last_s > submit_s
        if fits.all():
            return Accepted(vc, members, last_s, nodes)
        none = submit_s >= last_gpus_s(fleet)
        self.reason[members[~fits]] = LARGER_THAN_VC
        self.reason[members[~fits & none]] = NO_CAPACITY
        return Accepted(vc, members[fits], last_s[fits], nodes)

    def _replay_one(
        self, accepted: Accepted, work: Workload, standing: Standing, means: RollingMeans, schedule: Schedule
    ) -> Vc:
        vc, rows, fleet = accepted.vc, accepted.rows, self.fleets[accepted.vc]
        assert fleet is not None
        if self.setting.rules.order == FAIR_SHARE:
            standing = standing._replace(user=np.unique(standing.user, return_inverse=True)[1])
        shares = self.asked.share_milli[self.asked.which[rows]] if self.asked.share_milli.any() else None
        nodes = self.nodes_at_first(vc, rows) if accepted.nodes is None else accepted.nodes
        placed = room_for_placements(work.gpus, nodes.size.size, shares)
        rules, costs, changes = self.setting.rules, self.setting.costs, fleet.changes()
        if self.setting.policy.preempts:
            steps = replay_preempting(work, standing, nodes, changes, placed, rules, costs, schedule)
        else:
            steps = replay_by_priority(work, standing, nodes, changes, placed, rules, means, schedule)
        return Vc(vc, rows, schedule, steps, placed)

    def nodes_at_first(self, vc: int, rows: NDArray[np.int64]) -> Nodes:
        """The idle nodes of a VC before any change, with room for these of its jobs to share GPUs."""
        fleet, sharing = self.fleets[vc], 0
        assert fleet is not None
        if self.asked.share_milli.any():
            sharing = int((self.asked.share_milli > 0)[self.asked.which[rows]].sum())
        return fleet.idle_nodes(fleet.periods[1][0], min(sharing, int(fleet.most_gpus)))

    def step_table(self) -> pd.DataFrame:
        """The steps of all VCs below each other."""
        lengths = [vc.steps.time_s.size for vc in self.vcs]
        code = np.repeat(np.array([vc.number for vc in self.vcs], dtype=np.int64), lengths)
        columns: dict[str, Any] = {"vc": labels(code, self.names)}
        for at, column in enumerate(Steps._fields):
            parts = [vc.steps[at] for vc in self.vcs]
            columns[column] = np.concatenate(parts) if parts else np.zeros(0)
        del columns["head"]
        parts = [self.gpus_of_head(vc) for vc in self.vcs]
        columns["head_gpus"] = np.concatenate(parts) if parts else np.zeros(0)
        return pd.DataFrame(columns, copy=False)

    def gpus_of_head(self, vc: Vc) -> NDArray[np.int32]:
        """GPUs that the job at the head of the queue asks for at each step, 0 if nobody waits."""
        gpus = np.append(self.asked.gpus[self.asked.which[vc.rows]], 0)  # the last one is nobody's, −1
        return gpus[vc.steps.head].astype(np.int32)

    def placement_table(self, jobs: pd.DataFrame) -> pd.DataFrame:
        """The nodes of every job that ran, in the order in which they were chosen."""
        rows, nodes, gpus = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        for vc in self.vcs:
            placed = vc.placed
            within = np.arange(placed.node.size) - np.repeat(placed.first[:-1], np.diff(placed.first))
            taken = within < np.repeat(placed.held, np.diff(placed.first))
            own = np.repeat(np.arange(vc.rows.size), placed.held)
            rows.append(vc.rows[own])
            nodes.append(placed.node[taken])
            held = placed.gpus[taken]
            if placed.share_milli.size:
                held = np.where(held == 0, placed.share_milli[own] / WHOLE_MILLI, held)
            gpus.append(held)
        table = jobs[["job_id", "vc"]].iloc[np.concatenate(rows)].reset_index(drop=True)
        return table.assign(node=np.concatenate(nodes), gpus=np.concatenate(gpus))


def labels(code: NDArray[Any], names: Sequence[str]) -> Any:
    """A column of repeated names, held as codes."""
    kind = pd.CategoricalDtype(pd.Index(list(names), dtype=object))
    return pd.Categorical.from_codes(code, dtype=kind, validate=False)
