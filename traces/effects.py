"""What each rule of an import does to the headline numbers: jobs and GPU-hours concerned."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow.compute as pc

from traces.flag_lists import arrow_lists

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Headline:
    """The numbers of a table's kept rows that pages open with.

    GPU-hours are GPUs × duration of the jobs where both are known; the others are counted.
    """

    jobs: int = 0
    gpu_jobs: int = 0
    gpu_hours: float = 0.0
    jobs_without_gpu_hours: int = 0


@dataclass(frozen=True)
class Effect:
    """Rows with one outcome (``flagged`` or ``rejected``) for one reason, and their GPU-hours.

    `gpu_hours` of rejected rows are what the headline would have more, None where no such row says it.
    """

    outcome: str
    reason: str
    rows: int
    gpu_hours: float | None

    def document(self) -> dict[str, Any]:
        """The effect as it stands in trace.json and in ``--json`` output."""
        return asdict(self)


def gpu_hours(jobs: pd.DataFrame) -> Floats:
    """GPUs × duration of each row in hours, NaN where one of them is unknown."""
    if "gpu_num" not in jobs or "duration_s" not in jobs:
        return np.full(len(jobs), np.nan)
    product = jobs["gpu_num"].to_numpy(dtype=float) * jobs["duration_s"].to_numpy(dtype=float) / 3600.0
    return np.asarray(product, dtype=np.float64)


def headline(jobs: pd.DataFrame) -> Headline:
    """The headline numbers of these rows."""
    hours = gpu_hours(jobs)
    return Headline(
        jobs=len(jobs),
        gpu_jobs=int((jobs["gpu_num"] > 0).sum()) if "gpu_num" in jobs else 0,
        gpu_hours=float(np.nansum(hours)),
        jobs_without_gpu_hours=int(np.isnan(hours).sum()),
    )


def flag_effects(jobs: pd.DataFrame) -> tuple[Effect, ...]:
    """The effect of every flag in the column `flags`, in alphabetical order."""
    lists = arrow_lists(jobs["flags"])
    rows = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    flags = pc.list_flatten(lists).to_pandas().to_numpy(dtype=object)
    hours = gpu_hours(jobs)
    return tuple(
        Effect("flagged", str(flag), int((flags == flag).sum()), known_sum(hours[rows[flags == flag]]))
        for flag in sorted(set(flags))
    )


def known_sum(hours: Floats) -> float | None:
    """The sum of what is known, None where nothing is."""
    return None if np.isnan(hours).all() else float(np.nansum(hours))
