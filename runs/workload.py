"""One cluster's jobs and quotas in a window after a scenario's changes, and how they are replayed."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd

import scheduling
from queries import manifests, rows
from runs import beliefs, changes, load, models
from runs.errors import RunError
from runs.machines import Machines, machines_of, with_quota
from runs.parts import count_cpu_jobs, read_jobs, read_quotas
from runs.quota import Quota, Quotas
from runs.scenario import SchedulingScenario
from runs.window import Window
from scheduling.estimate import beside
from scheduling.estimates import Estimator
from scheduling.policies import POLICIES
from traces import clock


@dataclass(frozen=True)
class Workload:
    """What a replay of one cluster takes.

    ``jobs`` in trace order; ``quotas`` of VCs of known capacity; ``initial`` the jobs that run or wait at the
    window's start, None for an empty cluster; ``believed`` the estimates, None where no policy asks for any;
    ``moved_jobs`` how many each move of the scenario moved. ``cpu_jobs`` (vc, jobs) take no part and are
    counted as recorded, whatever the load. ``machines`` are the nodes of a cluster of one VC where they are
    known one by one.
    """

    cluster: str
    jobs: pd.DataFrame
    quotas: Quotas
    gpus_per_node: int
    initial: pd.DataFrame | None = None
    believed: models.Used | None = None
    duration_factor: float = 1.0
    moved_jobs: Mapping[str, int] = field(default_factory=dict)
    cpu_jobs: pd.DataFrame = field(default_factory=lambda: pd.DataFrame({"vc": [], "jobs": []}))
    machines: tuple[Machines, ...] = ()

    @cached_property
    def capacity(self) -> dict[str, scheduling.Capacity]:
        """The quotas as a replay takes them."""
        return self.capacity_of(self.quotas)

    def capacity_of(self, quotas: Quotas) -> dict[str, scheduling.Capacity]:
        """Other quotas of the same VCs as a replay takes them."""
        if self.machines:
            return {vc: with_quota(self.machines, own, self.gpus_per_node) for vc, own in quotas.items()}
        return {vc: quota.capacity(self.gpus_per_node) for vc, quota in quotas.items()}

    @cached_property
    def estimates(self) -> pd.DataFrame | None:
        """What was believed of each job at its submission."""
        return None if self.believed is None else self._estimated(self.jobs, self.believed)

    @cached_property
    def standing(self) -> pd.DataFrame | None:
        """The jobs at the start, with what was believed of them."""
        if self.initial is None or self.believed is None:
            return self.initial
        return beside(self.initial, self._estimated(self.initial, self.believed))

    def _estimated(self, jobs: pd.DataFrame, used: models.Used) -> pd.DataFrame:
        table = used.beliefs
        if self.duration_factor != 1:
            longer = table[["rolling_s", "boosted_s"]] * self.duration_factor
            table = table.assign(rolling_s=longer["rolling_s"], boosted_s=longer["boosted_s"])
        return beliefs.believed(jobs, table, Estimator())

    def replay(
        self,
        policy: str,
        *,
        placement: str = "consolidate",
        backfill: bool = False,
        until_s: float | None = None,
        reverse_ties: bool = False,
        capacity: Mapping[str, scheduling.Capacity] | None = None,
    ) -> scheduling.Outcome:
        """Replay the jobs under a policy, by default on the workload's own capacity."""
        outcome = scheduling.replay(
            self.jobs,
            self.capacity if capacity is None else capacity,
            policy=policy,
            placement=placement,
            backfill=backfill,
            gpus_per_node=self.gpus_per_node,
            estimates=self.estimates if asks_for_estimates(policy, backfill) else None,
            initial=self._standing_for(policy, backfill),
            until_s=until_s,
            reverse_ties=reverse_ties,
        )
        return replace(outcome, excluded=pd.concat([outcome.excluded, self._cpu_jobs], ignore_index=True))

    @cached_property
    def _cpu_jobs(self) -> pd.DataFrame:
        """The CPU jobs as an outcome counts jobs that took no part: vc, reason, jobs."""
        counted = self.cpu_jobs.groupby("vc")["jobs"].sum()
        return pd.DataFrame({"vc": counted.index, "reason": "cpu", "jobs": counted.to_numpy()})

    def _standing_for(self, policy: str, backfill: bool) -> pd.DataFrame | None:
        return self.standing if asks_for_estimates(policy, backfill) else self.initial


def asks_for_estimates(policy: str, backfill: bool) -> bool:
    """Whether a policy orders by estimates, or backfill needs them. An oracle backfills by true durations."""
    known = POLICIES.get(policy)
    return known is not None and (known.estimates or (backfill and not known.oracle and not known.preempts))


