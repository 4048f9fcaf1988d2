"""The pages in a real browser: choices, links, the address, what is saved."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from components.filters import from_query
from components.theme import token
from tests.browser.conftest import click_mark, drawn

pytestmark = pytest.mark.browser


def test_the_overview_answers_with_numbers(visit: Callable[..., Page]) -> None:
    page = visit("?trace=demo")
    expect(page.locator("#overview-answer")).to_contain_text("of GPU time was in use")
    expect(page.locator(".result-cards .number").first).to_have_text(re.compile(r"^\d+\.\d$"))
    expect(page.locator(".as-of")).to_contain_text("14 Sep 2020")
    expect(page.get_by_text("not a real datacenter")).to_be_visible()


def test_choosing_a_cluster_changes_charts_and_address_and_going_back_leaves_the_page(
    visit: Callable[..., Page],
) -> None:
    page = visit("jobs?trace=demo")
    drawn(page, "jobs-durations")
    page.get_by_role("link", name="Overview").first.click()
    assert drawn(page, "overview-utilization")["names"] == ["Venus", "Earth"]
    page.locator("#filter-clusters").click()
    page.get_by_role("option", name="Venus").click()
    page.wait_for_url("**/?trace=demo&cluster=Venus")
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot')[0].data.length === 1")
    page.reload()
    assert drawn(page, "overview-utilization")["names"] == ["Venus"]
    page.go_back()
    page.wait_for_url("**/jobs?trace=demo")
    drawn(page, "jobs-durations")


def test_links_between_pages_keep_the_filters(visit: Callable[..., Page]) -> None:
    page = visit("?trace=demo&cluster=Venus&vc=vcB&from=2020-09-03&to=2020-09-06")
    drawn(page, "overview-utilization")
    page.get_by_role("link", name="Jobs").first.click()
    page.wait_for_url("**/jobs?trace=demo&cluster=Venus&vc=vcB&from=2020-09-03&to=2020-09-06")
    drawn(page, "jobs-durations")
    expect(page.locator("#filter-dates")).to_have_text(re.compile("3 Sep 2020 – 5 Sep 2020"))


def test_another_trace_starts_anew(visit: Callable[..., Page]) -> None:
    page = visit("?trace=demo&cluster=Venus")
    drawn(page, "overview-utilization")
    page.locator("#filter-trace").click()
    page.get_by_role("option", name="sparse").click()
    page.wait_for_url("**/?trace=sparse")
    expect(page.locator("#overview-answer")).to_contain_text("no start times")
    expect(page.locator(".result-cards")).to_contain_text("unknown")
    expect(page.get_by_text("not a real datacenter")).to_have_count(0)


@pytest.mark.parametrize(
    "query",
    [
        {"trace": "demo"},
        {"trace": "a b&c=d", "cluster": ["Venus", "Earth"], "vc": "vc/1 (ä)"},
        {"trace": "t", "from": "2020-02-28", "to": "2020-03-01"},
        {},
    ],
)
def test_the_browser_writes_the_same_address_as_the_server(visit: Callable[..., Page], query: dict) -> None:
    page = visit("traces")
    chosen = from_query(query)
    assert (
        page.evaluate("filters => window.heliograph.queryString(filters)", chosen.to_json())
        == chosen.query_string()
    )


def test_the_chosen_scheme_stays_and_recolors_charts_without_asking_the_server(
    visit: Callable[..., Page],
) -> None:
    page = visit("?trace=demo", scheme="light")
    assert drawn(page, "overview-utilization")["ink"] == token("ink", "light")
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("button", name="Switch between light and dark").click()
    page.wait_for_function(
        "ink => document.querySelector('.js-plotly-plot')._fullLayout.font.color === ink",
        arg=token("ink", "dark"),
    )
    assert asked == []
    page.reload()
    assert drawn(page, "overview-utilization")["ink"] == token("ink", "dark")


def test_the_table_is_one_click_away_and_the_csv_has_what_is_drawn(visit: Callable[..., Page]) -> None:
    page = visit("jobs?trace=demo")
    drawn(page, "jobs-gpu-counts")
    card = page.get_by_role("region", name="How many GPUs do jobs ask for")
    card.get_by_text("Table", exact=True).click()
    expect(card.locator("th").first).to_have_text("GPUs")
    expect(card.locator(".js-plotly-plot")).to_be_hidden()
    with page.expect_download() as downloading:
        card.get_by_role("button", name="CSV").click()
    text = downloading.value.path().read_text()
    assert text.startswith("gpu_num,jobs,gpu_s,share_of_jobs,share_of_gpu_time\n1.0,")


def test_navigation_is_a_drawer_on_a_narrow_screen(visit: Callable[..., Page]) -> None:
    page = visit("?trace=demo", width=390)
    drawn(page, "overview-utilization")
    page.get_by_role("button", name="Navigation").click()
    page.get_by_role("dialog").get_by_role("link", name="Traces").click()
    page.wait_for_url("**/traces?trace=demo")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_an_unknown_address_is_a_page_with_a_way_back(visit: Callable[..., Page]) -> None:
    page = visit("nowhere", expect_status=404)
    expect(page.locator("h1")).to_have_text("There is nothing at this address")
    page.get_by_role("link", name="Open the overview").click()
    drawn(page, "overview-utilization")


def test_an_unknown_trace_is_named_with_a_way_back(visit: Callable[..., Page]) -> None:
    page = visit("?trace=gone", expect_status=404)
    expect(page.get_by_text("no trace called “gone” here")).to_be_visible()
    expect(page.get_by_role("link", name="Open the overview")).to_be_visible()


def test_the_import_report_opens_and_deleting_asks_first(visit: Callable[..., Page]) -> None:
    page = visit("traces")
    card = page.get_by_role("region", name="Trace demo")
    card.get_by_text("Import report of Venus").click()
    expect(card.get_by_text("2 rows: no submit time").last).to_be_visible()
    card.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text(
        "“demo” and everything that was imported into it will be gone"
    )
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    card.get_by_role("button", name="Rename").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("New name").fill("sparse")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog.get_by_role("alert")).to_contain_text("already")


@pytest.mark.parametrize("width", [1440, 390])
def test_copy_link_says_that_it_copied(visit: Callable[..., Page], width: int) -> None:
    page = visit("?trace=demo", width=width)
    drawn(page, "overview-utilization")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_click_on_a_vc_opens_it_and_back_leads_back(visit: Callable[..., Page]) -> None:
    page = visit("vcs?trace=demo&from=2020-09-03")
    drawn(page, "vcs-delays")
    click_mark(page, page.locator(".scatterlayer .points path").first)
    page.wait_for_url(re.compile(r"/vcs\?trace=demo&cluster=\w+&vc=vc\w&from=2020-09-03$"))
    expect(page.locator(".trail")).to_contain_text("All virtual clusters")
    page.go_back()
    page.wait_for_url("**/vcs?trace=demo&from=2020-09-03")
    expect(page.locator(".trail")).to_be_empty()


def test_a_vc_opens_with_the_keyboard_from_the_table(visit: Callable[..., Page]) -> None:
    page = visit("vcs?trace=demo")
    page.get_by_role("region", name="Who waits while who idles").get_by_role("link").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/vcs\?trace=demo&cluster=\w+&vc=vc\w$"))


def test_an_address_without_a_trace_is_completed_and_reset_takes_filters_out_of_it(
    visit: Callable[..., Page],
) -> None:
    page = visit("jobs?cluster=Venus&from=2020-09-03&live=1")
    page.wait_for_url("**/jobs?trace=demo&cluster=Venus&from=2020-09-03&live=1")
    drawn(page, "jobs-durations")
    page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_url("**/jobs?trace=demo&live=1")
    expect(page.locator("#filter-dates")).to_have_text(re.compile("1 Sep 2020 – 14 Sep 2020"))
    page.go_back()
    page.wait_for_url("**/jobs?trace=demo&cluster=Venus&from=2020-09-03&live=1")


@pytest.mark.parametrize(
    ("chosen", "bare"),
    [
        ("jobs/find?trace=demo&cluster=Venus&state=fail&sort=-duration_s", "jobs/find?trace=demo"),
        ("compare?trace=demo&cluster=Earth&b.trace=demo&b.vc=vcA&references=0", "compare?trace=demo"),
        ("clusters?trace=demo&published=1", "clusters?trace=demo"),
        ("users/u03?trace=demo&vc=vcA", "users/u03?trace=demo"),
    ],
)
def test_reset_forgets_a_pages_own_choices_too(visit: Callable[..., Page], chosen: str, bare: str) -> None:
    page = visit(chosen)
    expect(page.locator("h1")).to_contain_text("?")
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_url(re.compile(f"/{re.escape(bare)}(&b\\.trace=demo&b\\.cluster=Venus)?$"))
    if bare.startswith("jobs"):
        expect(page.locator("#finder-grid .ag-header-cell-sorted-desc")).to_have_count(0)
    if bare.startswith("compare"):
        expect(page.get_by_role("switch", name="Published curves")).to_be_checked()
    if bare.startswith("clusters"):
        expect(page.get_by_role("switch", name="Published Helios curves")).not_to_be_checked()
    page.go_back()
    page.wait_for_url(f"**/{chosen}")


def test_reset_lays_out_a_page_anew_whose_controls_are_not_in_its_address(visit: Callable[..., Page]) -> None:
    page = visit("jobs/find?trace=demo")
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Nodes", exact=True).check()
    filter_of_nodes = page.get_by_role("spinbutton", name="Nodes Filter Input")
    expect(filter_of_nodes).to_have_count(1)
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(filter_of_nodes).to_have_count(0)
    page.get_by_text("Columns", exact=True).click()
    expect(page.get_by_label("Nodes", exact=True)).not_to_be_checked()
    page.wait_for_url("**/jobs/find?trace=demo")


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("", "Overview"),
        ("jobs?trace=demo", "Jobs"),
        ("jobs/find?trace=demo", "Job finder"),
        ("jobs/demo/Earth/7", "Jobs"),
        ("users/u03?trace=demo", "Users"),
        ("traces/import", "Traces"),
    ],
)
def test_the_navigation_marks_one_entry(visit: Callable[..., Page], path: str, label: str) -> None:
    page = visit(path)
    marked = page.locator(".mantine-AppShell-navbar .nav-link[aria-current=page]")
    expect(marked).to_have_count(1)
    expect(marked).to_have_text(label)


#: Sums what moved while the page was filled, as Chromium counts it: share of the screen times distance.
SHIFTS = """() => { window.shifts = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shifts += entry.value;
}).observe({type: "layout-shift", buffered: true}); }"""


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("path", ["", "clusters", "vcs", "jobs", "queueing", "users"])
def test_nothing_jumps_while_a_page_is_filled(visit: Callable[..., Page], path: str, width: int) -> None:
    page = visit(f"{path}?trace=demo", width=width)
    page.wait_for_load_state("networkidle")
    page.evaluate(SHIFTS)
    page.wait_for_timeout(200)
    assert page.evaluate("() => window.shifts") < 0.025


#: Makes pages as low as they are while their charts are on the way, until ``window.low`` is removed.
LOWER = """() => {
    window.low = document.createElement("style");
    window.low.textContent = "main { max-height: 1200px; overflow: hidden; }";
    document.head.append(window.low);
}"""


def leave_from_far_down(page: Page) -> None:
    """Follow the last user of the page's tables; ``window.leftAt`` says how far down the page that was."""
    page.wait_for_load_state("networkidle")
    page.evaluate("() => document.addEventListener('click', () => (window.leftAt = window.scrollY), true)")
    page.locator(".drawn-table a.vc-link").last.click()
    page.wait_for_url("**/users/*")
    assert page.evaluate("() => window.leftAt") > 500
    page.wait_for_function("() => window.scrollY < 100")


