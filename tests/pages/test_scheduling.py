"""The scheduling page: its form in the address, the scenario that it starts, the result."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from runs.scenario import SchedulingScenario, document
from runs.store import RunStore
from tests.components.text import text_of
from tests.pages.stored_runs import REPLAY_DAYS, finished
from tests.stored_trace import job, store


def values_of(component: Any) -> dict[str, Any]:
    """The value of every control below a component, by id."""
    return {
        str(each.id): each.value for each in component._traverse() if getattr(each, "value", None) is not None
    }


def test_an_address_fills_the_form(application: ModuleType, data: Path) -> None:
    from pages import scheduling

    query = {
        "trace": "demo",
        "cluster": "Venus",
        "policy": ["fifo", "srtf"],
        "load": "1.5",
        "nodes": "Venus/vcA:-2",
    }
    values = values_of(scheduling.layout(**query))
    assert values["replay-policies"] == ["fifo", "srtf"]
    assert values["replay-load"] == 1.5
    assert values["filter-clusters"] == ["Venus"]
    assert values[str({"type": "change-vc", "row": 0})] == "Venus/vcA"
    assert values[str({"type": "change-nodes", "row": 0})] == -2


def test_a_changed_vc_is_chosen_from_those_of_known_capacity(application: ModuleType, data: Path) -> None:
    from pages.replay_scenario import changeable_vcs
    from pages.scope import scope_of_query

    options = changeable_vcs(scope_of_query({"trace": "demo"}))
    assert {option["value"] for option in options} == {"Venus/vcA", "Venus/vcB", "Earth/vcC", "Earth/vcD"}
    assert all("GPUs" in option["label"] for option in options)


def test_starting_stores_a_run_of_what_the_address_says(
    application: ModuleType, data: Path, ask: Callable[..., Any]
) -> None:
    address = (
        "?trace=demo&cluster=Venus&vc=vcA&from=2020-09-03&to=2020-09-10"
        "&policy=fifo&policy=sjf&load=2&nodes=Venus/vcA:3"
    )
    answer = ask("replay-start-error.children", replay_start=1, replay_address=address, replay_name=" mine ")
    [run] = RunStore(data).all()
    assert answer["run"]["data"] == run.id
    assert (run.name, run.state) == ("mine", "queued")
    assert run.settings() == SchedulingScenario(
        "demo",
        ("Venus",),
        ("vcA",),
        "2020-09-03",
        "2020-09-10",
        ("fifo", "sjf"),
        extra_nodes={"Venus/vcA": 3},
        load_factor=2.0,
    )


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("?trace=demo&policy=", "at least one policy"),
        ("?trace=gone", "no trace called “gone”"),
        ("?trace=demo&load=99", "from 0.05 to 10"),
    ],
)
def test_what_cannot_be_started_gets_a_sentence_and_stores_nothing(
    application: ModuleType, data: Path, ask: Callable[..., Any], address: str, says: str
) -> None:
    answer = ask("replay-start-error.children", replay_start=1, replay_address=address)
    assert says in str(answer["replay-start-error"]["children"])
    assert RunStore(data).all() == []


def test_a_cluster_without_jobs_takes_no_part(application: ModuleType, data: Path) -> None:
    from components.replay_form import ReplayChoice
    from pages.replay_scenario import clusters_with_jobs, replay_scenario
    from pages.scope import scope_of_query

    scope = scope_of_query({"trace": "demo"})
    scope.manifest["clusters"]["Earth"]["format"] = "nodes"
    try:
        assert clusters_with_jobs(scope) == ["Venus"]
        assert replay_scenario(scope, ReplayChoice()).clusters == ("Venus",)
    finally:
        scope.manifest["clusters"]["Earth"]["format"] = "csv"


def test_a_trace_without_jobs_says_that_there_is_nothing_to_replay(
    application: ModuleType, empty: Path
) -> None:
    from pages import scheduling

    store(empty, "nodes", [job(submit_time="2020-09-01")], format="nodes")
    assert "nothing to replay" in text_of(scheduling.layout(trace="nodes"))


@pytest.mark.parametrize(
    "changes",
    [
        {"extra_nodes": {"Earth/vcC": -1}},
        {"backfill": True, "tie_sensitivity": True, "duration_factor": 1.5, "placement": "spread"},
        {"seed": 7, "moves": {"user:u1": "vcC"}, "dated_nodes": ("Earth/vcC:1@2020-09-04",)},
    ],
)
def test_the_address_of_a_stored_scenario_starts_the_same_scenario(
    application: ModuleType, data: Path, changes: dict[str, Any]
) -> None:
    from components.filters import from_query
    from pages.replay_scenario import choice_of, replay_query, replay_scenario
    from pages.scope import scope_of_query

    scenario = SchedulingScenario(
        "demo", ("Earth",), ("vcC",), policies=("fifo", "qssf"), **changes, **REPLAY_DAYS
    )
    query: dict[str, Any] = {}
    for key, value in replay_query(document(scenario)):
        query[key] = [*query[key], value] if key in query else [value]
    query = {key: each[0] if len(each) == 1 else each for key, each in query.items()}
    assert from_query(query).clusters == ("Earth",)
    assert replay_scenario(scope_of_query(query), choice_of(query)) == scenario


def test_a_result_has_cards_charts_and_the_rows_of_the_document(application: ModuleType, data: Path) -> None:
    from pages import replay_result, replay_views
    from pages.finished_run import finished_run

    run = finished(data, SchedulingScenario("demo", ("Venus",), policies=("fifo", "qssf"), **REPLAY_DAYS))
    layout, sentence = replay_result.result(run)
    subject = finished_run(run.id)
    total = next(row for row in subject.document["results"] if row["vc"] == "*" and row["policy"] == "qssf")
    assert "average job completion time" in sentence
    assert f"of {total['jobs']:,} jobs" in text_of(layout)
    assert "Venus" in subject.document["scenario"]["clusters"] and "Asia/Shanghai" in subject.window_text()
    assert subject.window_text().startswith("3 Sep 2020 – 9 Sep 2020")
    for view in replay_views.VIEWS:
        rows, why = view.answer(subject)
        assert len(rows) and not why, view.name
        drawn = view.figure(rows, subject) if view.figure else view.table(rows, subject)
        assert drawn is not None and view.note(rows, subject)
        assert {column.name for column in view.columns} <= set(rows.columns), view.name


def test_groups_of_sizes_stand_in_two_lines_so_that_they_are_not_slanted(
    application: ModuleType, data: Path
) -> None:
    from pages import replay_views
    from pages.finished_run import finished_run

    run = finished(data, SchedulingScenario("demo", ("Venus",), policies=("fifo",), **REPLAY_DAYS))
    [view] = [each for each in replay_views.VIEWS if each.name == "replay-sizes"]
    rows = view.rows(finished_run(run.id))
    [bars] = view.figure(rows, finished_run(run.id)).data
    assert [label.replace("<br>", " ") for label in bars.x] == list(rows["label"])
    assert max(len(line) for label in bars.x for line in label.split("<br>")) <= 8


def test_what_holds_in_several_clusters_is_noted_once(application: ModuleType, data: Path) -> None:
    scenario = SchedulingScenario("demo", policies=("fifo", "srtf"), backfill=True, **REPLAY_DAYS)
    notes = RunStore(data).result(finished(data, scenario).id)["notes"]
    [note] = [each for each in notes if "backfill changes nothing" in each]
    assert note.startswith("Earth, Venus: ")


def test_the_load_of_a_result_is_a_share_of_the_gpus_present(application: ModuleType, data: Path) -> None:
    from pages import replay_views
    from pages.finished_run import finished_run

    run = finished(data, SchedulingScenario("demo", ("Venus",), policies=("fifo",), **REPLAY_DAYS))
    load = replay_views.load(finished_run(run.id))
    pd.testing.assert_series_equal(
        load["utilization"], load["running_gpus"] / load["present_gpus"], check_names=False
    )
    assert load["utilization"].between(0, 1 + 1e-9).all()
    assert load["local_time"].iloc[0] == pd.Timestamp("2020-09-03")
