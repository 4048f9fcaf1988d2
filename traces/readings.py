"""Texts of a column read as numbers or as times."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from traces import clock
from traces.errors import TraceError
from traces.schema import TIMESTAMP

Mask = npt.NDArray[np.bool_]

MISSING = ("", "none", "null", "nan", "nat", "na", "n/a", "unknown", "\\n")
"""Texts, in any case, that say that a number or a time is not known."""

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Units of numeric times, in seconds."""

_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_TIME = r"^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}([T ]+[0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.,][0-9]+)?)?)?"
_LOCAL = r"^[0-9-]+([T ]+[0-9]{1,2}(:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]+)?)?)?)?$"
_OFFSET = r":[0-9.,]+\s*(Z|z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)$"


@dataclass(frozen=True)
class Numbers:
    """`values` are NaN where the number is missing or `unparsable`."""

    values: npt.NDArray[np.float64]
    unparsable: Mask


@dataclass(frozen=True)
class Times:
    """`utc` is naive UTC, NaT where `missing` or `unparsable`; the other masks are of `clock.to_utc`."""

    utc: pd.Series
    missing: Mask
    unparsable: Mask
    ambiguous: Mask
    nonexistent: Mask


def typed_numbers(cells: pa.ChunkedArray) -> Numbers | None:
    """Cells that are finite numbers already; None for others, which are to be read as texts."""
    if not (pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type)):
        return None
    values = pc.cast(cells, pa.float64(), safe=False).to_numpy()
    if int(np.isnan(values).sum()) != cells.null_count or np.isinf(values).any():
        return None
    return Numbers(values, np.zeros(len(values), dtype=bool))


def numbers(text: pd.Series) -> Numbers:
    """Decimal numbers, without thousands separators or units; infinite ones are unparsable."""
    missing = missing_mask(text)
    clean = _cast(text, missing, pa.float64())
    if clean is not None and (read := typed_numbers(clean)) is not None:
        return read
    shaped = _matches(text, _NUMBER)
    values = np.full(len(text), np.nan)
    with np.errstate(over="ignore"):
        values[shaped] = text[shaped].to_numpy(dtype=object).astype(np.float64)
    unparsable = ~missing & ~np.isfinite(values)
    values[unparsable] = np.nan
    return Numbers(values, unparsable)


def typed_times(cells: pa.ChunkedArray, timezone: str | None, what: str) -> Times | None:
    """Cells that are times already, local or instants; None for others, which are to be read as texts."""
    if not pa.types.is_timestamp(cells.type):
        return None
    try:
        moments = pd.Series(pc.cast(cells, TIMESTAMP).to_pandas())
    except pa.ArrowInvalid:
        return None
    missing = cells.is_null().to_numpy()
    if cells.type.tz is None:
        return _local_times(moments, missing, timezone, what)
    never = np.zeros(len(moments), dtype=bool)
    return _times(moments, missing, never, never)


def times(text: pd.Series, timezone: str | None, what: str, unit: str = "s") -> Times:
    """Times as ISO 8601 (year first, ``-`` or ``/``), or as numbers of `unit` since 1970-01-01 UTC.

    Times without an offset are local to `timezone`; TraceError, naming `what`, when there are such and it
    is None.
    """
    missing = missing_mask(text)
    clean = _cast(text, missing, TIMESTAMP)
    if clean is not None:
        moments = pd.Series(clean.to_pandas()).set_axis(text.index)
        return _local_times(moments, missing, timezone, what)
    numeric = _matches(text, _NUMBER)
    shaped = _matches(text, _TIME)
    offset = shaped & _matches(text, _OFFSET)
    local = shaped & ~offset
    utc = pd.Series(pd.NaT, index=text.index, dtype="datetime64[us]")
    utc[numeric] = _since_epoch(text[numeric], unit)
    utc[offset] = _with_offset(text[offset])
    ambiguous, nonexistent = np.zeros(len(text), dtype=bool), np.zeros(len(text), dtype=bool)
    if local.any():
        zone = _zone_of(timezone, what)
        utc[local], ambiguous[local], nonexistent[local] = clock.to_utc(_naive(text[local]), zone)
    return _times(utc, missing, ambiguous, nonexistent)


def _local_times(moments: pd.Series, missing: Mask, timezone: str | None, what: str) -> Times:
    """Times of which all that are there are local ones."""
    if missing.all():
        nowhere = np.zeros(len(moments), dtype=bool)
        return _times(moments.astype("datetime64[us]"), missing, nowhere, nowhere)
    utc, ambiguous, nonexistent = clock.to_utc(_believable(moments), _zone_of(timezone, what))
    return _times(utc, missing, ambiguous.to_numpy(), nonexistent.to_numpy())


