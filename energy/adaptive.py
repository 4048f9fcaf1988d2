"""Bounds of a forecast from its past errors, at a level that adapts to how often they missed.

Adaptive conformal inference (Gibbs and Candès, *Adaptive Conformal Inference Under Distribution Shift*,
NeurIPS 2021), for each tail by itself: the bound is the mean plus the quantile of the errors of the trailing
week at level a, where a starts at the tail's nominal share s and moves by γ(s − miss) with each target that
has come. An error counts once its target slot is past. Where errors are whole numbers, so that many are
equal, the level moves between two of them and the misses come out at their nominal share all the same.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values

ERROR_SLOTS = 7 * SLOTS_PER_DAY
LEAST_ERRORS = 12  # fewer say nothing about a 10 % tail: the bound is unknown
# The level's step, divided by √h because misses h slots ahead come in runs as long as h. Ours, like the floor
# below: of steps from 0.002 to 0.05, constant or divided by h or √h, these covered best, with the narrowest
# intervals, on five windows of Philly and Venus together.
STEP = 0.01
LOWEST_LEVEL = -0.02  # below 0 the bound is the week's largest error; how far below is remembered
TOLERANCE_NODES = 1e-6  # a bound that equals the actual but for rounding covers it


def adaptive_bounds(values: Values, mean: Values, step: int, tails: NDArray[np.float64]) -> Values:
    """Shape (2, tails, slots): low and high by tail share and target slot, NaN where unknown.

    ``values`` and ``mean``: actual and forecast by target slot, NaN where unknown; the forecast of slot t was
    made ``step`` slots ahead, from the slots before t − step + 1. The errors of the series' first day are
    left out: no model knows a day's shape there.
    """
    errors = values - mean
    errors[: SLOTS_PER_DAY + step - 1] = np.nan
    shares = np.concatenate([tails, tails])
    bounds: Values = _bounds(errors, step, shares, len(tails), STEP / np.sqrt(step)) + mean
    return np.maximum(bounds, 0.0).reshape(2, len(tails), len(mean))


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _bounds(errors, step, shares, lows, gain):  # type: ignore[no-untyped-def]
    """Bounds of the error by tail (the low ones first) and target slot."""
    slots, tails = errors.size, shares.size
    bounds = np.full((tails, slots), np.nan)
    level = shares.copy()
    window = np.empty(ERROR_SLOTS + 1)
    count = 0
    for target in range(slots):
        known = target - step
        if known >= 0 and not np.isnan(errors[known]):
            for tail in range(tails):
                bound = bounds[tail, known]
                if np.isnan(bound):
                    continue
                beyond = bound - errors[known] if tail < lows else errors[known] - bound
                miss = 1.0 if beyond > TOLERANCE_NODES else 0.0
                level[tail] = min(max(level[tail] + gain * (shares[tail] - miss), LOWEST_LEVEL), 0.5)
            place = np.searchsorted(window[:count], errors[known])
            window[place + 1 : count + 1] = window[place:count].copy()
            window[place] = errors[known]
            count += 1
        gone = known - ERROR_SLOTS
        if gone >= 0 and not np.isnan(errors[gone]):
            place = np.searchsorted(window[:count], errors[gone])
            window[place : count - 1] = window[place + 1 : count].copy()
            count -= 1
        if count >= LEAST_ERRORS:
            for tail in range(tails):
                share = max(level[tail], 0.0)
                at = (share if tail < lows else 1.0 - share) * (count - 1)
                below = min(int(at), count - 2)
                bounds[tail, target] = window[below] + (at - below) * (window[below + 1] - window[below])
    return bounds
