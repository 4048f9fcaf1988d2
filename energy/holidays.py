"""Holidays of the site, as a regressor by slot."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import SLOT, Values
from energy.spans import Span, slots_within

REACH_SLOTS = 16 * 144  # beyond the series: the longest forecast reaches 14 days


@dataclass(frozen=True, eq=False)
class Holidays:
    """Which slots of a series, and of the two weeks after it, lie on a holiday. Known in advance."""

    days: NDArray[np.bool_]

    def at(self, slots: NDArray[np.int64]) -> Values:
        """1 for slots on a holiday and 0 for others, in the shape of ``slots`` (indices into the series)."""
        return self.days[np.minimum(slots, len(self.days) - 1)].astype(float)


def holidays_of(days: tuple[Span, ...], first_slot: pd.Timestamp, slots: int) -> Holidays | None:
    """The holidays of a series of so many slots; None where none lies within its reach."""
    time = pd.Series(pd.date_range(first_slot, periods=slots + REACH_SLOTS, freq=SLOT))
    within = slots_within(days, time)
    return Holidays(within) if within.any() else None
