"""A replay of a trace's jobs under policies: what the scheduling page, the command and a run show."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import scheduling
from queries import manifests
from runs import scenario
from runs.baseline import baseline, is_unchanged
from runs.errors import RunError
from runs.files import whole_file
from runs.parts import chosen_clusters, quotas_of
from runs.quota import Quota, Quotas
from runs.result_rows import unfinished, with_tie_intervals
from runs.scenario import SchedulingScenario
from runs.window import Window, window
from runs.words import plural
from runs.workload import Workload, check_changes, present_gpus, until_s, workload
from runs.worth import worth
from scheduling import metrics
from traces import capacity as traces_capacity

Progress = Callable[[float, str], None]
SERIES_STEP_S = 600.0
GENERATED = (
    "Generated jobs: their users coordinate with FIFO, so that FIFO over many months does better than it "
    "would on recorded ones. A month that begins with an empty cluster compares policies more fairly."
)
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
class Prepared:
    """What a scenario replays: the jobs and quotas of each cluster in its window."""

    settings: SchedulingScenario
    manifest: dict[str, Any]
    span: Window
    workloads: list[Workload]


@dataclass(frozen=True)
class Replayed:
    """One cluster under one policy, and the same with ties the other way round if that was asked for."""

    work: Workload
    outcome: scheduling.Outcome
    reversed: scheduling.Outcome | None = None


def simulate(
    settings: SchedulingScenario,
    progress: Progress = lambda done, step: None,
    capacity: Quotas | None = None,
) -> Simulation:
    """Replay the scenario's jobs under each of its policies.

    ``capacity`` (the quota of each VC) replaces the trace's own, of every cluster that is replayed. The jobs
    of the result are in trace order, one policy after the other. Raises RunError, QueryError, TraceError or
    ScenarioError with a sentence.
    """
    began = time.perf_counter()
    progress(0.02, "Reading the jobs")
    scene = prepared(settings, capacity)
    manifest, span = scene.manifest, scene.span
    replays = replayed(scene, progress)
    results = result_rows(replays)
    elapsed_s = time.perf_counter() - began
    progress(0.92, "Putting the results together")
    shown = scenario.document(settings) | {"from": str(span.start_time), "to": str(span.end_time)}
    shown |= {"timezone": span.timezone, "trace_version": manifest["version"]}
    shown |= {"clusters": [each.cluster for each in scene.workloads]}
    believed = {each.cluster: each.believed for each in scene.workloads if each.believed}
    shown |= {"estimates": {cluster: used.described for cluster, used in believed.items()}}
    recorded, missing = baseline(settings, manifest, span, _serving(settings, replays, capacity), capacity)
    document = {"scenario": shown, "results": results, "elapsed_s": elapsed_s, "baseline": recorded}
    document["worth"] = worth(settings, manifest, span, _by_cluster(replays))
    document["notes"] = _notes(replays) + missing + ([GENERATED] if manifest["generated"] else [])
    return Simulation(document, _jobs(replays), _series(replays, span, settings), delay_cdf(replays))


def prepared(settings: SchedulingScenario, capacity: Quotas | None = None) -> Prepared:
    """Read what the scenario replays. Raises what :func:`simulate` raises."""
    manifest = manifests.manifest(settings.trace)
    clusters = chosen_clusters(manifest, settings.clusters)
    span = window(manifest, clusters, settings.from_, settings.to)
    if not settings.policies:
        raise RunError("Choose at least one policy to replay.")
    workloads = [workload(settings, manifest, each, span, capacity) for each in clusters]
    check_changes(settings, workloads)
    return Prepared(settings, manifest, span, workloads)


def replayed(scene: Prepared, progress: Progress = lambda done, step: None) -> list[Replayed]:
    """Replay every cluster under every policy, one policy after the other."""
    settings = scene.settings
    stop_s = until_s(settings, scene.span)
    replays: list[Replayed] = []
    for policy in settings.policies:
        for work in scene.workloads:
            share = len(replays) / (len(settings.policies) * len(scene.workloads))
            progress(0.05 + 0.85 * share, f"Replaying {work.cluster} under {policy}")
            made = [
                work.replay(
                    policy,
                    placement=settings.placement,
                    backfill=settings.backfill,
                    until_s=stop_s,
                    reverse_ties=reverse,
                )
                for reverse in (False, True)[: 1 + settings.tie_sensitivity]
            ]
            replays.append(Replayed(work, *made))
    return replays


def _serving(
    settings: SchedulingScenario, replays: list[Replayed], capacity: Quotas | None
) -> dict[str, tuple[Workload, scheduling.Outcome]] | None:
    """The FIFO replays by cluster if they are those of the trace as it is, else None."""
    if capacity is not None or not is_unchanged(settings):
        return None
    return {each.work.cluster: (each.work, each.outcome) for each in _of("fifo", replays)}


def capacity_file(settings: SchedulingScenario, path: Path) -> dict[str, Quota]:
    """The quota of each VC from a capacity file, for the scenario's window. Raises TraceError or RunError."""
    manifest = manifests.manifest(settings.trace)
    clusters = chosen_clusters(manifest, settings.clusters)
    span = window(manifest, clusters, settings.from_, settings.to)
    per_node = manifest["clusters"][clusters[0]]["gpus_per_node"]
    dated = traces_capacity.read(path, per_node).quota(span.local_days()[0])
    return quotas_of(dated, span, settings.capacity_over_time)


