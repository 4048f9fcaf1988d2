"""Spans of time that a person names, and the slots in them."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import SLOT
from energy.errors import EnergyError


class Span(NamedTuple):
    """From ``start_time`` up to ``end_time``, which is not in it any more (naive UTC)."""

    start_time: pd.Timestamp
    end_time: pd.Timestamp


def slots_within(spans: Iterable[Span], time: pd.Series) -> NDArray[np.bool_]:
    """Which of the slots that begin at ``time`` lie in one of ``spans``, if only in part.

    Raises EnergyError for a span that does not end after it begins.
    """
    begin = time.to_numpy("datetime64[us]")
    end = (time + SLOT).to_numpy("datetime64[us]")
    within = np.zeros(len(time), dtype=bool)
    for span in spans:
        if not span.start_time < span.end_time:
            raise EnergyError(
                f"A span of time must end after it begins: {span.start_time} to {span.end_time} does not."
            )
        within |= (begin < np.datetime64(span.end_time)) & (end > np.datetime64(span.start_time))
    return within
