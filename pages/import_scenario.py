"""The form of an import: what it offers about a file, and the check that it asks for."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from zoneinfo import available_timezones

from dash import get_relative_path

import settings
from components import import_form as form
from pages.import_routes import upload_path
from runs import import_files, importing
from runs.import_fields import MAPS, NEEDED_COLUMNS, USES
from runs.scenario import ImportScenario
from traces.catalog import Catalog
from traces.columns import NOWHERE


def uses(format_name: str | None) -> tuple[str, ...]:
    """The fields of a format; none where it is not chosen yet."""
    return USES.get(format_name or "", ())


@lru_cache(maxsize=1)
def timezones() -> tuple[str, ...]:
    """Names of time zones for people: places and UTC."""
    places = (name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))
    return (*sorted(places), "UTC")


def form_facts(preview: Mapping[str, Any]) -> form.FormFacts:
    """What the form of a file offers."""
    formats = importing.FORMATS
    return form.FormFacts(
        format=preview["format"],
        formats={name: each.about for name, each in formats.items()},
        columns=preview["columns"],
        mapped=preview["mapped"],
        guessed=preview["guessed"],
        maps=MAPS,
        needed=NEEDED_COLUMNS,
        traces=Catalog(settings.current().data).names(),
        usual_traces={name: each.trace for name, each in formats.items() if each.trace},
        timezones=timezones(),
        capacity_files=[
            {"value": each.source, "label": each.path}
            for each in import_files.offered()
            if each.bytes is not None
        ],
        upload_url=upload_path(),
        upload_mb=settings.current().upload_mb,
        another=get_relative_path("/traces/import"),
    )


def scenario_of(
    source: str, seen: str, said: Mapping[str, Any], columns: Mapping[str, str]
) -> ImportScenario:
    """The check that the form asks for: of what it says, the fields that the format uses.

    A canonical column without one of `columns` is not taken from the file, whatever is there called so.
    """
    used = uses(said["format"])
    kind = next((each for each in MAPS if each in used), "")
    texts = ("cluster", "timezone", "file_timezone", "vc_field", "capacity")
    switches = ("pseudonymize", "processors_are_gpus", "ids_follow_submission")
    return ImportScenario(
        source,
        "check",
        seen,
        format=said["format"] or "",
        trace=_text(said["trace"]),
        gpus_per_node=_count(said["gpus_per_node"]) if "gpus_per_node" in used else None,
        mapped={name: columns.get(name, NOWHERE) for name in MAPS.get(kind, ())},
        adds=kind == "jobs_map" and said["outcome"] == form.ADD,
        starts_over="adds" in used and said["outcome"] == form.REPLACE,
        **{name: _text(said[name]) for name in texts if name in used},
        **{name: bool(said[name]) for name in switches if name in used},
    )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    """A number of the form; 0, which is refused, for what somebody has typed that is none."""
    if value is None or value == "":
        return None
    return int(value) if isinstance(value, (int, float)) and math.isfinite(value) else 0
