"""Changes carry a sign, an arrow and a color; what is unknown has none."""

from urllib.parse import unquote

import pandas as pd
import pytest

from components.attention import attention_list
from components.change import Change, change_line, number, points, relative, seconds
from components.chart_card import chart_card
from components.filter_bar import presets
from components.sparkline import HEIGHT, sparkline
from tests.components.text import plain, text_of


@pytest.mark.parametrize(
    ("change", "text", "direction", "tone"),
    [
        (points(0.836, 0.795, "up"), "+4.1 points", "up", "good"),
        (points(0.795, 0.836, "up"), "−4.1 points", "down", "bad"),
        (points(0.3, 0.4, "down"), "−10.0 points", "down", "good"),
        (relative(90, 100), "−10.0 %", "down", "muted"),
        (seconds(8040, 5760, "down"), "+38 min", "up", "bad"),
        (number(62, 1, "job", "down"), "+61 jobs", "up", "bad"),
        (number(1, 2, "job", "down"), "−1 job", "down", "good"),
        (points(0.5, 0.5, "up"), "unchanged", "", "muted"),
    ],
)
def test_a_change_has_its_sign_its_arrow_and_whether_it_is_good(
    change: Change, text: str, direction: str, tone: str
) -> None:
    assert (plain(change.text), change.direction, change.tone) == (text, direction, tone)


def test_an_unknown_number_has_not_changed_and_zero_has_no_per_cent() -> None:
    assert points(None, 0.5) is None
    assert seconds(5, float("nan")) is None
    assert relative(5, 0) is None


def test_a_change_is_read_aloud_with_what_it_is_compared_with() -> None:
    line = change_line(Change("+4.1 points", "up", "good"), "the 27 days before")
    assert text_of(line) == "▲  +4.1 points"
    assert getattr(line, "aria-label") == "+4.1 points against the 27 days before"


def test_a_sparkline_goes_from_its_lowest_to_its_highest_value_and_breaks_where_one_is_unknown() -> None:
    drawn = unquote(sparkline([0.0, 5.0, None, 10.0], "GPU jobs by day").src)
    assert f"M2.0 {HEIGHT - 2:.1f}" in drawn and "M158.0 2.0" in drawn
    assert drawn.count("M") == 2
    assert sparkline([1.0, 1.0, 1.0], "flat") is not None
    assert sparkline([1.0, None, 2.0], "too few") is None


def test_a_finding_says_how_urgent_it_is_and_leads_somewhere() -> None:
    row = {"tone": "bad", "title": "vcA waits", "text": "11 h on 152 full GPUs", "href": "/vcs?vc=vcA"}
    text = str(attention_list(pd.DataFrame([row])).to_plotly_json())
    assert "urgent" in text and "/vcs?vc=vcA" in text


def test_a_cards_method_is_reachable_with_the_keyboard() -> None:
    heading = str(chart_card("name", "A title", method="Half-open intervals."))
    assert "Half-open intervals." in heading and "tabIndex=0" in heading


def test_the_presets_of_the_dates_end_with_the_data_and_fit_in_them() -> None:
    from datetime import date

    offered = {each["label"]: each["value"] for each in presets(date(2020, 9, 1), date(2020, 9, 14))}
    assert offered == {
        "Last day": ["2020-09-14", "2020-09-14"],
        "Last 7 days": ["2020-09-08", "2020-09-14"],
        "All days": ["2020-09-01", "2020-09-14"],
    }
