"""QSSF's estimates: rolling means and a boosted model merged by a weight, and the priority made of them."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.errors import ScenarioError
from scheduling.estimates.guard import Guard, priority
from scheduling.estimates.history import NO_RUNG, RUNGS, Rolling

ALL_RUNGS = (*RUNGS, NO_RUNG)


@dataclass(frozen=True)
class Estimator:
    """How estimates are made; the defaults are those chosen in docs/decisions.

    ``rolling_weight`` (0–1) is the rolling mean's share beside a model; without a model it has all.
    """

    rolling: Rolling = field(default_factory=Rolling)
    rolling_weight: float = 0.1
    guard: Guard = field(default_factory=Guard)

    def __post_init__(self) -> None:
        if not 0 <= self.rolling_weight <= 1:
            raise ScenarioError(f"The rolling mean's weight must be 0 to 1, not {self.rolling_weight}.")


def merged(
    rolling_s: NDArray[np.float64], boosted_s: NDArray[np.float64] | None, weight: float
) -> NDArray[np.float64]:
    """weight × rolling + (1 − weight) × boosted: a mean of means is a mean. Rolling alone without a model."""
    return rolling_s if boosted_s is None else weight * rolling_s + (1 - weight) * boosted_s


def estimates(
    jobs: pd.DataFrame,
    rolling_s: NDArray[np.float64],
    rung: NDArray[np.int64],
    boosted_s: NDArray[np.float64] | None,
    estimator: Estimator,
) -> pd.DataFrame:
    """What QSSF believes of each of ``jobs`` (gpu_num, submit_s), as ``scheduling.replay`` takes it.

    ``rung`` holds places in :data:`ALL_RUNGS`. Columns: estimated_duration_s, rung, priority.
    """
    expected_s = merged(rolling_s, boosted_s, estimator.rolling_weight)
    gpus, submit_s = (
        jobs[column].to_numpy(dtype=float, na_value=np.nan) for column in ("gpu_num", "submit_s")
    )
    return pd.DataFrame(
        {
            "estimated_duration_s": expected_s,
            "rung": pd.Categorical.from_codes(rung, categories=pd.Index(ALL_RUNGS, dtype=object)),
            "priority": priority(expected_s, np.nan_to_num(gpus), submit_s, estimator.guard),
        }
    )
