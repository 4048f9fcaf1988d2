"""What holds for every card of every page."""

import gc
import json
import re
from collections import Counter
from types import ModuleType


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
