"""A page that is open while an import lands, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from tests import synthetic
from tests.browser.conftest import WAIT_MS, drawn, watch
from tests.browser.server import serving
from tests.stored_trace import store

pytestmark = pytest.mark.browser
QUOTA = [
    (cluster, vc, "2020-09-01", gpus) for cluster, vcs in synthetic.VCS.items() for vc, gpus in vcs.items()
]
FILTERS = "?trace=demo&cluster=Venus&from=2020-09-03"


def publish(data: Path, days: int, version: int) -> None:
    """The first days of the synthetic datacenter as a version."""
    jobs = synthetic.synthetic_jobs()
    jobs = jobs[jobs["submit_time"] < pd.Timestamp("2020-08-31 16:00") + pd.Timedelta(days=days)]
    store(data, "demo", jobs, QUOTA, timezone=synthetic.TIMEZONE, version=version)


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[tuple[Page, str, Path]]:
    """A page of a server that asks for news every second, while seven days are stored."""
    publish(tmp_path, 7, 1)
    complaints: list[str] = []
    with serving(tmp_path, LIVE_POLL_S="1") as address:
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        watch(page, address, complaints)
        yield page, address, tmp_path
        context.close()
    assert complaints == []


def test_an_import_offers_a_refresh_that_keeps_the_filters(open_page: tuple[Page, str, Path]) -> None:
    page, address, data = open_page
    page.goto(address + FILTERS)
    drawn(page, "overview-utilization")
    expect(page.locator(".as-of")).to_contain_text("7 Sep 2020")
    expect(page.get_by_role("button", name="Refresh")).to_be_hidden()
    publish(data, 14, 2)
    expect(page.locator(".as-of")).to_contain_text("14 Sep 2020")
    before = page.evaluate("document.querySelector('.js-plotly-plot').data[0].x.length")
    page.get_by_role("button", name="Refresh").click()
    page.wait_for_function(
        "points => { const plot = document.querySelector('.js-plotly-plot');"
        " return plot && plot.data && plot.data[0] && plot.data[0].x.length !== points }",
        arg=before,
    )
    expect(page.locator("#filter-dates")).to_have_text(re.compile("3 Sep 2020 – 14 Sep 2020"))
    assert drawn(page, "overview-utilization")["names"] == ["Venus"]
    page.wait_for_url("**/" + FILTERS)
    expect(page.get_by_role("button", name="Refresh")).to_be_hidden()


def test_a_wall_display_refreshes_by_itself(open_page: tuple[Page, str, Path]) -> None:
    page, address, data = open_page
    page.goto(f"{address}{FILTERS}&live=1")
    drawn(page, "overview-utilization")
    publish(data, 14, 2)
    expect(page.locator("#filter-dates")).to_have_text(re.compile("3 Sep 2020 – 14 Sep 2020"))
    assert drawn(page, "overview-utilization")["names"] == ["Venus"]
    page.wait_for_url("**/" + FILTERS + "&live=1")
