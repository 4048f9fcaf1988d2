"""How fast pages are for a visitor: headless Chromium before `heliograph serve` with two web workers.

The trace is that of the benchmark `pages`. Everything is the median of five rounds after one that warms the
server and the browser's cache, in a viewport of 1440 × 1000, wall time; null where there is no Chromium. A
chart is drawn when plotly has put marks of a trace on the screen, a table when it has rows; times end with
the frame after that. Every round looks at other days or clusters than those before, so no answer is
remembered.

- ``browsing_<page>_first_chart_s``, ``_all_charts_s``: from the start of a navigation to the page's address
  until its first chart is drawn, and until all charts and tables are;
- ``browsing_<page>_filter_ms``: from the choice of clusters until all charts are drawn anew;
- ``browsing_<page>_payload_kb``: what the callbacks of a navigation send, the page's frame included;
- ``browsing_finder_first_page_ms``: from the grid's request for its first rows until they are on the screen;
- ``browsing_finder_open_s``: from the start of a navigation until then;
- ``browsing_finder_sort_ms``, ``_filter_ms``: from the choice of an order or a condition until its rows are
  on the screen;
- ``browsing_slowest_first_chart_s``, ``_all_charts_s``, ``_filter_ms``, ``_payload_kb``: of the slowest page;
- ``browsing_worker_mib``: resident memory of the larger web worker after all of this.
"""

import shutil
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks._callbacks import PAGES
from benchmarks._demo_server import Served, data_folder, serving

#: First days of the rounds' windows; the demo begins on the first of April. The first round is not counted.
FIRST_DAYS = [f"2020-04-{day:02d}" for day in range(2, 8)]
#: Clusters that the rounds choose.
CLUSTERS = [["Venus", "Uranus"], ["Earth"], ["Saturn", "Venus"], ["Uranus"], ["Earth", "Saturn"], ["Venus"]]
ORDERS = ["gpu_num", "duration_s", "queueing_delay_s", "state", "vc", "user"]
CONDITIONS: list[dict[str, Any]] = [
    {"gpu_num": {"filterType": "number", "type": "greaterThanOrEqual", "filter": 32}},
    {"state": {"filterType": "text", "type": "contains", "filter": "fail"}},
    {"duration_s": {"filterType": "number", "type": "inRange", "filter": 3600, "filterTo": 7200}},
    {"user": {"filterType": "text", "type": "contains", "filter": "u1"}},
    {"gpu_num": {"filterType": "number", "type": "equals", "filter": 8}},
    {"queueing_delay_s": {"filterType": "number", "type": "greaterThanOrEqual", "filter": 600}},
]
FIGURES = ("first_chart_s", "all_charts_s", "filter_ms", "payload_kb")
FINDER = ("finder_first_page_ms", "finder_open_s", "finder_sort_ms", "finder_filter_ms")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
WAIT_MS = 60_000


def measure() -> dict[str, float | None]:
    """The figures by name."""
    names = [f"{page}_{figure}" for page in (*PAGES, "slowest") for figure in FIGURES] + [
        *FINDER,
        "worker_mib",
    ]
    figures: dict[str, float | None] = dict.fromkeys((f"browsing_{name}" for name in names), None)
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return figures
    with data_folder() as data, serving(data) as served, sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        except Error:
            return figures
        found = _measured(browser.new_page(viewport={"width": 1440, "height": 1000}), served)
        return figures | {f"browsing_{name}": value for name, value in found.items()}


def chromium() -> str | None:
    """The system's Chromium; None lets Playwright take its own."""
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((path for path in found if path), None)


def _measured(page: Any, served: Served) -> dict[str, float]:
    page.set_default_timeout(WAIT_MS)
    page.add_init_script(path=Path(__file__).with_name("_browsing.js"))
    figures: dict[str, float] = {}
    for name, path in PAGES.items():
        print(f"  {name}", file=sys.stderr)
        rounds = [*_opened(page, served.address + path)]
        changes = [*_filtered(page, served.address + path)]
        columns = (*zip(*rounds[1:], strict=True), changes[1:])
        first, everything, payload, change = (statistics.median(column) for column in columns)
        values = (first / 1000, everything / 1000, change, payload / 1000)
        figures |= {f"{name}_{figure}": value for figure, value in zip(FIGURES, values, strict=True)}
    for figure in FIGURES:
        figures[f"slowest_{figure}"] = max(figures[f"{name}_{figure}"] for name in PAGES)
    return figures | _found(page, served.address) | {"worker_mib": served.worker_mib()}


def _opened(page: Any, address: str) -> Iterator[tuple[float, float, float]]:
    """Of each round: the first chart and everything drawn, in ms, and the bytes that callbacks sent."""
    for day in FIRST_DAYS:
        page.goto(f"{address}?trace=demo&from={day}")
        times = _drawn(page)
        charts = [ms for is_chart, ms in times if is_chart]
        yield min(charts), max(ms for _, ms in times), page.evaluate("() => window.browsing.payload()")


def _filtered(page: Any, address: str) -> Iterator[float]:
    """Of each round: ms until all charts are drawn anew."""
    page.goto(f"{address}?trace=demo")
    _drawn(page)
    for clusters in CLUSTERS:
        page.wait_for_load_state("networkidle")
        page.evaluate("choice => window.browsing.change('filter-clusters', choice)", clusters)
        yield max(ms for _, ms in _drawn(page))


def _drawn(page: Any) -> list[tuple[bool, float]]:
    page.wait_for_function("() => window.browsing.finished()")
    times: list[tuple[bool, float]] = page.evaluate("() => window.browsing.times()")
    return times


def _found(page: Any, address: str) -> dict[str, float]:
    """The job finder: first rows, other orders, other conditions."""
    opened, asked = [], []
    for day in FIRST_DAYS:
        page.goto(f"{address}jobs/find?trace=demo&from={day}")
        asked.append(page.evaluate("() => window.browsing.firstPage()"))
        opened.append(page.evaluate("() => performance.now()") / 1000)
        page.wait_for_load_state("networkidle")
    sorted_, filtered = [], []
    for times, act, choices in ((sorted_, "sort", ORDERS), (filtered, "filter", CONDITIONS)):
        page.goto(f"{address}jobs/find?trace=demo")
        page.evaluate("() => window.browsing.firstPage()")
        for choice in choices:
            page.wait_for_load_state("networkidle")
            times.append(page.evaluate(f"choice => window.browsing.{act}(choice)", choice))
    columns = (asked, opened, sorted_, filtered)
    return {name: statistics.median(column[1:]) for name, column in zip(FINDER, columns, strict=True)}
