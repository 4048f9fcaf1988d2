"""How a number changed against the period before: arrow, sign and color, so that none is needed alone."""

from collections.abc import Callable
from dataclasses import dataclass

from dash import html

from components.numbers import NBSP, count, duration, is_unknown

ARROWS = {"up": "▲", "down": "▼", "": "●"}
#: Less than this many points, per cent or seconds is no change.
NOTHING = 0.05


@dataclass(frozen=True)
class Change:
    """The text with its sign, where the number went (``up``, ``down``, ``""``), and whether that is good."""

    text: str
    direction: str
    tone: str = "muted"


def points(now: float | None, before: float | None, better: str = "") -> Change | None:
    """The difference of two ratios in percentage points; ``better`` is ``up``, ``down`` or ``""``."""
    return _change(now, before, better, 100, lambda size: f"{size:.1f}{NBSP}points")


def relative(now: float | None, before: float | None, better: str = "") -> Change | None:
    """The difference in per cent of the earlier number; None where that is zero."""
    if is_unknown(before) or not before:
        return None
    return _change(now, before, better, 100 / before, lambda size: f"{size:.1f}{NBSP}%")


def seconds(now: float | None, before: float | None, better: str = "") -> Change | None:
    """The difference of two durations."""
    return _change(now, before, better, 1, duration)


def number(now: float | None, before: float | None, noun: str, better: str = "") -> Change | None:
    """The difference of two counts of ``noun``."""
    return _change(
        now, before, better, 1, lambda size: f"{count(size)}{NBSP}{noun}{'' if size == 1 else 's'}"
    )


def change_line(change: Change, since: str) -> html.Div:
    """The change as a card shows it; ``since`` says what it is compared with."""
    return html.Div(
        [html.Span(ARROWS[change.direction], **{"aria-hidden": "true"}), f" {change.text}"],
        className=f"change {change.tone}",
        title=f"against {since}",
        **{"aria-label": f"{change.text} against {since}"},
    )


def _change(
    now: float | None, before: float | None, better: str, factor: float, said: Callable[[float], str]
) -> Change | None:
    if is_unknown(now) or is_unknown(before):
        return None
    difference = factor * (float(now) - float(before))
    if abs(difference) < NOTHING:
        return Change("unchanged", "")
    direction = "up" if difference > 0 else "down"
    tone = "muted" if not better else "good" if better == direction else "bad"
    return Change(f"{'+' if difference > 0 else '−'}{said(abs(difference))}", direction, tone)
