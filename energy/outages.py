"""Which slots are telemetry outages: their demand is unknown, and it is never zero.

Every rule looks at the slot itself and at earlier slots only, so that what is marked never depends on the
future. The figures below are ours, chosen on the Philly node series (a gap followed by 18 h of zeros
after 317 used nodes; an hour with 174 of 420 nodes reporting at the end of daylight saving time).
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values

USUAL_SLOTS = 7 * SLOTS_PER_DAY  # "usual" is the median of the trailing week
LEAST_TOTAL_SHARE = 0.6
LEAST_DROP_NODES = 3.0
LEAST_KNOWN_SLOTS = 24  # a day of an hourly series: fewer say nothing about what is plausible
HABIT_DAYS = 5  # of the seven days before: a datacenter that is emptied so often is idle, not out

ZERO_RUN = "zero run"
LOW_TOTAL = "total below 60 % of usual"
ABOVE_TOTAL = "used above total"


def mark_outages(slots: pd.DataFrame) -> pd.DataFrame:
    """The slot frame with outages made missing, each with its reason; ``recorded`` keeps used as it was read.

    - total below 60 % of its median over the trailing week: used and total are both unknown;
    - used above total: the slot contradicts itself, used is unknown;
    - a zero run: used is 0 while nodes are present, right after a drop that the series does not make (see
      ``_is_implausible``). The whole run is unknown, however long. An idle datacenter reaches zero in
      ordinary steps, and stays known.
    """
    used, total = slots["used"].to_numpy(float), slots["total"].to_numpy(float).copy()
    reason = slots["missing"].to_numpy(object).copy()
    usual_total = pd.Series(total).rolling(USUAL_SLOTS, min_periods=1).median().to_numpy()
    low = total < LEAST_TOTAL_SHARE * usual_total
    above = (used > total) & ~low
    demand = np.where(low | above, np.nan, used)
    zero = _implausible_zeros(demand, total)
    for mask, text in ((low, LOW_TOTAL), (above, ABOVE_TOTAL), (zero, ZERO_RUN)):
        reason[mask] = text
    demand[zero], total[low] = np.nan, np.nan
    return slots.assign(used=demand, total=total, missing=pd.Series(reason, dtype="str"), recorded=used)


def _implausible_zeros(demand: Values, total: Values) -> NDArray[np.bool_]:
    """Slots of zero runs that follow an implausible drop; ``demand`` may hold NaN."""
    known = demand.copy()
    marked = np.zeros(len(demand), dtype=bool)
    drop_days: set[int] = set()
    # a slot whose total is 0 or unknown starts no run: zero nodes of zero are in use
    zero = (demand == 0) & (total > 0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (zero | np.isnan(demand)).astype(int), [0]])))
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        if not zero[start:stop].any():
            continue
        day = int(start) // SLOTS_PER_DAY
        habit = len(drop_days & set(range(day - 7, day))) >= HABIT_DAYS
        implausible = not habit and _is_implausible(known[max(0, start - USUAL_SLOTS) : start])
        if habit or implausible:
            drop_days.add(day)
        if implausible:
            marked[start:stop] = zero[start:stop]
            known[start:stop] = np.nan
    return marked


def _is_implausible(before: Values) -> bool:
    """Whether the demand ``before`` a zero run (the trailing week without outages) makes it implausible.

    The last known value must be at least 3 nodes and at least half the week's median (which is low where
    zero is usual). It must also be more than three times the 99th percentile of the changes from slot to
    slot, or the week must never, but for 1 % of its slots, have fallen below half its median.
    """
    known = before[~np.isnan(before)]
    if known.size < LEAST_KNOWN_SLOTS:
        return False
    last, usual = float(known[-1]), float(np.median(known))
    if usual == 0 or last < max(LEAST_DROP_NODES, usual / 2):
        return False
    change = np.abs(np.diff(before))
    change = change[~np.isnan(change)]
    ordinary_change = float(np.quantile(change, 0.99)) if change.size else 0.0
    never_low = float(np.quantile(known, 0.01)) >= usual / 2
    return last > 3 * ordinary_change or never_low
