"""What the jobs that had ended by a job's submission say about how long it will run.

A rung is a kind of likeness, nearest first; a job belongs to one group on each rung. A group's mean is
exponentially decayed: each job that ends counts ``decay`` times as much as the one after it. The estimate is
the mean on the first rung whose group has an ended job, drawn toward the next rung's by ``shrinkage_jobs``
jobs' worth, so that one short run of a gang does not stand for all that follow.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.compilation import kernel
from scheduling.estimates.names import MOST_EDITS, MOST_LOOKED_AT, nearest_before, spelled, templates

RUNGS = ("user_name_gpus", "user_similar_gpus", "user_gpus", "user", "vc_gpus", "vc", "everyone")
NO_RUNG = "none"
SIMILAR = RUNGS.index("user_similar_gpus")
"""The one rung that looks at another group's jobs and has none of its own."""

STATISTICS = ("log_mean", "mean_log", "weight")
"""What is known of a job's group on a rung, decayed: ln(1 + mean duration), mean ln(1 + duration), jobs."""


@dataclass(frozen=True)
class Rolling:
    """How ended jobs are averaged. Chosen in docs/decisions (estimates).

    ``decay`` in (0, 1]; ``shrinkage_jobs`` ≥ 0; ``prior_s`` stands for the mean where nothing has ended yet.
    """

    decay: float = 0.98
    shrinkage_jobs: float = 1.0
    prior_s: float = 3600.0


Numbers = NDArray[np.int64]


class Ended(NamedTuple):
    """Jobs in order of submission, and in which order they end.

    ``by_end`` lists the jobs whose end is known, by end; no end lies before its job's submission.
    """

    submit_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    by_end: NDArray[np.int64]


class Known(NamedTuple):
    """What was known of each job at its submission.

    ``expected_s`` (the prior where nothing had ended), ``rung`` (a place in :data:`RUNGS`; their number
    where nothing had ended), ``statistics[job, rung × 3 + k]`` (:data:`STATISTICS`; NaN where nothing had
    ended) and ``last_s[job, rung]``, the duration of the group's latest ended job. The last two have no rows
    unless asked for.
    """

    expected_s: NDArray[np.float64]
    rung: NDArray[np.int64]
    statistics: NDArray[np.float64]
    last_s: NDArray[np.float64]


def ended(jobs: pd.DataFrame) -> Ended:
    """The submissions, ends and durations of ``jobs`` (in order of submission; end_s NaN where unknown)."""
    submit_s = jobs["submit_s"].to_numpy(dtype=float, copy=True)
    end_s = np.maximum(jobs["end_s"].to_numpy(dtype=float, na_value=np.nan), submit_s)
    by_end = np.argsort(end_s, kind="stable")[: int(np.isfinite(end_s).sum())]
    return Ended(
        submit_s, end_s, jobs["duration_s"].to_numpy(dtype=float, copy=True), by_end.astype(np.int64)
    )


def known_at_submission(jobs: pd.DataFrame, rolling: Rolling, with_statistics: bool = False) -> Known:
    """What the ended ones of ``jobs`` say of each of them.

    ``jobs``, in order of submission: user, vc, job_name (each may be absent or null), gpu_num, submit_s,
    duration_s and end_s (NaN where unknown). A job counts from its end on and never for itself.
    """
    group, count = groups(jobs), len(jobs)
    rows = count if with_statistics else 0
    known = Known(
        np.empty(count),
        np.empty(count, np.int64),
        np.full((rows, len(RUNGS) * len(STATISTICS)), np.nan),
        np.full((rows, len(RUNGS)), np.nan),
    )
    _fill(group, SIMILAR, ended(jobs), rolling.decay, rolling.shrinkage_jobs, rolling.prior_s, known)
    return known


