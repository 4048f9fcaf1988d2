"""Settings of a scheduling what-if that move, in a real browser: the preview follows, nothing is stored."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import drawn

pytestmark = pytest.mark.browser
FORM = "scheduling?trace=demo&cluster=Venus&from=2020-09-03&to=2020-09-08&policy=fifo&policy=sjf"
RUN_MS = 60_000


def jobs_previewed(page: Page) -> int:
    """How many jobs the preview on the page replayed."""
    said = page.locator(".preview-totals .note").first.inner_text()
    return int(re.match(r"[\d,]+", said)[0].replace(",", ""))


def drag(page: Page, slider: str, by_px: int) -> None:
    """Move a slider's thumb with the mouse, in steps, as a hand does."""
    thumb = page.locator(f"{slider} [role=slider]")
    box = thumb.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x + by_px * step / 10, y)
        page.wait_for_timeout(30)
    page.mouse.up()


def test_the_preview_follows_a_slider_and_so_does_the_address(visit: Callable[..., Page]) -> None:
    page = visit(FORM)
    expect(page.locator(".preview-totals tbody tr")).to_have_count(2)
    assert drawn(page, "replay-preview")["names"] == ["FIFO", "SJF"]
    before = jobs_previewed(page)
    drag(page, "#replay-load-slider", 40)
    factor = float(page.locator("#replay-load-slider [role=slider]").get_attribute("aria-valuenow"))
    assert factor > 1
    page.wait_for_url(re.compile(rf"load={factor:g}$"))
    expect(page.locator("#replay-load")).to_have_value(f"× {factor:g}")
    expect(page.locator(".preview-totals .note").first).to_contain_text(
        f"{round(factor * before):,} GPU jobs"
    )


def test_a_number_moves_the_slider_as_far_as_it_goes(visit: Callable[..., Page]) -> None:
    page = visit(FORM)
    thumb = page.locator("#replay-durations-slider [role=slider]")
    for number, at in (("0.5", "0.5"), ("12", "3")):
        page.locator("#replay-durations").fill(number)
        page.keyboard.press("Tab")
        expect(thumb).to_have_attribute("aria-valuenow", at)
        page.wait_for_url(re.compile(f"durations={number}"))


def test_a_slider_moves_with_the_keyboard(visit: Callable[..., Page]) -> None:
    page = visit(FORM)
    expect(page.locator(".preview-totals tbody tr")).to_have_count(2)
    page.locator("#replay-load-slider [role=slider]").press("ArrowRight")
    page.wait_for_url(re.compile(r"load=1\.05"))


def test_the_address_of_a_run_shows_its_result_and_a_preview_only_once_the_form_has_changed(
    visit: Callable[..., Page],
) -> None:
    page = visit(FORM)
    expect(page.locator(".preview-totals tbody tr")).to_have_count(2)
    page.click("#replay-start")
    page.wait_for_url(re.compile("run="))
    expect(page.locator(".result-card").first).to_be_visible(timeout=RUN_MS)
    page.reload()
    expect(page.locator(".result-card").first).to_be_visible()
    expect(page.locator("#replay-size")).to_contain_text("GPU jobs")
    expect(page.locator(".preview")).to_be_hidden()
    page.locator("#replay-load-slider [role=slider]").press("ArrowRight")
    expect(page.locator(".preview-totals tbody tr")).to_have_count(2)
