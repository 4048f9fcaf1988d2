"""The grammar of a page: banner, question, the sentence that answers it, filter bar, cards."""

from collections.abc import Sequence
from typing import Any

from dash import html

from components.notices import demo_banner


def page_frame(
    question: str,
    *body: Any,
    answer_id: str | None = None,
    answer: str = "",
    generated: bool = False,
    bar: Any = None,
) -> html.Div:
    """A page. With ``answer_id`` a callback writes the sentence under the question."""
    sentence = html.P(answer, className="answer", **({"id": answer_id} if answer_id else {}))
    banner = [demo_banner()] if generated else []
    return html.Div(
        [*banner, html.H1(question), sentence, *([bar] if bar is not None else []), *body], className="page"
    )


def card_grid(*cards: Any) -> html.Div:
    """Cards side by side where there is room: two in a row, unless their span says otherwise."""
    return html.Div(list(cards), className="card-grid")


def facts(pairs: Sequence[tuple[str, Any]]) -> html.Dl:
    """Named values, one under the other."""
    return html.Dl(
        [part for name, value in pairs for part in (html.Dt(name), html.Dd(value))], className="facts"
    )