def groups(jobs: pd.DataFrame) -> Numbers:
    """The group of each job on each rung, numbered through all rungs; −1 where it has none."""
    user, vc, gpus = _numbered(jobs, "user"), _numbered(jobs, "vc"), _numbered(jobs, "gpu_num")
    name = templates(jobs["job_name"]) if "job_name" in jobs.columns else None
    template = _numbered(jobs, "") if name is None else _codes(name)
    user_gpus = _pair(user, gpus)
    named = _pair(user_gpus, template)
    rungs = [named, None, user_gpus, user, _pair(vc, gpus), vc, np.zeros(len(jobs), np.int64)]
    number, first = np.full((len(jobs), len(rungs)), -1, dtype=np.int64), 0
    for rung, group in enumerate(rungs):
        if group is not None:
            number[:, rung] = np.where(group < 0, -1, group + first)
            first += int(group.max(initial=-1)) + 1
    if name is not None:
        number[:, SIMILAR] = _similar(named, user_gpus, template, name)
    return number


def _numbered(jobs: pd.DataFrame, column: str) -> Numbers:
    """The column's distinct values numbered in order of appearance; −1 where it is null or absent."""
    if column not in jobs.columns:
        return np.full(len(jobs), -1, dtype=np.int64)
    return pd.factorize(jobs[column])[0].astype(np.int64)


def _codes(name: "pd.Series[Any]") -> Numbers:
    return np.asarray(name.cat.codes, dtype=np.int64)


def _pair(one: Numbers, other: Numbers) -> Numbers:
    """Pairs of numbers numbered in order of appearance; −1 where either is."""
    both = one * (int(other.max(initial=0)) + 1) + other
    paired = (one >= 0) & (other >= 0)
    number = np.full(one.size, -1, dtype=np.int64)
    number[paired] = pd.factorize(both[paired])[0]
    return number


def _similar(
    named: NDArray[np.int64], user_gpus: NDArray[np.int64], template: NDArray[np.int64], name: Any
) -> Numbers:
    """Group of the nearest name that the user had used before with as many GPUs; −1 where none is near."""
    _, first_use = np.unique(named[named >= 0], return_index=True)
    rows = np.flatnonzero(named >= 0)[first_use]
    letters, first = spelled(list(name.cat.categories))
    nearest = nearest_before(letters, first, user_gpus[rows], template[rows], MOST_LOOKED_AT, MOST_EDITS)
    return np.where(named < 0, -1, np.append(nearest, -1)[named])


@kernel
def _fill(
    group: NDArray[np.int64],
    similar: int,
    jobs: Ended,
    decay: float,
    shrinkage_jobs: float,
    prior_s: float,
    known: Known,
) -> None:
    """Write ``known``. Time: O(rungs) per job."""
    groups, rungs = group.max() + 1 if group.size else 0, group.shape[1]
    total_s, total_log, weight, last_s = (
        np.zeros(groups),
        np.zeros(groups),
        np.zeros(groups),
        np.zeros(groups),
    )
    gone = 0
    for job in range(jobs.submit_s.size):
        while gone < jobs.by_end.size:
            other = jobs.by_end[gone]
            if not (jobs.end_s[other] <= jobs.submit_s[job] and other < job):
                break
            for rung in range(rungs):
                own = group[other, rung]
                if own >= 0 and rung != similar:
                    total_s[own] = total_s[own] * decay + jobs.duration_s[other]
                    total_log[own] = total_log[own] * decay + np.log1p(jobs.duration_s[other])
                    weight[own] = weight[own] * decay + 1
                    last_s[own] = jobs.duration_s[other]
            gone += 1
        expected_s, nearest = prior_s, rungs
        for rung in range(rungs - 1, -1, -1):
            own = group[job, rung]
            if own < 0 or weight[own] == 0:
                continue
            expected_s = (total_s[own] + shrinkage_jobs * expected_s) / (weight[own] + shrinkage_jobs)
            nearest = rung
            if known.statistics.shape[0] > 0:
                known.statistics[job, 3 * rung] = np.log1p(total_s[own] / weight[own])
                known.statistics[job, 3 * rung + 1] = total_log[own] / weight[own]
                known.statistics[job, 3 * rung + 2] = weight[own]
                known.last_s[job, rung] = last_s[own]
        known.expected_s[job], known.rung[job] = expected_s, nearest
