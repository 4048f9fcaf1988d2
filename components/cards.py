"""Result cards: one number each, what it means above it, what changed or what it leaves out below."""

from collections.abc import Sequence

from dash import html

ARROWS = {"up": "▲ ", "down": "▼ "}


def result_card(
    label: str, value: str, unit: str = "", *, detail: str = "", tone: str = "muted", arrow: str | None = None
) -> html.Div:
    """A card with a humanized ``value``; ``tone`` (``good``, ``bad``, ``muted``) colors its detail."""
    return html.Div(
        [
            html.Div(label, className="card-label"),
            html.Div(
                [html.Span(value, className="number"), html.Span(unit, className="unit")], className="result"
            ),
            html.Div(f"{ARROWS.get(arrow or '', '')}{detail}", className=f"detail {tone}"),
        ],
        className="card result-card",
    )


def result_cards(cards: Sequence[html.Div] = (), *, id: str | None = None) -> html.Div:
    """A row of result cards that wraps on narrow screens; with ``id`` a callback fills it."""
    return html.Div(list(cards), className="result-cards", **({"id": id} if id else {}))


def waiting_cards(number: int) -> list[html.Div]:
    """Cards of the right size while their numbers are on their way."""
    return [html.Div(html.Div(className="skeleton"), className="card result-card") for _ in range(number)]
