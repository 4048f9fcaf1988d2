"""Settings of a stored run that a form has no control for: kept in the address, and said."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from dash import html

from components.numbers import listing

NAMES = {"from": "the beginning", "to": "the end", "forecast_only": "forecast alone", "jobs": "jobs"}


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
