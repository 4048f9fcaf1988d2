"""What every fitted forecast model can do."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from energy.demand import Values


class Fitted(Protocol):
    """A model whose parameters are settled; its means depend on the values before their origin only."""

    @property
    def parameters(self) -> dict[str, float]:
        """The fitted numbers by name, for the record."""
        ...

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps): at origin o (0 ≤ o ≤ slots), step h, the mean of slot o + h − 1 (nodes)."""
        ...


def origin_means(
    fitted: Fitted, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]
) -> Values:
    """A fitted model's means, never below 0, and NaN at origins before which nothing is known."""
    known = np.flatnonzero(~np.isnan(values))
    first_known = known[0] if known.size else len(values)
    means = np.maximum(fitted.means(values, origins, steps), 0.0)
    means[origins <= first_known] = np.nan
    return means
