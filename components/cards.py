"""Result cards: one number each, what it means above it, what changed or what it leaves out below."""

from collections.abc import Sequence

from dash import html

from components.change import ARROWS


def result_card(
    label: str,
    value: str,
    unit: str = "",
    *,
    detail: str = "",
    tone: str = "muted",
    arrow: str | None = None,
    change: html.Div | None = None,
    spark: html.Img | None = None,
) -> html.Div:
    """A card with a humanized ``value``; ``tone`` (``good``, ``bad``, ``muted``) colors its detail.

    ``arrow`` (``up``, ``down``) stands before the detail where the detail is itself a change. ``change`` is a
    line of ``components.change``, ``spark`` the number's course over the window.
    """
    return html.Div(
        [
            html.Div(label, className="card-label"),
            html.Div(
                [html.Span(value, className="number"), html.Span(unit, className="unit")], className="result"
            ),
            change,
            html.Div(f"{ARROWS[arrow]} {detail}" if arrow else detail, className=f"detail {tone}"),
            spark,
        ],
        className="card result-card",
    )


def result_cards(cards: Sequence[html.Div] = (), *, id: str | None = None) -> html.Div:
    """A row of result cards that wraps on narrow screens; with ``id`` a callback fills it."""
    return html.Div(list(cards), className="result-cards", **({"id": id} if id else {}))


def card_places(ids: Sequence[str]) -> html.Div:
    """A row of places for cards that callbacks fill, one each, so that a slow number holds no other up."""
    return html.Div(
        [html.Div(waiting_cards(1), id=id, className="card-place") for id in ids], className="result-cards"
    )


def waiting_cards(number: int) -> list[html.Div]:
    """Cards of the right size while their numbers are on their way."""
    return [html.Div(html.Div(className="skeleton"), className="card result-card") for _ in range(number)]