def test_back_leads_to_where_one_was_on_the_page(visit: Callable[..., Page]) -> None:
    page = visit("queueing?trace=demo")
    leave_from_far_down(page)
    page.go_back()
    page.wait_for_function("() => Math.abs(window.scrollY - window.leftAt) < 80")


def test_back_waits_for_the_page_where_the_one_before_it_is_as_high(visit: Callable[..., Page]) -> None:
    page = visit("queueing?trace=demo")
    page.wait_for_load_state("networkidle")
    page.evaluate("() => window.scrollTo(0, 1200)")
    page.evaluate("() => [...document.querySelectorAll('.drawn-table a.vc-link')].at(-1).click()")
    page.wait_for_url("**/users/*")
    page.wait_for_function("() => document.body.scrollHeight - window.innerHeight >= 1200")

    def answer_later(route: Route) -> None:
        page.wait_for_timeout(300)
        route.continue_()

    page.route("**/_dash-update-component*", answer_later)
    page.go_back()
    page.wait_for_url("**/queueing*")
    page.wait_for_function("() => Math.abs(window.scrollY - 1200) < 40")
    page.wait_for_function("() => document.querySelector('h1').textContent.startsWith('Who waits')")
    page.wait_for_timeout(2500)
    assert abs(page.evaluate("() => window.scrollY") - 1200) < 40


