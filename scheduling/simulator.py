"""The one verb of this room: replay a cluster's jobs under a policy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.cluster import idle_nodes, node_sizes
from scheduling.engine import Schedule, Steps, Workload, empty_schedule, replay_by_priority
from scheduling.errors import ScenarioError
from scheduling.estimate import (
    GIVEN_PRIORITY,
    RUNGS,
    Ends,
    beside,
    ends_to_use,
    given_estimates,
    groups,
    recorded_estimates,
)
from scheduling.jobs import taking_part
from scheduling.outcome import Outcome
from scheduling.placement import PLACEMENTS, Placed, room_for_placements, startable
from scheduling.policies import Policy, policy_named
from scheduling.preemption import Costs, replay_shortest_remaining
from scheduling.rolling import empty_means, no_means

UNKNOWN_CAPACITY = "capacity unknown"
NO_CAPACITY = "no capacity"
LARGER_THAN_VC = "larger than its VC"


@dataclass(frozen=True)
class _Setting:
    """What is the same for every VC of a replay."""

    policy: Policy
    rule: int
    gpus_per_node: int
    costs: Costs


def replay(
    jobs: pd.DataFrame,
    capacity: Mapping[str, int],
    *,
    policy: str,
    placement: str = "consolidate",
    gpus_per_node: int = 8,
    history: pd.DataFrame | None = None,
    ends: Ends | None = None,
    estimates: pd.DataFrame | None = None,
    costs: Costs | None = None,
    with_placements: bool = False,
) -> Outcome:
    """Replay ``jobs``, each VC alone on its own nodes, idle at the start, until the last job has ended.

    - ``jobs``: job_id, vc, gpu_num, duration_s, submit_s (s since the window's start), and where known user
      and end_s (recorded end, NaN if unknown). Order among equal submissions is that of the rows.
    - ``capacity``: GPUs present per VC; a VC that is absent here has unknown capacity, 0 is a VC that is
      empty.
    - ``history``: jobs before the window with the same columns, from which QSSF may learn if ``ends`` are
      recorded.
    - ``ends``: by which ends QSSF knows that a job is over; by default the recorded ones where there are any.
    - ``estimates``: what QSSF believes, made before the replay, in place of the rolling means that it would
      learn: a row per row of ``jobs`` with estimated_duration_s, rung and priority (the smallest goes first).
    - ``costs``: what a preemption costs (SRTF).

    Jobs that can never start are rejected with a reason. A request for a part of a GPU holds a whole one,
    which a note says. Raises ScenarioError for an unknown policy or placement, or for jobs or a capacity
    that cannot be.
    """
    chosen = policy_named(policy)
    if placement not in PLACEMENTS:
        raise ScenarioError(f"There is no placement {placement!r}; choose one of {', '.join(PLACEMENTS)}.")
    present = _whole_gpus(capacity)
    given = estimates is not None and chosen.estimates
    part, excluded = taking_part(jobs if estimates is None or not given else beside(jobs, estimates))
    setting = _Setting(chosen, PLACEMENTS[placement], gpus_per_node, Costs(*map(float, costs or Costs())))
    learned_from = ends_to_use(part, ends) if chosen.estimates and not given else None
    priority = np.array(part[GIVEN_PRIORITY] if given else chosen.priority(part), dtype=np.float64)
    expected_s, rung = np.full(len(part), np.nan), np.full(len(part), -1, dtype=np.int64)
    if learned_from == "recorded":
        expected_s, rung = recorded_estimates(part, history)
        priority *= expected_s
    group = groups(part) if learned_from == "simulated" else None
    vcs = _VirtualClusters(part, present, setting)
    made = vcs.replay(priority, group)
    if group is not None:
        expected_s, rung = made.expected_s, made.rung
    believed = given_estimates(part) if given else _estimate_table(part, expected_s, rung)
    return Outcome(
        policy=policy,
        placement=placement,
        capacity=present,
        jobs=_job_table(part, policy, made, vcs.reason),
        steps=vcs.step_table(),
        excluded=excluded,
        estimates=believed if chosen.estimates else None,
        ends=learned_from,
        placements=vcs.placement_table() if with_placements else None,
        notes=_notes(part),
    )


class _VirtualClusters:
    """The jobs of one replay, grouped by VC."""

    def __init__(self, jobs: pd.DataFrame, capacity: Mapping[str, int], setting: _Setting) -> None:
        self.jobs, self.setting = jobs, setting
        code, names = pd.factorize(jobs["vc"])
        self.names = [str(name) for name in names]
        self.sizes = [
            node_sizes(capacity[vc], setting.gpus_per_node) if vc in capacity else None for vc in self.names
        ]
        order = np.argsort(code, kind="stable")
        bounds = np.searchsorted(code[order], np.arange(len(self.names) + 1))
        self.members = [order[bounds[i] : bounds[i + 1]] for i in range(len(self.names))]
        gpu_num = jobs["gpu_num"].to_numpy(dtype=float)
        # A request beyond any VC is cut only so that it fits the integer type: it is still beyond every VC.
        self.gpus = np.minimum(np.ceil(gpu_num), 2.0**40).astype(np.int64)
        self.reason: NDArray[np.object_] = np.full(len(jobs), None, dtype=object)
        self.steps: list[tuple[int, Steps]] = []
        self.placed: list[tuple[NDArray[np.int64], Placed]] = []

    def replay(self, priority: NDArray[np.float64], group: NDArray[np.int64] | None) -> Schedule:
        """Replay every VC and return the schedule of all jobs; rejected ones have NaN times and a reason."""
        made = empty_schedule(len(self.jobs))
        submit_s = self.jobs["submit_s"].to_numpy(dtype=float)
        duration_s = self.jobs["duration_s"].to_numpy(dtype=float)
        for vc, (sizes, members) in enumerate(zip(self.sizes, self.members, strict=True)):
            accepted = self._accept(sizes, members)
            if sizes is None or not accepted.size:
                continue
            work = Workload(submit_s[accepted], duration_s[accepted], self.gpus[accepted], priority[accepted])
            schedule = self._replay_one(vc, sizes, accepted, work, None if group is None else group[accepted])
            for whole, own in zip(made, schedule, strict=True):
                whole[accepted] = own
        made.waiting_s[self.reason != None] = np.nan  # noqa: E711  (element by element)
        return made

    def _accept(self, sizes: NDArray[np.int64] | None, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """The members that can start in an empty VC; the others get their reason."""
        if sizes is None or not sizes.size:
            self.reason[members] = UNKNOWN_CAPACITY if sizes is None else NO_CAPACITY
            return members[:0]
        requests, which = np.unique(self.gpus[members], return_inverse=True)
        possible = requests <= sizes.sum()
        nodes = idle_nodes(sizes, self.setting.gpus_per_node)
        asked = requests[possible]
        possible[possible] = startable(nodes, room_for_placements(asked, nodes), self.setting.rule, asked)
        fits = possible[which]
        self.reason[members[~fits]] = LARGER_THAN_VC
        accepted: NDArray[np.int64] = members[fits]
        return accepted

    def _replay_one(
        self,
        vc: int,
        sizes: NDArray[np.int64],
        accepted: NDArray[np.int64],
        work: Workload,
        group: NDArray[np.int64] | None,
    ) -> Schedule:
        nodes = idle_nodes(sizes, self.setting.gpus_per_node)
        placed = room_for_placements(work.gpus, nodes)
        schedule = empty_schedule(accepted.size)
        rule = self.setting.rule
        if self.setting.policy.preempts:
            steps = replay_shortest_remaining(work, nodes, placed, rule, self.setting.costs, schedule)
        else:
            means = no_means() if group is None else empty_means(group)
            steps = replay_by_priority(work, nodes, placed, rule, means, schedule)
        self.steps.append((vc, steps))
        self.placed.append((accepted, placed))
        return schedule

    def step_table(self) -> pd.DataFrame:
        """The steps of all VCs below each other."""
        lengths = [steps.time_s.size for _, steps in self.steps]
        code = np.repeat(np.array([vc for vc, _ in self.steps], dtype=np.int64), lengths)
        columns: dict[str, Any] = {"vc": _labels(code, self.names)}
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


def _labels(code: NDArray[np.int64], names: Sequence[str]) -> Any:
    """A column of repeated names, held as codes."""
    return pd.Categorical.from_codes(code, categories=pd.Index(list(names), dtype=object))


def _whole_gpus(capacity: Mapping[str, int]) -> dict[str, int]:
    """The capacity as integers, refused where it is not one."""
    for vc, gpus in capacity.items():
        if not (float(gpus) >= 0 and float(gpus).is_integer()):
            raise ScenarioError(f"The capacity of VC {vc} is {gpus}; give a whole number of GPUs, 0 or more.")
    return {str(vc): int(gpus) for vc, gpus in capacity.items()}


def _job_table(jobs: pd.DataFrame, policy: str, made: Schedule, reason: NDArray[np.object_]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "job_id": jobs["job_id"],
            "vc": jobs["vc"],
            "policy": _labels(np.zeros(len(jobs), np.int64), [policy]),
            "submit_s": jobs["submit_s"].astype(float),
            "gpu_num": jobs["gpu_num"].astype(float),
            "duration_s": jobs["duration_s"].astype(float),
            "start_s": made.start_s,
            "end_s": made.end_s,
            "queueing_delay_s": made.waiting_s,
            "preemptions": made.preemptions,
            "rejected": pd.Series(reason, index=jobs.index, dtype=object),
        },
        copy=False,
    )


def _estimate_table(
    jobs: pd.DataFrame, expected_s: NDArray[np.float64], rung: NDArray[np.int64]
) -> pd.DataFrame:
    known = (rung >= 0) & (rung < len(RUNGS) - 1)
    return pd.DataFrame(
        {
            "job_id": jobs["job_id"],
            "vc": jobs["vc"],
            "estimated_duration_s": np.where(known, expected_s, np.nan),
            "rung": _labels(rung, RUNGS),
        }
    )


def _notes(jobs: pd.DataFrame) -> tuple[str, ...]:
    gpu_num = jobs["gpu_num"].to_numpy(dtype=float)
    parts = int((gpu_num != np.floor(gpu_num)).sum())
    if not parts:
        return ()
    return (f"{parts:,} jobs ask for part of a GPU; the replay gives them whole GPUs.",)
