"""The sweep page: its form in the address, the grid that it starts or refuses, the stored result."""

import io
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from flask.testing import FlaskClient

from runs.scenario import SchedulingScenario, SweepScenario, document
from runs.simulation import simulate
from runs.store import Run, RunStore
from tests.components.text import plain, text_of
from tests.pages.stored_runs import REPLAY_DAYS, finished

GRID = SweepScenario(
    "demo",
    policies=("fifo", "qssf"),
    nodes=("x1", "+1"),
    load_factors=(1.0, 4.0),
    seeds=(1, 2),
    **REPLAY_DAYS,
)
ADDRESS = "?trace=demo&cluster=Venus&policy=sjf&nodes=x1, %2B2&load=0.5:1:0.5&draws=2&backfill=1"


@pytest.fixture
def run(application: ModuleType, data: Path) -> Run:
    """A finished sweep of two clusters."""
    return finished(data, GRID)


def test_an_address_fills_the_form(application: ModuleType, data: Path) -> None:
    from pages import sweep

    page = sweep.PAGE.layout(trace="demo", policy=["fifo", "las"], nodes="x2", draws="3", backfill="1")
    ids = [(each, getattr(each, "id", None)) for each in page._traverse()]
    fields = {id["name"]: each for each, id in ids if isinstance(id, dict) and "name" in id}
    assert fields["policy"].value == ["fifo", "las"] and fields["nodes"].value == "x2"
    assert fields["draws"].value == 3 and fields["backfill"].checked and not fields["quota"].checked


def test_starting_stores_a_run_of_the_grid(
    application: ModuleType, data: Path, ask: Callable[..., Any]
) -> None:
    answer = ask("sweep-start-error.children", sweep_start=1, sweep_address=ADDRESS, sweep_name=" wide ")
    [stored] = RunStore(data).all()
    assert (stored.kind, stored.name, stored.state) == ("sweep", "wide", "queued")
    assert answer["run"]["data"] == stored.id
    assert stored.settings() == SweepScenario(
        "demo", ("Venus",), (), "", "", ("sjf",), ("x1", "+2"), (0.5, 1.0), (1, 2), backfill=True
    )


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("?trace=demo&load=0.01:10:0.01&draws=10", "more than the limit of 10,000"),
        ("?trace=demo&nodes=twice", "step of capacity"),
        ("?trace=demo&load=many", "neither a number nor a range"),
        ("?trace=demo&load=11", "load factor"),
        ("?trace=demo&policy=", "no scenario"),
        ("?trace=demo&nodes=,", "no scenario"),
    ],
)
def test_a_grid_that_is_too_large_or_cannot_be_is_refused_before_anything_starts(
    application: ModuleType, data: Path, ask: Callable[..., Any], address: str, says: str
) -> None:
    answer = ask("sweep-start-error.children", sweep_start=1, sweep_address=address)
    assert says in str(answer["sweep-start-error"]["children"])
    assert RunStore(data).all() == []
    assert says in ask("sweep-size.children", sweep_address=address)["sweep-size"]["children"]


def test_the_form_says_how_many_scenarios_there_are(
    application: ModuleType, data: Path, ask: Callable[..., Any]
) -> None:
    said = ask("sweep-size.children", sweep_address=ADDRESS)["sweep-size"]["children"]
    # One policy, two steps, load 0.5 twice and load 1 once.
    assert said.startswith("6 scenarios, of ")
    both = ask("sweep-size.children", sweep_address="?trace=demo&nodes=x1&load=1&policy=fifo")
    assert both["sweep-size"]["children"].startswith("2 scenarios in 2 clusters, of ")


def test_the_address_of_a_stored_sweep_starts_the_same_sweep(application: ModuleType, data: Path) -> None:
    from components.sweep_form import sweep_choice
    from pages.scope import scope_of_query
    from pages.sweep_scenario import sweep_query, sweep_scenario

    scenario = SweepScenario(
        **{**vars(GRID), "clusters": ("Venus",), "placement": "spread", "start_state": True, "nodes": ("-1",)}
    )
    query: dict[str, Any] = {}
    for key, value in sweep_query(document(scenario)):
        query[key] = [*query[key], value] if key in query else [value]
    query = {key: each[0] if len(each) == 1 else each for key, each in query.items()}
    assert sweep_scenario(scope_of_query(query), sweep_choice(query)) == scenario


def test_the_result_draws_the_numbers_that_simulate_gives(run: Run, data: Path) -> None:
    from pages import sweep_result
    from pages.sweep_result import swept

    layout, sentence = sweep_result.result(run)
    about = swept({"run": run.id, "cluster": "Venus", "measure": "avg_jct_s"})
    cells = about.cells().set_index(["policy", "nodes", "load_factor"])["value"]
    alone = SchedulingScenario("demo", ("Venus",), policies=("qssf",), load_factor=4.0, **REPLAY_DAYS)
    draws = [
        simulate(SchedulingScenario(**{**vars(alone), "seed": seed})).document["results"][-1]["avg_jct_s"]
        for seed in (1, 2)
    ]
    assert cells["qssf", "x1", 4.0] == pytest.approx(sum(draws) / 2)
    assert "scenarios of Venus" in sentence or "scenarios of Earth" in sentence
    assert "2 policies × 2 steps of nodes × 2 loads × 2 draws" in plain(text_of(layout))
    for view in sweep_result.VIEWS:
        rows, why = view.answer(about)
        assert not why and {column.name for column in view.columns} <= set(rows.columns), view.name
        assert view.figure(rows, about).data and view.note(rows, about)


def test_a_grid_of_one_step_has_no_line_over_nodes_and_says_so(application: ModuleType, data: Path) -> None:
    from pages import sweep_result

    narrow = finished(data, SweepScenario("demo", ("Venus",), policies=("fifo",), **REPLAY_DAYS))
    about = sweep_result.swept({"run": narrow.id, "cluster": "Venus", "measure": "avg_jct_s"})
    why = {view.name: view.answer(about)[1] for view in sweep_result.VIEWS}
    assert "one step of nodes" in why["sweep-nodes"] and "one load" in why["sweep-load"]
    assert why["sweep-map"] == ""


def test_another_number_changes_the_charts_and_the_sentence(run: Run, ask: Callable[..., Any]) -> None:
    answer = ask(
        "sweep-shown.data", sweep_measure="gpu_utilization", sweep_cluster="Earth", sweep_result=run.id
    )
    assert answer["sweep-shown"]["data"] == {"run": run.id, "cluster": "Earth", "measure": "gpu_utilization"}
    assert "Utilization is best" in answer["run-answer"]["children"]


def test_every_scenario_is_a_line_of_the_csv_file(run: Run, client: FlaskClient) -> None:
    table = pd.read_csv(io.StringIO(client.get(f"/runs/{run.id}/results.csv").text))
    assert len(table) == 2 * 2 * 2 * (1 + 2)
    assert {"cluster", "policy", "nodes", "load_factor", "seed", "avg_jct_s"} <= set(table.columns)


def test_the_list_of_runs_says_the_axes(run: Run) -> None:
    from pages import runs
    from pages.run_header import about

    assert "nodes × 1, +1 · load × 1, × 4 · 2 draws" in plain(about(run))
    assert runs.rows()[0].sentence.startswith("12 scenarios of ")