def write_jobs(jobs: pd.DataFrame, path: Path) -> None:
    """The jobs of a simulation as CSV; rejected jobs have no start and no end. The file appears whole."""
    with whole_file(path) as temporary:
        jobs[JOBS_FILE].to_csv(temporary, index=False)


def _by_cluster(replays: list[Replayed]) -> dict[str, tuple[Workload, dict[str, scheduling.Outcome]]]:
    """Workload and outcomes by policy of each cluster."""
    return {
        each.work.cluster: (
            each.work,
            {other.outcome.policy: other.outcome for other in replays if other.work is each.work},
        )
        for each in replays
    }


def _of(policy: str, replays: list[Replayed]) -> list[Replayed]:
    return [each for each in replays if each.outcome.policy == policy]


def _policies(replays: list[Replayed]) -> list[str]:
    return list(dict.fromkeys(each.outcome.policy for each in replays))


def result_rows(replays: list[Replayed]) -> list[dict[str, Any]]:
    """The numbers of each policy by cluster and VC, with the intervals of ties where both orders were
    replayed."""
    return [row for policy in _policies(replays) for row in _rows_of(_of(policy, replays))]


def _rows_of(replays: list[Replayed]) -> list[dict[str, Any]]:
    rows = metrics.result_rows({each.work.cluster: each.outcome for each in replays})
    other = {each.work.cluster: each.reversed for each in replays if each.reversed is not None}
    return with_tie_intervals(rows, metrics.result_rows(other)) if other else rows


def _jobs(replays: list[Replayed]) -> pd.DataFrame:
    tables = [each.outcome.jobs.assign(cluster=each.work.cluster) for each in replays]
    return pd.concat(tables, ignore_index=True)


def _series(replays: list[Replayed], span: Window, settings: SchedulingScenario) -> pd.DataFrame:
    """The load on all clusters every 10 minutes of the window, by policy (``scheduling.metrics.series``)."""
    window_s = (span.end_time - span.start_time).total_seconds()
    tables = []
    for policy in settings.policies:
        own = _of(policy, replays)
        made = [metrics.series(each.outcome.steps, SERIES_STEP_S, end_s=window_s) for each in own]
        table = pd.concat(made).groupby("time_s", as_index=False).sum()
        present = present_gpus([each.work for each in own], table["time_s"].to_numpy(dtype=float))
        time_s = pd.to_timedelta(table.pop("time_s"), unit="s")
        tables.append(table.assign(policy=policy, time=span.start_time + time_s, present_gpus=present))
    return pd.concat(tables, ignore_index=True)


def delay_cdf(replays: list[Replayed]) -> pd.DataFrame:
    """The queueing delay's distribution by policy (``scheduling.metrics.delay_cdf``)."""
    tables = []
    for policy in _policies(replays):
        jobs = pd.concat([each.outcome.jobs for each in _of(policy, replays)])
        tables.append(metrics.delay_cdf(jobs).assign(policy=policy))
    return pd.concat(tables, ignore_index=True)


def _notes(replays: list[Replayed]) -> list[str]:
    alike: dict[str, list[str]] = {}
    for each in replays:
        for note in each.outcome.notes:
            alike.setdefault(note, []).append(each.work.cluster)
    notes = [f"{', '.join(dict.fromkeys(clusters))}: {note}" for note, clusters in alike.items()]
    for each in replays:
        left = int(unfinished(each.outcome.jobs).sum())
        if left:
            under = f"{each.work.cluster}: under {scheduling.POLICIES[each.outcome.policy].label}"
            notes.append(
                f"{under} {plural(left, 'job')} had not ended when the replay stopped; no average has them."
            )
    return list(dict.fromkeys(notes))


#: Average JCTs that are less apart are the same, in s.
SAME_S = 0.5


def sentence(document: dict[str, Any]) -> str:
    """One sentence that compares the policies by average JCT."""
    totals = {row["policy"]: row for row in document["results"] if row["vc"] == metrics.ALL}
    known = {policy: row["avg_jct_s"] for policy, row in totals.items() if row["avg_jct_s"] is not None}
    if not known:
        return "No job could be replayed."
    best = min(known, key=lambda policy: known[policy])
    if len(known) > 1 and max(known.values()) - known[best] < SAME_S:
        return "The policies do not differ in average JCT."
    label = scheduling.POLICIES[best].label
    if "fifo" in known and best != "fifo" and known[best] > 0:
        return f"{label} shortens the average JCT {known['fifo'] / known[best]:.2f}-fold against FIFO."
    return f"{label} has the shortest average JCT."
