"""How near estimates come: error bands and rank correlations.

They say little about the schedule that estimates make; ``runs.estimation`` replays it.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

BANDS = {"10": 0.1, "50": 0.5, "100": 1.0, "1000": 10.0}
"""Largest relative error, by its name in per cent: those in which Helios publishes QSSF's estimates."""

FEWEST_JOBS = 20
"""A rank correlation of fewer jobs says nothing."""

Values = NDArray[np.float64]


def bands(estimated: Values, true: Values) -> dict[str, float | None]:
    """Share of jobs (0–1) whose estimate is off by at most each band × the true value; None without jobs."""
    error = np.abs(estimated - true)
    return {name: float((error <= band * true).mean()) if true.size else None for name, band in BANDS.items()}


def rank_correlation(estimated: Values, true: Values) -> float | None:
    """Spearman's ρ, ties sharing their mean rank; None for fewer than 20 jobs or a constant side."""
    if true.size < FEWEST_JOBS:
        return None
    one, other = (pd.Series(values).rank().to_numpy(dtype=float) for values in (estimated, true))
    if one.min() == one.max() or other.min() == other.max():
        return None
    return float(np.corrcoef(one, other)[0, 1])


def by_gpus(estimated_s: Values, true_s: Values, gpus: Values) -> list[dict[str, Any]]:
    """Rank correlation of the durations among jobs of the same GPU count: gpus, jobs, rank_correlation."""
    rows = []
    for count in np.unique(gpus):
        own = gpus == count
        found = rank_correlation(estimated_s[own], true_s[own])
        rows.append({"gpus": float(count), "jobs": int(own.sum()), "rank_correlation": found})
    return rows


def within_gpus(rows: list[dict[str, Any]]) -> float | None:
    """The rank correlations of :func:`by_gpus` averaged over jobs; None where no GPU count has one."""
    known = [row for row in rows if row["rank_correlation"] is not None]
    jobs = sum(row["jobs"] for row in known)
    return sum(row["jobs"] * row["rank_correlation"] for row in known) / jobs if jobs else None


def accuracy(estimated_s: Values, true_s: Values, gpus: Values) -> dict[str, Any]:
    """All numbers of one estimator: jobs, bands, rank_correlation of GPU time, and within each GPU count."""
    return {
        "jobs": int(true_s.size),
        "within": bands(estimated_s, true_s),
        "rank_correlation": rank_correlation(estimated_s * gpus, true_s * gpus),
        "rank_correlation_within_gpus": within_gpus(by_gpus(estimated_s, true_s, gpus)),
    }
