"""How far to trust a replay: the schedule that was recorded, beside FIFO simulated on the same jobs.

A what-if changes the jobs, the capacity or the policy of a schedule that really happened. Where the trace has
start times, that schedule is known, and so is how far simulated FIFO, without any of the scenario's changes,
is from it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import scheduling
from queries import rows
from runs.quota import Quotas
from runs.scenario import SchedulingScenario
from runs.window import Window
from runs.words import percent, plural
from runs.workload import Workload, workload
from scheduling.jobs import exclusion
from scheduling.metrics import ALL

NEAR_S = 60.0
"""A simulated delay within this of the recorded one counts as near."""


def unchanged(settings: SchedulingScenario) -> SchedulingScenario:
    """FIFO on the same jobs without any change of the scenario; what a replay starts from stays."""
    return SchedulingScenario(
        trace=settings.trace,
        clusters=settings.clusters,
        vcs=settings.vcs,
        from_=settings.from_,
        to=settings.to,
        policies=("fifo",),
        capacity_over_time=settings.capacity_over_time,
        start_state=settings.start_state,
    )


def is_unchanged(settings: SchedulingScenario) -> bool:
    """Whether the scenario's own FIFO replay, if it has one, is that of :func:`unchanged`."""
    same = replace(settings, policies=("fifo",), seed=1, tie_sensitivity=False)
    return "fifo" in settings.policies and same == unchanged(settings)


def baseline(
    settings: SchedulingScenario,
    manifest: Mapping[str, Any],
    span: Window,
    replayed: Mapping[str, tuple[Workload, scheduling.Outcome]] | None,
    quotas: Quotas | None = None,
) -> tuple[dict[str, Any] | None, list[str]]:
    """The recorded schedule beside simulated FIFO, and sentences on what cannot be compared.

    ``replayed`` are FIFO replays by cluster that serve (:func:`is_unchanged`), else they are made; ``quotas``
    stand in for a cluster whose capacity the trace does not know. ``{"rows", "sentence"}``, one row per
    cluster and VC and one with vc ``*`` per cluster; None where no cluster has start times.
    """
    compared, notes = [], []
    for cluster in replayed or _clusters(settings, manifest):
        facts = manifest["clusters"][cluster]
        if not facts["has_start"]:
            notes.append(
                f"{cluster}: no recorded starts, so the replay cannot be held against what happened."
            )
            continue
        if replayed is not None:
            work, outcome = replayed[cluster]
        else:
            own = None if facts["has_capacity"] else quotas
            work = workload(unchanged(settings), manifest, cluster, span, own)
            outcome = work.replay("fifo")
        jobs = _both(settings.trace, work, outcome, span)
        if len(jobs):
            compared.append(jobs.assign(cluster=cluster))
        else:
            notes.append(f"{cluster}: no job in this window both started as recorded and starts in a replay.")
    if not compared:
        return None, notes
    table = pd.concat(compared, ignore_index=True)
    return {"rows": _rows(table), "sentence": sentence(_numbers(table))}, notes


def _clusters(settings: SchedulingScenario, manifest: Mapping[str, Any]) -> list[str]:
    return [each for each in manifest["clusters"] if not settings.clusters or each in settings.clusters]


def _both(trace: str, work: Workload, outcome: scheduling.Outcome, span: Window) -> pd.DataFrame:
    """The jobs that started both as recorded and in the replay: vc, duration_s and both queueing delays.

    The replay of a workload has its jobs that take part, in their order. A recorded start before the
    submission is no start.
    """
    part = work.jobs[exclusion(work.jobs) < 0]
    recorded = rows(
        "recorded_starts", trace=trace, cluster=work.cluster, start=span.start_time, end=span.end_time
    )
    start_s = recorded.set_index("row")["start_s"].reindex(part["row"]).to_numpy(dtype=float)
    table = pd.DataFrame(
        {
            "vc": part["vc"].astype(str).to_numpy(),
            "duration_s": part["duration_s"].to_numpy(dtype=float),
            "recorded_s": start_s - part["submit_s"].to_numpy(dtype=float),
            "fifo_s": outcome.jobs["queueing_delay_s"].to_numpy(dtype=float),
        }
    )
    return table[(table["recorded_s"] >= 0) & table["fifo_s"].notna()]


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    made = []
    for cluster, own in table.groupby("cluster", sort=False):
        for vc, jobs in own.groupby("vc"):
            made.append({"cluster": cluster, "vc": vc, **_numbers(jobs)})
        made.append({"cluster": cluster, "vc": ALL, **_numbers(own)})
    return made


def _numbers(jobs: pd.DataFrame) -> dict[str, Any]:
    """The same jobs as recorded and under simulated FIFO, and how far one is from the other."""
    duration_s, recorded_s, fifo_s = (
        jobs[column].to_numpy(dtype=float) for column in ("duration_s", "recorded_s", "fifo_s")
    )
    apart_s = fifo_s - recorded_s
    return {
        "jobs": len(jobs),
        "recorded": _schedule(recorded_s, duration_s),
        "fifo": _schedule(fifo_s, duration_s),
        "distance": {
            "mean_difference_s": float(apart_s.mean()),
            "mean_absolute_difference_s": float(np.abs(apart_s).mean()),
            "within_60_s": float((np.abs(apart_s) <= NEAR_S).mean()),
        },
    }


def _schedule(delay_s: NDArray[np.float64], duration_s: NDArray[np.float64]) -> dict[str, float]:
    return {
        "avg_jct_s": float((delay_s + duration_s).mean()),
        "avg_queueing_delay_s": float(delay_s.mean()),
        "p95_queueing_delay_s": float(np.percentile(delay_s, 95)),
    }


def sentence(numbers: Mapping[str, Any]) -> str:
    """How far to trust the replay, for people."""
    recorded, fifo, distance = (numbers[key] for key in ("recorded", "fifo", "distance"))
    return (
        f"As recorded the same {plural(numbers['jobs'], 'job')} waited "
        f"{recorded['avg_queueing_delay_s']:,.0f} s on average; simulated FIFO says "
        f"{fifo['avg_queueing_delay_s']:,.0f} s, and for a single job is off by "
        f"{distance['mean_absolute_difference_s']:,.0f} s on average "
        f"({percent(distance['within_60_s'])} within a minute)."
    )
