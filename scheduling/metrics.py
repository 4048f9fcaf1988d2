"""The numbers of a replay: the result row, the load over time, the distribution of queueing delays.

Statistics leave rejected and unfinished jobs out. What is undefined (a mean of nothing, a share of nothing)
is None.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.distribution import Ended, Jobs, columns_of, distribution, joined, mean, quantiles
from scheduling.errors import ScenarioError
from scheduling.jobs import EXCLUSIONS
from scheduling.outcome import Outcome
from scheduling.steps import Steps
from scheduling.virtual_clusters import Vc, VirtualClusters, members_of

QUEUED_FROM_S = 1.0
"""A job counts as queued from this queueing delay on."""

MOST_SLOTS = 1_000_000
ALL = "*"
"""Stands for all VCs of a cluster, or for all clusters, in a result row."""


def summary(
    jobs: pd.DataFrame,
    gpus_present: "int | PresentGpus | None",
    excluded: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """The numbers of one result row, of the jobs of a replay (``Outcome.jobs`` or some of its rows).

    - ``gpus_present``: GPUs of the VC or of all VCs together, or GPU·s in a span of time; None where unknown.
    - ``excluded``: jobs that took no part, by reason.

    jobs (all of them), rejected_jobs, unfinished_jobs and unfinished_gpu_h (what is left to run of them when
    the replay stopped), excluded, avg_jct_s (end − submit), avg_queueing_delay_s, p95_queueing_delay_s
    (linear interpolation), queued_jobs (delay ≥ 1 s), preemptions, makespan_s (last end − first submit),
    gpu_utilization (Σ GPUs × duration ÷ GPU·s present during the makespan, 0–1).
    """
    columns = columns_of(jobs)
    done = columns.ended()
    return _summary(columns, done, gpus_present, excluded, quantiles(done.delay_s, (95,))[0])


def _summary(
    jobs: Jobs,
    done: Ended,
    gpus_present: "int | PresentGpus | None",
    excluded: Mapping[str, int] | None,
    p95_queueing_delay_s: float | None,
) -> dict[str, Any]:
    rejected = int(jobs.rejected.sum())
    left_gpu_s = float((jobs.left_s * jobs.gpu_num)[~jobs.rejected].sum())
    gpu_seconds = _gpu_seconds(gpus_present, done.submit_s, done.end_s)
    gpu_time = float((done.gpu_num * done.duration_s).sum())
    return {
        "jobs": jobs.submit_s.size,
        "rejected_jobs": rejected,
        "unfinished_jobs": jobs.submit_s.size - rejected - done.end_s.size,
        "unfinished_gpu_h": left_gpu_s / 3600,
        "excluded": {reason: int((excluded or {}).get(reason, 0)) for reason in EXCLUSIONS},
        "avg_jct_s": mean(done.jct_s),
        "avg_queueing_delay_s": mean(done.delay_s),
        "p95_queueing_delay_s": p95_queueing_delay_s,
        "queued_jobs": int((done.delay_s >= QUEUED_FROM_S).sum()),
        "preemptions": int(jobs.preemptions.sum()),
        "makespan_s": float(done.end_s.max() - done.submit_s.min()) if done.end_s.size else None,
        "gpu_utilization": gpu_time / gpu_seconds if gpu_seconds > 0 else None,
    }


PresentGpus = Callable[[float, float], float]
"""GPU·s present from one instant to another."""


def _gpu_seconds(
    gpus_present: int | PresentGpus | None, submit_s: NDArray[np.float64], end_s: NDArray[np.float64]
) -> float:
    """GPU·s present from the first submission to the last end; 0 where unknown."""
    if gpus_present is None or not end_s.size:
        return 0.0
    first_s, last_s = float(submit_s.min()), float(end_s.max())
    return gpus_present(first_s, last_s) if callable(gpus_present) else gpus_present * (last_s - first_s)


def present_gpus(outcomes: Iterable[Outcome], vc: str | None = None) -> PresentGpus | None:
    """GPU·s present in a VC, or in all VCs of known capacity; None where the capacity is unknown.

    A node that is to leave counts until its last job has ended.
    """
    parts: list[tuple[Outcome, Sequence[str]]] = [
        (each, [*each.fleets] if vc is None else [vc] if vc in each.fleets else []) for each in outcomes
    ]
    if not any(vcs for _, vcs in parts):
        return None

    def between(start_s: float, end_s: float) -> float:
        present = 0.0
        for outcome, vcs in parts:
            present += sum(outcome.fleets[each].gpu_seconds(start_s, end_s) for each in vcs)
            present += sum(_draining_gpu_s(each.steps, start_s, end_s) for each in _of_vc(outcome, vc))
        return present

    return between


def _of_vc(outcome: Outcome, vc: str | None) -> list[Vc]:
    """The replayed VC of this name, if it was; all of them for None."""
    return [each for each in outcome.vcs.vcs if vc is None or outcome.vcs.names[each.number] == vc]


def _draining_gpu_s(steps: Steps, start_s: float, end_s: float) -> float:
    """GPU·s of nodes that are to leave, in [start_s, end_s)."""
    if not steps.draining_gpus.any():
        return 0.0
    return float((np.diff(np.clip(steps.time_s, start_s, end_s)) * steps.draining_gpus[:-1]).sum())


def _exclusions(excluded: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Jobs that took no part, by VC (and of all VCs, ``*``) and reason."""
    counts: dict[str, dict[str, int]] = {ALL: {}}
    columns = (excluded[name].tolist() for name in ("vc", "reason", "jobs"))
    for vc, reason, jobs in zip(*columns, strict=True):
        for each in (str(vc), ALL):
            own = counts.setdefault(each, {})
            own[reason] = own.get(reason, 0) + int(jobs)
    return counts


