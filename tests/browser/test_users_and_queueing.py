"""The pages about users and queueing in a real browser: what a click opens."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import click_mark, drawn, steady

pytestmark = pytest.mark.browser


def test_a_column_title_sorts_the_league_and_a_user_opens_the_jobs(visit: Callable[..., Page]) -> None:
    page = visit("users?trace=demo")
    league = page.get_by_role("region", name="League of users")
    first = league.locator('.ag-row[row-index="0"] [col-id="user"] a')
    expect(first).to_be_visible()
    cells = league.locator('.ag-row [col-id="gpu_jobs"]').all_text_contents()
    most = max(cells, key=lambda text: int(text.replace(",", "")))
    league.get_by_role("columnheader", name="GPU jobs").click()
    expect(league.locator('.ag-row[row-index="0"] [col-id="gpu_jobs"]')).to_have_text(most)
    user = first.inner_text()
    first.click()
    page.wait_for_url(f"**/users/{user}?trace=demo")
    drawn(page, "user-jobs-over-time")
    expect(page.locator("h1")).to_contain_text(user)
    page.get_by_role("link", name="All of their jobs").click()
    page.wait_for_url(f"**/jobs/find?trace=demo&user={user}")
    expect(page.locator("#finder-answer")).to_contain_text("jobs submitted")


def test_the_league_is_filtered_by_name_and_asks_again_for_other_clusters(
    visit: Callable[..., Page],
) -> None:
    page = visit("users?trace=demo")
    league = page.get_by_role("region", name="League of users")
    names = league.locator('.ag-row [col-id="user"] a')
    expect(names.first).to_be_visible()
    expect(names.first).not_to_contain_text("u0")
    league.get_by_role("textbox", name="User Filter Input").fill("u0")
    expect(names.first).to_contain_text("u0")
    expect(league).to_contain_text("10 of 20 users fit the filters")
    page.locator("#filter-clusters").click()
    page.get_by_role("option", name="Venus").click()
    expect(names.first).to_have_attribute("href", re.compile(r"trace=demo&cluster=Venus$"))
    with page.expect_download() as downloading:
        league.get_by_role("button", name="CSV").click()
    lines = downloading.value.path().read_text().splitlines()
    assert len(lines) > 1 and all(line.startswith("u0") for line in lines[1:])
    page.keyboard.press("Escape")
    league.get_by_role("textbox", name="User Filter Input").fill("nobody")
    expect(league.locator(".ag-overlay")).to_contain_text("No user fits.")


def test_a_users_page_keeps_the_filters_and_leads_to_a_job_and_back(visit: Callable[..., Page]) -> None:
    page = visit("users/u03?trace=demo&from=2020-09-03")
    assert set(drawn(page, "user-jobs-over-time")["names"]) == {"completed", "cancelled", "failed"}
    page.locator("#filter-clusters").click()
    page.get_by_role("option", name="Venus").click()
    page.wait_for_url("**/users/u03?trace=demo&cluster=Venus&from=2020-09-03")
    expect(page.locator(".result-cards")).to_contain_text("GPU time")
    page.keyboard.press("Escape")
    page.get_by_role("region", name="Their latest jobs").get_by_role("link").first.click()
    page.wait_for_url("**/jobs/demo/**")
    page.locator(".facts").get_by_role("link", name="u03").click()
    page.wait_for_url("**/users/u03?trace=demo")


def test_the_league_draws_a_line_by_week_that_is_read_aloud(visit: Callable[..., Page]) -> None:
    page = visit("users?trace=demo")
    line = page.get_by_role("region", name="League of users").locator('[col-id="by_week"] svg').first
    expect(line).to_have_attribute("aria-label", re.compile(r"^3 weeks, at most [\d.,]+.GPU-.?h in one$"))
    assert len(line.locator("polyline").get_attribute("points").split()) == 3


def test_a_click_on_a_bar_or_a_name_in_the_legend_filters_and_back_leads_back(
    visit: Callable[..., Page],
) -> None:
    page = visit("queueing?trace=demo&from=2020-09-03")
    drawn(page, "queueing-vc")
    card = page.get_by_role("region", name="In which virtual clusters?")
    click_mark(page, card.locator(".bars .point path").first)
    page.wait_for_url(re.compile(r"/queueing\?trace=demo&cluster=\w+&vc=vc\w&from=2020-09-03$"))
    page.go_back()
    page.wait_for_url("**/queueing?trace=demo&from=2020-09-03")
    card = page.get_by_role("region", name="How long do GPU jobs wait?")
    two_lines = "() => document.querySelector('.js-plotly-plot')?.data?.length === 2"
    page.wait_for_function(two_lines)
    card.locator(".legendtoggle").last.click()
    page.wait_for_url("**/queueing?trace=demo&cluster=Earth&from=2020-09-03")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')?.data?.length === 1")
    page.go_back()
    page.wait_for_url("**/queueing?trace=demo&from=2020-09-03")
    page.wait_for_function(two_lines)


def test_a_click_between_two_lines_opens_the_nearer_one(visit: Callable[..., Page]) -> None:
    page = visit("?trace=demo")
    drawn(page, "overview-utilization")
    steady(page, page.locator(".js-plotly-plot").first)
    spot = page.evaluate(
        """() => {
            const plot = document.querySelector('.js-plotly-plot'), {xaxis, yaxis} = plot._fullLayout;
            const [venus, earth] = plot.calcdata;
            const area = plot.querySelector('.nsewdrag').getBoundingClientRect();
            const far = venus.map((point, place) => Math.abs(point.y - earth[place].y));
            const place = far.indexOf(Math.max(...far));
            return [area.left + xaxis.c2p(earth[place].x), area.top + yaxis.c2p(earth[place].y) + 3];
        }"""
    )
    page.mouse.move(spot[0] - 2, spot[1])
    page.wait_for_timeout(150)
    page.mouse.click(*spot)
    page.wait_for_url("**/?trace=demo&cluster=Earth")


def test_a_click_on_a_size_opens_its_jobs_with_the_longest_wait_first(visit: Callable[..., Page]) -> None:
    page = visit("queueing?trace=demo")
    drawn(page, "queueing-gpus")
    card = page.get_by_role("region", name="Do larger jobs wait longer?")
    click_mark(page, card.locator(".bars .point path").first)
    page.wait_for_url("**/jobs/find?trace=demo&gpu_num=1..1&sort=-queueing_delay_s")
    expect(page.locator("#finder-answer")).to_contain_text("jobs submitted")
