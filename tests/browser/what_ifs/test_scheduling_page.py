"""The scheduling page in a real browser: start, follow, read, share."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from runs.store import RunStore
from tests.browser.conftest import drawn

pytestmark = pytest.mark.browser
FORM = "scheduling?trace=demo&cluster=Venus&from=2020-09-03&to=2020-09-08"
#: The first run of a worker also loads its libraries.
RUN_MS = 60_000


def choose(page: Page, control: str, option: str) -> None:
    """Pick an option of a select."""
    page.locator(control).click()
    page.locator("[role=option]:visible", has_text=option).first.click()


def points_of(page: Page, name: str) -> list[int]:
    """How many points each line of a drawn chart has."""
    drawn(page, name)
    chart = f'[id*=\'"{name}"\'][id*=\'"type":"chart"\'] .js-plotly-plot'
    return page.evaluate("chart => document.querySelector(chart).calcdata.map(line => line.length)", chart)


def replay(page: Page) -> str:
    """Start a run and wait for its result; gives its id."""
    expect(page.locator("#replay-size")).to_contain_text("GPU jobs")
    page.click("#replay-start")
    page.wait_for_url(re.compile("run="))
    expect(page.locator(".result-card").first).to_be_visible(timeout=RUN_MS)
    return page.url.partition("run=")[2]


def test_a_replay_started_from_the_button_shows_its_result_and_keeps_it_in_the_address(
    visit: Callable[..., Page],
) -> None:
    page = visit(FORM)
    run_id = replay(page)
    assert drawn(page, "replay-delays")["names"] == ["FIFO", "SJF", "Fewest GPUs", "QSSF"]
    assert "Asia/Shanghai" in drawn(page, "replay-waiting")["x"]
    assert 0 < max(points_of(page, "replay-utilization")) <= 1500
    sentence = page.inner_text("#run-answer")
    assert "average job completion time" in sentence
    expect(page.locator("#run-progress")).to_be_hidden()
    page.reload()
    expect(page.locator("#run-answer")).to_have_text(sentence)
    alone = visit(f"runs/{run_id}", scheme="dark")
    expect(alone.locator("#run-answer")).to_have_text(sentence)
    assert sorted(drawn(alone, "replay-queueing")["names"]) == ["FIFO", "Fewest GPUs", "QSSF", "SJF"]


def test_the_form_is_in_the_address_and_comes_back_from_it(visit: Callable[..., Page]) -> None:
    page = visit("scheduling?trace=demo")
    expect(page.locator("#replay-size")).to_contain_text("4 policies")
    page.click("#replay-add-change")
    choose(page, ".change-vc input", "vcB")
    page.locator(".change-nodes input").fill("-2")
    page.keyboard.press("Tab")
    choose(page, "#replay-placement", "else spread")
    page.locator("#replay-load").fill("1.5")
    page.keyboard.press("Tab")
    page.wait_for_url("**/scheduling?trace=demo&placement=consolidateFirst&load=1.5&nodes=Venus/vcB:-2")
    page.reload()
    expect(page.locator("#replay-load")).to_have_value("× 1.5")
    expect(page.locator(".change-vc input").first).to_have_value(re.compile("vcB"))
    expect(page.locator(".change-nodes input")).to_have_value("-2")
    page.locator(".change-row button[aria-label^=Leave]").click()
    page.wait_for_url("**/scheduling?trace=demo&placement=consolidateFirst&load=1.5")


def test_the_filters_of_the_form_change_the_address_and_keep_the_rest_of_it(
    visit: Callable[..., Page],
) -> None:
    page = visit("scheduling?trace=demo&load=2")
    expect(page.locator("#replay-size")).to_contain_text("GPU jobs")
    choose(page, "#filter-clusters", "Earth")
    page.wait_for_url("**/scheduling?trace=demo&cluster=Earth&load=2")
    expect(page.locator("#replay-load")).to_have_value("× 2")


def test_a_replay_without_a_policy_is_not_started(visit: Callable[..., Page], folder: Path) -> None:
    page = visit("scheduling?trace=demo&policy=fifo")
    expect(page.locator("#replay-size")).to_contain_text("1 policy")
    before = len(RunStore(folder).all())
    page.locator(".policies .mantine-Pill-remove").click()
    expect(page.locator("#replay-size")).to_contain_text("0 policies")
    page.click("#replay-start")
    expect(page.locator("#replay-start-error")).to_contain_text("at least one policy")
    assert len(RunStore(folder).all()) == before


def test_the_page_is_usable_on_a_phone(visit: Callable[..., Page]) -> None:
    page = visit(FORM, width=390)
    replay(page)
    drawn(page, "replay-queueing")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
