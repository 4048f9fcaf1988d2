"""A replay of a trace's jobs under policies: what the scheduling page, the command and a run show."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import scheduling
from queries import manifests
from runs import beliefs, load, models, scenario
from runs.errors import RunError
from runs.files import whole_file
from runs.parts import chosen_clusters, largest_in_window, read_capacity, read_jobs
from runs.scenario import SchedulingScenario
from runs.window import Window, window
from scheduling import metrics
from scheduling.estimates import Estimator
from traces import capacity as traces_capacity

Progress = Callable[[float, str], None]
SERIES_STEP_S = 600.0
JOBS_FILE = [
    *("job_id", "vc", "policy", "submit_s", "gpu_num", "duration_s"),
    *("start_s", "end_s", "queueing_delay_s", "preemptions"),
]


@dataclass(frozen=True)
class Simulation:
    """What a replay gives: ``document`` as the command prints it, and its tables.

    ``jobs`` has one row per policy and job (with its cluster); ``series`` running GPUs, waiting jobs, used
    nodes and GPUs present by policy every 10 minutes; ``cdf`` the queueing delay's distribution by policy.
    """

    document: dict[str, Any]
    jobs: pd.DataFrame
    series: pd.DataFrame
    cdf: pd.DataFrame

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by the name they are stored under."""
        return {"jobs": self.jobs, "series": self.series, "cdf": self.cdf}


@dataclass(frozen=True)
class Part:
    """One cluster's jobs and capacity (GPUs per VC) in the window, and what QSSF believes if it is asked."""

    cluster: str
    jobs: pd.DataFrame
    capacity: dict[str, int]
    gpus_per_node: int
    believed: models.Used | None


@dataclass(frozen=True)
class Replayed:
    """One cluster under one policy."""

    part: Part
    outcome: scheduling.Outcome


def simulate(
    settings: SchedulingScenario,
    progress: Progress = lambda done, step: None,
    capacity: Mapping[str, int] | None = None,
) -> Simulation:
    """Replay the scenario's jobs under each of its policies.

    ``capacity`` (GPUs per VC) replaces the trace's own, of every cluster that is replayed. The jobs of the
    result are in trace order, one policy after the other. Raises RunError, QueryError, TraceError or
    ScenarioError with a sentence.
    """
    began = time.perf_counter()
    manifest = manifests.manifest(settings.trace)
    clusters = chosen_clusters(manifest, settings.clusters)
    span = window(manifest, clusters, settings.from_, settings.to)
    if not settings.policies:
        raise RunError("Choose at least one policy to replay.")
    progress(0.02, "Reading the jobs")
    parts = [_read(settings, manifest, each, span, capacity) for each in clusters]
    _check_vcs(settings.vcs, parts)
    replays: list[Replayed] = []
    for policy in settings.policies:
        for part in parts:
            share = len(replays) / (len(settings.policies) * len(parts))
            progress(0.05 + 0.85 * share, f"Replaying {part.cluster} under {policy}")
            replays.append(Replayed(part, _replay(part, policy, settings)))
    results = [row for policy in settings.policies for row in _result_rows(_of(policy, replays))]
    elapsed_s = time.perf_counter() - began
    progress(0.92, "Putting the results together")
    shown = scenario.document(settings) | {"from": str(span.start_time), "to": str(span.end_time)}
    shown |= {"timezone": span.timezone, "clusters": clusters, "trace_version": manifest["version"]}
    shown |= {"estimates": {each.cluster: each.believed.described for each in parts if each.believed}}
    document = {"scenario": shown, "results": results, "elapsed_s": elapsed_s, "notes": _notes(replays)}
    return Simulation(document, _jobs(replays), _series(replays, span, settings), _cdf(replays, settings))


def capacity_file(settings: SchedulingScenario, path: Path) -> dict[str, int]:
    """GPUs per VC from a capacity file, for the scenario's window. Raises TraceError or RunError."""
    manifest = manifests.manifest(settings.trace)
    clusters = chosen_clusters(manifest, settings.clusters)
    span = window(manifest, clusters, settings.from_, settings.to)
    per_node = manifest["clusters"][clusters[0]]["gpus_per_node"]
    quota = traces_capacity.read(path, per_node).quota(span.local_days()[0])
    return largest_in_window(quota, span)


def write_jobs(jobs: pd.DataFrame, path: Path) -> None:
    """The jobs of a simulation as CSV; rejected jobs have no start and no end. The file appears whole."""
    with whole_file(path) as temporary:
        jobs[JOBS_FILE].to_csv(temporary, index=False)


