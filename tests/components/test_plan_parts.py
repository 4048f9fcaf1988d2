"""A plan's form, curve, cards and sentence."""

import math

import pandas as pd
import pytest

from components import plan_summary as summary
from components.figures.plan import curve
from components.filters import FilterError
from components.plan_form import MEASURES, PlanChoice, goal_text, of_target, plan_choice
from runs import target as targets
from tests.components.text import plain, text_of, wrong_plurals

PLAN = {
    "scenario": {"policies": ["qssf"], "clusters": ["Venus"]},
    "target": "p95_queueing_delay_s<=3600",
    "measure": "p95_queueing_delay_s",
    "limit": 3600.0,
    "by": "nodes",
    "now": {
        "nodes": 12,
        "vcs": {"a": 8, "b": 4},
        "met": False,
        "numbers": {"p95_queueing_delay_s": 7200.0},
    },
    "found": {"nodes": 14, "vcs": {"a": 9, "b": 5}, "numbers": {"p95_queueing_delay_s": 1800.0}},
    "monotone": True,
    "interval": {"low": 13, "high": 17, "coverage": 0.8, "resamples": 20, "weeks": 4, "unmet": 0},
}
POINTS = pd.DataFrame(
    {
        "nodes": [10, 12, 14, 16],
        "value": [None, 7200.0, 1800.0, 0.0],
        "met": [False, False, True, True],
        "rejected_jobs": [9, 0, 0, 0],
    }
)


def test_the_answer_is_one_sentence_with_today_and_the_interval():
    assert plain(summary.sentence(PLAN)) == (
        "14 nodes are enough under QSSF for: queueing delay, 95th percentile, at most 1 h. Today: 12 nodes, "
        "2 h. In 80 % of 20 draws of 4 weeks it is from 13 to 17."
    )


def test_no_answer_no_interval_and_an_anomaly_are_said():
    none = plain(summary.sentence(PLAN | {"found": None}))
    assert none == (
        "No number of nodes meets the target under QSSF, even with so many that nobody waits: queueing "
        "delay, 95th percentile, at most 1 h. Today: 2 h."
    )
    assert "takes" in summary.sentence(PLAN | {"interval": None}) and "two whole weeks" in summary.sentence(
        PLAN | {"interval": None}
    )
    assert "made it worse" in summary.sentence(PLAN | {"monotone": False})
    beyond = PLAN | {"interval": PLAN["interval"] | {"low": 15, "high": None}}
    assert "from 15 to none that meets it. So the window's own order" in summary.sentence(beyond)


def test_a_plan_by_load_speaks_of_load():
    now = {"load_factor": 1.0, "vcs": None, "met": True, "numbers": {"p95_queueing_delay_s": 60.0}}
    found = {"load_factor": 1.37, "vcs": None, "numbers": {"p95_queueing_delay_s": 3000.0}}
    interval = PLAN["interval"] | {"low": 1.2, "high": 1.5}
    by_load = PLAN | {"by": "load", "now": now, "found": found, "interval": interval}
    said = plain(summary.sentence(by_load))
    assert said.startswith("Under QSSF the load can be × 1.37 for: ")
    assert "Today: × 1, 1 min. In 80 % of 20 draws of 4 weeks it is from 1.2 to 1.5." in said
    assert "× 1.37" in text_of(summary.cards(by_load))
    assert summary.vc_rows(by_load).empty


def test_the_cards_say_answer_today_target_and_interval():
    text = plain(text_of(summary.cards(PLAN)))
    for part in (
        "14",
        "+2 against today",
        "2 h",
        "misses the target",
        "1 h",
        "30 min at the answer",
        "13 – 17",
    ):
        assert part in text, part
    assert "nothing meets the target" in text_of(summary.cards(PLAN | {"found": None}))
    assert "unknown" in text_of(summary.cards(PLAN | {"interval": None}))
    nowhere = PLAN["interval"] | {"low": None, "high": None, "unmet": 20}
    text = plain(text_of(summary.cards(PLAN | {"interval": nowhere})))
    assert "none – none" not in text and "20 without an answer" in text


