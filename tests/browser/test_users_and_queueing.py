"""The Users and Queueing pages in a real browser, in both schemes, wide and narrow."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from components.theme import token
from tests.browser.conftest import drawn

pytestmark = pytest.mark.browser
CHARTS = {
    "users": ["users-gpu", "users-cpu", "users-queueing-delay", "users-completion"],
    "queueing": ["queueing-cdf", "queueing-vc", "queueing-gpus", "queueing-hour"],
}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
@pytest.mark.parametrize("path", CHARTS)
def test_a_page_draws_its_charts_in_the_schemes_colors_and_fits_the_screen(
    visit: Callable[..., Page], path: str, scheme: str, width: int
) -> None:
    page = visit(f"{path}?trace=demo", scheme=scheme, width=width)
    expect(page.locator("h1")).to_contain_text("?")
    for name in CHARTS[path]:
        assert drawn(page, name)["ink"] == token("ink", scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_column_title_sorts_the_league_and_a_user_opens_the_jobs(visit: Callable[..., Page]) -> None:
    page = visit("users?trace=demo")
    league = page.get_by_role("region", name="League of users")
    first = league.locator('.ag-row[row-index="0"] [col-id="user"] a')
    expect(first).to_be_visible()
    league.get_by_role("columnheader", name="GPU jobs").click()
    cells = league.locator('[role="gridcell"][col-id="gpu_jobs"]').all_inner_texts()
    most = max(cells, key=lambda text: int(text.replace(",", "")))
    expect(league.locator('.ag-row[row-index="0"] [col-id="gpu_jobs"]')).to_have_text(most)
    user = first.inner_text()
    first.click()
    page.wait_for_url(f"**/jobs/find?trace=demo&user={user}")
    expect(page.locator("#finder-answer")).to_contain_text("jobs submitted")
