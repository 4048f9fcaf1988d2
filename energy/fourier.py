"""SARIMAX with Fourier terms: an ARIMA(1, 1, 1) around the day's and the week's harmonics and the holidays.

A season of 144 slots in the ARIMA itself takes minutes; as a regression on harmonics it takes a second. The
regression comes first, on changes between known slots (which is what one integration leaves to be explained),
and the ARIMA is fitted on what remains.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values
from energy.holidays import Holidays
from energy.state_space import (
    DAY_HARMONICS,
    LEAST_WEEKS,
    WEEK_HARMONICS,
    WEEK_SLOTS,
    ahead_weights,
)


@dataclass(frozen=True, eq=False)
class FourierArima:
    """Coefficients of the regressors (nodes), and of the ARIMA: autoregression, moving average, variance."""

    coefficients: Values
    arima: tuple[float, float, float]
    weekly: bool
    holidays: Holidays | None

    @property
    def parameters(self) -> dict[str, float]:
        """The fitted numbers by name."""
        names = ("autoregression", "moving_average", "variance")
        return {
            **dict(zip(names, self.arima, strict=True)),
            "regression_range_nodes": float(np.abs(self.coefficients).sum()),
        }

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`."""
        slots = len(values) + int(steps.max()) + 1
        regression: Values = regressors(slots, self.weekly, self.holidays) @ self.coefficients
        results = _arima(values - regression[: len(values)]).filter(np.array(self.arima)).filter_results
        weights = ahead_weights(results.transition[:, :, 0], results.design[0, :, 0], steps)
        target = origins[:, None] + steps[None, :] - 1
        means: Values = results.predicted_state[:, origins].T @ weights.T + regression[target]
        return means


def fit_fourier(training: Values, holidays: Holidays | None) -> FourierArima:
    """Regression on changes, then maximum likelihood of the ARIMA on what remains of ``training``."""
    weekly = len(training) >= LEAST_WEEKS * WEEK_SLOTS
    terms = regressors(len(training), weekly, holidays)
    coefficients = _regression_on_changes(training, terms)
    rest = training - terms @ coefficients
    fallback = (0.0, 0.0, 1.0)
    if np.ptp(rest[~np.isnan(rest)]) < 1e-9:
        return FourierArima(coefficients, fallback, weekly, holidays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an optimizer that stops early still gives usable parameters
        found = _arima(rest).fit(disp=False, cov_type="none", maxiter=50).params
    arima = (float(found[0]), float(found[1]), float(found[2]))
    usable = np.isfinite(arima).all() and arima[2] > 0
    return FourierArima(coefficients, arima if usable else fallback, weekly, holidays)


def regressors(slots: int, weekly: bool, holidays: Holidays | None) -> Values:
    """Shape (slots, terms): sine and cosine of each harmonic, and the holidays."""
    slot = np.arange(slots)
    cycles = [harmonic / SLOTS_PER_DAY for harmonic in range(1, DAY_HARMONICS + 1)]
    if weekly:
        cycles += [harmonic / WEEK_SLOTS for harmonic in range(1, WEEK_HARMONICS + 1)]
    angle = 2 * np.pi * np.outer(slot, cycles)
    terms = [np.sin(angle), np.cos(angle)]
    if holidays is not None:
        terms.append(holidays.at(slot)[:, None])
    return np.hstack(terms)


def _regression_on_changes(training: Values, terms: Values) -> Values:
    """Least squares of the changes between neighboring known slots, each weighted by 1 ÷ √(slots between).

    Terms that never change among them have the coefficient 0, as the least-norm solution gives it.
    """
    known = np.flatnonzero(~np.isnan(training))
    if known.size < 2:
        return np.zeros(terms.shape[1])
    weight = 1 / np.sqrt(np.diff(known))
    change, of_terms = np.diff(training[known]) * weight, np.diff(terms[known], axis=0) * weight[:, None]
    solution = np.linalg.lstsq(of_terms, change, rcond=1e-8)[0]
    return np.asarray(solution, dtype=np.float64)


def _arima(values: Values) -> Any:
    from statsmodels.tsa.statespace.sarimax import SARIMAX  # slow to import

    return SARIMAX(values, order=(1, 1, 1))