def test_nodes_by_vc_are_todays_and_the_plans():
    rows = summary.vc_rows(PLAN)
    assert rows[["vc", "now", "planned", "more"]].values.tolist() == [["a", 8, 9, 1], ["b", 4, 5, 1]]


def test_the_curve_has_what_was_replayed_the_target_the_answer_and_the_interval():
    figure = curve(POINTS, PLAN, "nodes", "nodes", "queueing delay")
    lines = {line.name: line for line in figure.data}
    assert list(lines["replayed"].x) == [12, 14, 16]
    assert list(lines["replayed"].y) == [7200, 1800, 1]  # a second at least on a logarithmic axis
    assert list(lines["replayed"].marker.symbol) == ["circle-open", "circle", "circle"]
    assert [plain(text) for text in lines["replayed"].customdata] == ["2 h", "30 min", "0 s"]
    assert list(lines["target"].y) == [3600, 3600] and lines["target"].line.dash == "dash"
    assert {"answer, 14", "today, 12", "interval"} <= set(lines)
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(13, 17), (14, 14), (12, 12)]
    low, high = figure.layout.yaxis.range
    assert low < 0 and high > math.log10(7200)


def test_a_number_of_jobs_has_a_linear_axis():
    plan = PLAN | {"measure": "queued_jobs", "target": "queued_jobs<=5", "limit": 5.0, "interval": None}
    figure = curve(POINTS, plan, "nodes", "nodes", "jobs")
    assert figure.layout.yaxis.type is None and list(figure.data[0].y) == [7200, 1800, 0]


@pytest.mark.parametrize(
    "choice",
    [
        PlanChoice(),
        PlanChoice("qssf", "avg_jct_s", 90.0, "min", "load", 0, "spread", ("start_state",)),
    ],
)
def test_an_address_holds_the_whole_choice_and_no_default(choice):
    assert plan_choice(dict(choice.pairs())) == choice
    assert (choice == PlanChoice()) == (choice.pairs() == [])


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"measure": "luck"}, "no measure"),
        ({"limit": "-1"}, "from 0 to"),
        ({"limit": "soon"}, "the limit is “soon”"),
        ({"resamples": "9999"}, "from 0 to 200"),
        ({"by": "magic"}, "no by"),
    ],
)
def test_an_address_that_chooses_the_impossible_gets_a_sentence(query, says):
    with pytest.raises(FilterError, match=f"(?i){says}"):
        plan_choice(query)


def test_a_target_is_in_seconds_or_jobs_and_comes_back_in_the_largest_whole_unit():
    assert PlanChoice(limit=1.5, unit="h").target == "p95_queueing_delay_s<=5400"
    assert PlanChoice(measure="queued_jobs", limit=12, unit="h").target == "queued_jobs<=12"
    assert of_target("avg_jct_s", 5400) == {"measure": "avg_jct_s", "limit": 90, "unit": "min"}
    assert of_target("avg_jct_s", 172_800)["unit"] == "d"
    assert of_target("queued_jobs", 12) == {"measure": "queued_jobs", "limit": 12}
    for choice in (PlanChoice(limit=0.0), PlanChoice(limit=2.0, unit="d")):
        goal = targets.target(choice.target)
        assert PlanChoice(**of_target(goal.measure, goal.limit)).target == choice.target


def test_every_measure_has_a_title():
    assert set(MEASURES) == set(targets.MEASURES)
    assert plain(goal_text("queued_jobs<7")) == "jobs that wait a second or more, below 7"


def test_a_single_node_draw_or_week_is_one():
    now = PLAN["now"] | {"nodes": 1}
    interval = {"low": 1, "high": 1, "coverage": 0.8, "resamples": 1, "weeks": 1, "unmet": 1}
    found = PLAN["found"] | {"nodes": 1}
    plan = PLAN | {"now": now, "interval": interval, "found": found}
    said = f"{summary.sentence(plan)} {text_of(summary.cards(plan))}"
    assert wrong_plurals(said) == [] and "1 node is enough" in plain(said)
