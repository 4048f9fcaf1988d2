"""Which model to use: a backtest on the past alone, and the local level unless another one is clearly better.

The smallest mean error is a poor judge: on Philly it picks a model that is 9 % worse at 3 h in the weeks that
follow. So the candidates are compared with the local level day by day, over rolling origins, and one is
taken in its place only if it beats it by more than one standard error of the days' differences, and by 1 %.
Among several such ones, the plainest that is as good as the best but for one standard error is taken.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from energy.accuracy import STEPS, daily_means
from energy.candidates import CANDIDATES
from energy.demand import SLOT_S, SLOTS_PER_DAY, Values
from energy.fitted import Fitted, origin_means
from energy.holidays import Holidays
from energy.paired import MeanInterval, mean_interval

DEFAULT = "level"
COMPARED = tuple(name for name in CANDIDATES if name != "lightgbm")  # an option, and the slowest by far
LEAST_GAIN = 0.01  # of the local level's error: no controller notices less
LEAST_DAYS = 5  # fewer differences have no standard error worth the name
WANTED_DAYS, MOST_DAYS, FIT_DAYS = 21, 28, 7
COLUMNS = ["model", "days", "difference", "standard_error", "low", "high", "verdict", "qualifies"]
BETTER, WORSE, NO_DIFFERENCE = "better", "worse", "no measurable difference"


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen, and the tables it was chosen from.

    ``first``: the slot of the training at which the backtest begins; ``models``: one row per candidate, its
    ``difference`` to the local level's errors, in parts of them, as the mean over the horizons, and whether
    it ``qualifies``; ``horizons``: one row per candidate and horizon, with ``mae`` and ``difference`` in
    nodes. Both have ``standard_error, low, high`` (a 95 % interval over the days) and a ``verdict``.
    ``fitted``: the candidates as they were fitted on the slots before ``first``.
    """

    model: str
    sentence: str
    first: int
    days: int
    models: pd.DataFrame
    horizons: pd.DataFrame
    fitted: dict[str, Fitted]


def choose(training: Values, holidays: Holidays | None) -> Choice:
    """The model for what follows ``training``, decided on its last three to four weeks where it has them."""
    first = len(training) - decision_days(len(training)) * SLOTS_PER_DAY
    # in a series that only begins with its last weeks, nothing can be fitted before them
    usable = bool((~np.isnan(training[:first])).any())
    fitted = {name: CANDIDATES[name].fit(training[:first], holidays) for name in COMPARED if usable}
    errors = {name: daily_errors(each, training, first) for name, each in fitted.items()}
    horizons, models = _by_horizon(errors), _overall(errors)
    days = int(models["days"].max()) if len(models) else 0
    model = _best(models) if days >= LEAST_DAYS else DEFAULT
    return Choice(model, _sentence(model, models, days), first, days, models, horizons, fitted)


