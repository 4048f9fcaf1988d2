"""Every page in a real browser: both schemes, contrast, names, wide and narrow screens, the keyboard."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from components.theme import token
from tests.browser.conftest import drawn

pytestmark = pytest.mark.browser

AUDIT = Path(__file__).with_name("audit.js").read_text()
#: Address → charts that must be drawn there.
PAGES = {
    "?trace=demo": ["overview-utilization", "overview-rhythm"],
    "clusters?trace=demo&published=1": ["clusters-utilization-by-hour", "clusters-sizes-by-gpu-time"],
    "vcs?trace=demo": ["vcs-utilization", "vcs-delays", "vcs-use", "vcs-gangs"],
    "jobs?trace=demo": ["jobs-durations", "jobs-status-by-gpus", "jobs-failed-over-time", "jobs-lost-by-vc"],
    "jobs/find?trace=demo": [],
    "jobs/demo/Earth/7": ["job-life", "job-vc-load"],
    "queueing?trace=demo": ["queueing-cdf", "queueing-vc", "queueing-gpus", "queueing-hour"],
    "users?trace=demo": ["users-gpu", "users-cpu", "users-queueing-delay", "users-completion"],
    "users/u03?trace=demo": ["user-jobs-over-time", "user-gpu-time-over-time", "user-waits"],
    "compare?trace=demo": ["compare-durations", "compare-gpu-time"],
    "scheduling?trace=demo": [],
    "energy?trace=demo": [],
    "runs": [],
    "traces": [],
    "traces/import": [],
    "?trace=sparse": [],
    "queueing?trace=sparse": [],
}


def complaints(page: Page) -> list[str]:
    """What the audit says once the page has come to rest, at the latest after some seconds."""
    for _ in range(20):
        said = page.evaluate(AUDIT)
        if not said:
            break
        page.wait_for_timeout(300)
    return said


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_drawn_named_and_legible_in_both_schemes_and_fits_every_screen(
    visit: Callable[..., Page], path: str
) -> None:
    page = visit(path)
    expect(page.locator("h1")).to_be_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            "scheme => document.documentElement.dataset.mantineColorScheme === scheme", arg=scheme
        )
        for name in PAGES[path]:
            assert drawn(page, name)["names"]
        page.wait_for_function(
            "ink => [...document.querySelectorAll('.js-plotly-plot')].every("
            "plot => !plot.checkVisibility({visibilityProperty: true}) || "
            "plot._fullLayout.font.color === ink)",
            arg=token("ink", scheme),
        )
        red, green, blue = (int(token("background", scheme)[place : place + 2], 16) for place in (1, 3, 5))
        page.wait_for_function(
            "color => getComputedStyle(document.body).backgroundColor === color",
            arg=f"rgb({red}, {green}, {blue})",
        )
        page.wait_for_function(  # a color on its way is neither scheme's
            "() => !document.getAnimations().some(each => each instanceof CSSTransition)"
        )
        assert complaints(page) == [], scheme
    for width in (1920, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)


@pytest.mark.parametrize("path", ["?trace=demo", "users/u03?trace=demo", "jobs/find?trace=demo"])
def test_the_keyboard_walks_from_the_skip_link_through_visible_controls(
    visit: Callable[..., Page], path: str
) -> None:
    page = visit(path)
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Tab")
    expect(page.locator(".skip-link")).to_be_focused()
    expect(page.locator(".skip-link")).to_be_in_viewport()
    stops = []
    for _ in range(30):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate(
                """() => {
                    const at = document.activeElement, css = getComputedStyle(at);
                    const box = at.getBoundingClientRect();
                    const inside = box.bottom > 0 && box.top < innerHeight && box.width > 0;
                    const label = at.matches('input[type=checkbox]') && at.nextElementSibling;
                    return {what: at.outerHTML.slice(0, 120), marked: css.outlineStyle !== 'none',
                            inside: inside || Boolean(label)};
                }"""
            )
        )
    assert [stop["what"] for stop in stops if not (stop["marked"] and stop["inside"])] == []
    assert len({stop["what"] for stop in stops}) > 20
    page.keyboard.press("Home")
    page.locator(".skip-link").focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('main'))")


def test_nothing_moves_where_people_ask_for_that(visit: Callable[..., Page]) -> None:
    page = visit("traces")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<div class=skeleton></div>')")
    repeated = "() => getComputedStyle(document.querySelector('.skeleton')).animationIterationCount"
    assert page.evaluate(repeated) == "1"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(repeated) == "infinite"
