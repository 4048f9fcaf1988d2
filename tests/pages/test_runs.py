"""The list of runs, a run at its own address, its CSV files, and how a page follows it."""

import io
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from flask.testing import FlaskClient

from runs import queue
from runs.scenario import EnergyScenario, PlanScenario, SchedulingScenario, SweepScenario
from runs.store import RunStore
from tests.components.text import text_of, wrong_plurals
from tests.pages.stored_runs import REPLAY_DAYS, finished, stored

SCENARIO = SchedulingScenario("demo", ("Venus",), policies=("fifo", "sjf"), **REPLAY_DAYS)


def show(run_id: str | None) -> tuple[Any, ...]:
    """Class of the progress, bar, step, outcome, sentence, and whether the page stops asking."""
    from dash._callback_context import context_value
    from dash._utils import AttributeDict

    from pages.live_run import show_run

    token = context_value.set(AttributeDict(triggered_inputs=[{"prop_id": "run.data", "value": run_id}]))
    try:
        return show_run(None, run_id)
    finally:
        context_value.reset(token)


def test_an_empty_list_says_how_to_start_a_run(application: ModuleType, data: Path) -> None:
    from pages import runs

    assert runs.rows() == [] and runs.answer([]) == ""
    assert "Start one on" in text_of(runs.empty_list())


def test_the_list_says_how_many_runs_are_not_finished(application: ModuleType, data: Path) -> None:
    from pages import runs

    stored(data, SCENARIO, state="running", progress=0.3)
    stored(data, SCENARIO, state="failed", error="The capacity is unknown.")
    listed = runs.rows()
    assert runs.answer(listed) == "2 runs are stored, each at its own address; 1 run not finished yet."
    assert {row.sentence for row in listed} == {"", "The capacity is unknown."}


@pytest.mark.parametrize(
    "scenario",
    [
        SweepScenario("demo", ("Venus",), policies=("fifo", "sjf"), **REPLAY_DAYS),
        PlanScenario("demo", ("Venus",), resamples=2, from_="2020-09-01", to="2020-09-15"),
        EnergyScenario("demo", "Venus", **REPLAY_DAYS),
    ],
    ids=lambda scenario: scenario.kind,
)
def test_the_list_says_what_came_of_a_run_as_its_page_does(
    application: ModuleType, data: Path, scenario: Any
) -> None:
    from pages import runs

    run = finished(data, scenario)
    [row] = runs.rows()
    assert row.sentence == show(run.id)[4] != ""
    assert not re.search(r"\d{3,} s\b|\d%", row.sentence) and wrong_plurals(row.sentence) == []


def test_the_list_keeps_the_stored_sentence_of_a_run_whose_result_cannot_be_read(
    application: ModuleType, data: Path
) -> None:
    from pages import runs

    run = stored(data, EnergyScenario("demo", "Venus"), state="done", sentence="2 of 8 nodes asleep.")
    assert runs.rows()[0].sentence == "2 of 8 nodes asleep."
    RunStore(data).save_result(run.id, {"result": {}}, {})
    assert runs.rows()[0].sentence == "2 of 8 nodes asleep."
    (RunStore(data).path(run.id) / "result.json").write_text('{"result": {"contr')
    assert runs.rows()[0].sentence == "2 of 8 nodes asleep."


def test_an_unknown_run_is_a_404_page_with_a_way_back(client: FlaskClient, data: Path) -> None:
    from pages import run

    assert client.get("/runs/nosuchrun").status_code == 404
    assert client.get("/runs/Not..An.Id").status_code == 404
    shown = text_of(run.layout(run_id="nosuchrun"))
    assert "There is no such run" in shown and "Open the overview" in shown


def test_a_stored_run_answers_whatever_its_state(client: FlaskClient, data: Path) -> None:
    for state in ("queued", "running", "failed", "cancelled", "interrupted"):
        assert client.get(f"/runs/{stored(data, SCENARIO, state=state).id}").status_code == 200


def test_a_running_run_shows_its_progress_and_keeps_asking(application: ModuleType, data: Path) -> None:
    run = stored(data, SCENARIO, state="running", progress=0.25, step="Replaying Venus under sjf")
    shown, bar, step, outcome, _, stopped = show(run.id)
    assert "hidden" not in shown and bar == 25 and outcome is None and not stopped
    assert text_of(step).startswith("Replaying Venus under sjf · 25 %")


def test_a_run_that_nobody_takes_says_which_process_is_missing(application: ModuleType, data: Path) -> None:
    run = stored(data, SCENARIO, created=time.time() - 60)
    assert "heliograph worker" in text_of(show(run.id)[2])


@pytest.mark.parametrize("state", ["failed", "interrupted"])
def test_a_run_that_failed_says_why_and_can_be_started_again(
    application: ModuleType, data: Path, state: str
) -> None:
    run = stored(data, SCENARIO, state=state, error="Its worker died 2 times.")
    shown, _, _, outcome, _, stopped = show(run.id)
    assert "hidden" in shown and stopped
    assert "Its worker died 2 times." in text_of(outcome) and "Start again" in text_of(outcome)


