"""Runs on disk: whole records, results that vouch for their tables, sentences for what is not there."""

import json
import threading

import pandas as pd
import pytest

from runs import RunError
from runs.scenario import EnergyScenario, SchedulingScenario, document, scenario
from runs.store import RunStore


@pytest.fixture
def runs(tmp_path):
    return RunStore(tmp_path)


WANTED = SchedulingScenario("t", ("C",), ("v",), "2020-04-01", extra_nodes={"C/v": 2}, load_factor=1.5)


@pytest.mark.parametrize(
    "wanted", [WANTED, EnergyScenario("t", "C", parameters={"buffer_nodes": 3}, idle_w=100.0)]
)
def test_a_scenario_survives_json(wanted):
    assert scenario(wanted.kind, json.loads(json.dumps(document(wanted)))) == wanted


def test_an_unknown_kind_or_setting_is_refused():
    with pytest.raises(RunError, match="kind"):
        scenario("weather", {})
    with pytest.raises(RunError, match="'speed'"):
        scenario("scheduling", {"trace": "t", "speed": 3})


def test_a_run_is_found_again_with_its_scenario(runs):
    made = runs.create(WANTED, "September")
    assert RunStore(runs.folder.parent).get(made.id).settings() == WANTED
    assert [each.id for each in runs.all()] == [made.id]


def test_the_newest_run_comes_first(runs):
    ids = [runs.create(WANTED).id for _ in range(3)]
    assert [each.id for each in runs.all()] == ids[::-1]


@pytest.mark.parametrize("run_id", ["nope", "../../etc", "", "A", "x" * 99])
def test_an_unknown_or_impossible_id_is_refused_with_a_sentence(runs, run_id):
    with pytest.raises(RunError, match="There is no run"):
        runs.get(run_id)


def test_results_and_tables_are_read_back(runs):
    run = runs.create(WANTED)
    runs.save_result(run.id, {"results": [1]}, {"jobs": pd.DataFrame({"a": [1, 2]})})
    assert runs.result(run.id) == {"results": [1]}
    assert runs.table(run.id, "jobs")["a"].tolist() == [1, 2]
    with pytest.raises(RunError, match="no table 'other'"):
        runs.table(run.id, "other")


def test_a_run_without_a_result_says_its_state(runs):
    with pytest.raises(RunError, match="queued"):
        runs.result(runs.create(WANTED).id)


def test_a_result_that_is_no_json_is_never_stored(runs):
    run = runs.create(WANTED)
    with pytest.raises(ValueError, match="JSON"):
        runs.save_result(run.id, {"x": float("nan")}, {})
    assert sorted(path.name for path in runs.path(run.id).iterdir()) == ["run.json"]


def test_an_attempt_can_be_claimed_once(runs):
    run = runs.create(WANTED)
    assert runs.claim(run.id, 1)
    assert not runs.claim(run.id, 1)
    assert runs.claim(run.id, 2)


def test_a_reader_never_sees_half_a_record(runs):
    run, stop, seen = runs.create(WANTED), threading.Event(), []

    def read():
        while not stop.is_set():
            seen.append(runs.get(run.id).step)

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(200):
        runs.update(run.id, step="x" * i)
    stop.set()
    reader.join()
    assert seen
    assert all(set(step) <= {"x"} for step in seen)


def test_a_deleted_run_is_gone_and_asks_its_worker_to_stop(runs):
    run = runs.create(WANTED)
    runs.delete(run.id)
    assert runs.cancel_requested(run.id)
    assert runs.all() == []