def test_back_waits_for_charts_that_take_long(visit: Callable[..., Page]) -> None:
    page = visit("queueing?trace=demo")
    leave_from_far_down(page)
    page.evaluate(LOWER)
    page.go_back()
    page.wait_for_timeout(6000)
    assert page.evaluate("() => window.scrollY < window.leftAt - 80")
    page.evaluate("() => window.low.remove()")
    page.wait_for_function("() => Math.abs(window.scrollY - window.leftAt) < 80")


def test_who_moves_before_the_page_is_back_stays_there(visit: Callable[..., Page]) -> None:
    page = visit("queueing?trace=demo")
    leave_from_far_down(page)
    page.evaluate(LOWER)
    page.go_back()
    page.wait_for_url("**/queueing*")
    page.mouse.move(700, 500)
    page.mouse.wheel(0, -3000)
    page.wait_for_function("() => window.scrollY < 100")
    page.evaluate("() => window.low.remove()")
    page.wait_for_function("() => document.body.scrollHeight >= window.leftAt + window.innerHeight - 80")
    page.wait_for_timeout(500)
    assert page.evaluate("() => window.scrollY") < 100


def test_reset_frees_the_links_between_pages_too(visit: Callable[..., Page]) -> None:
    page = visit("clusters?trace=demo&cluster=Earth")
    link = page.locator(".mantine-AppShell-navbar .nav-link", has_text="Users")
    expect(link).to_have_attribute("href", "/users?trace=demo&cluster=Earth")
    page.get_by_role("button", name="Reset").click()
    page.wait_for_url("**/clusters?trace=demo")
    expect(link).to_have_attribute("href", "/users?trace=demo")
    expect(page.locator("a.brand")).to_have_attribute("href", "/?trace=demo")


