"""A file from the browser to a published trace, and what happens to files that are not one."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import drawn

pytestmark = pytest.mark.browser
DAYS, WORK_MS = 14, 60_000


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of jobs with names of its own, and two rows that cannot be read."""
    lines = ["id,who,queue,submitted,started,finished,gpus,exit"]
    for at in range(DAYS * 24):
        day, hour = 1 + at // 24, at % 24
        start, end = f"2020-09-{day:02} {hour:02}:10:00", f"2020-09-{day:02} {hour:02}:55:00"
        submitted, vc = f"2020-09-{day:02} {hour:02}:00:00", f"vc{'AB'[at % 2]}"
        lines.append(f"{at},user{at % 5},{vc},{submitted},{start},{end},{1 + at % 8},COMPLETED")
    lines[40] = lines[40].replace("2020-09-02", "yesterday")
    lines[90] = "one cell"
    path = tmp_path / "my jobs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def upload(page: Page, button: str, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=button).click()
    chooser.value.set_files(file)


def choose(page: Page, control: str, text: str) -> None:  # an option of a searchable select
    page.locator(f"#{control}").fill(text)
    page.get_by_role("option", name=text, exact=True).click()


def column(page: Page, canonical: str):  # the control that maps it
    return page.get_by_role(
        "textbox", name=f"Column of the file that is {canonical}", exact=True, include_hidden=True
    )


def map_column(page: Page, canonical: str, source: str) -> None:
    column(page, canonical).click()
    page.get_by_role("option", name=source, exact=True).locator("visible=true").click()


def photograph(page: Page, name: str) -> None:
    if folder := os.environ.get("HELIOGRAPH_PHOTOGRAPHS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


@pytest.mark.parametrize(
    ("scheme", "width", "uploads_capacity"), [("light", 1440, False), ("dark", 390, True)]
)
def test_a_table_is_uploaded_mapped_checked_published_and_opened(
    visit: Callable[..., Page],
    folder: Path,
    inbox: Path,
    table: Path,
    scheme: str,
    width: int,
    uploads_capacity: bool,
) -> None:
    trace = f"mine {width}"
    page = visit("traces/import", scheme=scheme, width=width)
    photograph(page, f"pick-{scheme}-{width}")
    upload(page, "Choose a file", table)
    expect(page.locator("#import-preview h2")).to_contain_text("my jobs.csv looks like a table of jobs")
    expect(page.locator(".preview-table")).to_contain_text("user0")
    expect(column(page, "gpu_num")).to_have_value("gpus")
    photograph(page, f"form-{scheme}-{width}")

    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("The file does not say which cluster it is of: name it.")).to_be_visible()
    expect(page.get_by_text("Name the trace: a new name")).to_be_visible()
    page.locator("#import-trace").fill(trace)
    page.locator("#import-cluster").fill("Mercury")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".mantine-Select-error, .mantine-InputWrapper-error").first).to_contain_text(
        "“Time zone of the site”", timeout=WORK_MS
    )
    photograph(page, f"mistake-{scheme}-{width}")
    choose(page, "import-timezone", "Europe/Berlin")
    page.locator(".more-columns summary").first.click()
    map_column(page, "state", "exit")
    if uploads_capacity:
        upload(page, "Upload one", inbox / "nodes.csv")
        expect(page.locator("#import-capacity")).to_have_value("nodes.csv")
    else:
        choose(page, "import-capacity", "nodes.csv")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".import-verdict")).to_contain_text("nothing is published yet", timeout=WORK_MS)
    expect(page.locator("#import-answer")).to_have_text(
        f"334 of 336 rows would become cluster Mercury of trace {trace}."
    )
    expect(page.locator(".examples")).to_contain_text("91")
    assert not (folder / "traces" / trace).exists()
    photograph(page, f"checked-{scheme}-{width}")

    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".import-verdict.done")).to_contain_text(f"{trace} is published", timeout=WORK_MS)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    photograph(page, f"published-{scheme}-{width}")
    manifest = json.loads((folder / "traces" / trace / "current/trace.json").read_text())
    assert manifest["clusters"]["Mercury"]["report"]["rows_kept"] == 334
    assert manifest["timezone"] == "Europe/Berlin"
    with page.expect_download() as download:
        page.get_by_role("link", name="rejected rows of Mercury (CSV)").click()
    assert len(download.value.path().read_text().splitlines()) == 3
    page.get_by_role("link", name="Open the Overview").click()
    expect(page).to_have_url(re.compile(f"trace={trace.replace(' ', '%20')}"))
    drawn(page, "overview-utilization")


def test_an_extract_of_the_import_folder_is_recognized_and_twice_the_same(
    visit: Callable[..., Page], folder: Path
) -> None:
    for changes in ("2 new", "2 there already"):
        page = visit("traces/import")
        page.get_by_role("link", name="sacct.txt").click()
        expect(page.locator("#import-preview h2")).to_contain_text("accounting of Slurm")
        expect(page.locator("#import-vc-field")).to_be_visible()
        expect(column(page, "gpu_num")).to_be_hidden()
        page.locator("#import-cluster").fill("lab")
        choose(page, "import-timezone", "Europe/Berlin")
        page.get_by_role("button", name="Check").click()
        expect(page.locator(".import-report")).to_contain_text(changes, timeout=WORK_MS)
        page.get_by_role("button", name="Publish").click()
        expect(page.locator(".import-verdict.done")).to_be_visible(timeout=WORK_MS)
        assert not list((folder / "runs").glob("*/run.json"))


def test_a_file_of_no_known_format_says_so_and_leaves_the_page_whole(visit: Callable[..., Page]) -> None:
    page = visit("traces/import")
    page.get_by_role("link", name="words.txt").click()
    expect(page.locator("#import-preview")).to_contain_text("not recognized")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Say which format the file is in.")).to_be_visible()


def test_a_link_to_a_file_that_is_gone_leads_to_the_choice_with_a_sentence(
    visit: Callable[..., Page],
) -> None:
    page = visit("traces/import?file=folder%2F..%2Fqueue.db")
    expect(page.locator(".notice")).to_contain_text("There is no file")
    expect(page.get_by_role("button", name="Choose a file")).to_be_visible()
