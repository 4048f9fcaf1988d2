"""A control's label with a question mark that explains it."""

import dash_mantine_components as dmc
from dash import html

INLINE = {"display": "inline-block"}
EVENTS = {"hover": True, "focus": True, "touch": True}


def labelled(title: str, help_text: str) -> html.Span:
    """The title, and the help on hover, focus or touch of its mark."""
    mark = html.Span("?", className="help", tabIndex=0, role="note", **{"aria-label": help_text})
    help_ = dmc.Tooltip(mark, label=help_text, multiline=True, w=240, events=EVENTS, boxWrapperProps=INLINE)
    return html.Span([title, help_])
