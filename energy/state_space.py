"""Local level and seasonal forecasts: statsmodels' unobserved components, with missing values.

statsmodels takes seconds to import, so it is imported when a model is fitted and never with this module.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values
from energy.holidays import Holidays

WEEK_SLOTS = 7 * SLOTS_PER_DAY
# Two harmonics of the day hold its shape; four are 2 % worse at 1 h on the Philly series, and twice as slow.
DAY_HARMONICS = 2
WEEK_HARMONICS = 2
LEAST_WEEKS = 3  # a weekly pattern from fewer repeats is one week's accident
FITTED_SLOTS = 12 * WEEK_SLOTS  # variances are those of the last twelve weeks; older data only cost time
SPREADS = (0.0, 0.03, 0.06, 0.12, 0.25, 0.5)  # of a harmonic's coefficients, in deviations of the training
LEAST_GAIN = (
    1.92  # in log-likelihood for a pattern to be believed: half the 95 % quantile of χ² with 1 degree
)
WIDE = 100.0  # times the largest value


@dataclass(frozen=True)
class Components:
    """Which components there are: harmonics of the day and of the week, and a level for holidays."""

    day_harmonics: int = 0
    week_harmonics: int = 0
    holidays: Holidays | None = None

    @property
    def states(self) -> dict[str, slice]:
        """Where each component lies in the state: level, then day, week and holiday."""
        day = slice(1, 1 + 2 * self.day_harmonics)
        week = slice(day.stop, day.stop + 2 * self.week_harmonics)
        holiday = slice(week.stop, week.stop + (self.holidays is not None))
        return {"level": slice(0, 1), "day": day, "week": week, "holiday": holiday}


@dataclass(frozen=True)
class Spread:
    """What the model holds possible before it has seen anything: standard deviations, in nodes.

    ``level`` is wide open; those of ``day`` and ``week`` (of each harmonic's coefficients) say how large a
    pattern is believed to be, and 0 that there is none.
    """

    level: float
    day: float = 0.0
    week: float = 0.0
    holiday: float = 0.0


@dataclass(frozen=True)
class StateSpace:
    """Fitted components: variances of the irregular and the level (nodes²), and the spread at the start."""

    variances: tuple[float, float]
    spread: Spread
    components: Components

    @property
    def parameters(self) -> dict[str, float]:
        """The fitted numbers by name."""
        found = {"irregular_variance": self.variances[0], "level_variance": self.variances[1]}
        if self.components.day_harmonics:
            found |= {"day_spread_nodes": self.spread.day, "week_spread_nodes": self.spread.week}
        return found

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`.

        One filter pass gives the state predicted at every origin; h steps ahead the mean is Z T^(h−1) of
        that state.
        """
        filtered = self.filtered(values)
        states, design = filtered.predicted_state[:, origins].T, filtered.design[0, :, 0].copy()
        holidays = self.components.holidays
        if holidays is not None:
            design[-1] = 0.0
        means: Values = states @ ahead_weights(filtered.transition[:, :, 0], design, steps).T
        if holidays is not None:
            means += states[:, -1:] * holidays.at(origins[:, None] + steps[None, :] - 1)
        return means

    def filtered(self, values: Values) -> Any:
        """statsmodels' filter results: the state predicted at every slot and after the last one."""
        return build(values, self.components, self.spread).filter(np.array(self.variances)).filter_results


def ahead_weights(transition: Values, design: Values, steps: NDArray[np.int64]) -> Values:
    """Shape (steps, states): row h is Z T^(h−1), which makes of a predicted state the mean h steps ahead."""
    weights = {1: design}
    for step in range(2, int(steps.max()) + 1):
        weights[step] = weights[step - 1] @ transition
    return np.array([weights[int(step)] for step in steps])


def fit_level(training: Values) -> StateSpace:
    """Local level: maximum likelihood of the two variances on the last twelve weeks of ``training``.

    A series without any change has no likelihood to maximize: it is followed as a random walk.
    """
    recent = training[-FITTED_SLOTS:]
    known = recent[~np.isnan(recent)]
    spread = Spread(level=WIDE * (1.0 + float(np.nanmax(training))))
    random_walk = StateSpace((0.0, 1.0), spread, Components())
    if known.size == 0 or np.ptp(known) == 0:
        return random_walk
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an optimizer that stops early still gives usable variances
        result = build(recent, Components(), spread).fit(disp=False, cov_type="none")
    variances = (float(result.params[0]), float(result.params[1]))
    usable = np.isfinite(variances).all() and max(variances) > 0
    return StateSpace(variances, spread, Components()) if usable else random_walk


def fit_seasonal(training: Values, holidays: Holidays | None) -> StateSpace:
    """Level with harmonics of the day and the week (the latter from three weeks of training on).

    The variances are those of the local level. The harmonics are fixed functions of time whose size the
    filter learns; how large they may be is chosen by likelihood from `SPREADS`, day, week, and day again, and
    is 0 where that gains too little.
    Taken as wide open instead, the week's harmonics fit one passing wave of a random walk: they make
    forecasts of the next day up to 22 % worse on Venus and 21 % on Philly. Holidays have a level of their
    own, as wide as the training's standard deviation.
    """
    level = fit_level(training)
    components = Components(DAY_HARMONICS, WEEK_HARMONICS if len(training) >= LEAST_WEEKS * WEEK_SLOTS else 0)
    recent = training[-FITTED_SLOTS:]
    deviation = float(np.nanstd(training))

    def likelihood(spread: Spread) -> float:
        return float(build(recent, components, spread).loglike(np.array(level.variances)))

    spread = replace(level.spread, holiday=deviation)
    if np.nanmin(training) < np.nanmax(training) and not np.isnan(recent).all():
        for pattern in ("day", "week", "day") if components.week_harmonics else ("day",):
            choices = [replace(spread, **{pattern: share * deviation}) for share in SPREADS]
            gain = [likelihood(each) for each in choices]
            best = int(np.argmax(gain))
            spread = choices[best if gain[best] - gain[0] > LEAST_GAIN else 0]
    return StateSpace(level.variances, spread, replace(components, holidays=holidays))


def build(values: Values, components: Components, spread: Spread) -> Any:
    """The statsmodels model of ``values``, with ``spread`` as the standard deviation of its first state."""
    from statsmodels.tsa.statespace.structural import UnobservedComponents

    harmonics = ((SLOTS_PER_DAY, components.day_harmonics), (WEEK_SLOTS, components.week_harmonics))
    seasons = [{"period": period, "harmonics": count} for period, count in harmonics if count]
    options: dict[str, Any] = {}
    if seasons:
        options |= {"freq_seasonal": seasons, "stochastic_freq_seasonal": [False] * len(seasons)}
    if components.holidays is not None:
        # in the state, not a parameter: it is then learned from past slots only
        options |= {"exog": components.holidays.at(np.arange(len(values))), "mle_regression": False}
    model = UnobservedComponents(values, level="llevel", **options)
    deviation = np.zeros(model.k_states)
    for name, place in components.states.items():
        deviation[place] = getattr(spread, name)
    model.ssm.initialize_known(np.zeros(model.k_states), np.diag(deviation**2))
    model.ssm.loglikelihood_burn = 1  # the first value only says where the level begins
    return model
