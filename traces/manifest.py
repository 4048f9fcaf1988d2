"""trace.json: what a version of a trace holds and where it comes from (docs/reference/traces.md)."""

from collections.abc import Set
from datetime import UTC, datetime
from typing import Any

from traces.cluster_import import ClusterImport
from traces.errors import TraceError


def entry(
    item: ClusterImport,
    parts: Set[str],
    before: dict[str, Any] | None,
    latest: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The cluster's entry: what was there `before`, updated by what `item` brings.

    `parts` are the tables that it has (``jobs``, ``quota``, ``nodes``, ``series``), and `latest` says what an
    addition of jobs has read and changed.
    """
    origin = {
        "format": item.facts.format,
        "source": [source.document() for source in item.sources],
        "imported": now(),
        "report": item.report.document(),
    }
    series = origin if "series" in parts else (before or {}).get("series")
    if "jobs" not in parts and before is not None and before["has_jobs"]:
        return before | {"has_series": series is not None, "series": series}
    facts = {name: value for name, value in vars(item.facts).items() if name != "format"}
    first_date = item.capacity.first_date if item.capacity is not None else None
    return (
        origin
        | facts
        | {
            "has_jobs": "jobs" in parts,
            "has_capacity": "quota" in parts,
            "has_series": series is not None,
            "series": series,
            "adds": item.adds,
            "latest": latest,
            "capacity_from": None if first_date is None else first_date.isoformat(),
        }
    )


def manifest(
    trace: str,
    timezone: str,
    entries: dict[str, dict[str, Any]],
    before: dict[str, Any] | None,
    generated: bool,
) -> dict[str, Any]:
    """trace.json of the next version, whose clusters are `entries`; TraceError where time zones differ."""
    old = before["clusters"] if before else {}
    # an entry that was not replaced holds the very same report
    staying = [name for name in old if old[name]["report"] is entries[name]["report"]]
    if before and before["timezone"] != timezone and staying:
        raise other_timezone(trace, before["timezone"], timezone, staying)
    return {
        "trace": trace,
        "timezone": timezone,
        "generated": generated or bool(before and staying and before["generated"]),
        "created": before["created"] if before else now(),
        "version": before["version"] + 1 if before else 1,
        "clusters": dict(sorted(entries.items())),
    }


def other_timezone(trace: str, has: str, given: str, clusters: list[str]) -> TraceError:
    """The refusal of an import in another time zone than that of the jobs that stay."""
    return TraceError(
        f"Trace {trace!r} has the time zone {has}, not {given}: import with it or under another trace name "
        f"(clusters already there: {', '.join(clusters)})."
    )


def now() -> str:
    """This moment as trace.json writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