def test_what_belongs_to_one_page_is_not_carried_to_others(visit: Callable[..., Page]) -> None:
    page = visit("runs?trace=demo&cluster=Earth&run=any&live=0")
    link = page.locator(".mantine-AppShell-navbar .nav-link", has_text="Users")
    expect(link).to_have_attribute("href", "/users?trace=demo&cluster=Earth&live=0")


def test_a_stray_percent_sign_in_the_address_leaves_the_filters_working(visit: Callable[..., Page]) -> None:
    page = visit("jobs?trace=demo&%=1")
    drawn(page, "jobs-durations")
    page.evaluate("() => window.dash_clientside.set_props('filter-clusters', {value: ['Earth']})")
    page.wait_for_function("() => window.location.search.includes('cluster=Earth')")


def test_a_mark_in_a_label_is_read_without_touching_its_control(visit: Callable[..., Page]) -> None:
    page = visit("scheduling?trace=demo")
    page.wait_for_load_state("networkidle")
    marks, hint, before = page.locator(".scenario .help:visible"), page.locator(".hint"), page.url
    assert marks.count() > 3
    for mark in marks.all():
        mark.scroll_into_view_if_needed()
        mark.hover()
        expect(hint).to_have_text(mark.get_attribute("aria-label"))
        mark.click()
        expect(hint).to_be_visible()
        expect(page.locator("[role=listbox]:visible, [role=dialog]:visible")).to_have_count(0)
    assert page.url == before


