"""A real Chromium before the real server; what leaves the machine or lands in the console fails the test."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests import synthetic
from tests.browser.server import serving
from tests.stored_trace import job, store

#: Chromium draws the popup of its address bar for every new profile, which costs more than most pages here.
#: The other names are Playwright's own: of two lists Chromium takes the last.
FEATURES_OFF = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch"
)
FLAGS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    f"--no-first-run --disable-quic --disable-dev-shm-usage --disable-features={FEATURES_OFF}"
)
#: Long enough for a worker that compiles its first replay (numba) while a page waits for its charts.
WAIT_MS = 45_000
expect.set_options(timeout=WAIT_MS)
HEIGHTS = {1440: 1000, 390: 844}


def chromium() -> str | None:
    """Debian's Chromium where it is installed; None lets Playwright take its own."""
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((path for path in found if path), None)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """How pytest-playwright starts the browser."""
    path = chromium()
    return {"args": FLAGS.split(), **({"executable_path": path} if path else {})}


def write_data(data: Path) -> None:
    """The synthetic datacenter, and a trace whose source knows almost nothing."""
    synthetic.write(data)
    store(data, "sparse", [job(submit_time="2020-09-01", duration_s=60.0, state="UNKNOWN")] * 3)


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server."""
    data = tmp_path_factory.mktemp("data")
    write_data(data)
    with serving(data) as served:
        yield served


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Open a path in a fresh profile; fails the test on any foreign request, console or page error.

    ``expect_status`` is the status of the document: Chromium itself reports a 404 in the console.
    """
    complaints: list[str] = []
    contexts = []

    def open_path(
        path: str = "", *, scheme: str = "light", width: int = 1440, expect_status: int = 200
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHTS.get(width, 1000)},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        watch(page, address, complaints, expect_status)
        response = page.goto(address + path)
        assert response is not None and response.status == expect_status
        return page

    yield open_path
    for context in contexts:
        context.close()
    assert complaints == []


def watch(page: Page, address: str, complaints: list[str], expect_status: int = 200) -> None:
    """Collect what must not happen on a page."""
    page.on(
        "request", lambda request: _own(request.url, address) or complaints.append(f"asked {request.url}")
    )
    page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))

    def console(message: Any) -> None:
        expected = expect_status != 200 and f"status of {expect_status}" in message.text
        if message.type == "error" and not expected:
            complaints.append(f"console: {message.text}")

    page.on("console", console)


def steady(page: Page, element: Locator) -> None:
    """Wait until every card of the page is filled and the element has come to rest."""
    page.wait_for_load_state("networkidle")
    before = None
    while (box := element.bounding_box()) != before:
        before = box
        page.wait_for_timeout(400)


def click_mark(page: Page, mark: Locator) -> None:
    """Click a bar or point as a hand does: once it no longer moves, and after plotly has seen the mouse."""
    steady(page, mark)
    mark.hover(force=True)
    page.wait_for_timeout(150)
    mark.click(force=True)


def drawn(page: Page, name: str) -> Any:
    """Wait until the chart ``name`` is drawn; gives its figure's data and layout as the browser has them."""
    chart = f'[id*=\'"{name}"\'][id*=\'"type":"chart"\'] .js-plotly-plot'
    page.wait_for_function(
        "selector => { const plot = document.querySelector(selector); return plot && plot.data && "
        "plot.data.length > 0 && plot.checkVisibility({visibilityProperty: true}) }",
        arg=chart,
    )
    return page.evaluate(
        "selector => { const {data, layout, _fullLayout} = document.querySelector(selector); "
        "return {names: data.map(trace => trace.name), points: data.map(trace => (trace.y || []).length), "
        "ink: _fullLayout.font.color, x: layout.xaxis.title.text} }",
        chart,
    )


def _own(url: str, address: str) -> bool:
    return url.startswith(
        (address.rsplit(":", 1)[0] + ":" + address.rsplit(":", 1)[1].split("/")[0], "data:", "blob:")
    )