def test_starting_again_stores_a_new_run_with_the_same_settings(
    application: ModuleType, data: Path, ask: Callable[..., Any]
) -> None:
    run = stored(data, SCENARIO, "mine", state="failed")
    answer = ask("run-again-location.href", run_again=1, run=run.id)
    newest = RunStore(data).all()[0]
    assert answer["run-again-location"]["href"] == f"/runs/{newest.id}"
    assert newest.id != run.id and newest.settings() == SCENARIO and newest.name == "mine"


def test_cancelling_a_queued_run_ends_it(
    application: ModuleType, data: Path, ask: Callable[..., Any]
) -> None:
    run = queue.start(SCENARIO)
    ask("run-cancelled.children", run_cancel=1, run=run.id)
    assert RunStore(data).get(run.id).state == "cancelled"
    assert "cancelled" in text_of(show(run.id)[3])


def test_a_deleted_run_says_so_and_the_page_stops_asking(application: ModuleType, data: Path) -> None:
    *_, outcome, _, stopped = show("gone")
    assert "no run" in text_of(outcome) and stopped


def test_a_finished_run_shows_its_result_name_and_files(application: ModuleType, data: Path) -> None:
    run = finished(data, SCENARIO, "September")
    _, _, _, outcome, sentence, stopped = show(run.id)
    names = [each.value for each in outcome._traverse() if getattr(each, "id", None) == "result-name"]
    links = [each.href for each in outcome._traverse() if getattr(each, "href", None)]
    assert stopped and names == ["September"] and "average job completion time" in sentence
    assert f"/runs/{run.id}/jobs.csv" in links and f"/runs/{run.id}" in links
    assert any(link.startswith("/scheduling?trace=demo&cluster=Venus") for link in links)


def test_a_run_stays_readable_when_its_trace_is_gone_and_says_so(application: ModuleType, data: Path) -> None:
    run = finished(data, SCENARIO)
    (data / "traces" / "demo").rename(data / "traces" / "other")
    *_, outcome, sentence, _ = show(run.id)
    assert "Trace “demo” is gone" in text_of(outcome) and sentence
    assert "Average JCT" in text_of(outcome)


def test_a_run_of_an_older_version_of_its_trace_says_so(application: ModuleType, data: Path) -> None:
    from pages.run_header import trace_notices

    run = finished(data, SCENARIO)
    assert trace_notices(run) == []
    runs = RunStore(data)
    document = runs.result(run.id)
    document["scenario"]["trace_version"] = -1
    runs.save_result(run.id, document, {})
    assert "imported again since this run" in text_of(trace_notices(run))


def test_renaming_keeps_the_name(application: ModuleType, data: Path, ask: Callable[..., Any]) -> None:
    run = stored(data, SCENARIO, state="done")
    answer = ask("result-rename.children", result_name=" Before the fair ", result_run=run.id)
    assert answer["result-rename"]["children"] == "Saved"
    assert RunStore(data).get(run.id).name == "Before the fair"


def test_the_results_and_jobs_of_a_run_are_csv_files(client: FlaskClient, data: Path) -> None:
    run = finished(data, SCENARIO)
    runs = RunStore(data)
    answer = client.get(f"/runs/{run.id}/jobs.csv")
    assert answer.mimetype == "text/csv" and "attachment" in answer.headers["Content-Disposition"]
    pd.testing.assert_frame_equal(
        pd.read_csv(io.StringIO(answer.text))[["policy", "submit_s", "start_s"]],
        runs.table(run.id, "jobs")[["policy", "submit_s", "start_s"]],
        check_dtype=False,
    )
    results = pd.read_csv(io.StringIO(client.get(f"/runs/{run.id}/results.csv").text))
    assert list(results["avg_jct_s"]) == [row["avg_jct_s"] for row in runs.result(run.id)["results"]]
    assert "excluded_cpu" in results


def test_a_file_in_pieces_is_the_whole_file(application: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages import run_files

    table = pd.DataFrame({"a": range(10), "b": [None, 0.1] * 5})
    monkeypatch.setattr(run_files, "CHUNK", 3)
    assert "".join(run_files.chunks(table)) == table.to_csv(index=False)


@pytest.mark.parametrize(
    "path", ["/runs/nosuchrun/jobs.csv", "/runs/{run}/secrets.csv", "/runs/{queued}/jobs.csv"]
)
def test_a_file_that_is_not_there_is_a_404_with_a_sentence(
    client: FlaskClient, data: Path, path: str
) -> None:
    run, queued = finished(data, SCENARIO), stored(data, SCENARIO)
    answer = client.get(path.format(run=run.id, queued=queued.id))
    assert answer.status_code == 404 and answer.text.startswith(("There is no run", "Run "))


def test_an_energy_run_has_its_own_files(client: FlaskClient, data: Path) -> None:
    days = {"from_": "2020-09-08", "to": "2020-09-10"}
    run = finished(data, EnergyScenario("demo", "Earth", model="last", **days))
    for name in ("results", "slots", "outlook", "backtest"):
        assert len(pd.read_csv(io.StringIO(client.get(f"/runs/{run.id}/{name}.csv").text)))


def test_a_run_with_an_unfinished_record_is_never_listed_as_finished(
    data: Path, application: ModuleType
) -> None:
    from pages import runs

    run = stored(data, SCENARIO, state="running")
    [row] = runs.rows()
    assert row.finished is None and row.path == f"/runs/{run.id}"
    assert replace(row, name="x").csv == f"/runs/{run.id}/results.csv"