def workload(
    settings: SchedulingScenario,
    manifest: Mapping[str, Any],
    cluster: str,
    span: Window,
    quotas: Quotas | None = None,
) -> Workload:
    """Read a cluster and change it as the scenario says. ``quotas`` replace the trace's own.

    VCs are chosen after jobs were moved and VCs merged. Raises RunError, QueryError or TraceError.
    """
    facts = manifest["clusters"][cluster]
    known = quotas
    if known is None:
        known = read_quotas(settings.trace, cluster, span, settings.capacity_over_time)
    elsewhere = settings.moves or settings.merges
    vcs = () if elsewhere else settings.vcs
    jobs, cpu_jobs = (read(settings.trace, cluster, vcs, span) for read in (read_jobs, count_cpu_jobs))
    jobs = changes.lengthened(
        load.scaled(jobs, settings.load_factor, settings.seed), settings.duration_factor
    )
    initial = _initial(settings, facts, cluster, span) if settings.start_state else None
    jobs, counts = changes.moved(jobs, settings.moves, known)
    jobs, present = changes.merged(jobs, known, settings.merges)
    cpu_jobs = changes.merged(changes.moved(cpu_jobs, settings.moves, known)[0], known, settings.merges)[0]
    if initial is not None:
        initial = changes.merged(initial, known, settings.merges)[0]
    present = changes.with_nodes(present, cluster, _node_changes(settings, span), facts["gpus_per_node"])
    if settings.vcs:
        present = {vc: quota for vc, quota in present.items() if vc in settings.vcs}
        jobs, cpu_jobs = (_of_vcs(each, settings.vcs) for each in (jobs, cpu_jobs))
        initial = None if initial is None else _of_vcs(initial, settings.vcs)
    believed = None
    if any(asks_for_estimates(policy, settings.backfill) for policy in settings.policies):
        most = {vc: quota.most for vc, quota in present.items()}
        believed = models.used(settings.trace, cluster, facts, span, most)
    return Workload(
        cluster,
        jobs,
        present,
        facts["gpus_per_node"],
        initial,
        believed,
        settings.duration_factor,
        counts,
        cpu_jobs,
        machines_of(settings.trace, cluster, known),
    )


def _of_vcs(jobs: pd.DataFrame, vcs: tuple[str, ...]) -> pd.DataFrame:
    return jobs[jobs["vc"].isin(vcs)].reset_index(drop=True)


def _initial(
    settings: SchedulingScenario, facts: Mapping[str, Any], cluster: str, span: Window
) -> pd.DataFrame:
    """The jobs that ran or waited at the window's start, as recorded: no change of jobs concerns them."""
    if not facts["has_start"]:
        raise RunError(
            f"Trace {settings.trace} has no start times of {cluster}, so nobody knows which jobs ran at the "
            "window's start; replay it from an empty cluster."
        )
    version = manifests.version(settings.trace)
    return _standing(os.getpid(), version, settings.trace, cluster, span.start_time).copy()


@lru_cache(maxsize=32)
def _standing(
    _process: int, _version: manifests.Version, trace: str, cluster: str, start: pd.Timestamp
) -> pd.DataFrame:
    """Remembered: to find the few jobs of an instant among all before it is most of a short replay."""
    return rows("replay_standing", trace=trace, cluster=cluster, start=start)


def _node_changes(settings: SchedulingScenario, span: Window) -> list[changes.NodeChange]:
    always = []
    for place, nodes in settings.extra_nodes.items():
        cluster, _, vc = place.partition("/")
        always.append(changes.NodeChange(cluster, vc, nodes))
    return always + [changes.dated_change(text, span) for text in settings.dated_nodes]


def check_changes(settings: SchedulingScenario, workloads: list[Workload]) -> None:
    """Refuse a VC, a move or a merge that concerns nothing in any of the clusters."""
    known = {vc for each in workloads for vc in (*each.quotas, *each.jobs["vc"].unique())}
    where = ", ".join(each.cluster for each in workloads)
    for vc in settings.vcs:
        if vc not in known:
            raise RunError(f"There is no job and no capacity of VC {vc!r} in {where} in this window.")
    for source, target in settings.moves.items():
        if not sum(each.moved_jobs[source] for each in workloads):
            raise RunError(
                f"Moving {source} to {target} moves no job: {where} has no job of it in this window, or VC "
                f"{target} has no known capacity there."
            )


def until_s(settings: SchedulingScenario, span: Window) -> float | None:
    """When the replay stops, in s since the window's start; None where it runs until the last job ended."""
    if not settings.until:
        return None
    stop_s = float((clock.instant(settings.until, span.timezone) - span.start_time).total_seconds())
    if stop_s <= 0:
        raise RunError(f"The replay cannot stop at {settings.until}, before its window begins.")
    return stop_s


def present_gpus(workloads: list[Workload], time_s: "np.typing.NDArray[np.float64]") -> Any:
    """GPUs present in all clusters together at each instant."""
    quotas: list[Quota] = [quota for each in workloads for quota in each.quotas.values()]
    return sum((quota.at(time_s) for quota in quotas), np.zeros(time_s.size, dtype=np.int64))
