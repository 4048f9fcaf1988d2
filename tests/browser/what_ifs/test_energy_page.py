"""The energy page in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import drawn
from tests.browser.what_ifs.test_scheduling_page import RUN_MS, choose

pytestmark = pytest.mark.browser
FORM = "energy?trace=demo&cluster=Earth&from=2020-09-08&to=2020-09-11&model=last&min_step=1&buffer=1"


def parameter(page: Page, name: str) -> str:
    return f'input[id*=\'"name":"{name}"\']'


def test_a_study_shows_nodes_forecast_cards_and_the_backtest(visit: Callable[..., Page]) -> None:
    page = visit(FORM)
    page.locator(parameter(page, "idle_w")).fill("800")
    page.keyboard.press("Tab")
    page.wait_for_url(re.compile("idle=800"))
    page.click("#energy-start")
    expect(page.locator(".result-card").first).to_be_visible(timeout=RUN_MS)
    assert {"in use", "awake", "forecast", "80 % interval"} <= set(drawn(page, "energy-nodes")["names"])
    assert "Asia/Shanghai" in drawn(page, "energy-nodes")["x"]
    expect(page.locator(".backtest")).to_contain_text("same slot yesterday")
    expect(page.locator(".result-cards")).to_contain_text("cooling factor or PUE, price, carbon intensity")
    expect(page.locator(".result-notes")).to_contain_text("decided from earlier slots alone")


def test_a_preset_fills_the_parameters_and_only_changed_ones_are_in_the_address(
    visit: Callable[..., Page],
) -> None:
    page = visit("energy?trace=demo&cluster=Earth")
    expect(page.locator(parameter(page, "history_slots"))).to_have_value("6 slots")
    choose(page, "#energy-preset", "Philly")
    expect(page.locator(parameter(page, "history_slots"))).to_have_value("2 slots")
    page.wait_for_url("**/energy?trace=demo&cluster=Earth&preset=Philly")
    page.locator(parameter(page, "hold_slots")).fill("3")
    page.keyboard.press("Tab")
    page.wait_for_url("**/energy?trace=demo&cluster=Earth&preset=Philly&hold=3")
    page.reload()
    expect(page.locator(parameter(page, "hold_slots"))).to_have_value("3 slots")
    expect(page.locator(parameter(page, "history_slots"))).to_have_value("2 slots")


def test_a_unit_goes_with_its_number(visit: Callable[..., Page]) -> None:
    page = visit("energy?trace=demo&cluster=Earth&buffer=1")
    buffer = page.locator(parameter(page, "buffer_nodes"))
    expect(buffer).to_have_value("1 node")
    for number, shown in (("2", "2 nodes"), ("1", "1 node")):
        buffer.fill(number)
        page.keyboard.press("Tab")
        expect(buffer).to_have_value(shown)


def test_only_the_chosen_controllers_parameters_are_shown(visit: Callable[..., Page]) -> None:
    page = visit("energy?trace=demo&cluster=Earth")
    expect(page.locator("#energy-scaled")).to_contain_text("Earth's preset is for 143 nodes")
    expect(page.locator(parameter(page, "margin_nodes"))).to_be_hidden()
    choose(page, "#energy-controller", "Margin")
    expect(page.locator(parameter(page, "margin_nodes"))).to_be_visible()
    expect(page.locator(parameter(page, "buffer_nodes"))).to_be_hidden()
    expect(page.locator("#energy-preset")).to_be_hidden()
    page.wait_for_url("**/energy?trace=demo&cluster=Earth&controller=margin")
    page.locator(parameter(page, "margin_nodes")).fill("2")
    page.keyboard.press("Tab")
    page.wait_for_url("**/energy?trace=demo&cluster=Earth&controller=margin&margin=2")
    page.reload()
    expect(page.locator(parameter(page, "margin_nodes"))).to_have_value("2 nodes")


def test_another_cluster_is_another_page_with_its_own_preset(visit: Callable[..., Page]) -> None:
    page = visit("energy?trace=demo&cluster=Earth")
    choose(page, "#energy-controller", "Margin")
    page.wait_for_url("**&controller=margin")  # what the form wrote into the address does not come back
    choose(page, "#energy-cluster", "Venus")
    page.wait_for_url("**/energy?trace=demo&cluster=Venus")
    expect(page.locator("#energy-preset")).to_have_value("Venus")
    expect(page.locator(parameter(page, "history_slots"))).to_have_value("3 slots")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_fits_a_phone(visit: Callable[..., Page], scheme: str) -> None:
    page = visit("energy?trace=demo", width=390, scheme=scheme)
    expect(page.locator("#energy-start")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