def result_rows(outcomes: Mapping[str, Outcome]) -> list[dict[str, Any]]:
    """Result rows of one policy's replays, by cluster: a row per VC with jobs, one per cluster (vc ``*``),
    and one of everything (cluster ``*``) where there are several clusters.

    Each has the keys of :func:`summary` and :func:`scheduling.distribution.distribution`, and those of free
    GPUs that were of no use to the head of a queue: fragmentation_gpu_h (while a job waited) and
    scattered_gpu_h (enough for it, on the wrong nodes). The GPUs present in a cluster are those of all its
    VCs of known capacity, also of VCs without jobs.
    """
    clusters = [(cluster, outcome, _ByVc.of(outcome)) for cluster, outcome in outcomes.items()]
    rows: list[dict[str, Any]] = []
    for cluster, outcome, by_vc in clusters:
        left_out = _exclusions(outcome.excluded)
        lost = {outcome.vcs.names[vc.number]: _lost_gpu_h(outcome.vcs, vc) for vc in outcome.vcs.vcs}
        for vc in sorted({*by_vc.names, *left_out} - {ALL}):
            own_lost = [lost[vc]] if vc in lost else []
            numbers = _row(*by_vc.of_vc(vc), [outcome], vc, left_out.get(vc, {}), own_lost)
            rows.append({"policy": outcome.policy, "cluster": cluster, "vc": vc, **numbers})
        numbers = _row(by_vc.jobs, by_vc.done, [outcome], None, left_out[ALL], list(lost.values()))
        rows.append({"policy": outcome.policy, "cluster": cluster, "vc": ALL, **numbers})
    if len(outcomes) > 1:
        rows.append(_row_of_everything(list(outcomes.values()), [by_vc for _, _, by_vc in clusters]))
    return rows


@dataclass(frozen=True)
class _ByVc:
    """The jobs of a replay, VC by VC, those that ended, and where the jobs of each VC with jobs begin and end
    among both."""

    jobs: Jobs
    done: Ended
    names: Mapping[str, tuple[slice, slice]]

    @classmethod
    def of(cls, outcome: Outcome) -> "_ByVc":
        """The jobs of ``Outcome.jobs``, sorted."""
        names, before = outcome.vcs.names, outcome.vcs.vc.size - len(outcome.jobs)
        members = members_of(outcome.vcs.vc[before:], len(names))
        jobs = columns_of(outcome.jobs).part(np.concatenate([np.zeros(0, np.int64), *members]))
        bounds = np.cumsum([0, *(rows.size for rows in members)])
        ended = np.append(0, np.cumsum(jobs.done))[bounds]
        places = {
            name: (slice(bounds[i], bounds[i + 1]), slice(ended[i], ended[i + 1]))
            for i, name in enumerate(names)
            if members[i].size
        }
        return cls(jobs, jobs.ended(), places)

    def of_vc(self, vc: str) -> tuple[Jobs, Ended]:
        """The jobs of one VC, which may have none."""
        rows, ended = self.names.get(vc, (slice(0, 0), slice(0, 0)))
        return self.jobs.part(rows), self.done.part(ended)


def _row(
    jobs: Jobs,
    done: Ended,
    outcomes: list[Outcome],
    vc: str | None,
    excluded: Mapping[str, int],
    lost: Sequence[tuple[float, float]],
) -> dict[str, Any]:
    shape = distribution(done)
    numbers = _summary(jobs, done, present_gpus(outcomes, vc), excluded, shape["p95_queueing_delay_s"])
    fragmentation_gpu_h, scattered_gpu_h = np.array([(0.0, 0.0), *lost]).sum(axis=0).tolist()
    lost_gpu_h = {"fragmentation_gpu_h": fragmentation_gpu_h, "scattered_gpu_h": scattered_gpu_h}
    return numbers | shape | lost_gpu_h


def _row_of_everything(outcomes: list[Outcome], parts: list[_ByVc]) -> dict[str, Any]:
    excluded = _exclusions(pd.concat([outcome.excluded for outcome in outcomes]))[ALL]
    lost = [_lost_gpu_h(outcome.vcs, vc) for outcome in outcomes for vc in outcome.vcs.vcs]
    jobs, done = joined([part.jobs for part in parts]), joined([part.done for part in parts])
    numbers = _row(jobs, done, outcomes, None, excluded, lost)
    return {"policy": outcomes[0].policy, "cluster": ALL, "vc": ALL, **numbers}


