"""One set of jobs, asked at sizes of its cluster or at loads whether a target is met."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from runs import load
from runs.apportionment import apportioned
from runs.bisection import Found, first_that_holds
from runs.scenario import PlanScenario
from runs.target import MEASURES, target
from runs.workload import Workload
from scheduling import Outcome, metrics

LOAD_STEP = 0.01
HEAVIEST = round(load.LARGEST_FACTOR / LOAD_STEP)


class Trial:
    """One set of jobs whose target is asked at sizes of the cluster, or at loads.

    A *position* counts nodes, or loads of 0.01 from the heaviest down, so that a target that is met at one is
    met at later ones.
    """

    def __init__(self, plan: PlanScenario, work: Workload) -> None:
        self.plan, self.work, self.target = plan, work, target(plan.target)
        self._rows: dict[int, dict[str, Any]] = {}
        per_node = work.gpus_per_node
        self.present = {vc: math.ceil(quota.most / per_node) for vc, quota in work.quotas.items()}
        self.last = enough_nodes(work, self.present) if plan.by == "nodes" else HEAVIEST
        self.rejected = self.row(self.last)["rejected_jobs"] if plan.by == "nodes" else None

    @property
    def start(self) -> int:
        """The position of the cluster as it is."""
        return sum(self.present.values()) if self.plan.by == "nodes" else position_of(1.0)

    def holds(self, position: int) -> bool:
        """Whether the target is met there, and no job is rejected that more nodes would let run."""
        row = self.row(position)
        fits = self.rejected is None or row["rejected_jobs"] <= self.rejected
        return fits and self.target.met(row)

    def row(self, position: int) -> dict[str, Any]:
        """The numbers of a replay there; each position is replayed once."""
        if position not in self._rows:
            self._rows[position] = self._replayed(position)
        return self._rows[position]

    def _replayed(self, position: int) -> dict[str, Any]:
        base, work, capacity = self.plan.base, self.work, None
        if self.plan.by == "nodes":
            nodes = apportioned(position, self.present)
            capacity = {vc: count * work.gpus_per_node for vc, count in nodes.items()}
        else:
            work = replace(work, jobs=load.scaled(work.jobs, load_at(position), self.plan.seed))
        outcome = work.replay(
            base.policies[0], placement=base.placement, backfill=base.backfill, capacity=capacity
        )
        return numbers(outcome)

    def size(self, position: int) -> float:
        """The nodes, or the load, of a position."""
        return size_of(self.plan, position)

    def found(self, start: int, step: int) -> Found:
        """Where the target is met first."""
        return first_that_holds(self.holds, 1, self.last, start, step)


def numbers(outcome: Outcome) -> dict[str, Any]:
    """What a target may be of, with rejected_jobs."""
    row = metrics.summary(outcome.jobs, None)
    delay_s = outcome.jobs["queueing_delay_s"].dropna().to_numpy(dtype=float)
    for name, share in (("median", 50), ("p90", 90), ("p99", 99)):
        row[f"{name}_queueing_delay_s"] = float(np.percentile(delay_s, share)) if delay_s.size else None
    return {name: row[name] for name in ("jobs", "rejected_jobs", *MEASURES)}


def size_of(plan: PlanScenario, position: int) -> float:
    """The nodes, or the load, of a position."""
    return position if plan.by == "nodes" else load_at(position)


def load_at(position: int) -> float:
    """The load of a position: the heaviest first."""
    return round((HEAVIEST + 1 - position) * LOAD_STEP, 9)


def position_of(factor: float) -> int:
    """The position of a load."""
    return HEAVIEST + 1 - round(factor / LOAD_STEP)


def enough_nodes(work: Workload, present: Mapping[str, int]) -> int:
    """So many nodes, shared as they are, that every job could start at its submission on nodes of its own.

    If a target is not met then, no number of nodes meets it: nobody waits.
    """
    needed = {vc: _peak_nodes(work.jobs[work.jobs["vc"] == vc], work.gpus_per_node) for vc in present}
    short = {vc: needed[vc] for vc, own in present.items() if own > 0}
    total = max(1, *present.values(), *short.values()) if short else 1
    while any(apportioned(total, present)[vc] < nodes for vc, nodes in short.items()):
        total = math.ceil(total * 1.2) + 1
    return max(total, sum(present.values()))


def _peak_nodes(jobs: pd.DataFrame, gpus_per_node: int) -> int:
    """The most nodes in use if no job waits or shares one."""
    submit_s, duration_s, gpu_num = (
        jobs[column].to_numpy(dtype=float) for column in ("submit_s", "duration_s", "gpu_num")
    )
    nodes = np.ceil(gpu_num / gpus_per_node)
    # A job of no duration needs its nodes too: at its instant it comes before it goes.
    end_s = submit_s + np.maximum(duration_s, 1e-3)
    time_s = np.concatenate([submit_s, end_s])
    change = np.concatenate([nodes, -nodes])
    order = np.lexsort((change, time_s))
    return int(np.cumsum(change[order]).max(initial=0))
