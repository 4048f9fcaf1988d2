"""The Traces page: what it tells, renaming and deleting."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

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


def test_of_many_traces_the_first_are_named_in_one_list(application: ModuleType) -> None:
    from pages.traces import answer

    report = {"rows_kept": 1, "rows_rejected": {"no_submit_time": 1}}
    stored = [{"trace": name, "clusters": {"Venus": {"report": report}}} for name in "abcdef"]
    assert answer(stored[:1]).startswith("1 row in a; 1 row could not be used")
    assert answer(stored[:2]).startswith("2 rows in a and b;")
    assert answer(stored).startswith("6 rows in a, b, c, d and 2 more; 6 rows could not be used")
    assert answer([]) == ""
