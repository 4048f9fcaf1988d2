"""LightGBM on differences: how far demand goes from its last known value, by trees (optional).

One model serves every horizon h, which is a feature of it: it learns the difference ÷ √h, whose size hardly
depends on h in a random walk, by least absolute error (least squares is up to 27 % worse on Philly). It is an
option: `auto` leaves it out, and the package lightgbm is imported only when this model is fitted.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values
from energy.errors import EnergyError
from energy.holidays import Holidays
from energy.naive import last_known

LAGS = (1, 2, 3, 6, 12, 18, 36, 72, 144, 288, 1008)  # slots before the last one
HORIZONS = np.array([1, 2, 3, 6, 9, 12, 18, 24, 30, 48, 72, 108, 144])
SEED = 20200909
TREES = {
    "objective": "regression_l1",
    "num_iterations": 120,
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 200,
    "seed": SEED,
    "deterministic": True,
    "num_threads": 1,
    "verbose": -1,
}


@dataclass(frozen=True, eq=False)
class Boosted:
    """Trees for the difference to the last known value; none where training had nothing to learn."""

    trees: Any
    holidays: Holidays | None

    @property
    def parameters(self) -> dict[str, float]:
        """The size of the model."""
        return {"trees": 0.0 if self.trees is None else float(self.trees.num_trees())}

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`."""
        last = np.repeat(last_known(values)[origins][:, None], len(steps), axis=1)
        if self.trees is None:
            return last
        rows = np.repeat(origins, len(steps))
        ahead = np.tile(steps, len(origins))
        difference: Values = self.trees.predict(features(values, rows, ahead, self.holidays))
        return last + difference.reshape(last.shape) * np.sqrt(steps)


def fit_boosted(training: Values, holidays: Holidays | None) -> Boosted:
    """Trees from the known targets of every fourth origin. Raises EnergyError without lightgbm."""
    try:
        import lightgbm
    except ImportError:
        raise EnergyError(
            "The model lightgbm needs the package lightgbm, which is not installed: "
            "install it (pip install lightgbm), or choose another model."
        ) from None
    origins = np.arange(1, len(training), 4)
    rows, ahead = np.repeat(origins, len(HORIZONS)), np.tile(HORIZONS, len(origins))
    target = rows + ahead - 1
    inside = target < len(training)
    rows, ahead, target = rows[inside], ahead[inside], target[inside]
    difference = training[target] - last_known(training)[rows]
    known = ~np.isnan(difference)
    if known.sum() < 2 * TREES["min_data_in_leaf"] or np.ptp(difference[known]) == 0:  # type: ignore[operator]
        return Boosted(None, holidays)
    table = features(training, rows[known], ahead[known], holidays)
    trees = lightgbm.train(TREES, lightgbm.Dataset(table, difference[known] / np.sqrt(ahead[known])))
    return Boosted(trees, holidays)


def features(
    values: Values, origins: NDArray[np.int64], ahead: NDArray[np.int64], holidays: Holidays | None
) -> Values:
    """Shape (rows, features): steps ahead, the target's place in the day and week, its holiday, the last
    known value, and by how much it is above what was last known some slots earlier."""
    target = origins + ahead - 1
    known = last_known(values)
    last = known[origins]
    columns = [ahead, target % SLOTS_PER_DAY, target // SLOTS_PER_DAY % 7, last]
    columns += [last - np.where(origins > lag, known[np.maximum(origins - lag, 0)], np.nan) for lag in LAGS]
    if holidays is not None:
        columns.append(holidays.at(target))
    return np.column_stack(columns).astype(float)
