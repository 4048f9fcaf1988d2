"""Local and UTC time: the only place where a time zone turns one into the other.

An ambiguous local time (the hour repeated when clocks go back) is the earlier instant. A nonexistent one (the
hour skipped when clocks go forward) is moved forward to the first instant that exists. Callers flag both.
"""

import difflib
import re
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import pandas as pd

from traces.errors import TraceError

FIRST_YEAR, LAST_YEAR = 1970, 2199
"""Years in which a time is believed; anything else is a damaged or misread number."""

_LONGEST_LOOK = pd.Timedelta(days=3 * 366)
_INSTANT = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?\s*(Z|[+-]\d{2}(:?\d{2})?)?)?", re.ASCII
)


@lru_cache(maxsize=64)
def zone(name: str) -> ZoneInfo:
    """The IANA time zone called `name`, e.g. ``Asia/Shanghai``; TraceError for a name that is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        near = difflib.get_close_matches(name, sorted(available_timezones()), n=3, cutoff=0.5)
        hint = " or ".join(near) if near else "America/Los_Angeles, Asia/Shanghai or UTC"
        raise TraceError(f"Unknown time zone {name!r}: give an IANA name such as {hint}.") from error


def to_utc(local: pd.Series, timezone: str) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Naive local times as naive UTC, with masks of the ambiguous and of the nonexistent ones.

    `local` is datetime64 without a zone; missing times stay missing and are in neither mask. The result has
    the same index and microseconds. Raises TraceError for an unknown time zone.
    """
    local = local.astype("datetime64[us]")
    offset = _steady_offset(local, timezone)
    if offset is not None:
        none = pd.Series(False, index=local.index)
        return local - offset, none, none
    sure = _localized(local, timezone, ambiguous="NaT", nonexistent="NaT")
    doubtful = sure.isna() & local.notna()
    ambiguous = pd.Series(False, index=local.index)
    nonexistent = pd.Series(False, index=local.index)
    if doubtful.any():
        odd = local[doubtful]
        one = _localized(odd, timezone, ambiguous=np.ones(len(odd), dtype=bool), nonexistent="shift_forward")
        other = _localized(
            odd, timezone, ambiguous=np.zeros(len(odd), dtype=bool), nonexistent="shift_forward"
        )
        sure[doubtful] = one.where(one <= other, other)
        exists = _localized(odd, timezone, ambiguous=np.ones(len(odd), dtype=bool), nonexistent="NaT").notna()
        ambiguous[doubtful] = exists
        nonexistent[doubtful] = ~exists
    return sure, ambiguous, nonexistent


def to_local(utc: pd.Series, timezone: str) -> pd.Series:
    """Naive UTC times as naive local times of `timezone`."""
    local: pd.Series = utc.dt.tz_localize("UTC").dt.tz_convert(zone(timezone)).dt.tz_localize(None)
    return local


def instant(text: str, timezone: str) -> pd.Timestamp:
    """The naive UTC instant that `text` names for a user of `timezone`.

    A date is its local midnight; a date with a time is local unless it ends with an offset (``Z``,
    ``+08:00``). Raises TraceError for anything else.
    """
    zone(timezone)
    text = text.strip()
    if not _INSTANT.fullmatch(text):
        raise _nonsense(text)
    try:
        moment = pd.Timestamp(text)
    except ValueError as error:
        raise _nonsense(text) from error
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise _nonsense(text)
    if moment.tzinfo is not None:
        return moment.tz_convert("UTC").tz_localize(None)
    utc, _, _ = to_utc(pd.Series([moment]), timezone)
    return pd.Timestamp(utc.iloc[0])


def iso(moment: pd.Timestamp) -> str:
    """A naive UTC instant as text, e.g. ``2017-10-03T07:00:00Z``; fractions only where there are any."""
    return moment.isoformat() + "Z"


def _steady_offset(local: pd.Series, timezone: str) -> pd.Timedelta | None:
    """Local time − UTC where clocks do not change around any of these times, else None.

    Clocks change at half hours of UTC. To look at each of them is quick for what a log spans, and spares a
    conversion per row where a zone has no daylight saving.
    """
    margin = pd.Timedelta(days=2)
    first, last = local.min(), local.max()
    if pd.isna(first) or last - first > _LONGEST_LOOK:
        return None
    times = pd.date_range((first - margin).floor("30min"), last + margin, freq="30min", tz="UTC")
    walls = times.tz_convert(zone(timezone)).tz_localize(None)
    offsets = walls - times.tz_localize(None)
    return pd.Timedelta(offsets[0]) if (offsets == offsets[0]).all() else None


def _localized(local: pd.Series, timezone: str, **rules: Any) -> pd.Series:
    aware: pd.Series = local.dt.tz_localize(zone(timezone), **rules)
    naive: pd.Series = aware.dt.tz_convert("UTC").dt.tz_localize(None)
    return naive


def _nonsense(text: str) -> TraceError:
    return TraceError(
        f"{text!r} is neither a date nor a time: write 2017-10-01, '2017-10-01 08:00:00' "
        "or 2017-10-01T08:00:00+00:00."
    )
