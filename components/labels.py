"""Marks that explain what stands beside them: a control's label, a chart's method."""

from dash import html


def labelled(title: str, help_text: str) -> html.Span:
    """The title, and the help on hover, focus or touch of its mark."""
    return html.Span([title, _mark("?", help_text)])


def info_mark(text: str) -> html.Span:
    """A mark that says on hover, focus or touch how a chart is made."""
    return _mark("i", text)


def _mark(sign: str, text: str) -> html.Span:
    """The sign; assets/hints.js shows its text."""
    return html.Span(sign, className="help", tabIndex=0, role="note", **{"aria-label": text})