def _read(
    settings: SchedulingScenario,
    manifest: dict[str, Any],
    cluster: str,
    span: Window,
    capacity: Mapping[str, int] | None,
) -> Part:
    facts = manifest["clusters"][cluster]
    jobs = load.scaled(
        read_jobs(settings.trace, cluster, settings.vcs, span), settings.load_factor, settings.seed
    )
    present = dict(capacity) if capacity is not None else read_capacity(settings.trace, cluster, span)
    if settings.vcs:
        present = {vc: gpus for vc, gpus in present.items() if vc in settings.vcs}
    present = _with_extra_nodes(present, cluster, settings.extra_nodes, facts["gpus_per_node"])
    believed = None
    if "qssf" in settings.policies:
        believed = models.used(settings.trace, cluster, facts, span, present)
    return Part(cluster, jobs, present, facts["gpus_per_node"], believed)


def _check_vcs(asked: tuple[str, ...], parts: list[Part]) -> None:
    """Refuse a VC that has neither a job in the window nor a capacity in any of the clusters."""
    known = {vc for part in parts for vc in (*part.capacity, *part.jobs["vc"].unique())}
    for vc in asked:
        if vc not in known:
            where = ", ".join(part.cluster for part in parts)
            raise RunError(f"There is no job and no capacity of VC {vc!r} in {where} in this window.")


def _with_extra_nodes(
    capacity: dict[str, int], cluster: str, extra_nodes: Mapping[str, int], gpus_per_node: int
) -> dict[str, int]:
    """The capacity after nodes were added to or removed from VCs, never below none."""
    changed = dict(capacity)
    for key, nodes in extra_nodes.items():
        owner, _, vc = key.partition("/")
        if owner != cluster:
            continue
        if vc not in capacity:
            raise RunError(f"Nodes of {key} cannot change: the capacity of VC {vc} is unknown.")
        changed[vc] = max(0, capacity[vc] + nodes * gpus_per_node)
    return changed


def _replay(part: Part, policy: str, settings: SchedulingScenario) -> scheduling.Outcome:
    estimates = None
    if policy == "qssf" and part.believed is not None:
        estimates = beliefs.believed(part.jobs, part.believed.beliefs, Estimator())
    return scheduling.replay(
        part.jobs,
        part.capacity,
        policy=policy,
        placement=settings.placement,
        gpus_per_node=part.gpus_per_node,
        estimates=estimates,
    )


def _of(policy: str, replays: list[Replayed]) -> list[Replayed]:
    return [each for each in replays if each.outcome.policy == policy]


def _result_rows(replays: list[Replayed]) -> list[dict[str, Any]]:
    return metrics.result_rows({each.part.cluster: each.outcome for each in replays})


def _jobs(replays: list[Replayed]) -> pd.DataFrame:
    tables = [each.outcome.jobs.assign(cluster=each.part.cluster) for each in replays]
    return pd.concat(tables, ignore_index=True)


def _series(replays: list[Replayed], span: Window, settings: SchedulingScenario) -> pd.DataFrame:
    """The load on all clusters every 10 minutes of the window, by policy (``scheduling.metrics.series``)."""
    window_s = (span.end_time - span.start_time).total_seconds()
    tables = []
    for policy in settings.policies:
        own = _of(policy, replays)
        present = sum(sum(each.part.capacity.values()) for each in own)
        made = [metrics.series(each.outcome.steps, SERIES_STEP_S, end_s=window_s) for each in own]
        table = pd.concat(made).groupby("time_s", as_index=False).sum()
        time_s = pd.to_timedelta(table.pop("time_s"), unit="s")
        tables.append(table.assign(policy=policy, time=span.start_time + time_s, present_gpus=present))
    return pd.concat(tables, ignore_index=True)


def _cdf(replays: list[Replayed], settings: SchedulingScenario) -> pd.DataFrame:
    tables = []
    for policy in settings.policies:
        jobs = pd.concat([each.outcome.jobs for each in _of(policy, replays)])
        tables.append(metrics.delay_cdf(jobs).assign(policy=policy))
    return pd.concat(tables, ignore_index=True)


def _notes(replays: list[Replayed]) -> list[str]:
    notes = [f"{each.part.cluster}: {note}" for each in replays for note in each.outcome.notes]
    return list(dict.fromkeys(notes))


def sentence(document: dict[str, Any]) -> str:
    """One sentence that compares the policies by average JCT."""
    totals = {row["policy"]: row for row in document["results"] if row["vc"] == metrics.ALL}
    known = {policy: row["avg_jct_s"] for policy, row in totals.items() if row["avg_jct_s"] is not None}
    if not known:
        return "No job could be replayed."
    best = min(known, key=lambda policy: known[policy])
    if "fifo" in known and best != "fifo" and known[best] > 0:
        return f"{best.upper()} shortens the average JCT {known['fifo'] / known[best]:.2f}-fold against FIFO."
    return f"{best.upper()} has the shortest average JCT."
