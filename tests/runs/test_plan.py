"""The smallest capacity, or the largest load, that meets a target."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from runs import RunError
from runs.apportionment import apportioned
from runs.bisection import CHECKED, first_that_holds
from runs.plan import interval_of, plan_of
from runs.plan_limits import checked
from runs.quota import constant
from runs.scenario import PlanScenario
from runs.target import Target, target
from runs.trial import Trial, enough_nodes, load_at, position_of
from runs.weeks import WEEK_S, full_weeks, resampled
from runs.window import Window
from runs.workload import Workload
from tests.stored_trace import job, store

DAY = "2020-09-01"


def hand_plan(text, **settings):
    return PlanScenario("hand", target=text, **settings)


@pytest.fixture
def hand(data_folder):
    """Three jobs of a whole node each, at once, of 100 s, in a VC of one node."""
    jobs = [job(job_id=str(i), gpu_num=8.0, submit_time=DAY, duration_s=100.0) for i in range(3)]
    store(data_folder, "hand", jobs, [("Venus", "vc1", DAY, 8)])
    return "hand"


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("avg_queueing_delay_s<=100", 1),
        ("avg_queueing_delay_s<100", 2),
        ("avg_queueing_delay_s<=33.4", 2),
        ("makespan_s<=100", 3),
        ("p95_queueing_delay_s<=0", 3),
        ("median_queueing_delay_s<=0", 2),
        ("queued_jobs<1", 3),
    ],
)
def test_the_fewest_nodes_that_meet_a_target_by_hand(hand, text, nodes):
    made = plan_of(hand_plan(text))
    assert made["found"]["nodes"] == nodes
    assert made["found"]["vcs"] == {"vc1": nodes}
    assert made["now"]["nodes"] == 1
    assert made["now"]["met"] == (nodes == 1)
    assert made["monotone"]
    assert all(row["met"] == (row["nodes"] >= nodes) for row in made["asked"])


def test_a_target_that_even_nobody_waiting_does_not_meet_has_no_number_of_nodes(hand):
    made = plan_of(hand_plan("avg_jct_s<=99"))
    assert made["found"] is None
    assert made["sentence"].startswith("No number of nodes meets avg jct at most 99 s")


def test_fewer_nodes_never_meet_a_target_by_rejecting_jobs(data_folder):
    jobs = [job(job_id="gang", gpu_num=24.0, submit_time=DAY, duration_s=100.0)]
    jobs += [job(job_id="small", gpu_num=1.0, submit_time=DAY, duration_s=100.0)]
    store(data_folder, "hand", jobs, [("Venus", "vc1", DAY, 8)])
    made = plan_of(hand_plan("makespan_s<=1000"))
    assert made["found"]["nodes"] == 3
    assert made["now"]["numbers"]["rejected_jobs"] == 1


def test_by_load_it_is_the_largest_one_on_the_nodes_that_there_are(small_trace):
    plan = PlanScenario(small_trace, target="p95_queueing_delay_s<=600", by="load")
    made = plan_of(plan)
    factor = made["found"]["load_factor"]
    assert made["found"]["numbers"]["p95_queueing_delay_s"] <= 600
    heavier = [row for row in made["asked"] if row["load_factor"] > factor]
    assert not heavier[-1]["met"]
    assert math.isclose(heavier[-1]["load_factor"], factor + 0.01)


def test_weeks_give_an_interval_and_the_same_seed_the_same_one(data_folder):
    days = pd.date_range("2020-09-01", periods=28, freq="D")
    jobs = [
        job(job_id=f"{day}-{i}", gpu_num=8.0, submit_time=day, duration_s=3600.0)
        for at, day in enumerate(days)
        for i in range(1 + at // 7)
    ]
    store(data_folder, "hand", jobs, [("Venus", "vc1", DAY, 8)])
    weeks = {"from_": DAY, "to": "2020-09-29"}
    plan = hand_plan("makespan_s<=2340000", resamples=8, **weeks)  # 27 days and 2 h
    made = plan_of(plan)
    assert made["found"]["nodes"] == 2  # four jobs on the last day, two after two
    interval = made["interval"]
    assert (interval["resamples"], interval["weeks"], interval["coverage"]) == (8, 4, 0.8)
    assert 1 <= interval["low"] <= interval["high"] <= 2
    assert plan_of(plan)["interval"] == interval
    assert plan_of(replace(plan, resamples=0))["interval"] is None


def test_a_window_without_two_whole_weeks_has_no_interval(hand):
    made = plan_of(hand_plan("makespan_s<=100"))
    assert made["interval"] is None
    assert "no interval" in made["sentence"]


def test_the_interval_leaves_a_tenth_of_the_answers_out_on_either_side():
    plan = hand_plan("makespan_s<=100")
    answers = [*range(1, 19), None, None]
    assert interval_of(plan, answers, 4) == {
        "low": 3,
        "high": 18,
        "coverage": 0.8,
        "resamples": 20,
        "weeks": 4,
        "unmet": 2,
    }
    assert interval_of(plan, [*range(1, 8), None, None, None], 4)["high"] is None
    by_load = hand_plan("makespan_s<=100", by="load")
    loads = interval_of(by_load, [position_of(0.1 * i) for i in range(1, 11)], 4)
    assert (loads["low"], loads["high"]) == (0.2, 0.9)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "p95",
        "p95_queueing_delay_s>=1",
        "gpu_utilization<=1",
        "avg_jct_s<=soon",
        "avg_jct_s<=-1",
        "avg_jct_s<=inf",
        "avg_jct_s=1",
    ],
)
def test_a_text_that_is_no_target_is_refused(text):
    with pytest.raises(RunError, match=r"target|limit"):
        target(text)


def test_a_target_is_read_with_or_without_spaces_and_says_itself():
    assert target(" avg_jct_s <  60.5 ") == Target("avg_jct_s", 60.5, True)
    assert str(target("queued_jobs<=3")) == "queued_jobs<=3"
    assert not target("avg_jct_s<=1").met({"avg_jct_s": None})


def test_several_clusters_or_nothing_to_plan_are_refused_with_a_sentence(data_folder):
    jobs = [job(cluster=name, gpu_num=1.0, submit_time=DAY, duration_s=1.0) for name in ("A", "B")]
    store(data_folder, "hand", jobs)
    with pytest.raises(RunError, match="one cluster"):
        plan_of(hand_plan("makespan_s<=1"))
    with pytest.raises(RunError, match="nothing to plan"):
        plan_of(hand_plan("makespan_s<=1", clusters=("A",)))


@given(st.integers(1, 500), st.integers(1, 500), st.integers(0, 600), st.integers(1, 50))
def test_a_monotone_condition_is_found_exactly_with_few_questions(last, start, threshold, step):
    threshold = max(1, threshold)
    found = first_that_holds(lambda at: at >= threshold, 1, last, start, step)
    assert found.monotone
    assert found.position == (threshold if threshold <= last else None)
    assert all(1 <= at <= last for at in found.asked)
    assert len(found.asked) <= 2 * math.log2(500) + 2 * CHECKED + 3


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 40), st.integers(1, 8))
def test_what_is_not_monotone_is_said_and_all_that_was_asked_from_the_answer_on_holds(holds, start, step):
    found = first_that_holds(lambda at: holds[at - 1], 1, len(holds), start, step)
    assert found.asked == {at: holds[at - 1] for at in found.asked}
    if found.position is None:
        assert not found.asked[max(found.asked)]
    else:
        assert found.asked[found.position]
        assert all(held for at, held in found.asked.items() if at >= found.position)
        assert found.position == 1 or not found.asked[found.position - 1]
        below = [held for at, held in found.asked.items() if at < found.position]
        assert found.monotone == (not any(below))


shares = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 60), min_size=1)


@given(shares, st.integers(0, 300))
def test_nodes_are_shared_whole_and_one_more_takes_none_away(present, nodes):
    assume(any(present.values()))
    one, more = apportioned(nodes, present), apportioned(nodes + 1, present)
    assert sum(one.values()) == nodes
    assert all(more[vc] >= one[vc] for vc in present)
    assert all(one[vc] == 0 for vc, own in present.items() if own == 0)


@given(shares)
def test_as_many_nodes_as_there_are_are_shared_as_they_are(present):
    assert apportioned(sum(present.values()), present) == present


@given(shares, st.integers(0, 200))
def test_shares_are_those_of_dealing_every_node_to_the_largest_quotient(present, nodes):
    assume(any(present.values()))
    dealt = dict.fromkeys(present, 0)
    for _ in range(nodes):
        dealt[max(dealt, key=lambda vc: present[vc] / (2 * dealt[vc] + 1))] += 1
    assert apportioned(nodes, present) == dealt


requests = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 30), st.integers(1, 40), st.sampled_from("ab")),
    min_size=1,
    max_size=30,
)


def made_up(rows):
    submit, duration, gpus, vcs = zip(*sorted(rows), strict=True)
    return pd.DataFrame(
        {
            "job_id": [str(i) for i in range(len(rows))],
            "row": range(len(rows)),
            "vc": vcs,
            "gpu_num": np.array(gpus, dtype=float),
            "duration_s": np.array(duration, dtype=float),
            "submit_s": np.array(submit, dtype=float),
            "end_s": np.nan,
        }
    )


@settings(max_examples=40)
@given(requests, st.integers(1, 3), st.integers(1, 5))
def test_with_enough_nodes_nobody_waits_and_nobody_is_rejected(rows, nodes_a, nodes_b):
    work = Workload("C", made_up(rows), {"a": constant(8 * nodes_a), "b": constant(8 * nodes_b)}, 8)
    row = Trial(hand_plan("queued_jobs<=0"), work).row(enough_nodes(work, {"a": nodes_a, "b": nodes_b}))
    assert (row["rejected_jobs"], row["queued_jobs"]) == (0, 0)


@given(requests, st.integers(2, 5), st.integers(0, 9))
def test_drawn_weeks_keep_each_jobs_place_in_the_week_and_come_in_trace_order(rows, weeks, seed):
    jobs = made_up(rows)
    jobs["submit_s"] += WEEK_S * (np.arange(len(jobs)) % (weeks + 1))
    jobs = jobs.sort_values("submit_s", ignore_index=True)
    drawn = resampled(jobs, weeks, np.random.default_rng(seed))
    assert drawn["submit_s"].is_monotonic_increasing
    place = drawn["submit_s"] % WEEK_S
    original = jobs.set_index("row")["submit_s"]
    assert list(place) == list(original[drawn["row"]] % WEEK_S)
    assert (original[drawn["row"]] < weeks * WEEK_S).all()  # no job of a part of a week
    assert (drawn["submit_s"] < weeks * WEEK_S).all()


def test_only_whole_weeks_count():
    start = pd.Timestamp(DAY)
    assert full_weeks(Window(start, start + pd.Timedelta(days=30), "UTC")) == 4
    assert full_weeks(Window(start, start + pd.Timedelta(days=6), "UTC")) == 0


def test_loads_run_from_the_heaviest_down():
    assert load_at(1) == 10
    assert load_at(position_of(1.0)) == 1
    assert load_at(1000) == 0.01


def test_the_curve_shows_the_number_at_every_size_that_was_asked_and_between(hand):
    made = plan_of(hand_plan("avg_queueing_delay_s<=34"))
    at = {row["nodes"]: row for row in made["curve"]}
    assert [row["nodes"] for row in made["curve"]] == sorted(at)
    # Three jobs of 100 s in turn wait 0, 100 and 200 s on one node; 0, 0 and 100 s on two; nobody on three.
    assert [at[nodes]["value"] for nodes in (1, 2, 3)] == pytest.approx([100, 100 / 3, 0])
    assert [at[nodes]["met"] for nodes in (1, 2, 3)] == [False, True, True]
    assert (made["measure"], made["limit"]) == ("avg_queueing_delay_s", 34)
    assert {row["nodes"] for row in made["asked"]} <= set(at)


def test_a_curve_by_load_goes_from_the_lightest_to_the_heaviest(small_trace):
    made = plan_of(PlanScenario(small_trace, target="queued_jobs<=10", by="load", resamples=0))
    loads = [row["load_factor"] for row in made["curve"]]
    assert loads == sorted(loads) and len(loads) > 10
    assert made["curve"][0]["met"] and not made["curve"][-1]["met"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"by": "luck"}, "by nodes or by load"),
        ({"resamples": 5000}, "0 to 1,000 times"),
        ({"target": "happiness<=1"}, "is no target"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_before_anything_is_read(changed, sentence):
    with pytest.raises(RunError, match=sentence):
        checked(replace(hand_plan("queued_jobs<=1"), **changed), ["A"])
    with pytest.raises(RunError, match="one cluster"):
        checked(hand_plan("queued_jobs<=1"), ["A", "B"])
