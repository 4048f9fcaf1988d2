"""The plan page: its form in the address, the plan that it starts or refuses, the stored answer."""

import io
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from flask.testing import FlaskClient

from components.filters import from_json
from runs.scenario import PlanScenario, SchedulingScenario, document
from runs.simulation import simulate
from runs.store import Run, RunStore
from tests.components.text import plain, text_of
from tests.pages.stored_runs import REPLAY_DAYS, finished, stored

PLAN = PlanScenario("demo", ("Venus",), target="p95_queueing_delay_s<=600", by="load", **REPLAY_DAYS)


@pytest.fixture
def run(application: ModuleType, data: Path) -> Run:
    """A finished plan of the largest load."""
    return finished(data, PLAN)


def test_an_address_fills_the_form(application: ModuleType, data: Path) -> None:
    from pages import plan

    page = plan.PAGE.layout(trace="demo", by="load", limit="90", unit="min", start="1")
    ids = [(each, getattr(each, "id", None)) for each in page._traverse()]
    fields = {id["name"]: each for each, id in ids if isinstance(id, dict) and "name" in id}
    assert (fields["by"].value, fields["limit"].value, fields["unit"].value) == ("load", 90.0, "min")
    assert fields["start"].checked and not fields["backfill"].checked


@pytest.mark.parametrize(
    ("query", "cluster"),
    [
        ({}, "Venus"),
        ({"vc": "vcC"}, "Earth"),
        ({"cluster": "Earth"}, "Earth"),
        ({"cluster": ["Earth"]}, "Earth"),
    ],
)
def test_the_form_opens_with_a_choice_that_can_be_planned(
    application: ModuleType, data: Path, query: dict[str, Any], cluster: str
) -> None:
    from pages import plan

    page = plan.PAGE.layout(trace="demo", **query)
    [bar] = [each.data for each in page._traverse() if getattr(each, "id", None) == "filters"]
    assert bar["clusters"] == [cluster]
    address = from_json(bar).query_string()
    assert plan.asked(address).clusters == (cluster,) and f"of {cluster}" in plan.size(address)


def test_starting_stores_a_run_of_the_plan(
    application: ModuleType, data: Path, ask: Callable[..., Any]
) -> None:
    address = "?trace=demo&cluster=Venus&vc=vcA&policy=qssf&measure=avg_jct_s&limit=2&by=load&resamples=5"
    answer = ask("plan-start-error.children", plan_start=1, plan_address=address, plan_name="")
    [stored_run] = RunStore(data).all()
    assert answer["run"]["data"] == stored_run.id
    assert stored_run.settings() == PlanScenario(
        "demo",
        ("Venus",),
        ("vcA",),
        policy="qssf",
        target="avg_jct_s<=7200",
        by="load",
        resamples=5,
    )


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("?trace=demo", "for one cluster under one policy; choose one of Venus, Earth"),
        ("?trace=demo&cluster=Venus&resamples=5000", "from 0 to 200"),
        ("?trace=demo&cluster=Venus&limit=-3", "from 0 to"),
        ("?trace=gone", "no trace called “gone”"),
    ],
)
def test_what_cannot_be_planned_is_refused_before_anything_starts(
    application: ModuleType, data: Path, ask: Callable[..., Any], address: str, says: str
) -> None:
    answer = ask("plan-start-error.children", plan_start=1, plan_address=address)
    assert says in str(answer["plan-start-error"]["children"])
    assert RunStore(data).all() == []
    assert says in ask("plan-size.children", plan_address=address)["plan-size"]["children"]


@pytest.mark.parametrize(
    "changes", [{}, {"by": "nodes", "resamples": 0, "placement": "spread", "backfill": True}]
)
def test_the_address_of_a_stored_plan_starts_the_same_plan(
    application: ModuleType, data: Path, changes: dict[str, Any]
) -> None:
    from components.plan_form import plan_choice
    from pages.plan_scenario import plan_query, plan_scenario
    from pages.scope import scope_of_query

    scenario = PlanScenario(**{**vars(PLAN), **changes})
    query = dict(plan_query(document(scenario)))
    assert plan_scenario(scope_of_query(query), plan_choice(query)) == scenario


