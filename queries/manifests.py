"""What is stored: the manifests beside the traces' tables, read anew when an import publishes a version."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import settings
from queries.errors import QueryError


@dataclass(frozen=True)
class Version:
    """One published version of a trace: its folder, and when its manifest was written.

    The time tells a version from another one that a deleted and imported again trace put in the same folder.
    """

    folder: Path
    written_ns: int

    @property
    def trace(self) -> str:
        """The trace's name."""
        return self.folder.parent.name


def names() -> list[str]:
    """Names of the stored traces, in alphabetical order."""
    root = settings.current().data / "traces"
    homes = (path.parent for path in root.glob("*/current") if (path / "trace.json").is_file())
    return sorted(home.name for home in homes if not home.name.startswith("."))


def default_name() -> str | None:
    """The trace that a page shows when its address names none: the first one with jobs, None without any."""
    with_jobs = [
        name for name in names() if any(_has_jobs(each) for each in manifest(name)["clusters"].values())
    ]
    return next(iter(with_jobs or names()), None)


def version(trace: str) -> Version:
    """The version of ``trace`` that is published now.

    Raises:
        QueryError: no such trace is stored; the sentence lists those that are.
    """
    known = names()
    if trace not in known:
        there = f"there is {', '.join(known)}" if known else "nothing is imported yet"
        raise QueryError(f"There is no trace called “{trace}” here; {there}.")
    folder = (settings.current().data / "traces" / trace / "current").resolve()
    return Version(folder, (folder / "trace.json").stat().st_mtime_ns)


def manifest(trace: str) -> dict[str, Any]:
    """What the imports recorded about ``trace``: time zone, clusters, what is known, the import reports."""
    return read(version(trace))


@lru_cache(maxsize=32)
def read(of: Version) -> dict[str, Any]:
    """The manifest of a version; raises QueryError where it cannot be read."""
    try:
        document: dict[str, Any] = json.loads((of.folder / "trace.json").read_text(encoding="utf-8"))
        return document
    except (OSError, ValueError) as error:
        raise QueryError(
            f"The manifest of trace “{of.trace}” cannot be read ({error}); import it again."
        ) from error


def _has_jobs(cluster: dict[str, Any]) -> bool:
    return bool(cluster.get("report", {}).get("first_submit"))
