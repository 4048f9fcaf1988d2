"""The server behind a proxy's prefix and behind a password, over real HTTP and in the browser."""

import base64
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from werkzeug.security import generate_password_hash

from tests.browser.conftest import WAIT_MS, drawn, watch, write_data
from tests.browser.server import serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server under ``/gpu/`` that asks for a password."""
    data: Path = tmp_path_factory.mktemp("guarded")
    write_data(data)
    users = data / "users"
    users.write_text(f"ada:{generate_password_hash('engine')}\n", encoding="utf-8")
    with serving(data, PREFIX="/gpu/", AUTH="basic", AUTH_FILE=str(users)) as address:
        yield address


def status(url: str, password: str | None = None) -> int:
    token = base64.b64encode(f"ada:{password}".encode()).decode()
    request = urllib.request.Request(url, headers={"Authorization": f"Basic {token}"} if password else {})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("path", ["", "jobs", "_dash-layout", "_dash-dependencies", "assets/heliograph.js"])
def test_nothing_but_health_is_given_without_the_password(guarded: str, path: str) -> None:
    assert status(guarded + path) == 401
    assert status(guarded + path, "wrong") == 401
    assert status(guarded + path, "engine") == 200
    assert status(f"{guarded}health") == 200


def test_pages_and_links_work_under_the_prefix(guarded: str, browser: Browser) -> None:
    complaints: list[str] = []
    context = browser.new_context(http_credentials={"username": "ada", "password": "engine"})
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    watch(page, guarded, complaints)
    page.goto(f"{guarded}?trace=demo")
    drawn(page, "overview-utilization")
    page.get_by_role("link", name="Jobs").first.click()
    page.wait_for_url("**/gpu/jobs?trace=demo")
    drawn(page, "jobs-durations")
    page.get_by_role("link", name="Heliograph").first.click()
    page.wait_for_url("**/gpu/?trace=demo")
    drawn(page, "overview-utilization")
    context.close()
    assert [each for each in complaints if "401" not in each] == []
