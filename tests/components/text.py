"""The text that a component shows, with plain spaces between a number and its unit."""

import json
import re
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


#: Words that end like a plural and are none.
NO_PLURALS = ("is", "as", "sleeps", "starts")


def wrong_plurals(text: str) -> list[str]:
    """Where the text has a one and a plural behind it: 1 nodes, 1 wake-ups."""
    found = re.findall(r"(?<![\d.,])1 ([A-Za-z-]+s)\b", plain(text))
    return [word for word in found if word not in NO_PLURALS]


def table_of(component: Any) -> dict[str, Any]:
    """What a table that the browser draws is drawn from: its head, its rows and their classes."""
    drawn: dict[str, Any] = json.loads(component.to_plotly_json()["props"]["data-table"])
    return drawn
