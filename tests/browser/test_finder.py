"""The job finder in a real browser: sorting, filters, scope and columns; the address keeps the search."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import drawn

pytestmark = pytest.mark.browser
CELLS = '#finder-grid .ag-center-cols-container .ag-row[row-index="{row}"] [col-id="{column}"]'


def cell(page: Page, column: str, row: int = 0) -> str:
    found = page.locator(CELLS.format(row=row, column=column))
    expect(found).not_to_be_empty()
    return found.inner_text()


def test_the_grid_sorts_filters_and_keeps_its_search_in_the_address(visit: Callable[..., Page]) -> None:
    page = visit("jobs/find?trace=demo&state=fail&sort=-duration_s")
    assert cell(page, "state") == "FAILED"
    assert (
        page.locator('#finder-grid [role="columnheader"][col-id="duration_s"]').get_attribute("aria-sort")
        == "descending"
    )
    page.locator('#finder-grid [col-id="gpu_num"] .ag-header-cell-label').first.click()
    page.wait_for_url("**&sort=-gpu_num")
    assert cell(page, "gpu_num") == "16"
    answer = page.locator("#finder-answer")
    before = answer.inner_text()
    page.locator("#filter-clusters").click()
    page.get_by_role("option", name="Venus").click()
    page.wait_for_url("**/jobs/find?trace=demo&cluster=Venus&state=fail&sort=-gpu_num")
    expect(answer).not_to_have_text(before)
    assert cell(page, "cluster") == "Venus"


def test_a_search_that_finds_nothing_says_so_and_what_to_do(visit: Callable[..., Page]) -> None:
    page = visit("jobs/find?trace=demo&user=nobody")
    expect(page.locator("#finder-grid .ag-overlay")).to_contain_text("No job fits all of it. Empty or widen")
    expect(page.locator("#finder-answer")).to_contain_text("No job submitted 1 Sep 2020")
    page = visit("jobs/find?trace=demo&cluster=Venus&vc=vcC")
    expect(page.locator("#finder-grid .ag-overlay")).to_contain_text("No job was submitted in this choice.")


def test_columns_can_be_chosen_and_the_csv_is_of_the_search(visit: Callable[..., Page]) -> None:
    page = visit("jobs/find?trace=demo&gpu_num=8..")
    cell(page, "gpu_num")
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Nodes").check()
    expect(page.locator('#finder-grid [role="columnheader"][col-id="node_num"]')).to_be_visible()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="CSV").click()
    lines = downloading.value.path().read_text().splitlines()
    assert len(lines) > 10 and lines[0].startswith("job_id,submit_time,user,cluster,vc,gpu_num")
    assert {line.split(",")[5] for line in lines[1:]} <= {"8.0", "16.0"}


@pytest.mark.parametrize("width", [1440, 390])
def test_a_job_opens_from_the_grid_and_fits_the_screen(visit: Callable[..., Page], width: int) -> None:
    page = visit("jobs/find?trace=demo&gpu_num=1..", width=width)
    page.locator("#finder-grid .ag-pinned-left-cols-container a").first.click()
    expect(page.locator("h1")).to_contain_text("What happened to job")
    assert drawn(page, "job-life")["names"] == ["waits", "runs"]
    drawn(page, "job-vc-load")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_grid_writes_numbers_as_the_pages_do(visit: Callable[..., Page]) -> None:
    from components.numbers import count, duration, gpu_hours, percent

    page = visit("jobs/find?trace=demo")
    cell(page, "duration_s")
    values = [
        0,
        0.2,
        1,
        9.5,
        59.6,
        60,
        250,
        3599.7,
        8040,
        86369,
        86371,
        90000,
        273600,
        1234567.5,
        248_317_200,
    ]
    below_zero = {"duration": [-9.5, -8040], "percent": [-0.0004, -0.28, -12.5]}
    for name, write in {
        "duration": duration,
        "count": count,
        "gpu_time": gpu_hours,
        "percent": percent,
    }.items():
        asked = values + below_zero.get(name, [])
        written = page.evaluate(f"values => values.map(window.dashAgGridFunctions.heliograph_{name})", asked)
        assert written == [write(value) for value in asked], name
