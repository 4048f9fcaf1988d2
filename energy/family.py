"""The family of forecast models behind one verb: ``fit(model, training)``, then means from any origin."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from energy.demand import Values
from energy.errors import EnergyError
from energy.naive import LastValue, SameSlotYesterday
from energy.state_space import HARMONICS, fit_components


class Fitted(Protocol):
    """A model whose parameters are settled; its means depend on the values before their origin only."""

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps): at origin o (0 ≤ o ≤ slots), step h, the mean of slot o + h − 1 (nodes)."""
        ...


MODELS: dict[str, Callable[[Values], Fitted]] = {
    "last": lambda training: LastValue(),
    "day": lambda training: SameSlotYesterday(),
    "level": lambda training: fit_components(training, harmonics=0),
    "seasonal": lambda training: fit_components(training, harmonics=HARMONICS),
}
BASELINES = ("last", "day")


def fit(model: str, training: Values) -> Fitted:
    """The named model fitted on ``training`` (used nodes by slot, NaN where missing, at least one known)."""
    if model not in MODELS:
        raise EnergyError(f"There is no forecast model {model!r}: choose one of {', '.join(MODELS)}.")
    return MODELS[model](training)


def origin_means(
    fitted: Fitted, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]
) -> Values:
    """A fitted model's means, never below 0, and NaN at origins before which nothing is known."""
    known = np.flatnonzero(~np.isnan(values))
    first_known = known[0] if known.size else len(values)
    means = np.maximum(fitted.means(values, origins, steps), 0.0)
    means[origins <= first_known] = np.nan
    return means
