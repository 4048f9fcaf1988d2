"""What QSSF's estimates are worth on a trace: their errors, and the schedules that they make.

Estimates are judged by the schedule. So the window is replayed under the plain controls as well (FIFO, fewest
GPUs first, the user's mean) and under the perfect order (true GPU time), and each order's *closed gap* is
the share of FIFO's average queueing above that of the perfect order which it takes away. It may exceed 1: no
order by GPU time is optimal where a blocked head holds up the queue.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import scheduling
from queries import manifests
from runs import beliefs
from runs.orders import PERFECT, averages, by_waiting_vc, control_notes
from runs.parts import chosen_clusters, read_capacity
from runs.simulation import Progress
from runs.window import Window, window
from scheduling.estimates import (
    ALL_RUNGS,
    NO_GUARD,
    Estimator,
    Known,
    accuracy,
    controls,
    estimates,
    merged,
    priority,
)

Values = NDArray[np.float64]

NAMES_MISSING = "The trace has no job names: estimates fall back to the user and the GPU count."
USERS_MISSING = "The trace has no users: estimates know the VC and the GPU count alone."


@dataclass(frozen=True)
class EstimateScenario:
    """Which jobs to estimate: a trace, its clusters (empty: all), a window, and which ends count as known."""

    trace: str
    clusters: tuple[str, ...] = ()
    from_: str = ""
    to: str = ""
    ends: beliefs.Ends | None = None
    estimator: Estimator = field(default_factory=Estimator)


@dataclass(frozen=True)
class _Estimated:
    """A cluster's jobs in the window with every estimate of each: expected seconds by estimator."""

    jobs: pd.DataFrame
    expected_s: dict[str, Values]
    rung: NDArray[np.int64]
    believed: pd.DataFrame


def study(scenario: EstimateScenario, progress: Progress = lambda done, step: None) -> dict[str, Any]:
    """The document of ``heliograph estimate`` (docs/reference/estimates.md).

    Raises RunError, QueryError, TraceError or ScenarioError with a sentence.
    """
    began = time.perf_counter()
    manifest = manifests.manifest(scenario.trace)
    clusters = chosen_clusters(manifest, scenario.clusters)
    span = window(manifest, clusters, scenario.from_, scenario.to)
    parts = []
    for at, cluster in enumerate(clusters):
        progress(at / len(clusters), f"Estimating {cluster}")
        parts.append(_cluster(scenario, cluster, manifest["clusters"][cluster], span))
    shown = {"trace": scenario.trace, "clusters": clusters, "trace_version": manifest["version"]}
    shown |= {"from": str(span.start_time), "to": str(span.end_time), "timezone": span.timezone}
    return {
        "scenario": shown | {"estimator": settings(scenario.estimator)},
        "clusters": parts,
        "elapsed_s": time.perf_counter() - began,
    }


def settings(estimator: Estimator) -> dict[str, Any]:
    """The estimator's parameters as they are shown."""
    return {
        "decay": estimator.rolling.decay,
        "shrinkage_jobs": estimator.rolling.shrinkage_jobs,
        "prior_s": estimator.rolling.prior_s,
        "rolling_weight": estimator.rolling_weight,
        "charge_s": estimator.guard.charge_s,
        "aging_s": estimator.guard.aging_s,
    }


def _cluster(scenario: EstimateScenario, cluster: str, facts: dict[str, Any], span: Window) -> dict[str, Any]:
    before = beliefs.past(scenario.trace, cluster, facts, span, scenario.ends)
    known = before.known(scenario.estimator)
    model = beliefs.fitted(before, known)
    table = beliefs.table(before, known, model)
    made = _estimated(before, known, table, scenario.estimator)
    capacity = read_capacity(scenario.trace, cluster, span)
    schedules, by_vc = _schedules(made, capacity, facts["gpus_per_node"], scenario.estimator)
    true_s, gpus = (made.jobs[column].to_numpy(dtype=float) for column in ("duration_s", "gpu_num"))
    return {
        "cluster": cluster,
        "jobs": len(made.jobs),
        "ends": before.ends,
        "model": None if model is None else {"trained_until": str(span.start_time), "jobs": model.jobs},
        "has_job_name": facts["has_job_name"],
        "has_user": facts["has_user"],
        "estimators": {name: accuracy.accuracy(each, true_s, gpus) for name, each in made.expected_s.items()},
        "rungs": _by_rung(made, true_s, gpus),
        "gpus": accuracy.by_gpus(made.expected_s["qssf"], true_s, gpus),
        "schedules": schedules,
        "vcs": by_vc,
        "notes": _notes(facts, schedules, by_vc),
    }


