"""Which slots are telemetry outages: their demand is unknown, and it is never zero.

Every rule looks at the slot itself and at earlier slots only, so that what is marked never depends on the
future. The figures below are ours, chosen on the Philly node series (a gap followed by 18 h of zeros
after 317 used nodes; an hour with 174 of 420 nodes reporting at the end of daylight saving time).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values
from energy.spans import Span, slots_within

USUAL_SLOTS = 7 * SLOTS_PER_DAY  # "usual" is the median of the trailing week
LEAST_TOTAL_SHARE = 0.6
STEADY_SLOTS = 36
LEAST_STEADY = 6  # known slots: six hours of an hourly series
STEADY_SHARE = 0.02  # of the usual total: nodes in repair come and go
STEP_SHARE = 0.05
LEAST_DROP_NODES = 3.0
LEAST_KNOWN_SLOTS = 24  # a day of an hourly series: fewer say nothing about what is plausible
HABIT_DAYS = 5  # of the seven days before: a datacenter that is emptied so often is idle, not out

ZERO_RUN = "zero run"
LOW_TOTAL = "total below 60 % of usual"
ABOVE_TOTAL = "used above total"
REPEATED = "repeated hour"
STEP = "capacity step"
DROPPED = "dropped by the operator"


@dataclass(frozen=True)
class Overrule:
    """What the operator knows better: spans of marks to ``keep`` as recorded, and of slots to ``drop``."""

    keep: tuple[Span, ...] = ()
    drop: tuple[Span, ...] = ()


def mark_outages(slots: pd.DataFrame, overrule: Overrule | None = None) -> pd.DataFrame:
    """The slot frame with outages made missing, each with its reason; ``recorded`` keeps used as it was read.

    - total below 60 % of its median over the trailing week: used and total are both unknown, until the total
      has been steady for a day: then it is the new capacity;
    - used above total: the slot contradicts itself, used is unknown;
    - a capacity step: the total changes by 5 % or more after six steady hours; used is unknown in that slot,
      which mixes both;
    - a repeated hour (`energy.repeats`): its slots mix two hours, used is unknown;
    - a zero run: used is 0 while nodes are present, right after a drop that the series does not make (see
      ``_is_implausible``). The whole run is unknown, however long. An idle datacenter reaches zero in
      ordinary steps, and stays known.

    ``overrule`` comes last: slots in a span to keep have their recorded values again (what was never recorded
    stays missing), and ``kept`` says which mark was lifted; known slots in a span to drop become missing.
    """
    used, total = slots["used"].to_numpy(float), slots["total"].to_numpy(float).copy()
    reason = slots["missing"].to_numpy(object).copy()
    low = _low_totals(total)
    total[low] = np.nan
    above, step = used > total, capacity_steps(total)
    repeated = slots["repeated"].to_numpy(bool) & ~np.isnan(used) & ~low
    demand = np.where(low | above | step | repeated, np.nan, used)
    zero = _implausible_zeros(demand, total)
    marks = ((step, STEP), (above, ABOVE_TOTAL), (repeated, REPEATED), (low, LOW_TOTAL), (zero, ZERO_RUN))
    for mask, text in marks:
        reason[mask & ~np.isnan(used)] = text
    demand[zero] = np.nan
    marked = slots.assign(used=demand, total=total, missing=pd.Series(reason, dtype="str"), recorded=used)
    return _overruled(marked, slots["total"].to_numpy(float), overrule or Overrule())


def unmarked(slots: pd.DataFrame, overrule: Overrule | None = None) -> pd.DataFrame:
    """The slot frame with the columns of `mark_outages` and no mark but the operator's own."""
    marked = slots.assign(recorded=slots["used"])
    return _overruled(marked, slots["total"].to_numpy(float), overrule or Overrule())


def capacity_steps(total: Values) -> NDArray[np.bool_]:
    """Slots whose total differs by 5 % or more from that of the six hours before, which was steady."""
    before = pd.Series(total).shift(1).rolling(STEADY_SLOTS, min_periods=LEAST_STEADY)
    usual: Values = before.median().to_numpy()
    spread: Values = (before.max() - before.min()).to_numpy()
    return (usual > 0) & (spread <= STEADY_SHARE * usual) & (np.abs(total - usual) >= STEP_SHARE * usual)


def _low_totals(total: Values) -> NDArray[np.bool_]:
    """Slots whose total is below 60 % of usual, unless it has been steady for a day."""
    trailing = pd.Series(total)
    usual = trailing.rolling(USUAL_SLOTS, min_periods=1).median().to_numpy()
    day = trailing.rolling(SLOTS_PER_DAY, min_periods=LEAST_KNOWN_SLOTS)
    settled = (day.max() - day.min()).to_numpy() <= STEADY_SHARE * day.median().to_numpy()
    return (total < LEAST_TOTAL_SHARE * usual) & ~settled


def _overruled(marked: pd.DataFrame, total: Values, overrule: Overrule) -> pd.DataFrame:
    """The marked slots as the operator wants them, with ``kept``: the reason of a lifted mark, or null."""
    used, present = marked["used"].to_numpy(float).copy(), marked["total"].to_numpy(float).copy()
    recorded, reason = marked["recorded"].to_numpy(float), marked["missing"].to_numpy(object).copy()
    lifted = slots_within(overrule.keep, marked["time"]) & np.isnan(used) & ~np.isnan(recorded)
    kept = reason.copy()
    kept[~lifted] = None
    used[lifted], present[lifted], reason[lifted] = recorded[lifted], total[lifted], None
    dropped = slots_within(overrule.drop, marked["time"]) & ~np.isnan(used)
    used[dropped], reason[dropped], kept[dropped] = np.nan, DROPPED, None
    texts = {"missing": pd.Series(reason, dtype="str"), "kept": pd.Series(kept, dtype="str")}
    return marked.assign(used=used, total=present, **texts)


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
