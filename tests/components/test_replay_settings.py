"""What a replay does otherwise than the trace, in words."""

from components.replay_settings import described, differences, nothing_differs
from runs.scenario import SchedulingScenario, document
from tests.components.text import plain

EVERYTHING = SchedulingScenario(
    "demo",
    placement="spread",
    extra_nodes={"Venus/vcA": -1, "Earth/vcB": 3},
    dated_nodes=("Venus/vcA:+2@2020-09-10",),
    load_factor=1.5,
    seed=4,
    duration_factor=0.5,
    moves={"user:alice": "vcB", "vc:old": "vcC"},
    merges={"vcD": "vcE"},
    backfill=True,
    capacity_over_time=True,
    start_state=True,
    tie_sensitivity=True,
    until="2020-10-01",
)


def test_every_setting_that_differs_from_the_trace_is_said():
    assert [plain(each) for each in differences(document(EVERYTHING))] == [
        "jobs of user alice to vcB",
        "jobs of VC old to vcC",
        "VC vcD merged into vcE",
        "Venus/vcA −1 node",
        "Earth/vcB +3 nodes",
        "Venus/vcA +2 nodes from 2020-09-10",
        "each VC's quota of the day",
        "load × 1.5 (draw 4)",
        "durations × 0.5",
        "starts with the jobs that ran and waited at the beginning",
        "spread",
        "backfill",
        "both orders of simultaneous jobs",
        "stops at 2020-10-01",
    ]


def test_the_trace_as_it_is_differs_in_nothing():
    assert differences(document(SchedulingScenario("demo"))) == []
    assert described(document(SchedulingScenario("demo"))) == []


def test_every_field_of_a_scenario_is_said_unless_the_line_names_it_anyway():
    """A new setting that nobody puts into words fails here."""
    named = {"trace", "clusters", "vcs", "from", "to", "policies"}
    usual, changed = document(SchedulingScenario("demo")), document(EVERYTHING)
    for name in set(usual) - named - {"seed"}:
        assert differences(usual | {name: changed[name]}), name


def test_a_card_names_the_kinds_of_change():
    facts = dict(described(document(SchedulingScenario("demo", load_factor=2.0, backfill=True))))
    assert {name: plain(text) for name, text in facts.items()} == {"Jobs": "Load × 2", "Rules": "Backfill"}


def test_where_nothing_differs_that_is_said():
    assert nothing_differs(1) == "Nothing: jobs, nodes and rules are those of the trace."
    assert nothing_differs(4).startswith("Only the order of the queue, by 4 policies: jobs")