def _estimated(before: beliefs.Past, known: Known, table: pd.DataFrame, estimator: Estimator) -> _Estimated:
    """Every estimator's expected durations of the window's jobs."""
    inside = before.in_window()
    prior_s, jobs = estimator.rolling.prior_s, before.jobs[inside].reset_index(drop=True)
    rolling_s = table["rolling_s"].to_numpy(dtype=float)
    boosted_s = table["boosted_s"].to_numpy(dtype=float)
    with_model = not np.isnan(boosted_s).all()
    expected_s = {"qssf": merged(rolling_s, boosted_s if with_model else None, estimator.rolling_weight)}
    expected_s["rolling"] = rolling_s
    if with_model:
        expected_s["boosted"] = boosted_s
    expected_s["user_mean"] = controls.user_mean(known, prior_s)[inside]
    expected_s["last_job"] = controls.last_job(known, prior_s)[inside]
    expected_s["global_median"] = controls.global_median(before.jobs, prior_s)[inside]
    rung = table["rung"].to_numpy(dtype=np.int64)
    believed = estimates(jobs, rolling_s, rung, boosted_s if with_model else None, estimator)
    return _Estimated(jobs, expected_s, rung, believed)


def _by_rung(made: _Estimated, true_s: Values, gpus: Values) -> list[dict[str, Any]]:
    rows = []
    for code, rung in enumerate(ALL_RUNGS):
        own = made.rung == code
        if own.any():
            numbers = accuracy.accuracy(made.expected_s["qssf"][own], true_s[own], gpus[own])
            rows.append({"rung": rung, "share": float(own.mean()), **numbers})
    return rows


def _orders(made: _Estimated) -> dict[str, Values | None]:
    """The priority of each order that is replayed, the smallest first; None for QSSF's own."""
    gpus, submit_s, true_s = (
        np.asarray(made.jobs[column], dtype=float) for column in ("gpu_num", "submit_s", "duration_s")
    )
    unguarded = priority(made.expected_s["qssf"], gpus, submit_s, NO_GUARD)
    return {
        "fifo": submit_s,
        "fewest_gpus": gpus,
        "user_mean": made.expected_s["user_mean"] * gpus,
        "qssf": None,
        "qssf_without_guard": unguarded,
        PERFECT: true_s * gpus,
    }


def _schedules(
    made: _Estimated, capacity: dict[str, int], gpus_per_node: int, estimator: Estimator
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Averages of each order, over the cluster and by VC that queues, with the gap that it closes."""
    ran: dict[str, pd.DataFrame] = {}
    for order, values in _orders(made).items():
        believed = made.believed if values is None else made.believed.assign(priority=values)
        outcome = scheduling.replay(
            made.jobs, capacity, policy="qssf", gpus_per_node=gpus_per_node, estimates=believed
        )
        ran[order] = outcome.jobs[outcome.jobs["rejected"].isna()]
    return averages(ran), by_waiting_vc(ran)


def _notes(facts: dict[str, Any], schedules: list[dict[str, Any]], by_vc: list[dict[str, Any]]) -> list[str]:
    """What a reader must know: missing columns, and where a control wins."""
    notes = [] if facts["has_job_name"] else [NAMES_MISSING]
    notes += [] if facts["has_user"] else [USERS_MISSING]
    return notes + control_notes(schedules, by_vc)
