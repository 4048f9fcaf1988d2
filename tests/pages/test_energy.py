"""The energy page: its form in the address, the window it offers, the scenario that it starts, the result."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from runs.scenario import EnergyScenario, document
from runs.store import RunStore
from tests.components.text import text_of
from tests.pages.stored_runs import finished
from tests.stored_trace import job, store

DAYS = {"from_": "2020-09-08", "to": "2020-09-11"}


def test_the_window_begins_after_two_days_of_data_and_is_the_last_14_days(
    application: ModuleType, data: Path
) -> None:
    from components.energy_choice import EnergyChoice
    from pages.energy_scenario import demand_scope

    scope = demand_scope(EnergyChoice("demo", "Venus"))
    first = date(2020, 9, 1)
    assert (scope.first_day - first).days in (2, 3)  # the first day need not be a whole one
    assert scope.default_first_day == scope.first_day  # less than 14 days remain
    assert scope.timezone == "Asia/Shanghai"


def test_a_cluster_with_less_than_three_days_says_so_and_starts_nothing(
    application: ModuleType, empty: Path, ask: Callable[..., Any]
) -> None:
    from pages import energy

    store(empty, "short", [job(submit_time=f"2020-09-01 0{hour}:00") for hour in range(3)])
    assert "less than three days of data" in text_of(energy.layout(trace="short"))
    answer = ask("energy-start-error.children", energy_start=1, energy_address="?trace=short&cluster=Venus")
    assert "less than three days" in str(answer["energy-start-error"]["children"])
    assert RunStore(empty).all() == []


def test_starting_stores_a_run_of_what_the_address_says(
    application: ModuleType, data: Path, ask: Callable[..., Any]
) -> None:
    address = (
        "?trace=demo&cluster=Earth&from=2020-09-08&to=2020-09-11&model=last&buffer=2&hold=12&boot=90&idle=800"
    )
    answer = ask("energy-start-error.children", energy_start=1, energy_address=address, energy_name="night")
    [run] = RunStore(data).all()
    assert answer["run"]["data"] == run.id
    settings = run.settings()
    assert (settings.trace, settings.cluster, settings.model, settings.preset) == (
        "demo",
        "Earth",
        "last",
        "Earth",
    )
    assert (settings.from_, settings.to) == ("2020-09-08", "2020-09-11")
    # hold is the preset's own value, and the 8 nodes of this Earth make the minimum step 1
    assert settings.parameters == {"buffer_nodes": 2.0, "min_step_nodes": 1.0}
    assert (settings.boot_time_s, settings.idle_w, settings.price_per_kwh) == (90.0, 800.0, None)


def test_the_last_day_of_the_data_means_up_to_the_end_of_the_data(
    application: ModuleType, data: Path
) -> None:
    from components.energy_choice import EnergyChoice
    from pages.energy_scenario import demand_scope, energy_scenario

    last = demand_scope(EnergyChoice("demo", "Earth")).last_day
    assert energy_scenario(demand_scope(EnergyChoice("demo", "Earth", last_day=last))).to == ""
    assert energy_scenario(demand_scope(EnergyChoice("demo", "Earth"))).to == ""


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("?trace=demo&cluster=Mars", "no cluster “Mars”"),
        ("?trace=demo&cluster=Earth&model=oracle", "no forecast model"),
        ("?trace=gone&cluster=Earth", "no trace called “gone”"),
    ],
)
def test_what_cannot_be_started_gets_a_sentence_and_stores_nothing(
    application: ModuleType, data: Path, ask: Callable[..., Any], address: str, says: str
) -> None:
    answer = ask("energy-start-error.children", energy_start=1, energy_address=address)
    assert says in str(answer["energy-start-error"]["children"])
    assert RunStore(data).all() == []


@pytest.mark.parametrize(
    "scenario",
    [
        EnergyScenario(
            "demo",
            "Earth",
            model="day",
            preset="Philly",
            parameters={"xi_h_nodes": 0.5},
            idle_w=700.0,
            **DAYS,
        ),
        EnergyScenario("demo", "Earth", controller="margin", parameters={"margin_nodes": 3.0}, **DAYS),
        EnergyScenario("demo", "Earth", controller="drs", policy="sjf", pue=1.3, frontier=True, **DAYS),
        EnergyScenario(
            "demo", "Earth", preset="Earth", seed=7, jobs=False, drop=("2020-09-08/2020-09-09",), **DAYS
        ),
        EnergyScenario("demo", "Earth", controller="always_on", from_="2020-09-08 06:00", to="2020-09-11"),
    ],
)
def test_the_address_of_a_stored_scenario_starts_the_same_scenario(
    application: ModuleType, data: Path, scenario: EnergyScenario
) -> None:
    from components.energy_choice import energy_choice
    from pages.energy_scenario import demand_scope, energy_query, energy_scenario

    query = dict(energy_query(document(scenario)))
    assert energy_scenario(demand_scope(energy_choice(query))) == scenario


def test_a_result_has_cards_the_chart_and_the_backtest_beside_its_baselines(
    application: ModuleType, data: Path
) -> None:
    from pages import energy_result
    from pages.finished_run import finished_run

    parameters = {"min_step_nodes": 1.0, "buffer_nodes": 1.0}
    run = finished(data, EnergyScenario("demo", "Earth", model="last", parameters=parameters, **DAYS))
    layout, sentence = energy_result.result(run)
    subject = finished_run(run.id)
    result = subject.document["result"]
    assert sentence.startswith(("In Earth", "No node of Earth"))
    assert "Asleep on average" in text_of(layout) and "Give the power inputs" in text_of(layout)
    assert "replay" in text_of(layout)  # where the demand comes from
    nodes, backtest = energy_result.NODES, energy_result.BACKTEST
    rows, why = nodes.answer(subject)
    assert not why and len(rows) == result["slots"]
    assert {column.name for column in nodes.columns} <= set(rows.columns)
    assert {trace.name for trace in nodes.figure(rows, subject).data} >= {"in use", "awake", "forecast"}
    rows, _ = backtest.answer(subject)
    assert set(rows["model"]) == {"last", "day"}
    shown = text_of(backtest.table(rows, subject))
    assert "last value" in shown and "same slot yesterday" in shown and "MAE" in shown
    assert "Skill" in shown and "In the 95 % interval" in shown


def test_settings_without_a_control_are_said_and_can_be_left_out(application: ModuleType, data: Path) -> None:
    from pages import energy
    from pages.energy_scenario import energy_query

    scenario = EnergyScenario("demo", "Earth", seed=7, keep=("2020-09-08/2020-09-09",), **DAYS)
    shown = text_of(energy.layout(**dict(energy_query(document(scenario)))))
    assert "Kept from the run, without a control here: keep 2020-09-08/2020-09-09 and seed 7" in shown
    assert "Kept from the run" not in text_of(energy.layout(trace="demo", cluster="Earth"))


def test_settings_that_no_run_has_are_refused_with_a_sentence(
    application: ModuleType, data: Path, ask: Callable[..., Any]
) -> None:
    address = "?trace=demo&cluster=Earth&also=%7B%22magic%22%3A1%7D"
    answer = ask("energy-start-error.children", energy_start=1, energy_address=address)
    assert "no setting called" in str(answer["energy-start-error"]["children"])
    assert RunStore(data).all() == []


def test_a_frontier_is_drawn_with_the_run_itself_and_says_whether_the_forecast_adds_anything(
    application: ModuleType, data: Path
) -> None:
    from pages import energy_result, energy_views
    from pages.finished_run import finished_run

    scenario = EnergyScenario(
        "demo", "Earth", model="seasonal", controller="margin", frontier=True, jobs=False, **DAYS
    )
    run = finished(data, scenario)
    subject = finished_run(run.id)
    view = energy_views.FRONTIER
    rows, why = view.answer(subject)
    assert not why and len(rows) == len(subject.document["frontier"])
    names = [trace.name for trace in view.figure(rows, subject).data]
    assert {"Margin", "CES, no forecast", "CES, last value", "Quantile, true future", "this run"} <= set(
        names
    )
    note = view.note(rows, subject)
    assert "At equal lack events the forecast" in note or "not compared" in note
    shown = text_of(energy_result.result(run)[0])
    assert "Choose your point" in shown and "Why this model?" not in shown
    parts, _ = energy_views.PARTS.answer(subject)
    figure = energy_views.PARTS.figure(parts, subject)
    assert [trace.name for trace in figure.data][:3] == ["level", "day", "week"]


def test_the_table_that_the_automatic_model_decided_from_is_shown(
    application: ModuleType, data: Path
) -> None:
    from pages import energy_views
    from pages.finished_run import finished_run

    scenario = EnergyScenario("demo", "Earth", model="auto", controller="drs", jobs=False, **DAYS)
    subject = finished_run(finished(data, scenario).id)
    assert energy_views.shown(energy_views.DECISION, subject.document)
    rows, _ = energy_views.DECISION.answer(subject)
    assert subject.document["forecast"]["decision"]["sentence"] in energy_views.DECISION.note(rows, subject)
    if len(rows):
        assert "level" in set(rows["model"])
