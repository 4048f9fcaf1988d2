"""What a page is about: the filters of its address, resolved against what the trace holds."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import pandas as pd

from components.filter_bar import Choices
from components.filters import FilterError, Filters, from_json, from_query, shortened
from components.numbers import day
from components.theme import in_order
from queries import QueryError, fetch, manifests
from queries.statement import statement

SECOND = pd.Timedelta(seconds=1)
#: A window of at most so many days has bars by day or by week, a longer one by month.
BARS_UP_TO_DAYS = {"day": 45, "week": 400}
#: How long the period of a bar is.
PERIODS = {"day": pd.DateOffset(days=1), "week": pd.DateOffset(weeks=1), "month": pd.DateOffset(months=1)}
#: Lengths of a bin of a timeline, in s.
BINS_S = (600, 1800, 3600, 10800, 21600, 43200, 86400, 7 * 86400)


@dataclass(frozen=True)
class Scope:
    """A stored trace and the part of it that is looked at. Times are naive UTC; the window is half-open."""

    filters: Filters
    manifest: Mapping[str, Any]

    @property
    def trace(self) -> str:
        """The trace's name."""
        return str(self.manifest["trace"])

    @property
    def timezone(self) -> str:
        """The trace's time zone, by its IANA name."""
        return str(self.manifest["timezone"])

    @property
    def generated(self) -> bool:
        """Whether the trace is a generated one."""
        return bool(self.manifest["generated"])

    @property
    def all_clusters(self) -> list[str]:
        """Every cluster of the trace."""
        return in_order(self.manifest["clusters"])

    @property
    def clusters(self) -> list[str]:
        """The chosen clusters, all where none is chosen."""
        return list(self.filters.clusters) or self.all_clusters

    @property
    def data_as_of(self) -> pd.Timestamp:
        """The last instant that the trace's imports cover: its last submission."""
        return max(self._submissions("last_submit"))

    @property
    def start_time(self) -> pd.Timestamp:
        """The window's first instant: local midnight of its first day."""
        return midnight(self.filters.first_day or self.first_day, self.timezone)

    @property
    def end_time(self) -> pd.Timestamp:
        """The window's end: midnight after its last day, at most the second after the last submission."""
        last = self.filters.last_day or self.last_day
        return min(midnight(last + pd.Timedelta(days=1), self.timezone), self.data_as_of + SECOND)

    @property
    def first_day(self) -> date:
        """Local day of the trace's first submission."""
        return local(min(self._submissions("first_submit")), self.timezone).date()

    @property
    def last_day(self) -> date:
        """Local day of the trace's last submission."""
        return local(self.data_as_of, self.timezone).date()

    def knows(self, fact: str) -> bool:
        """Whether any chosen cluster's source has it: has_start, has_state, has_capacity, …"""
        return any(self.manifest["clusters"][cluster].get(fact) for cluster in self.clusters)

    def lacking(self, fact: str) -> list[str]:
        """The chosen clusters whose source does not have it."""
        return [cluster for cluster in self.clusters if not self.manifest["clusters"][cluster].get(fact)]

    def ask(self, name: str, **params: Any) -> pd.DataFrame:
        """The answer of a query about this scope, which fills in the parameters that are not given."""
        own = {
            "clusters": list(self.filters.clusters),
            "vcs": list(self.filters.vcs),
            "start": self.start_time,
            "end": self.end_time,
        }
        declared = statement(name).params
        return fetch(
            name, trace=self.trace, **{key: value for key, value in own.items() if key in declared} | params
        )

    @property
    def earlier(self) -> dict[str, pd.Timestamp] | None:
        """``start`` and ``end`` of the equally long period before the window; None where data begin later."""
        start = self.start_time - (self.end_time - self.start_time)
        begins = midnight(self.first_day, self.timezone)
        return {"start": start, "end": self.start_time} if start >= begins else None

    def recent(self, days: int) -> "Scope":
        """The last ``days`` local days of the window, or all of it where it is shorter."""
        last = self.filters.last_day or self.last_day
        first = max(self.filters.first_day or self.first_day, last - timedelta(days=days - 1))
        return replace(self, filters=replace(self.filters, first_day=first, last_day=last))

    def address(self, path: str, **chosen: Any) -> str:
        """The address of a page about this scope, with other filters where they are ``chosen``."""
        return path + replace(self.filters, **chosen).query_string()

    def cluster_addresses(self) -> dict[str, str]:
        """Cluster → the query that chooses it alone, or every cluster where it is alone already."""
        return {
            cluster: self.address(
                "", clusters=() if self.filters.clusters == (cluster,) else (cluster,), vcs=()
            )
            for cluster in self.all_clusters
        }

    @property
    def day_address(self) -> str:
        """The query about the local day of a point, which fills it in; empty where a single day is shown."""
        if self._first_shown == self._last_shown:
            return ""
        return f"{self.address('', first_day=None, last_day=None)}&from={{day}}&to={{next_day}}"

    def period_address(self, first_day: date, period: str) -> str | None:
        """The query about a local day, week or month, cut to the window; None if that is the window."""
        after = pd.Timestamp(first_day) + PERIODS[period]
        first = max(pd.Timestamp(first_day).date(), self._first_shown)
        last = min((after - pd.Timedelta(days=1)).date(), self._last_shown)
        if (first, last) == (self._first_shown, self._last_shown):
            return None
        return self.address("", first_day=first, last_day=last)

    def bin_s(self, points: int) -> int:
        """The shortest length of a bin, in s, of which the window needs at most ``points``."""
        window_s = (self.end_time - self.start_time).total_seconds()
        return next((length for length in BINS_S if window_s / length <= points), BINS_S[-1])

    @property
    def period(self) -> str:
        """What a bar over the window's time stands for: a local ``day``, ``week`` or ``month``."""
        days = (self.end_time - self.start_time).total_seconds() / 86400
        return next((period for period, most in BARS_UP_TO_DAYS.items() if days <= most), "month")

    def choices(self) -> Choices:
        """What the filter bar offers."""
        vcs = fetch("vcs", trace=self.trace)
        offered = vcs[vcs["cluster"].isin(self.clusters)]["vc"]
        return Choices(
            traces=tuple(manifests.names()),
            clusters=tuple(self.all_clusters),
            vcs=tuple(sorted(set(offered))),
            first_day=self.first_day,
            last_day=self.last_day,
            timezone=self.timezone,
        )

    def window_text(self) -> str:
        """The window as a sentence holds it: 1 Sep 2020 – 27 Sep 2020."""
        first, last = (local(time, self.timezone) for time in (self.start_time, self.end_time - SECOND))
        return day(first) if first.date() == last.date() else f"{day(first)} – {day(last)}"

    @cached_property
    def _first_shown(self) -> date:
        """The first local day of the window on which there are data."""
        return max(self.filters.first_day or self.first_day, self.first_day)

    @cached_property
    def _last_shown(self) -> date:
        """The last one."""
        return min(self.filters.last_day or self.last_day, self.last_day)

    def _submissions(self, which: str) -> list[pd.Timestamp]:
        reports = (self.manifest["clusters"][cluster]["report"] for cluster in self.all_clusters)
        times = [naive_utc(report[which]) for report in reports if report.get(which)]
        if not times:
            raise QueryError(f"Trace “{self.trace}” holds no jobs; its import report says why.")
        return times


