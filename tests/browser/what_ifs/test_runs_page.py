"""Runs in a real browser: the list, a run's own page, what has ended otherwise than well."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from runs.scenario import SchedulingScenario
from runs.store import RunStore
from tests.pages.stored_runs import REPLAY_DAYS, finished, stored

pytestmark = pytest.mark.browser
SCENARIO = SchedulingScenario("demo", ("Earth",), policies=("fifo", "sjf"), **REPLAY_DAYS)


def row_of(page: Page, name: str):  # the row of a run by its name
    return page.locator(".run-table tr", has_text=name)


def test_a_run_can_be_renamed_and_deleted_after_a_question(visit: Callable[..., Page], folder: Path) -> None:
    run = stored(folder, SCENARIO, "to be renamed", state="failed", error="The capacity is unknown.")
    page = visit("runs")
    expect(row_of(page, "to be renamed")).to_contain_text("The capacity is unknown.")
    row_of(page, "to be renamed").get_by_role("button", name="Rename").click()
    page.locator("#runs-new-name").fill("to be deleted")
    page.click("#runs-rename-now")
    expect(row_of(page, "to be deleted")).to_be_visible()
    assert RunStore(folder).get(run.id).name == "to be deleted"
    row_of(page, "to be deleted").get_by_role("button", name="Delete").click()
    expect(page.locator("#runs-delete-sentence")).to_contain_text(
        "“to be deleted” and its results will be gone"
    )
    page.click("#runs-delete-now")
    expect(row_of(page, "to be deleted")).to_have_count(0)
    assert run.id not in [each.id for each in RunStore(folder).all()]


def test_a_waiting_run_is_followed_and_can_be_cancelled(visit: Callable[..., Page], folder: Path) -> None:
    run = stored(folder, SCENARIO, "waits")
    page = visit(f"runs/{run.id}")
    expect(page.locator("#run-step")).to_contain_text("Waiting for a worker")
    page.click("#run-cancel")
    expect(page.locator(".ended")).to_contain_text("This run was cancelled")
    expect(page.locator("#run-progress")).to_be_hidden()


def test_a_failed_run_says_why_and_starts_again_as_a_new_run(
    visit: Callable[..., Page], folder: Path
) -> None:
    run = stored(folder, SCENARIO, state="interrupted", error="Its worker died 2 times.")
    page = visit(f"runs/{run.id}")
    expect(page.locator(".ended")).to_contain_text("Its worker died 2 times.")
    page.click("#run-again")
    expect(page.locator(".result-card").first).to_be_visible(timeout=60_000)
    assert run.id not in page.url and "/runs/" in page.url


def test_a_finished_run_can_be_named_its_link_copied_and_its_jobs_downloaded(
    visit: Callable[..., Page], here: Path
) -> None:
    run = finished(here, SCENARIO)
    page = visit(f"runs/{run.id}")
    page.locator("#result-name").fill("for the meeting")
    page.keyboard.press("Enter")
    expect(page.locator("#result-rename")).to_have_text("Saved")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#result-copy")
    expect(page.locator("#result-copy")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    with page.expect_download() as download:
        page.get_by_role("link", name="jobs", exact=True).click()
    header = download.value.path().read_text().partition("\n")[0]
    assert header.startswith("job_id,") and "queueing_delay_s" in header
    visit("runs").get_by_role("link", name="for the meeting").click()


def test_an_unknown_run_is_a_page_with_a_way_back(visit: Callable[..., Page]) -> None:
    page = visit("runs/nosuchrun", expect_status=404)
    expect(page.locator("h1")).to_have_text("There is no such run")
    expect(page.get_by_role("link", name="Open the overview")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_fits_a_phone(visit: Callable[..., Page], folder: Path, scheme: str) -> None:
    stored(
        folder, SCENARIO, "a run with a rather long name that must not push the page apart", state="failed"
    )
    page = visit("runs", width=390, scheme=scheme)
    expect(page.locator(".run-table")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    delete = page.get_by_role("button", name="Delete").first.bounding_box()
    assert delete["x"] + delete["width"] <= 390
