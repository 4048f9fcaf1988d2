"""The Traces page: what it tells, renaming and deleting."""

import json
from collections.abc import Callable
from pathlib import Path

from flask.testing import FlaskClient

from tests.pages.test_app import page


def test_every_trace_is_shown_with_its_report_and_a_link(client: FlaskClient, data: Path) -> None:
    shown = page(client, "/traces", "").replace("\u00a0", " ")
    for part in ("demo", "Asia/Shanghai", "1 Sep 2020 – 14 Sep 2020", "no submit time", "/?trace=demo"):
        assert part in shown


def test_a_trace_is_renamed(data: Path, ask: Callable[..., dict]) -> None:
    shown = json.dumps(ask("rename-error", rename_now=1, traces_about="demo", rename_name=" mine "))
    assert "mine" in shown
    assert [each.name for each in (data / "traces").iterdir() if not each.name.startswith(".")] == ["mine"]


def test_a_name_that_cannot_be_is_refused_in_the_dialog(data: Path, ask: Callable[..., dict]) -> None:
    shown = ask("rename-error", rename_now=1, traces_about="demo", rename_name="../x")
    assert "notice" in json.dumps(shown)
    assert (data / "traces/demo/current").exists()


def test_a_trace_is_deleted(data: Path, ask: Callable[..., dict]) -> None:
    shown = json.dumps(ask("delete-error", delete_now=1, traces_about="demo"))
    assert "heliograph demo" in shown
    assert not (data / "traces/demo").exists()


def test_a_trace_that_is_already_gone_is_said_in_the_dialog(data: Path, ask: Callable[..., dict]) -> None:
    shown = json.dumps(ask("delete-error", delete_now=1, traces_about="gone"))
    assert "There is no trace" in shown
