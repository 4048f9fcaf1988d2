"""Marks that explain what stands beside them: a control's label, a chart's method."""

import dash_mantine_components as dmc
from dash import html

INLINE = {"display": "inline-block"}
EVENTS = {"hover": True, "focus": True, "touch": True}


def labelled(title: str, help_text: str) -> html.Span:
    """The title, and the help on hover, focus or touch of its mark."""
    return html.Span([title, _mark("?", help_text, 240)])


def info_mark(text: str) -> dmc.Tooltip:
    """A mark that says on hover, focus or touch how a chart is made."""
    return _mark("i", text, 340)


def _mark(sign: str, text: str, width_px: int) -> dmc.Tooltip:
    mark = html.Span(sign, className="help", tabIndex=0, role="note", **{"aria-label": text})
    return dmc.Tooltip(mark, label=text, multiline=True, w=width_px, events=EVENTS, boxWrapperProps=INLINE)
