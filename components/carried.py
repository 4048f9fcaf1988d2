"""Settings of a stored run that a form has no control for: kept in the address, and said."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from dash import html

from components.filters import FilterError
from components.numbers import listing

NAMES = {"from": "the beginning", "to": "the end", "forecast_only": "forecast alone", "jobs": "jobs"}


def carried_of(text: str | None) -> dict[str, Any]:
    """The settings that an address carries. Raises FilterError where they are not an object of JSON."""
    try:
        carried = json.loads(text) if text else {}
    except ValueError:
        carried = None
    if not isinstance(carried, dict):
        raise FilterError("The settings that this address carries cannot be read; leave “also” out of it.")
    return carried


def carried_text(carried: Mapping[str, Any]) -> str:
    """The settings that an address carries, as it holds them; empty where there are none."""
    return json.dumps(dict(carried), separators=(",", ":"), sort_keys=True) if carried else ""


def carried_notice(carried: Mapping[str, Any], without: Sequence[tuple[str, str]]) -> html.P | None:
    """Which settings the next run keeps from the one whose settings these are.

    ``without`` is the address, as pairs, that leaves them out.
    """
    if not carried:
        return None
    said = listing([f"{_name(name)} {_value(value)}".strip() for name, value in carried.items()])
    return html.P(
        [
            f"Kept from the run, without a control here: {said}. ",
            html.A("Leave out", href=f"?{urlencode(without)}", className="link"),
        ],
        className="note carried",
    )


def _name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


def _value(value: Any) -> str:
    if value is True:
        return ""
    if value is False:
        return "off"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} → {each}" for key, each in value.items())
    return ", ".join(str(each) for each in value) if isinstance(value, list) else str(value)
