"""Local level and seasonal forecasts: statsmodels' unobserved components, with missing values.

statsmodels takes seconds to import, so it is imported when a model is fitted and never with this module.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values

# Two harmonics of the day hold its shape; four are 2 % worse at 1 h on the Philly series, and twice as slow.
HARMONICS = 2


@dataclass(frozen=True)
class StateSpace:
    """Fitted components: variances of the irregular and of the level, and the count of daily harmonics."""

    variances: tuple[float, float]
    harmonics: int

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.family.Fitted`.

        One filter pass gives the state predicted at every origin; h steps ahead the mean is Z T^(h−1) of
        that state.
        """
        filtered = components(values, self.harmonics).filter(np.array(self.variances)).filter_results
        transition, design = filtered.transition[:, :, 0], filtered.design[0, :, 0]
        ahead = {1: design}
        for step in range(2, int(steps.max()) + 1):
            ahead[step] = ahead[step - 1] @ transition
        weights = np.array([ahead[int(step)] for step in steps])
        means: Values = filtered.predicted_state[:, origins].T @ weights.T
        return means


def fit_components(training: Values, harmonics: int) -> StateSpace:
    """Maximum likelihood of the two variances on ``training`` (used nodes by slot, NaN where missing).

    The harmonics are fixed functions of time whose size the filter learns (their variance came out as 0 on
    the Philly series). A series without any change has no likelihood to maximize: it is followed as a random
    walk.
    """
    known = training[~np.isnan(training)]
    random_walk = StateSpace((0.0, 1.0), harmonics)
    if np.ptp(known) == 0:
        return random_walk
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an optimizer that stops early still gives usable variances
        result = components(training, harmonics).fit(disp=False, cov_type="none")
    variances = (float(result.params[0]), float(result.params[1]))
    return (
        StateSpace(variances, harmonics)
        if np.isfinite(variances).all() and max(variances) > 0
        else random_walk
    )


def components(values: Values, harmonics: int) -> Any:
    """The statsmodels model of ``values``: local level, plus ``harmonics`` of the day."""
    from statsmodels.tsa.statespace.structural import UnobservedComponents

    if harmonics == 0:
        return UnobservedComponents(values, level="llevel")
    day = {"period": SLOTS_PER_DAY, "harmonics": harmonics}
    return UnobservedComponents(values, level="llevel", freq_seasonal=[day], stochastic_freq_seasonal=[False])
