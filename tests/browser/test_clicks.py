"""What a click on a chart's point, bar or cell opens, in a real browser."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import click_mark, drawn, steady

pytestmark = pytest.mark.browser
#: Where a point of a chart is on the screen: its line, its place on it; of a heat map its column and row.
#: Nothing while it is not drawn.
SPOT = """([name, line, place, row]) => {
    const chart = [...document.querySelectorAll('[id]')].find((each) =>
        each.id.includes('"type":"chart"') && each.id.includes('"name":"' + name + '"'));
    const plot = chart && chart.querySelector('.js-plotly-plot');
    if (!plot || !plot.calcdata || !plot.calcdata[line]) return null;
    if (!plot.checkVisibility({visibilityProperty: true})) return null;
    const {xaxis, yaxis} = plot._fullLayout;
    const area = plot.querySelector('.nsewdrag').getBoundingClientRect();
    if (row !== null) return [area.left + xaxis.c2p(place), area.top + yaxis.c2p(row)];
    const point = plot.calcdata[line][place];
    return point && [area.left + xaxis.c2p(point.x), area.top + yaxis.c2p(point.y)];
}"""


def wait_for_point(page: Page, name: str, line: int = 0, place: int = 0, row: int | None = None) -> None:
    """Wait until a point of a chart is drawn."""
    page.wait_for_function(SPOT, arg=[name, line, place, row])


def click_point(page: Page, card: str, name: str, line: int, place: int, row: int | None = None) -> None:
    """Click a point of a chart, or the cell of a heat map, once plotly has seen the mouse there."""
    wait_for_point(page, name, line, place, row)
    region = page.get_by_role("region", name=card)
    region.scroll_into_view_if_needed()
    steady(page, region)
    x, y = page.evaluate(SPOT, [name, line, place, row])
    page.mouse.move(x - 2, y)
    page.wait_for_timeout(150)
    page.mouse.click(x, y)


def answer_number(page: Page, answer: str) -> int:
    """How many jobs the finder's sentence counts."""
    found = page.locator(answer)
    expect(found).to_contain_text("submitted")
    return int(re.match(r"[\d,]+", found.inner_text())[0].replace(",", ""))


def test_a_bar_of_an_hour_opens_its_jobs_and_their_column_is_shown(visit: Callable[..., Page]) -> None:
    page = visit("queueing?trace=demo")
    drawn(page, "queueing-hour")
    card = page.get_by_role("region", name="When is it bad to submit?")
    card.scroll_into_view_if_needed()
    click_mark(page, card.locator(".bars .point path").nth(14))
    page.wait_for_url(
        "**/jobs/find?trace=demo&gpu_num=1..&queueing_delay_s=0..&submit_hour=14..14&sort=-queueing_delay_s"
    )
    expect(page.get_by_role("textbox", name="Hour submitted Filter Input")).to_have_value("14-14")
    assert answer_number(page, "#finder-answer") > 10


def test_a_cell_of_the_week_opens_its_jobs_and_one_of_the_overview_the_clusters(
    visit: Callable[..., Page],
) -> None:
    page = visit("clusters?trace=demo&cluster=Venus")
    card = "In which hours of the week are jobs submitted?"
    click_point(page, card, "clusters-submissions-by-weekday", 0, 9, row=1)
    found = "jobs/find?trace=demo&cluster=Venus&gpu_num=1..&submit_hour=9..9&submit_weekday=2..2"
    page.wait_for_url(f"**/{found}")
    expect(page.locator("#finder-answer")).to_contain_text("submitted")
    page = visit("?trace=demo&from=2020-09-03")
    click_point(page, "When are GPUs busy, when do they idle?", "overview-rhythm", 0, 5, row=3)
    page.wait_for_url("**/clusters?trace=demo&from=2020-09-03")


def test_over_what_a_click_opens_the_mouse_is_a_hand(visit: Callable[..., Page]) -> None:
    def mouse_over(page: Page, card: str, name: str) -> str:
        wait_for_point(page, name)
        region = page.get_by_role("region", name=card)
        region.scroll_into_view_if_needed()
        steady(page, region)
        area = region.locator(".nsewdrag")
        box = area.bounding_box()
        for step in (3, 0):
            page.mouse.move(box["x"] + box["width"] / 2 - step, box["y"] + box["height"] / 2)
        page.wait_for_timeout(300)
        return str(area.evaluate("area => getComputedStyle(area).cursor"))

    page = visit("users/u07?trace=demo")
    assert mouse_over(page, "Do they wait longer than others?", "user-waits") == "pointer"
    page = visit("jobs/demo/Earth/7")
    assert mouse_over(page, "From submission to end", "job-life") == "crosshair"


