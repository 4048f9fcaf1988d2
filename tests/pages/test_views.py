"""What holds for every card of every page."""

import gc
import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

#: Least difference of two greys (0–1) that tells lines or bars apart without a style.
GREYS_APART = 0.06


def every_view() -> list[object]:
    from pages.views import View

    return [each for each in gc.get_objects() if isinstance(each, View)]


def test_every_view_says_behind_its_info_mark_how_it_is_made(application: ModuleType) -> None:
    views = every_view()
    assert len(views) > 50
    for view in views:
        assert re.fullmatch(r"[A-Z].{30,}[.]", view.method, re.DOTALL), view.name
        assert "  " not in view.method and not re.search(r"[a-z][.][A-Z]", view.method), view.name
        card = json.dumps(view.card().to_plotly_json(), default=lambda each: each.to_plotly_json())
        assert json.dumps(view.method)[1:-1] in card, view.name


def test_every_view_has_a_name_of_its_own_and_a_title(application: ModuleType) -> None:
    names = Counter(view.name for view in every_view())
    assert [name for name, times in names.items() if times > 1] == []
    assert all(view.title for view in every_view())


def grey(color: str) -> float:
    """How light a #rrggbb is in greyscale, 0–1 (ITU-R BT.709)."""
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def looks(part: Any) -> tuple[str, tuple[object, ...]]:
    """The color of a line or bar, and what else tells it: dashes and width, marker, pattern."""
    if part.type == "bar":
        return part.marker.color, (part.marker.pattern.shape or "",)
    dashes = (part.line.dash or "solid", part.line.width)
    marks = part.marker.symbol if "markers" in (part.mode or "") else None
    return part.line.color or part.marker.color, (*(dashes if "lines" in part.mode else ()), marks)


def confused(figure: Any) -> list[tuple[str, str]]:
    """Pairs of lines or bars in the legend that look alike in greyscale."""
    parts = [part for part in figure.data if part.type in ("scatter", "bar") and part.name]
    pairs = []
    for one, other in combinations(parts, 2):
        (color, style), (other_color, other_style) = looks(one), looks(other)
        same_kind = one.type == other.type and one.showlegend is not False and other.showlegend is not False
        if same_kind and style == other_style and abs(grey(color) - grey(other_color)) < GREYS_APART:
            pairs.append((one.name, other.name))
    return pairs


@pytest.mark.parametrize("page", ["overview", "clusters", "vcs", "jobs", "users", "user", "compare"])
def test_lines_and_bars_can_be_told_apart_in_greyscale(data: Path, scope: Callable, page: str) -> None:
    import importlib

    from pages.clusters import Comparison
    from pages.comparison import comparison_of_query
    from pages.user_subject import user_of_query

    query = {"trace": "demo"}
    subjects = {
        "clusters": lambda: Comparison(scope(**query), published=True),
        "compare": lambda: comparison_of_query(query),
        "user": lambda: user_of_query("u03", query),
    }
    about = subjects.get(page, lambda: scope(**query))()
    drawn = 0
    for view in importlib.import_module(f"pages.{page}").VIEWS:
        if view.figure:
            rows, sentence = view.answer(about)
            assert not sentence and confused(view.drawn(rows, about)) == [], view.name
            drawn += 1
    assert drawn > 0


def test_the_curves_and_bars_of_queueing_too(data: Path, scope: Callable) -> None:
    from pages import queueing

    demo = scope(trace="demo")
    for view in (queueing.CDF, queueing.BY_VC, queueing.BY_GPUS, queueing.BY_HOUR):
        assert confused(view.drawn(view.rows(demo), demo)) == [], view.name