def _lost_gpu_h(vcs: VirtualClusters, vc: Vc) -> tuple[float, float]:
    """GPU-hours that were free in a VC while a job waited at the head of its queue, and those of them while
    enough were free for that job."""
    free, head, held_s = vc.steps.free_gpus[:-1], vcs.gpus_of_head(vc)[:-1], np.diff(vc.steps.time_s)
    unused = free * held_s * (head > 0)
    return float(unused.sum()) / 3600, float((unused * (free >= head)).sum()) / 3600


LOADS = ("running_gpus", "waiting_jobs", "used_nodes")


def total_steps(steps: pd.DataFrame) -> pd.DataFrame:
    """The step function of all VCs together: time_s (each instant once) and the sums of the loads."""
    changes = [steps["time_s"].to_numpy(dtype=float)]
    for load in LOADS:
        values = steps[load].to_numpy(dtype=float)
        before = steps.groupby("vc", observed=True)[load].shift(1, fill_value=0).to_numpy(dtype=float)
        changes.append(values - before)
    order = np.argsort(changes[0], kind="stable")
    time_s = changes[0][order]
    last_of_instant = np.r_[time_s[1:] != time_s[:-1], True][: time_s.size]
    sums = {
        load: np.cumsum(change[order])[last_of_instant]
        for load, change in zip(LOADS, changes[1:], strict=True)
    }
    return pd.DataFrame({"time_s": time_s[last_of_instant], **sums})


def series(
    steps: pd.DataFrame, slot_s: float = 600.0, start_s: float = 0.0, end_s: float | None = None
) -> pd.DataFrame:
    """The load on a regular grid, of ``Outcome.steps`` or of its rows of some VCs.

    One row per slot [time_s, time_s + slot_s) of [start_s, end_s): running_gpus and waiting_jobs are
    time-weighted means over the slot, used_nodes is the slot's maximum. ``end_s`` is by default the last
    change of load.
    """
    total = total_steps(steps)
    time_s = total["time_s"].to_numpy(dtype=float)
    if not slot_s > 0:
        raise ScenarioError(f"A slot must be longer than 0 s, not {slot_s}.")
    if end_s is None:
        end_s = float(time_s[-1]) if time_s.size else start_s
    slots = max(int(np.ceil((end_s - start_s) / slot_s)), 0)
    if slots > MOST_SLOTS:
        raise ScenarioError(f"{slots:,} slots of {slot_s:g} s are too many; choose longer slots.")
    edges = (start_s + slot_s * np.arange(slots + 1)).astype(np.float64)
    return pd.DataFrame(
        {
            "time_s": edges[:-1],
            "running_gpus": _means(time_s, total["running_gpus"].to_numpy(dtype=float), edges),
            "waiting_jobs": _means(time_s, total["waiting_jobs"].to_numpy(dtype=float), edges),
            "used_nodes": _maxima(time_s, total["used_nodes"].to_numpy(dtype=float), edges),
        }
    )


def _at(time_s: NDArray[np.float64], values: NDArray[np.float64], when_s: NDArray[np.float64]) -> Any:
    """Value of the step function at instants; 0 before its first step."""
    return np.r_[0.0, values][np.searchsorted(time_s, when_s, side="right")]


def _means(time_s: NDArray[np.float64], values: NDArray[np.float64], edges: NDArray[np.float64]) -> Any:
    """Time-weighted mean of a step function between neighboring edges."""
    if not time_s.size:
        return np.zeros(edges.size - 1)
    area = np.r_[0.0, np.cumsum(values[:-1] * np.diff(time_s))]  # up to each step
    step = np.searchsorted(time_s, edges, side="right") - 1
    reached = np.where(step >= 0, area[step] + values[step] * (edges - time_s[step]), 0.0)
    return np.diff(reached) / np.diff(edges)


def _maxima(time_s: NDArray[np.float64], values: NDArray[np.float64], edges: NDArray[np.float64]) -> Any:
    """Largest value of a step function in each half-open interval between neighboring edges."""
    largest = _at(time_s, values, edges[:-1])
    slot = np.searchsorted(edges, time_s, side="right") - 1
    inside = (slot >= 0) & (slot < largest.size)
    np.maximum.at(largest, slot[inside], values[inside])
    return largest


def delay_cdf(jobs: pd.DataFrame, points: int = 400) -> pd.DataFrame:
    """Distribution of the queueing delay: queueing_delay_s and the share (0–1) of jobs that wait at most
    that.

    At most ``points`` rows, the smallest and the largest delay among them; every row is exact.
    """
    delay_s = np.sort(jobs["queueing_delay_s"].dropna().to_numpy(dtype=float))
    values, first = np.unique(delay_s, return_index=True)
    share = np.r_[first[1:], delay_s.size][: values.size] / max(delay_s.size, 1)
    if values.size > points:
        kept = np.unique(np.linspace(0, values.size - 1, points).round().astype(int))
        values, share = values[kept], share[kept]
    return pd.DataFrame({"queueing_delay_s": values, "share": share})