def test_a_mark_that_is_reached_by_tab_keeps_its_text(visit: Callable[..., Page]) -> None:
    page = visit("queueing?trace=demo")
    drawn(page, "queueing-hour")
    mark = page.locator(".chart-card .help").nth(4)
    mark.evaluate("mark => mark.focus()")
    expect(page.locator(".hint")).to_be_visible()
    page.wait_for_timeout(300)
    expect(page.locator(".hint")).to_have_text(mark.get_attribute("aria-label"))
    page.keyboard.press("Escape")
    expect(page.locator(".hint")).to_be_hidden()


def test_on_a_phone_the_open_entry_closes_the_menu_and_hidden_links_get_no_focus(
    visit: Callable[..., Page],
) -> None:
    page = visit("clusters?trace=demo", width=390)
    drawn(page, "clusters-utilization-by-hour")
    assert not page.locator(".mantine-AppShell-navbar .nav-link").first.is_visible()
    entries = page.evaluate("() => history.length")
    page.get_by_role("button", name="Navigation").click()
    page.locator(".mantine-Drawer-body .nav-link[aria-current]").click()
    expect(page.locator(".mantine-Drawer-body")).to_be_hidden()
    assert page.evaluate("() => history.length") == entries


def test_the_header_speaks_of_the_trace_that_the_path_names(visit: Callable[..., Page]) -> None:
    page = visit("jobs/sparse/Venus/0")
    expect(page.locator(".as-of")).to_contain_text("1 Sep 2020")
    page.get_by_role("link", name="Jobs", exact=True).first.click()
    expect(page.locator(".as-of")).to_contain_text("14 Sep 2020")


def test_published_curves_are_a_switch_that_the_address_remembers(visit: Callable[..., Page]) -> None:
    page = visit("clusters?trace=demo")
    assert len(drawn(page, "clusters-utilization-by-hour")["names"]) == 2
    page.get_by_role("switch", name="Published Helios curves").click()
    page.wait_for_url("**/clusters?trace=demo&published=1")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot').data.length === 4")
    page.reload()
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')?.data?.length === 4")


def test_a_chart_is_saved_as_a_picture_and_says_how_it_is_made(visit: Callable[..., Page]) -> None:
    page = visit("clusters?trace=demo")
    drawn(page, "clusters-utilization-by-hour")
    card = page.get_by_role("region", name="At which hours are GPUs busy?")
    with page.expect_download() as downloading:
        card.get_by_role("button", name="PNG", exact=True).click()
    assert downloading.value.suggested_filename == "heliograph-clusters-utilization-by-hour.png"
    assert downloading.value.path().read_bytes()[:4] == b"\x89PNG"
    card.get_by_role("note").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("integrated exactly")


def test_a_finding_leads_to_the_view_that_shows_it(visit: Callable[..., Page]) -> None:
    page = visit("?trace=demo")
    drawn(page, "overview-utilization")
    page.locator(".vc-link").first.click()
    page.wait_for_url(re.compile(r"/vcs\?trace=demo&cluster=\w+&vc=vc\w$"))
    drawn(page, "vcs-use")