def scope_of_query(query: Mapping[str, Any]) -> Scope:
    """The scope that an address names; without a trace, the first one stored.

    Raises:
        QueryError, FilterError: no such trace, cluster or VC, a day that is none, a window without jobs.
    """
    return _checked(from_query(query))


def scope_of_store(data: Mapping[str, Any] | None) -> Scope:
    """The scope that the filter bar's store holds. Raises what :func:`scope_of_query` raises."""
    return _checked(from_json(data))


def _checked(filters: Filters) -> Scope:
    known = manifests.names()
    if not known:
        raise QueryError("There is no trace here yet.")
    filters = Filters(**{**filters.__dict__, "trace": filters.trace or manifests.default_name()})
    scope = Scope(filters, manifests.manifest(filters.trace))
    for cluster in filters.clusters:
        if cluster not in scope.all_clusters:
            has = ", ".join(scope.all_clusters)
            raise FilterError(f"Trace “{scope.trace}” has no cluster “{shortened(cluster)}”; it has {has}.")
    _check_vcs(scope)
    first, last = filters.first_day or scope.first_day, filters.last_day or scope.last_day
    if filters.first_day and filters.last_day and first > last:
        raise FilterError(f"The chosen days hold nothing: they begin on {first} and end before, on {last}.")
    if first > scope.last_day or last < scope.first_day:
        raise FilterError(
            f"The chosen days hold nothing: trace “{scope.trace}” has jobs "
            f"from {scope.first_day} to {scope.last_day}."
        )
    return scope


def _check_vcs(scope: Scope) -> None:
    """Refuse a VC that no cluster of the trace has. One of a cluster that is not chosen finds nothing."""
    if not scope.filters.vcs:
        return
    known = {str(vc) for vc in fetch("vcs", trace=scope.trace)["vc"].dropna()}
    for vc in scope.filters.vcs:
        if vc not in known:
            near = difflib.get_close_matches(vc, sorted(known), n=3)
            hint = f" Perhaps {' or '.join(near)}?" if near else ""
            raise FilterError(f"Trace “{scope.trace}” has no virtual cluster “{shortened(vc)}”.{hint}")


def midnight(local_day: date, timezone: str) -> pd.Timestamp:
    """The instant, naive UTC, at which a local day begins; a skipped midnight is the end of the gap."""
    start = pd.Timestamp(local_day).tz_localize(timezone, ambiguous=True, nonexistent="shift_forward")
    return start.tz_convert("UTC").tz_localize(None)


def local(time: pd.Timestamp, timezone: str) -> pd.Timestamp:
    """A naive UTC instant as naive local time."""
    return time.tz_localize("UTC").tz_convert(timezone).tz_localize(None)


def local_times(times: pd.Series, timezone: str) -> pd.Series:
    """A column of naive UTC instants as naive local times."""
    return times.dt.tz_localize("UTC").dt.tz_convert(timezone).dt.tz_localize(None)


def naive_utc(text: str) -> pd.Timestamp:
    """A manifest's instant as naive UTC."""
    time = pd.Timestamp(text)
    return time.tz_convert("UTC").tz_localize(None) if time.tzinfo else time