def _times(utc: pd.Series, missing: Mask, ambiguous: Mask, nonexistent: Mask) -> Times:
    """The times, those outside the years we believe as unparsable ones."""
    utc = _within(utc, clock.FIRST_YEAR, clock.LAST_YEAR)
    return Times(utc, missing, ~missing & utc.isna().to_numpy(), ambiguous, nonexistent)


def _zone_of(timezone: str | None, what: str) -> str:
    if timezone is None:
        raise TraceError(f"{what} has times without an offset: say which time zone they are in (--timezone).")
    return timezone


def _cast(text: pd.Series, missing: Mask, type_: pa.DataType) -> pa.ChunkedArray | None:
    """All texts that are not missing as values of one type by Arrow's parser; None where it refuses one.

    It accepts a part of what the patterns below do, and nothing else but infinite numbers.
    """
    present = pc.if_else(pa.array(missing), pa.scalar(None, pa.string()), pa.array(text, pa.string()))
    try:
        cast = pc.cast(present, type_)
    except pa.ArrowInvalid:
        return None
    return cast if isinstance(cast, pa.ChunkedArray) else pa.chunked_array([cast])


def _matches(text: pd.Series, pattern: str) -> Mask:
    found: Mask = pc.match_substring_regex(pa.array(text, pa.string()), pattern).to_numpy(
        zero_copy_only=False
    )
    return found


def missing_mask(text: pd.Series) -> Mask:
    """True for texts that say, in any case, that nothing is known (`MISSING`)."""
    lower = pc.utf8_lower(pa.array(text, pa.string()))
    found: Mask = pc.is_in(lower, value_set=pa.array(MISSING)).to_numpy(zero_copy_only=False)
    return found


def _believable(moments: pd.Series) -> pd.Series:
    """Times far outside the years we believe would overflow in a time zone: they become NaT here."""
    return _within(moments, clock.FIRST_YEAR - 1, clock.LAST_YEAR + 1)


def _within(moments: pd.Series, first_year: int, last_year: int) -> pd.Series:
    """The moments of these years, NaT for others."""
    known = moments.to_numpy(dtype="datetime64[us]")
    first, end = np.datetime64(f"{first_year}-01-01", "us"), np.datetime64(f"{last_year + 1}-01-01", "us")
    outside = (known < first) | (known >= end)  # neither holds for NaT
    return moments.mask(outside) if outside.any() else moments


def _since_epoch(text: pd.Series, unit: str) -> pd.Series:
    seconds = numbers(text).values * UNITS[unit]
    seconds[~((seconds >= 0) & (seconds < 1e10))] = np.nan
    missing = np.isnan(seconds)
    microseconds = np.round(np.where(missing, 0, seconds) * 1e6).astype(np.int64)
    moments = pd.Series(microseconds.astype("datetime64[us]"), index=text.index)
    return moments.mask(missing)


def _naive(text: pd.Series) -> pd.Series:
    try:
        moments = pd.Series(pc.cast(pa.array(text, pa.string()), pa.timestamp("us")).to_pandas())
        moments.index = text.index
    except pa.ArrowInvalid:
        moments = _lenient(text)
    return _believable(moments.astype("datetime64[us]"))


def _lenient(text: pd.Series) -> pd.Series:
    """Any year-first spelling; NaT for what is no date, or one with more behind it."""
    plain = text.str.replace("/", "-", regex=False).str.replace(",", ".", regex=False)
    plain = plain.where(_matches(plain, _LOCAL), "")
    moments = pd.to_datetime(plain, format="ISO8601", errors="coerce").astype("datetime64[us]")
    for spelling in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"):
        rest = moments.isna()
        if not rest.any():
            break
        found = pd.to_datetime(plain[rest], format=spelling, errors="coerce")
        moments[rest] = found.astype("datetime64[us]")  # the unit of what is read depends on all of it
    return moments


def _with_offset(text: pd.Series) -> pd.Series:
    plain = text.str.replace("/", "-", regex=False).str.replace(r"\s*(UTC|z)$", "Z", regex=True)
    aware = pd.to_datetime(plain, format="ISO8601", errors="coerce", utc=True)
    return _believable(aware.dt.tz_localize(None).astype("datetime64[us]"))
