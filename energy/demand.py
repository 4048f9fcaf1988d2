"""Node demand in slots of 10 minutes, from a measured series or from a replay's step function.

A slot frame has one row per slot, without holes, in the order of time:

- ``time``: start of the slot, naive UTC, a multiple of 10 minutes;
- ``used``, ``total``: nodes with at least one GPU in use, and nodes present: the slot's *maximum*, NaN where
  unknown;
- ``missing``: why ``used`` is unknown; null where it is known;
- ``repeated``: whether the slot lies in an hour that the series tells twice (`energy.repeats`).

The maximum is taken for ``total`` as well as for ``used``, so that a node that was in use and left within
one slot does not make the slot contradict itself.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from energy.errors import EnergyError
from energy.repeats import repeated_hours

SLOT = pd.Timedelta(minutes=10)
SLOT_S = 600
SLOTS_PER_DAY = 144
MOST_SLOTS = (
    1_000_000  # 19 years: a longer series is a mistaken date, and would fill the memory with empty slots
)

Values = NDArray[np.float64]


def slots_from_series(series: pd.DataFrame, end_time: pd.Timestamp | None = None) -> pd.DataFrame:
    """The slot frame of a series ``time, used, total`` (naive UTC; any order, step, duplicates and gaps).

    Rows at or after ``end_time`` are left out, and the frame reaches to it, with missing slots where the
    series ends earlier. Values that are no number of nodes (NaN, infinite, negative) are unknown. Raises
    EnergyError where a column is absent or not of its type, a row has no time, or nothing is left.
    """
    rows = _checked(series)
    if end_time is not None:
        rows = rows[rows["time"] < end_time]
    if rows.empty:
        raise EnergyError(
            "The series has no row before the end of the window: import its data or choose later dates."
        )
    slot_time = rows["time"].dt.floor("10min")
    first, last = slot_time.min(), slot_time.max()
    stop = last + SLOT if end_time is None else end_time
    if (stop - first) / SLOT > MOST_SLOTS:
        raise EnergyError(
            f"The series would reach from {first} to {stop}, more than 19 years: check its dates."
        )
    index = pd.date_range(first, stop, freq=SLOT, inclusive="left", name="time")
    slots = rows.groupby(slot_time)[["used", "total"]].max().reindex(index)
    reason = np.full(len(index), None, dtype=object)
    reason[slots["used"].isna().to_numpy()] = "no usable value"
    reason[~index.isin(slot_time)] = "gap"
    repeated = index.floor("h").isin(repeated_hours(rows))
    return slots.reset_index().assign(missing=pd.Series(reason, dtype="str"), repeated=repeated)


def slots_from_steps(
    start_time: pd.Timestamp, time_s: ArrayLike, used_nodes: ArrayLike, total_nodes: float, end_s: float
) -> pd.DataFrame:
    """The slot frame of a step function, such as a replay's nodes in use.

    From ``time_s[k]`` seconds after ``start_time`` on, ``used_nodes[k]`` nodes are used.
    ``time_s`` ascends; of several steps at one instant the last one counts, and before the first step
    nothing is used. The frame holds the slots of [start_time, start_time + end_s), all with ``total_nodes``
    present.
    """
    steps = pd.DataFrame({"time_s": time_s, "used": used_nodes}).astype(float)
    if not steps["time_s"].is_monotonic_increasing:
        raise EnergyError("The steps of a replay's used nodes must be in the order of time.")
    if not 0 < end_s / SLOT_S <= MOST_SLOTS:
        raise EnergyError(
            f"A replay's demand must end between 0 s and 19 years after its start, not at {end_s} s."
        )
    steps = steps.drop_duplicates("time_s", keep="last")
    start = pd.Timestamp(start_time)
    origin = start.floor("10min")
    at_s = steps["time_s"].to_numpy() + (start - origin).total_seconds()
    used = np.concatenate([[0.0], steps["used"].to_numpy()])
    edges_s = np.arange(0.0, end_s + (start - origin).total_seconds(), SLOT_S)
    peak = used[np.searchsorted(at_s, edges_s, side="right")]
    slot = np.floor(at_s / SLOT_S).astype(int)
    within = (slot >= 0) & (slot < len(edges_s)) & (steps["time_s"].to_numpy() < end_s)
    np.maximum.at(peak, slot[within], used[1:][within])
    time = pd.date_range(origin, periods=len(edges_s), freq=SLOT)
    reason = pd.Series(None, index=range(len(time)), dtype="str")
    total = float(total_nodes)
    return pd.DataFrame({"time": time, "used": peak, "total": total, "missing": reason, "repeated": False})


def window_start(slots: pd.DataFrame, start_time: pd.Timestamp) -> int:
    """The number of slots that begin before ``start_time``: the index of the window's first slot."""
    return int(np.searchsorted(slots["time"].to_numpy(), np.datetime64(start_time), side="left"))


def _checked(series: pd.DataFrame) -> pd.DataFrame:
    absent = [name for name in ("time", "used", "total") if name not in series.columns]
    if absent:
        raise EnergyError(f"The series has no column {absent[0]!r}: it needs time, used and total.")
    time = series["time"]
    if not pd.api.types.is_datetime64_any_dtype(time) or time.dt.tz is not None:
        raise EnergyError("The series' time column must hold naive UTC times.")
    if time.isna().any():
        raise EnergyError(f"Row {int(time.isna().to_numpy().argmax())} of the series has no time.")
    for name in ("used", "total"):
        if not pd.api.types.is_numeric_dtype(series[name]):
            raise EnergyError(f"The series' column {name!r} must hold numbers of nodes.")
    nodes = series[["used", "total"]].astype(float)
    return nodes.where(np.isfinite(nodes) & (nodes >= 0)).assign(time=time)