def test_dates_of_axes_are_written_as_everywhere_else(visit: Callable[..., Page]) -> None:
    page = visit("jobs?trace=demo")
    wait_for_point(page, "jobs-lost-over-time")
    card = page.get_by_role("region", name="How much GPU time is lost?")
    ticks = card.locator(".xtick text")
    expect(ticks.first).to_have_text(re.compile(r"^\d{1,2} Sep2020$"))
    page = visit("?trace=demo&from=2020-09-03&to=2020-09-04")
    ticks = page.get_by_role("region", name="GPU utilization by cluster").locator(".xtick text")
    expect(ticks.first).to_have_text("00:003 Sep2020")


def test_a_point_of_the_duration_curve_opens_the_jobs_that_ran_at_most_so_long(
    visit: Callable[..., Page],
) -> None:
    page = visit("jobs?trace=demo")
    click_point(page, "How long do jobs run?", "jobs-durations", 0, 30)
    page.wait_for_url(
        re.compile(r"/jobs/find\?trace=demo&gpu_num=1\.\.&duration_s=\.\.[\d.]+&sort=-duration_s$")
    )
    assert answer_number(page, "#finder-answer") > 10
    page.go_back()
    card = page.get_by_role("region", name="How long do jobs run?")
    wait_for_point(page, "jobs-durations")
    card.locator(".legendtoggle").first.click()
    page.wait_for_timeout(600)  # plotly hides a line after it knows that it was no double click
    assert page.url.endswith("/jobs?trace=demo")
    card = "How many GPUs do jobs ask for, and who uses the GPU time?"
    click_point(page, card, "jobs-gpu-counts", 0, 3)
    page.wait_for_url("**/jobs/find?trace=demo&gpu_num=8..8")


def test_a_point_over_time_shows_its_day_and_on_that_day_does_nothing(visit: Callable[..., Page]) -> None:
    page = visit("vcs?trace=demo&cluster=Earth")
    click_point(page, "When do jobs wait?", "vcs-waiting", 0, 100)
    page.wait_for_url(re.compile(r"/vcs\?trace=demo&cluster=Earth&from=2020-09-(\d\d)&to=2020-09-\d\d$"))
    first, last = re.findall(r"2020-09-(\d\d)", page.url)
    assert int(last) == int(first) + 1
    day = page.url
    expect(page.get_by_role("region", name="Is the quota used?")).to_contain_text("means of 10\u00a0min")
    click_point(page, "Is the quota used?", "vcs-use", 2, 20)
    page.wait_for_timeout(400)
    assert page.url == day


def test_a_bar_of_a_day_or_week_shows_it_as_far_as_the_window_has_it(visit: Callable[..., Page]) -> None:
    page = visit("jobs?trace=demo&from=2020-09-03")
    click_point(page, "How much GPU time is lost?", "jobs-lost-over-time", 0, 2)
    page.wait_for_url("**/jobs?trace=demo&from=2020-09-05&to=2020-09-06")
    page = visit("clusters?trace=demo&from=2020-09-03&published=1")
    drawn(page, "clusters-sizes-of-jobs")
    card = page.get_by_role("region", name="Do jobs become larger?")
    card.scroll_into_view_if_needed()
    click_mark(page, card.locator(".bars .point path").first)
    page.wait_for_url("**/clusters?trace=demo&from=2020-09-03&to=2020-09-07&published=1")


def test_a_bar_of_completion_ratios_filters_the_league_and_once_more_shows_all(
    visit: Callable[..., Page],
) -> None:
    page = visit("users?trace=demo")
    league = page.get_by_role("region", name="League of users")
    rows = league.locator(".ag-pinned-left-cols-container .ag-row")
    expect(rows.first).to_be_visible()
    drawn(page, "users-completion")
    bars: list[Any] = page.evaluate(
        "() => { const plot = [...document.querySelectorAll('.js-plotly-plot')].find((each) => "
        "each.closest('section').getAttribute('aria-label').startsWith('How many of their jobs')); "
        "return plot.calcdata[0].map((point) => point.s); }"
    )
    place = bars.index(max(bars))
    card = page.get_by_role("region", name="How many of their jobs do users complete?")
    card.scroll_into_view_if_needed()
    bar = card.locator(".bars .point path").nth(place)
    click_mark(page, bar)
    expect(rows).to_have_count(bars[place])
    cells = league.locator('.ag-row [col-id="completion"]')
    expect(cells.filter(has_text="%")).to_have_count(bars[place])
    ratios = cells.all_text_contents()
    assert all(10 * place <= float(text.split("\u00a0")[0]) <= 10 * place + 10 for text in ratios)
    card.scroll_into_view_if_needed()
    click_mark(page, bar)
    expect(rows).not_to_have_count(bars[place])
