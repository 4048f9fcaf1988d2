"""The jobs of one replay, grouped by VC, and the replay of each VC on its own nodes."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.capacity import Fleet
from scheduling.cluster import WHOLE_MILLI, Nodes
from scheduling.engine import (
    Rules,
    Schedule,
    Standing,
    Steps,
    Workload,
    empty_schedule,
    replay_by_priority,
)
from scheduling.gpu_types import job_classes
from scheduling.orders import FAIR_SHARE
from scheduling.placement import Placed, room_for_placements, startable
from scheduling.policies import Policy
from scheduling.preemption import Costs, replay_preempting
from scheduling.rolling import empty_means, no_means

UNKNOWN_CAPACITY = "capacity unknown"
NO_CAPACITY = "no capacity"
LARGER_THAN_VC = "larger than its VC"
MISSED = "its VC shrank while it waited"
WORTH_A_THREAD = 2_000
"""From so many jobs on, VCs are replayed by several threads."""


@dataclass(frozen=True)
class Setting:
    """What is the same for every VC of a replay."""

    policy: Policy
    rules: Rules
    costs: Costs
    begin_s: float = -np.inf
    """Jobs that were submitted before that are there from then on."""


@dataclass(frozen=True)
class Requests:
    """The distinct requests of the jobs, and which one each job makes (``which``).

    ``gpu_num`` as asked, ``gpus`` on which to run, ``share_milli`` of one GPU (0: whole GPUs), ``job_class``
    of nodes that suit.
    """

    gpu_num: NDArray[np.float64]
    gpus: NDArray[np.int64]
    share_milli: NDArray[np.int64]
    job_class: NDArray[np.int64]
    which: NDArray[np.int64]


def requests(gpu_num: NDArray[np.float64], job_class: NDArray[np.int64]) -> Requests:
    """What jobs ask for. Part of a GPU is rounded up to a thousandth; more than one GPU to whole ones."""
    classes = int(job_class.max(initial=0)) + 1
    code, values = pd.factorize(gpu_num)
    code, pairs = pd.factorize(code * classes + job_class) if classes > 1 else (code, np.arange(len(values)))
    asked, own = np.asarray(values, dtype=float)[pairs // classes], pairs % classes
    share_milli = np.where(asked < 1, np.ceil(asked * WHOLE_MILLI - 1e-9), 0).astype(np.int64)
    share_milli = np.where(share_milli == WHOLE_MILLI, 0, share_milli)
    # A request beyond any VC is cut only so that it fits the integer type: it is still beyond every VC.
    gpus = np.minimum(np.ceil(asked), 2.0**40).astype(np.int64)
    return Requests(asked, gpus, share_milli, own.astype(np.int64), code.astype(np.int64))


def last_chances_s(fleet: Fleet, placement: int, asked: Requests) -> NDArray[np.float64]:
    """The instant from which on the idle VC can hold each request never again: inf where it always can, −inf
    where it never can."""
    start_s, nodes = fleet.periods
    end_s = np.append(start_s[1:], np.inf)
    last_s = np.full(asked.gpus.size, -np.inf)
    kinds, until_s = nodes, end_s
    if len(nodes) > 1:
        kinds, kind = np.unique(nodes, axis=0, return_inverse=True)
        until_s = np.full(len(kinds), -np.inf)
        np.maximum.at(until_s, kind.reshape(-1), end_s)
    for count, end in zip(kinds, until_s, strict=True):
        idle = fleet.idle_nodes(count, 1)
        some = np.flatnonzero(asked.gpus <= idle.size.sum())
        room = room_for_placements(asked.gpus[some], idle.size.size, asked.share_milli[some])
        possible = some[startable(idle, room, placement, asked.gpus[some], asked.job_class[some])]
        last_s[possible] = np.maximum(last_s[possible], end)
    return last_s


@dataclass(frozen=True)
class Vc:
    """One VC: its accepted jobs (``rows`` of the replay's, in trace order) and what came of them."""

    number: int
    rows: NDArray[np.int64]
    schedule: Schedule
    steps: Steps
    placed: Placed


class VirtualClusters:
    """The VCs that a replay's jobs are in; replaying them fills ``reason`` and ``vcs``.

    ``jobs`` are in trace order, with the columns that a replay needs; ``vc`` is the number of each one's VC
    in ``names``; ``standing`` goes with them.
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
        self.setting, self.standing, self.names = setting, standing, names
        classes = job_classes(
            jobs, frozenset(g.gpu_type for fleet in fleets.values() for g in fleet.groups if g.gpu_type)
        )
        self.fleets = [
            replace(fleets[name], classes=classes.types) if name in fleets else None for name in names
        ]
        order = np.argsort(vc, kind="stable")
        bounds = np.searchsorted(vc[order], np.arange(len(names) + 1))
        self.members = [order[bounds[i] : bounds[i + 1]] for i in range(len(self.names))]
        self.submit_s = np.maximum(jobs["submit_s"].to_numpy(dtype=float), setting.begin_s)
        self.duration_s = jobs["duration_s"].to_numpy(dtype=float)
        self.asked = requests(jobs["gpu_num"].to_numpy(dtype=float), classes.number)
        self.reason: NDArray[np.object_] = np.full(len(jobs), None, dtype=object)
        self.vcs: list[Vc] = []

    def replay(self, priority: NDArray[np.float64], group: NDArray[np.int64] | None) -> Schedule:
        """Replay every VC and return the schedule of all jobs; rejected ones have NaN times and a reason."""
        made = empty_schedule(self.reason.size)
        accepted = [(vc, *self._accept(vc)) for vc in range(len(self.names))]
        work = [each for each in accepted if each[1].size]
        work.sort(
            key=lambda each: -each[1].size
        )  # the largest first, so that no thread ends long after others

        def one(each: tuple[int, NDArray[np.int64], NDArray[np.float64]]) -> Vc:
            vc, rows, last_s = each
            return self._replay_one(vc, rows, last_s, priority, None if group is None else group[rows])

        threads = min(len(work), os.cpu_count() or 1)
        if threads > 1 and self.reason.size >= WORTH_A_THREAD:
            with ThreadPoolExecutor(threads) as pool:
                self.vcs = list(pool.map(one, work))
        else:
            self.vcs = [one(each) for each in work]
        self.vcs.sort(key=lambda each: each.number)
        written = self._written(group is not None)
        for vc in self.vcs:
            for column in written:
                getattr(made, column)[vc.rows] = getattr(vc.schedule, column)
            if vc.schedule.missed.any():
                missed = vc.rows[vc.schedule.missed]
                self.reason[missed], made.start_s[missed] = MISSED, np.nan
        made.waiting_s[np.isnan(made.start_s)] = np.nan
        return made

    def _written(self, learning: bool) -> list[str]:
        """The columns of a schedule in which something can have happened."""
        rules, columns = self.setting.rules, ["start_s", "end_s", "waiting_s"]
        columns += ["preemptions"] * self.setting.policy.preempts + ["expected_s", "rung"] * learning
        columns += ["left_s"] * (rules.until_s < np.inf) + ["reserved_s", "backfilled"] * rules.backfill
        return columns

    def _accept(self, vc: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The jobs of a VC that can start on it, idle, at some time after their submission, and until when;
        the others get their reason."""
        fleet, members = self.fleets[vc], self.members[vc]
        if fleet is None:
            self.reason[members] = UNKNOWN_CAPACITY
            return members[:0], np.zeros(0)
        submit_s = self.submit_s[members]
        last_s = last_chances_s(fleet, self.setting.rules.placement, self.asked)[self.asked.which[members]]
        fits = last_s > submit_s
        if fits.all():
            return members, last_s
        none = submit_s >= _last_gpus_s(fleet)
        self.reason[members[~fits]] = LARGER_THAN_VC
        self.reason[members[~fits & none]] = NO_CAPACITY
        return members[fits], last_s[fits]

    def _replay_one(
        self,
        vc: int,
        rows: NDArray[np.int64],
        last_s: NDArray[np.float64],
        priority: NDArray[np.float64],
        group: NDArray[np.int64] | None,
    ) -> Vc:
        fleet = self.fleets[vc]
        assert fleet is not None
        which = self.asked.which[rows]
        share_milli = self.asked.share_milli[which]
        work = Workload(
            self.submit_s[rows],
            self.duration_s[rows],
            self.asked.gpus[which],
            self.asked.job_class[which],
            priority[rows],
            last_s,
        )
        whole = self.standing
        standing = Standing(whole.believed_s[rows], whole.user[rows], whole.attained_gpu_s[rows])
        if self.setting.rules.order == FAIR_SHARE:
            standing = standing._replace(user=np.unique(standing.user, return_inverse=True)[1])
        nodes = self.nodes_at_first(vc, rows)
        placed = room_for_placements(work.gpus, nodes.size.size, share_milli)
        schedule, changes = empty_schedule(rows.size), fleet.changes()
        rules, costs = self.setting.rules, self.setting.costs
        if self.setting.policy.preempts:
            steps = replay_preempting(work, standing, nodes, changes, placed, rules, costs, schedule)
        else:
            means = no_means() if group is None else empty_means(group)
            steps = replay_by_priority(work, standing, nodes, changes, placed, rules, means, schedule)
        return Vc(vc, rows, schedule, steps, placed)

    def nodes_at_first(self, vc: int, rows: NDArray[np.int64]) -> Nodes:
        """The idle nodes of a VC before any change, with room for these of its jobs to share GPUs."""
        fleet = self.fleets[vc]
        assert fleet is not None
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
        parts = [self._gpus_of_head(vc) for vc in self.vcs]
        columns["head_gpus"] = np.concatenate(parts) if parts else np.zeros(0)
        return pd.DataFrame(columns, copy=False)

    def _gpus_of_head(self, vc: Vc) -> NDArray[np.int32]:
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


def _last_gpus_s(fleet: Fleet) -> float:
    """The instant from which on the VC has no GPU ever again."""
    ends_s = np.append(fleet.periods[0][1:], np.inf)
    return float(ends_s[fleet.gpus > 0].max(initial=-np.inf))


def labels(code: NDArray[np.int64], names: Sequence[str]) -> Any:
    """A column of repeated names, held as codes."""
    return pd.Categorical.from_codes(code, categories=pd.Index(list(names), dtype=object))
