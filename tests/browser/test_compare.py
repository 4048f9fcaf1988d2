"""The Compare page in a real browser: both sides and published curves, in charts and address."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import drawn

pytestmark = pytest.mark.browser
PUBLISHED = ["Helios, published", "Philly, published"]


def wait_for_lines(page: Page, names: list[str]) -> None:
    page.wait_for_function(
        "names => [...document.querySelectorAll('.js-plotly-plot')].some(plot => plot.data && "
        "JSON.stringify(plot.data.map(line => line.name)) === JSON.stringify(names))",
        arg=names,
    )


def test_both_sides_can_be_chosen_and_the_address_opens_the_same_again(visit: Callable[..., Page]) -> None:
    page = visit("compare?trace=demo")
    assert drawn(page, "compare-durations")["names"] == ["A · all clusters", "B · Venus", *PUBLISHED]
    page.locator("#filter-clusters").click()
    page.get_by_role("option", name="Earth").click()
    wait_for_lines(page, ["A · Earth", "B · Venus", *PUBLISHED])
    page.keyboard.press("Escape")
    page.locator("#comparison-references").press("Space")
    wait_for_lines(page, ["A · Earth", "B · Venus"])
    page.wait_for_url("**/compare?trace=demo&cluster=Earth&b.trace=demo&b.cluster=Venus&references=0")
    page.reload()
    assert drawn(page, "compare-durations")["names"] == ["A · Earth", "B · Venus"]


@pytest.mark.parametrize("width", [1280, 1920, 390])
def test_controls_of_both_sides_stand_below_each_other(visit: Callable[..., Page], width: int) -> None:
    page = visit("compare?trace=demo", width=width)
    drawn(page, "compare-durations")

    def places(side: str) -> list[tuple[float, float]]:
        labels = page.locator(".filter-bar label", has_text=f"{side}: ")
        return [(box["x"], box["width"]) for box in (label.bounding_box() for label in labels.all())]

    lefts = [[round(left) for left, _ in places(side)] for side in "AB"]
    assert lefts[0] == lefts[1] and len(lefts[0]) == 4
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_another_trace_can_be_the_other_side(visit: Callable[..., Page]) -> None:
    page = visit("compare?trace=demo&cluster=Earth")
    drawn(page, "compare-durations")
    page.locator("#other-trace").click()
    page.get_by_role("option", name="sparse").last.click()
    page.wait_for_url("**/compare?trace=demo&cluster=Earth&b.trace=sparse")
    sides = ["A · demo, Earth, 1 Sep 2020 – 14 Sep 2020", "B · sparse, Venus, 1 Sep 2020"]
    wait_for_lines(page, sides + PUBLISHED)
    expect(page.locator("#compare-answer")).to_contain_text("1 min")


def test_a_name_in_the_legend_opens_the_jobs_of_its_side(visit: Callable[..., Page]) -> None:
    page = visit("compare?trace=demo&b.trace=demo&b.cluster=Earth")
    drawn(page, "compare-durations")
    card = page.get_by_role("region", name="How long do GPU jobs run?")
    card.locator(".legendtoggle").nth(1).click()
    page.wait_for_url("**/jobs?trace=demo&cluster=Earth")
    drawn(page, "jobs-durations")
    page.go_back()
    page.wait_for_url("**/compare?trace=demo&b.trace=demo&b.cluster=Earth")