def test_the_curve_has_the_numbers_that_simulate_gives_and_the_answer_meets_the_target(
    run: Run, data: Path
) -> None:
    from pages import plan_result
    from pages.finished_run import finished_run

    subject = finished_run(run.id)
    rows = plan_result.curve(subject).set_index("load_factor")
    factor = subject.document["found"]["load_factor"]
    for load in (1.0, factor):
        wanted = SchedulingScenario("demo", ("Venus",), policies=("fifo",), load_factor=load, **REPLAY_DAYS)
        total = simulate(wanted).document["results"][-1]
        assert rows.loc[load, "value"] == pytest.approx(total["p95_queueing_delay_s"])
    assert rows.loc[factor, "value"] <= 600 and rows.loc[factor, "meets"] == "yes"
    assert rows.index.is_monotonic_increasing


def test_the_result_answers_in_one_sentence_and_every_view_fits(run: Run) -> None:
    from pages import plan_result
    from pages.finished_run import finished_run

    layout, sentence = plan_result.result(run)
    factor = finished_run(run.id).document["found"]["load_factor"]
    assert plain(sentence).startswith(f"Under FIFO the load can be × {factor:g} for: queueing delay, 95th")
    assert "Largest load" in text_of(layout)
    assert "Nodes by virtual cluster" not in text_of(layout)
    for view in plan_result.VIEWS:
        if view.name != "plan-vcs":
            rows, why = view.answer(finished_run(run.id))
            assert not why and {column.name for column in view.columns} <= set(rows.columns), view.name


def test_a_plan_by_nodes_says_the_nodes_of_each_vc(application: ModuleType, data: Path) -> None:
    from pages import plan_result
    from pages.finished_run import finished_run

    made = finished(
        data, PlanScenario("demo", ("Venus",), target="queued_jobs<=3", resamples=0, **REPLAY_DAYS)
    )
    subject = finished_run(made.id)
    rows, why = next(each for each in plan_result.VIEWS if each.name == "plan-vcs").answer(subject)
    assert not why and rows["planned"].sum() == subject.document["found"]["nodes"]
    assert rows["now"].sum() == subject.document["now"]["nodes"]
    layout, sentence = plan_result.result(made)
    assert "There is no interval" in sentence and "Nodes by virtual cluster" in text_of(layout)


def test_the_answer_and_the_curve_are_csv_files(run: Run, client: FlaskClient) -> None:
    answer = pd.read_csv(io.StringIO(client.get(f"/runs/{run.id}/results.csv").text))
    curve = pd.read_csv(io.StringIO(client.get(f"/runs/{run.id}/curve.csv").text))
    assert answer.loc[0, "target"] == "p95_queueing_delay_s<=600" and answer.loc[0, "found_load_factor"] > 0
    assert {"load_factor", "value", "met", "rejected_jobs"} <= set(curve.columns) and len(curve) > 10


def test_a_page_opens_no_run_of_another_kind(application: ModuleType, data: Path) -> None:
    from pages.live_run import run_of

    made = stored(data, PLAN)
    assert run_of({"run": made.id}, "plan") == made.id
    assert run_of({"run": made.id}, "sweep") is None and run_of({}, "plan") is None


def test_the_tabs_lead_to_each_way_of_asking(application: ModuleType, data: Path) -> None:
    from pages import plan, scheduling, sweep

    for page, current in ((scheduling, "Replay"), (sweep.PAGE, "Sweep"), (plan.PAGE, "Plan")):
        links = [
            each
            for each in page.layout(trace="demo")._traverse()
            if "tab" in str(getattr(each, "className", ""))
        ]
        tabs = {each.children: each.className for each in links if isinstance(each.children, str)}
        assert list(tabs) == ["Replay", "Sweep", "Plan"] and "current" in tabs[current]
