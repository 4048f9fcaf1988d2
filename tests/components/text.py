"""The text that a component shows, with plain spaces between a number and its unit."""

import json
from typing import Any

from components.numbers import GPU_H, NBSP


def text_of(component: Any) -> str:
    """All text inside a component, its parts separated by a space."""
    if component is None or isinstance(component, bool):
        return ""
    if isinstance(component, (str, int, float)):
        return plain(str(component))
    if isinstance(component, (list, tuple)):
        return " ".join(part for part in map(text_of, component) if part)
    return text_of(getattr(component, "children", None))


def plain(text: str) -> str:
    """The text with plain spaces and hyphens."""
    return text.replace(NBSP, " ").replace(GPU_H, "GPU-h")


def table_of(component: Any) -> dict[str, Any]:
    """What a table that the browser draws is drawn from: its head, its rows and their classes."""
    drawn: dict[str, Any] = json.loads(component.to_plotly_json()["props"]["data-table"])
    return drawn
