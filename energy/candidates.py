"""The forecast models, each fitted from training alone: name, what it is, how it is fitted."""

from collections.abc import Callable
from dataclasses import dataclass

from energy.boosting import fit_boosted
from energy.demand import SLOTS_PER_DAY, Values
from energy.fitted import Fitted
from energy.fourier import fit_fourier
from energy.holidays import Holidays
from energy.naive import LastValue, SameSlotBefore
from energy.smoothing import fit_holt_winters
from energy.state_space import WEEK_SLOTS, fit_level, fit_seasonal
from energy.stl import fit_stl
from energy.theta import fit_theta

Fit = Callable[[Values, Holidays | None], Fitted]


@dataclass(frozen=True)
class Candidate:
    """A model of the family.

    ``label``: what it is, in a few words; ``fit``: from training (used nodes by slot, NaN where missing, at
    least one known) and the holidays; ``memorizes``: whether its errors on its own training are flattering,
    so that intervals need errors from a version fitted on less; ``uses_holidays``.
    """

    label: str
    fit: Fit
    memorizes: bool = False
    uses_holidays: bool = False


CANDIDATES: dict[str, Candidate] = {
    "last": Candidate("Last value", lambda training, holidays: LastValue()),
    "day": Candidate("Same time yesterday", lambda training, holidays: SameSlotBefore(SLOTS_PER_DAY)),
    "week": Candidate("Same time last week", lambda training, holidays: SameSlotBefore(WEEK_SLOTS)),
    "level": Candidate("Local level", lambda training, holidays: fit_level(training)),
    "seasonal": Candidate(
        "Level, day and week",
        fit_seasonal,
        uses_holidays=True,
    ),
    "sarimax": Candidate("SARIMAX with Fourier terms", fit_fourier, uses_holidays=True),
    "holt-winters": Candidate("Holt-Winters", lambda training, holidays: fit_holt_winters(training)),
    "theta": Candidate("Theta", lambda training, holidays: fit_theta(training), memorizes=True),
    "stl": Candidate("STL and local level", lambda training, holidays: fit_stl(training), memorizes=True),
    "lightgbm": Candidate("LightGBM on differences", fit_boosted, memorizes=True, uses_holidays=True),
}
