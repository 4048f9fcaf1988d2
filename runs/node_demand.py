"""Where a cluster's node demand comes from: a recorded node series, a file, or a replay of its jobs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import energy
import scheduling
from queries import manifests, rows
from runs.errors import RunError
from runs.parts import chosen_clusters, read_capacity, read_jobs
from runs.scenario import EnergyScenario
from runs.window import Window, series_window, window
from scheduling import metrics
from traces import node_series

FROM_SERIES = "recorded node series"
FROM_RECORD = "recorded starts, ends and node counts of the jobs"
DEFAULT_POLICY = "fifo"
RECORDED = "recorded"


@dataclass(frozen=True)
class Replay:
    """The replay behind a demand: its jobs (seconds since ``start_time``) and the GPUs of each VC."""

    jobs: pd.DataFrame
    capacity: dict[str, int]
    gpus_per_node: int
    policy: str
    outcome: scheduling.Outcome
    start_time: pd.Timestamp


@dataclass(frozen=True)
class Demand:
    """A cluster's node series up to the end of the window, where it comes from, and the replay if it is
    one's."""

    series: pd.DataFrame
    window: Window
    origin: str
    replay: Replay | None = None


def from_file(path: Path, timezone: str, mapped: Mapping[str, str], settings: EnergyScenario) -> Demand:
    """The node series of a file that is not imported. Raises TraceError or RunError."""
    series = node_series.read(path, "series", timezone, mapped=mapped).series
    assert series is not None  # what node_series reads is a series
    span = series_window(series["time"], timezone, settings.from_, settings.to)
    return Demand(series, span, FROM_SERIES)


def stored(settings: EnergyScenario) -> Demand:
    """The node series of the scenario's cluster: the imported one, unless there is none or the scenario names
    a policy; then that of a replay of its jobs, or with the policy ``recorded`` that of their recorded times.
    """
    manifest = manifests.manifest(settings.trace)
    [cluster] = chosen_clusters(manifest, (settings.cluster,))
    if manifest["clusters"][cluster]["has_series"] and not settings.policy:
        series = rows("node_series", trace=settings.trace, cluster=cluster)
        span = series_window(series["time"], manifest["timezone"], settings.from_, settings.to)
        return Demand(series, span, FROM_SERIES)
    if settings.policy == RECORDED:
        return recorded(settings, manifest, cluster)
    return _replayed(settings, manifest, cluster)


def recorded(settings: EnergyScenario, manifest: dict[str, Any], cluster: str) -> Demand:
    """Nodes of the jobs that were running, by the starts, ends and node counts of the trace: an upper bound,
    because a node that jobs share counts once for each.

    A job without a node count has as many as its GPUs fill. Raises RunError where no job has a start.
    """
    span = window(manifest, [cluster], settings.from_, settings.to)
    whole = window(manifest, [cluster], "", settings.to)
    jobs = rows(
        "recorded_jobs", trace=settings.trace, cluster=cluster, start=whole.start_time, end=whole.end_time
    )
    if jobs.empty:
        raise RunError(f"{cluster} has no job with a recorded start and end: choose a policy to replay.")
    per_node = manifest["clusters"][cluster]["gpus_per_node"]
    capacity = read_capacity(settings.trace, cluster, whole)
    total = sum(-(-gpus // per_node) for gpus in capacity.values()) if capacity else math.nan
    counts = jobs["node_num"].fillna(np.ceil(jobs["gpu_num"] / per_node)).to_numpy(float)
    starts, ends = jobs["start_s"].to_numpy(float), jobs["end_s"].to_numpy(float)
    steps = energy.steps_from_node_counts(starts, ends, counts, total)
    end_s = (whole.end_time - whole.start_time).total_seconds()
    slots = energy.slots_from_steps(whole.start_time, steps["time_s"], steps["used_nodes"], total, end_s)
    return Demand(slots[["time", "used", "total"]], span, FROM_RECORD)


def _replayed(settings: EnergyScenario, manifest: dict[str, Any], cluster: str) -> Demand:
    """Nodes in use when every job before the window's end is replayed, from the first one on."""
    span = window(manifest, [cluster], settings.from_, settings.to)
    whole = window(manifest, [cluster], "", settings.to)
    capacity = read_capacity(settings.trace, cluster, whole)
    if not capacity:
        raise RunError(
            f"The capacity of {cluster} is unknown, so nothing says how many nodes could sleep: "
            "import it with --capacity, or import a node series (heliograph import nodes)."
        )
    policy = settings.policy or DEFAULT_POLICY
    per_node = manifest["clusters"][cluster]["gpus_per_node"]
    jobs = read_jobs(settings.trace, cluster, (), whole)
    outcome = scheduling.replay(jobs, capacity, policy=policy, gpus_per_node=per_node)
    total = sum(-(-gpus // per_node) for gpus in capacity.values())
    end_s = (whole.end_time - whole.start_time).total_seconds()
    steps = metrics.total_steps(outcome.steps)
    slots = energy.slots_from_steps(whole.start_time, steps["time_s"], steps["used_nodes"], total, end_s)
    replay = Replay(jobs, capacity, per_node, policy, outcome, whole.start_time)
    return Demand(slots[["time", "used", "total"]], span, _origin(policy), replay)


def _origin(policy: str) -> str:
    return f"{scheduling.POLICIES[policy].label} replay of the jobs on the trace's quota"
