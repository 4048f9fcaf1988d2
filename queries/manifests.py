"""What is stored: the manifests beside the traces' tables, read fresh when an import publishes a new version."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import settings
from queries.errors import QueryError


def names() -> list[str]:
    """Names of the stored traces, in alphabetical order."""
    root = settings.current().data / "traces"
    return sorted(path.parent.name for path in root.glob("*/current") if (path / "trace.json").is_file())


def folder(trace: str) -> Path:
    """The folder of the version of ``trace`` that is published now.

    Raises:
        QueryError: no such trace is stored.
    """
    if trace not in names():
        known = ", ".join(names()) or "no trace at all"
        raise QueryError(f"There is no trace called “{trace}” here; there is {known}.")
    return (settings.current().data / "traces" / trace / "current").resolve()


def manifest(trace: str) -> dict[str, Any]:
    """What the imports recorded about ``trace``: time zone, clusters, what is known, the import reports."""
    return read(folder(trace))


@lru_cache(maxsize=32)
def read(version: Path) -> dict[str, Any]:
    """The manifest of one version folder."""
    try:
        return json.loads((version / "trace.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        name = version.parent.name
        raise QueryError(
            f"The manifest of trace “{name}” cannot be read ({error}); import it again."
        ) from error
