"""The window of a run: which jobs take part, and which local days its capacity is read for."""

import datetime as dt
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd

from runs.errors import RunError
from traces import clock


@dataclass(frozen=True)
class Window:
    """Jobs submitted in [start_time, end_time) take part. Both are naive UTC instants."""

    start_time: pd.Timestamp
    end_time: pd.Timestamp
    timezone: str

    def local_days(self) -> tuple[dt.date, dt.date]:
        """The first and the last local day that the window touches."""
        last = self.end_time - pd.Timedelta(microseconds=1)
        return self._local(self.start_time).date(), self._local(last).date()

    def _local(self, instant: pd.Timestamp) -> dt.datetime:
        return instant.to_pydatetime().replace(tzinfo=dt.UTC).astimezone(ZoneInfo(self.timezone))


def window(manifest: dict[str, Any], clusters: list[str], from_: str, to: str) -> Window:
    """The window that ``from_`` and ``to`` name in the trace's time zone.

    Empty text means the default: local midnight of the first submission's day, and the second after
    the last submission. Raises RunError where the window is empty, TraceError for an unreadable time.
    """
    zone = manifest["timezone"]
    reports = [manifest["clusters"][each]["report"] for each in clusters]
    start = clock.instant(from_, zone) if from_ else _first_midnight(reports, zone)
    end = clock.instant(to, zone) if to else _after_last(reports)
    if end <= start:
        raise RunError(f"The window is empty: it ends ({to or end}) before it begins ({from_ or start}).")
    return Window(start, end, zone)


def series_window(times: "pd.Series[pd.Timestamp]", zone: str, from_: str, to: str) -> Window:
    """The window of a node series: by default from the local midnight after its first two days to its end.

    Raises RunError where the window is empty.
    """
    if times.empty:
        raise RunError("The node series is empty.")
    first = times.min().to_pydatetime().replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone)).date()
    start = clock.instant(from_ or (first + dt.timedelta(days=3)).isoformat(), zone)
    end = clock.instant(to, zone) if to else times.max().floor("s") + pd.Timedelta(seconds=1)
    if end <= start:
        raise RunError(f"The window is empty: it ends ({to or end}) before it begins ({from_ or start}).")
    return Window(start, end, zone)


def _first_midnight(reports: list[dict[str, Any]], zone: str) -> pd.Timestamp:
    first = min((_utc(each["first_submit"]) for each in reports if each["first_submit"]), default=None)
    if first is None:
        raise RunError(
            "The trace has no jobs, so it has no window; choose another cluster or import its jobs."
        )
    local = first.to_pydatetime().replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone))
    return clock.instant(local.date().isoformat(), zone)


def _after_last(reports: list[dict[str, Any]]) -> pd.Timestamp:
    last = max((_utc(each["last_submit"]) for each in reports if each["last_submit"]), default=None)
    if last is None:
        raise RunError(
            "The trace has no jobs, so it has no window; choose another cluster or import its jobs."
        )
    return last.floor("s") + pd.Timedelta(seconds=1)


def _utc(text: str) -> pd.Timestamp:
    instant = pd.Timestamp(text)
    return instant.tz_convert("UTC").tz_localize(None) if instant.tzinfo else instant