def decision_days(slots: int) -> int:
    """Days of the backtest in a training of so many slots: 3 to 4 weeks, but a week is left to fit on.

    Where there are not that many, it is half of the training.
    """
    days = slots // SLOTS_PER_DAY
    return min(MOST_DAYS, max(days // 2, min(WANTED_DAYS, days - FIT_DAYS)))


def daily_errors(fitted: Fitted, values: Values, first: int) -> Values:
    """Shape (horizons, days): mean absolute error in nodes of the targets of each day from ``first`` on."""
    origins, steps = np.arange(first, len(values)), np.array(STEPS)
    means = origin_means(fitted, values, origins, steps)
    by_day = []
    for column, step in enumerate(STEPS):
        targets = origins + step - 1
        inside = targets < len(values)
        error = np.full(len(origins), np.nan)
        error[targets[inside] - first] = np.abs(values[targets[inside]] - means[inside, column])
        by_day.append(daily_means(error))
    return np.array(by_day)


def verdict(difference: MeanInterval) -> str:
    """What a difference of errors says: nothing where its 95 % interval includes 0."""
    if difference.high < 0:
        return BETTER
    return WORSE if difference.low > 0 else NO_DIFFERENCE


def _by_horizon(errors: dict[str, Values]) -> pd.DataFrame:
    """One row per candidate and horizon with a known difference."""
    rows = []
    for model, error in errors.items():
        for row, step in enumerate(STEPS):
            difference = mean_interval(error[row] - errors[DEFAULT][row])
            if difference is None:
                continue
            mae = {"mae": float(np.nanmean(error[row])), "difference": difference.mean}
            rows.append({"model": model, "horizon_s": step * SLOT_S, **mae, **_spread(difference)})
    return pd.DataFrame(rows)


def _overall(errors: dict[str, Values]) -> pd.DataFrame:
    """One row per candidate; it qualifies if better by one standard error and 1 %, and nowhere worse by both.

    A choice that is better on average because of the next day, and worse for the next hour, would harm the
    controller that it is made for.
    """
    if DEFAULT not in errors:
        return pd.DataFrame(columns=COLUMNS)
    scale = np.array([each if each > 0 else 1.0 for each in _means(errors[DEFAULT])])
    of_default = errors[DEFAULT] / scale[:, None]
    rows = []
    for model, error in errors.items():
        relative = error / scale[:, None] - of_default
        by_day = np.asarray(pd.DataFrame(relative).mean(), dtype=np.float64)
        difference, at_horizons = mean_interval(by_day), [mean_interval(row) for row in relative]
        if difference is None:
            continue
        harms = any(each is not None and each.mean > _margin(each) for each in at_horizons)
        qualifies = difference.mean < -_margin(difference) and not harms
        figures = {"days": int((~np.isnan(by_day)).sum()), "difference": difference.mean}
        rows.append({"model": model, **figures, **_spread(difference), "qualifies": qualifies})
    return pd.DataFrame(rows, columns=COLUMNS)


def _means(error: Values) -> Values:
    """The mean of each row's known values; 0 where there is none."""
    return np.asarray(pd.DataFrame(error).mean(axis=1).fillna(0.0), dtype=np.float64)


def _margin(difference: MeanInterval) -> float:
    """How much a relative difference must be to count: one standard error, and 1 %."""
    return max(difference.standard_error, LEAST_GAIN)


def _spread(difference: MeanInterval) -> dict[str, object]:
    interval = {"low": difference.low, "high": difference.high}
    return {"standard_error": difference.standard_error, **interval, "verdict": verdict(difference)}


def _best(models: pd.DataFrame) -> str:
    """The first of the family that qualifies and is within one standard error of the best that does.

    The family goes from plain models to rich ones, so that this is the one-standard-error rule (Breiman,
    Friedman, Olshen and Stone, *Classification and Regression Trees*, 1984).
    """
    qualified = models[models["qualifies"]].sort_values("difference")
    if qualified.empty:
        return DEFAULT
    within = qualified[
        qualified["difference"] <= (qualified["difference"] + qualified["standard_error"]).iloc[0]
    ]
    return next(name for name in COMPARED if name in set(within["model"]))


def _percent(ratio: Any) -> str:
    return f"{100 * ratio:.1f}\u00a0%"


def _sentence(model: str, models: pd.DataFrame, days: int) -> str:
    if days < LEAST_DAYS:
        few = "1 day of backtest is" if days == 1 else f"{days} days of backtest are"
        return f"The local level, because {few} too few to tell models apart."
    if model == DEFAULT:
        return (
            f"The local level: over {days} days before the window no other model beat it by more than one "
            "standard error of the daily differences, and by 1\u00a0%, without being worse at some horizon."
        )
    row = models.set_index("model").loc[model]
    beyond = "" if row["verdict"] == BETTER else "; its 95\u00a0% interval still includes no difference"
    return (
        f"{CANDIDATES[model].label}: over {days} days before the window its errors were "
        f"{_percent(-row['difference'])} smaller than the local level's (one standard error is "
        f"{_percent(row['standard_error'])}{beyond})."
    )
