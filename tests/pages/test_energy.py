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
    from components.energy_form import EnergyChoice
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
    assert settings.parameters == {"buffer_nodes": 2.0}  # hold is the preset's own value
    assert (settings.boot_time_s, settings.idle_w, settings.price_per_kwh) == (90.0, 800.0, None)


def test_the_last_day_of_the_data_means_up_to_the_end_of_the_data(
    application: ModuleType, data: Path
) -> None:
    from components.energy_form import EnergyChoice
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


def test_the_address_of_a_stored_scenario_starts_the_same_scenario(
    application: ModuleType, data: Path
) -> None:
    from components.energy_form import energy_choice
    from pages.energy_scenario import demand_scope, energy_query, energy_scenario

    scenario = EnergyScenario(
        "demo", "Earth", model="day", preset="Philly", parameters={"xi_h_nodes": 0.5}, idle_w=700.0, **DAYS
    )
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
    nodes, backtest = energy_result.VIEWS
    rows, why = nodes.answer(subject)
    assert not why and len(rows) == result["slots"]
    assert {column.name for column in nodes.columns} <= set(rows.columns)
    assert {trace.name for trace in nodes.figure(rows, subject).data} >= {"in use", "awake", "forecast"}
    rows, _ = backtest.answer(subject)
    assert set(rows["model"]) == {"last", "day"}
    shown = text_of(backtest.table(rows, subject))
    assert "last value" in shown and "same slot yesterday" in shown and "MAE" in shown
