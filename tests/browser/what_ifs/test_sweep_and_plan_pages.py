"""Sweep and plan in a real browser: the form in the address, a run followed to its charts, a refusal."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from runs.store import RunStore
from tests.browser.conftest import drawn

pytestmark = pytest.mark.browser
DAYS = "trace=demo&cluster=Venus&from=2020-09-03&to=2020-09-08"
RUN_MS = 60_000


def labelled(page: Page, name: str):  # the control of a label
    return page.get_by_label(re.compile(f"^{name}"))


def test_a_sweep_is_started_followed_and_drawn_and_another_number_redraws_it(
    visit: Callable[..., Page],
) -> None:
    page = visit(f"scheduling/sweep?{DAYS}&policy=fifo&policy=sjf&nodes=x1,%2B1&load=1,3")
    expect(page.locator("#sweep-size")).to_contain_text("8 scenarios")
    page.click("#sweep-start")
    page.wait_for_url(re.compile("run="))
    expect(page.locator("#run-answer")).to_contain_text("8 scenarios of Venus", timeout=RUN_MS)
    assert drawn(page, "sweep-nodes")["names"] == ["FIFO", "SJF"]
    drawn(page, "sweep-map")
    page.locator("#sweep-measure").click()
    page.locator("[role=option]:visible", has_text="Utilization").click()
    expect(page.locator("#run-answer")).to_contain_text("Utilization is best")
    sentence = page.inner_text("#run-answer")
    page.reload()
    expect(page.locator("#run-answer")).to_contain_text("Average queueing is best")
    assert sentence.startswith("8 scenarios of Venus")
    alone = visit(f"runs/{page.url.partition('run=')[2]}", scheme="dark", width=390)
    drawn(alone, "sweep-load")
    assert alone.evaluate("document.documentElement.scrollWidth") <= 390


def test_numbers_that_would_be_too_small_to_read_are_not_written_into_the_cells(
    visit: Callable[..., Page],
) -> None:
    steps = ",".join(f"%2B{more}" for more in range(12))
    page = visit(f"scheduling/sweep?{DAYS}&policy=fifo&policy=sjf&nodes={steps}&load=1")
    page.click("#sweep-start")
    expect(page.locator("#run-answer")).to_contain_text("24 scenarios of Venus", timeout=RUN_MS)
    written = (
        "[...document.querySelectorAll('.heatmap-label text')].filter(each => each.checkVisibility())"
        ".map(each => parseFloat(getComputedStyle(each).fontSize))"
    )
    narrow = visit(f"runs/{page.url.partition('run=')[2]}", width=390)
    for shown, number in ((page, 24), (narrow, 0)):
        shown.locator("#sweep-measure").click()
        shown.locator("[role=option]:visible", has_text="Utilization").click()
        expect(shown.locator(".heatmap-label text").first).to_have_text(re.compile("%"))
        sizes = shown.evaluate(written)
        assert len(sizes) == number and min(sizes, default=8) >= 8


def test_a_grid_above_the_limit_is_refused_before_anything_starts(
    visit: Callable[..., Page], folder: Path
) -> None:
    before = len(RunStore(folder).all())
    page = visit(f"scheduling/sweep?{DAYS}&load=0.01:10:0.01&draws=50")
    expect(page.locator("#sweep-size")).to_contain_text("more than the limit of 10,000")
    page.click("#sweep-start")
    expect(page.locator("#sweep-start-error")).to_contain_text("more than the limit of 10,000")
    assert len(RunStore(folder).all()) == before


def test_the_form_of_a_sweep_is_in_the_address_and_comes_back_from_it(visit: Callable[..., Page]) -> None:
    page = visit(f"scheduling/sweep?{DAYS}")
    expect(page.locator("#sweep-size")).to_contain_text("scenarios")
    labelled(page, "Nodes").fill("x1, +2")
    page.keyboard.press("Tab")
    labelled(page, "Backfill").check(force=True)
    page.wait_for_url(re.compile(r"nodes=x1,%20%2B2&backfill=1"))
    page.reload()
    expect(labelled(page, "Nodes")).to_have_value("x1, +2")
    expect(labelled(page, "Backfill")).to_be_checked()


def test_the_form_of_a_plan_opens_with_one_cluster_in_its_address(visit: Callable[..., Page]) -> None:
    page = visit("scheduling/plan?trace=demo")
    expect(page.locator("#plan-size")).to_contain_text("GPU jobs of Venus")
    page.wait_for_url(re.compile("cluster=Venus"))


def test_the_cluster_that_a_plan_opens_with_goes_nowhere_else_until_it_is_chosen(
    visit: Callable[..., Page],
) -> None:
    page = visit("scheduling/plan?trace=demo")
    jobs = page.locator(".mantine-AppShell-navbar .nav-link", has_text="Jobs")
    tab = page.get_by_role("navigation", name="Ways to ask about scheduling").get_by_role(
        "link", name="Sweep"
    )
    page.wait_for_url(re.compile("cluster=Venus"))
    expect(jobs).to_have_attribute("href", "/jobs?trace=demo")
    expect(tab).to_have_attribute("href", "/scheduling/sweep?trace=demo")
    page.evaluate("() => window.dash_clientside.set_props('filter-clusters', {value: ['Earth', 'Venus']})")
    page.wait_for_url(re.compile("cluster=Earth&cluster=Venus"))
    expect(jobs).to_have_attribute("href", "/jobs?trace=demo&cluster=Earth&cluster=Venus")
    expect(tab).to_have_attribute("href", "/scheduling/sweep?trace=demo&cluster=Earth&cluster=Venus")


def test_a_plan_answers_in_a_sentence_and_draws_its_target(visit: Callable[..., Page]) -> None:
    page = visit(f"scheduling/plan?{DAYS}&resamples=0&limit=10&unit=min")
    expect(page.locator("#plan-size")).to_contain_text("GPU jobs of Venus")
    page.click("#plan-start")
    expect(page.locator("#run-answer")).to_contain_text("enough under FIFO", timeout=RUN_MS)
    assert {"replayed", "target"} <= set(drawn(page, "plan-curve")["names"])
    page.get_by_role("link", name="Change its settings").click()
    expect(labelled(page, "is at most")).to_have_value("10")


def test_the_tabs_keep_the_days_and_lead_from_one_form_to_the_next(visit: Callable[..., Page]) -> None:
    page = visit(f"scheduling?{DAYS}")
    tabs = page.get_by_role("navigation", name="Ways to ask about scheduling")
    tabs.get_by_role("link", name="Plan").click()
    page.wait_for_url(re.compile(re.escape(f"scheduling/plan?{DAYS}")))
    expect(page.locator("#plan-size")).to_contain_text("GPU jobs of Venus")
    tabs.get_by_role("link", name="Sweep").click()
    expect(page.locator("#sweep-size")).to_contain_text("scenarios")


@pytest.mark.parametrize(("path", "scheme"), [("scheduling/sweep", "light"), ("scheduling/plan", "dark")])
def test_the_forms_fit_a_phone(visit: Callable[..., Page], path: str, scheme: str) -> None:
    page = visit(f"{path}?{DAYS}", width=390, scheme=scheme)
    expect(page.locator(".start")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
