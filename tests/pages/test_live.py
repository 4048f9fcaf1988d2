"""What tells an open page that newer data are there."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tests import synthetic
from tests.components.text import text_of
from tests.pages.stored_runs import REPLAY_DAYS, stored
from tests.stored_trace import job, store


def test_the_version_changes_with_every_publication_and_is_none_for_what_is_not_stored(
    data: Path, application: object
) -> None:
    from pages import live

    seen = [live.version({"trace": "demo"})]
    store(data, "demo", [job(submit_time="2020-09-01")], version=2)
    seen.append(live.version({"trace": "demo"}))
    shutil.rmtree(data / "traces/demo")
    store(data, "demo", [job(submit_time="2020-09-01")], version=2)
    seen.append(live.version({"trace": "demo"}))
    assert len(set(seen)) == 3 and all(seen)
    assert live.version({}) == seen[2]
    assert live.version({"trace": "gone"}) == live.version({"cluster": "Mars", "trace": "gone"}) == ""


def test_data_as_of_is_the_last_submission_in_local_time(data: Path, application: object) -> None:
    from pages import live

    said = text_of(live.data_as_of({"trace": "demo"}))
    last = synthetic.synthetic_jobs()["submit_time"].max().tz_localize("UTC").tz_convert(synthetic.TIMEZONE)
    assert f"{last.day} Sep 2020, {last:%H:%M}" in said and "Asia/Shanghai" in said
    assert live.data_as_of({"trace": "gone"}) == []


def test_nothing_is_answered_while_nothing_is_new(data: Path, ask: Callable) -> None:
    from pages import live

    first = ask("data-as-of", _pages_location="")
    assert first["live"]["data"] == {"shown": live.version({}), "fresh": live.version({})}


def test_a_path_that_names_a_trace_says_which_data_are_meant(data: Path, application: object) -> None:
    from pages import live
    from runs import queue
    from runs.scenario import SchedulingScenario

    queue.queue.cache_clear()
    run = stored(data, SchedulingScenario("other", ("Venus",), **REPLAY_DAYS))
    assert live.trace_of_path("/jobs/demo/Venus/0") == {"trace": "demo"}
    assert live.trace_of_path(f"/runs/{run.id}") == {"trace": "other"}
    assert live.trace_of_path("/runs/0") == live.trace_of_path("/jobs") == live.trace_of_path("/") == {}
    assert live.trace_of_path(None) == {}
