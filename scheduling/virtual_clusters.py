"""The jobs of one replay, grouped by VC, and the replay of each VC on its own nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.capacity import Fleet
from scheduling.engine import Schedule, Steps, Workload, empty_schedule, replay_by_priority
from scheduling.placement import Placed, room_for_placements, startable
from scheduling.policies import Policy
from scheduling.preemption import Costs, replay_shortest_remaining
from scheduling.rolling import empty_means, no_means

UNKNOWN_CAPACITY = "capacity unknown"
NO_CAPACITY = "no capacity"
LARGER_THAN_VC = "larger than its VC"
MISSED = "its VC shrank before it could start"


@dataclass(frozen=True)
class Setting:
    """What is the same for every VC of a replay."""

    policy: Policy
    rule: int
    costs: Costs


def last_chances_s(
    fleet: Fleet, rule: int, gpus: NDArray[np.int64], gpu_type: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The instant from which on the idle VC can hold each request never again: inf where it always can, −inf
    where it never can."""
    start_s, nodes = fleet.periods
    end_s = np.append(start_s[1:], np.inf)
    last_s = np.full(gpus.size, -np.inf)
    kinds, kind = np.unique(nodes, axis=0, return_inverse=True)
    until_s = np.full(len(kinds), -np.inf)
    np.maximum.at(until_s, kind.reshape(-1), end_s)
    for count, end in zip(kinds, until_s, strict=True):
        idle = fleet.idle_nodes(count)
        asked = np.flatnonzero(gpus <= idle.free_gpus[0])
        room = room_for_placements(gpus[asked], idle.size.size)
        possible = asked[startable(idle, room, rule, gpus[asked], gpu_type[asked])]
        last_s[possible] = np.maximum(last_s[possible], end)
    return last_s


class VirtualClusters:
    """The VCs that a replay's jobs are in; replaying them fills ``reason``, ``steps`` and ``placed``."""

    def __init__(self, jobs: pd.DataFrame, fleets: Mapping[str, Fleet], setting: Setting) -> None:
        self.jobs, self.setting = jobs, setting
        code, names = pd.factorize(jobs["vc"])
        self.names = [str(name) for name in names]
        self.fleets = [fleets.get(vc) for vc in self.names]
        order = np.argsort(code, kind="stable")
        bounds = np.searchsorted(code[order], np.arange(len(self.names) + 1))
        self.members = [order[bounds[i] : bounds[i + 1]] for i in range(len(self.names))]
        self.submit_s = jobs["submit_s"].to_numpy(dtype=float)
        self.duration_s = jobs["duration_s"].to_numpy(dtype=float)
        gpu_num = jobs["gpu_num"].to_numpy(dtype=float)
        # A request beyond any VC is cut only so that it fits the integer type: it is still beyond every VC.
        self.gpus = np.minimum(np.ceil(gpu_num), 2.0**40).astype(np.int64)
        self.gpu_type = np.zeros(len(jobs), dtype=np.int64)
        self.reason: NDArray[np.object_] = np.full(len(jobs), None, dtype=object)
        self.steps: list[tuple[int, Steps]] = []
        self.placed: list[tuple[NDArray[np.int64], Placed]] = []

    def replay(self, priority: NDArray[np.float64], group: NDArray[np.int64] | None) -> Schedule:
        """Replay every VC and return the schedule of all jobs; rejected ones have NaN times and a reason."""
        made = empty_schedule(len(self.jobs))
        for vc, (fleet, members) in enumerate(zip(self.fleets, self.members, strict=True)):
            if fleet is None:
                self.reason[members] = UNKNOWN_CAPACITY
                continue
            accepted, last_s = self._accept(fleet, members)
            if not accepted.size:
                continue
            work = Workload(
                self.submit_s[accepted],
                self.duration_s[accepted],
                self.gpus[accepted],
                self.gpu_type[accepted],
                priority[accepted],
                last_s,
            )
            schedule = self._replay_one(vc, fleet, accepted, work, None if group is None else group[accepted])
            for whole, own in zip(made, schedule, strict=True):
                whole[accepted] = own
            self.reason[accepted[schedule.missed]] = MISSED
        made.waiting_s[self.reason != None] = np.nan  # noqa: E711  (element by element)
        return made

    def _accept(
        self, fleet: Fleet, members: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The members that can start on the idle VC at some time after their submission, and until when; the
        others get their reason."""
        requests, which = np.unique(
            np.stack([self.gpus[members], self.gpu_type[members]]), axis=1, return_inverse=True
        )
        last_s = last_chances_s(fleet, self.setting.rule, *requests)[which.reshape(-1)]
        fits = last_s > self.submit_s[members]
        none = self.submit_s[members] >= _last_gpus_s(fleet)
        self.reason[members[~fits]] = LARGER_THAN_VC
        self.reason[members[~fits & none]] = NO_CAPACITY
        return members[fits], last_s[fits]

    def _replay_one(
        self,
        vc: int,
        fleet: Fleet,
        accepted: NDArray[np.int64],
        work: Workload,
        group: NDArray[np.int64] | None,
    ) -> Schedule:
        nodes, changes = fleet.idle_nodes(fleet.periods[1][0]), fleet.changes()
        placed = room_for_placements(work.gpus, nodes.size.size)
        schedule = empty_schedule(accepted.size)
        rule = self.setting.rule
        if self.setting.policy.preempts:
            steps = replay_shortest_remaining(
                work, nodes, changes, placed, rule, self.setting.costs, schedule
            )
        else:
            means = no_means() if group is None else empty_means(group)
            steps = replay_by_priority(work, nodes, changes, placed, rule, means, schedule)
        self.steps.append((vc, steps))
        self.placed.append((accepted, placed))
        return schedule

    def step_table(self) -> pd.DataFrame:
        """The steps of all VCs below each other."""
        lengths = [steps.time_s.size for _, steps in self.steps]
        code = np.repeat(np.array([vc for vc, _ in self.steps], dtype=np.int64), lengths)
        columns: dict[str, Any] = {"vc": labels(code, self.names)}
        for at, column in enumerate(Steps._fields):
            parts = [steps[at] for _, steps in self.steps]
            columns[column] = np.concatenate(parts) if parts else np.zeros(0, int if at else float)
        return pd.DataFrame(columns, copy=False)

    def placement_table(self) -> pd.DataFrame:
        """The nodes of every job that ran, in the order in which they were chosen."""
        jobs, nodes, gpus = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        for accepted, placed in self.placed:
            within = np.arange(placed.node.size) - np.repeat(placed.first[:-1], np.diff(placed.first))
            taken = within < np.repeat(placed.held, np.diff(placed.first))
            jobs.append(np.repeat(accepted, placed.held))
            nodes.append(placed.node[taken])
            gpus.append(placed.gpus[taken])
        rows = self.jobs[["job_id", "vc"]].iloc[np.concatenate(jobs)].reset_index(drop=True)
        return rows.assign(node=np.concatenate(nodes), gpus=np.concatenate(gpus))


def _last_gpus_s(fleet: Fleet) -> float:
    """The instant from which on the VC has no GPU ever again."""
    ends_s = np.append(fleet.periods[0][1:], np.inf)
    return float(ends_s[fleet.gpus > 0].max(initial=-np.inf))


def labels(code: NDArray[np.int64], names: Sequence[str]) -> Any:
    """A column of repeated names, held as codes."""
    return pd.Categorical.from_codes(code, categories=pd.Index(list(names), dtype=object))
