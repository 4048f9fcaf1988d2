"""What QSSF's estimates are worth in a replay: its controls, the gap they close, rank correlation, rungs."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from runs.estimation import EstimateScenario, study
from runs.scenario import SchedulingScenario
from runs.simulation import simulate
from tests.stored_trace import job, store

DAYS = {"from_": "2020-09-08", "to": "2020-09-15"}


@pytest.fixture
def crowded(data_folder):
    """Two weeks of seeded jobs of three users on one node, so that they queue."""
    rng = np.random.default_rng(7)
    submit = pd.Timestamp("2020-09-01") + pd.to_timedelta(
        np.sort(rng.integers(0, 14 * 86_400, 700)), unit="s"
    )
    user = rng.integers(0, 3, 700)
    duration_s = rng.exponential(np.array([600.0, 4000.0, 20_000.0])[user]).round() + 1
    jobs = [
        job(
            job_id=str(at),
            user=f"u{user[at]}",
            gpu_num=float(rng.choice([1, 2, 4, 8])),
            submit_time=submit[at],
            start_time=submit[at],
            end_time=submit[at] + pd.Timedelta(seconds=duration_s[at]),
        )
        for at in range(700)
    ]
    store(data_folder, "crowded", jobs, [("Venus", "vc1", "2020-09-01", 16)])
    return "crowded"


def entry(trace, **settings):
    made = simulate(SchedulingScenario(trace, **({"policies": ("fifo", "qssf")} | DAYS | settings)))
    return made, made.document["worth"][0]


def test_the_controls_are_those_of_an_estimate_of_the_same_window(crowded):
    _, found = entry(crowded)
    wanted = study(EstimateScenario(crowded, **DAYS))["clusters"][0]["schedules"]
    by_order = {row["order"]: row for row in wanted}
    assert {row["order"] for row in found["orders"]} == {*by_order} - {"qssf_without_guard"}
    for row in found["orders"]:
        if row["order"] != "qssf":  # a model was fitted for the estimate
            assert row["avg_queueing_delay_s"] == pytest.approx(
                by_order[row["order"]]["avg_queueing_delay_s"]
            )


def test_the_closed_gap_is_the_share_of_fifos_waiting_above_the_perfect_order(crowded):
    made, found = entry(crowded, policies=("fifo", "qssf", "gputime", "smallest"))
    totals = {
        row["policy"]: row["avg_queueing_delay_s"] for row in made.document["results"] if row["vc"] == "*"
    }
    by_order = {row["order"]: row for row in found["orders"]}
    gap = (totals["fifo"] - totals["qssf"]) / (totals["fifo"] - totals["gputime"])
    assert by_order["qssf"]["closed_gap"] == pytest.approx(gap)
    assert by_order["fewest_gpus"]["avg_queueing_delay_s"] == pytest.approx(totals["smallest"])
    assert (by_order["fifo"]["closed_gap"], by_order["true_gpu_time"]["closed_gap"]) == (0, 1)
    assert [row["vc"] for row in found["vcs"]] == ["vc1"]


def test_rank_correlation_and_rungs_are_those_of_the_estimates(crowded):
    from runs.simulation import prepared

    settings = SchedulingScenario(crowded, policies=("qssf",), **DAYS)
    work = prepared(settings).workloads[0]
    jobs, estimates = work.jobs, work.estimates
    wanted = spearmanr(
        estimates["estimated_duration_s"] * jobs["gpu_num"], jobs["duration_s"] * jobs["gpu_num"]
    )
    _, found = entry(crowded, policies=("qssf",))
    assert found["rank_correlation"] == pytest.approx(wanted.statistic)
    shares = {row["rung"]: row["share"] for row in found["rungs"]}
    assert sum(shares.values()) == pytest.approx(1)
    assert shares == pytest.approx(
        estimates["rung"].value_counts(normalize=True).loc[lambda s: s > 0].to_dict()
    )


def test_what_the_scenario_changes_holds_for_its_controls_too(crowded):
    made, found = entry(crowded, policies=("fifo", "qssf", "gputime"), load_factor=1.5, start_state=True)
    totals = {row["policy"]: row["avg_jct_s"] for row in made.document["results"] if row["vc"] == "*"}
    by_order = {row["order"]: row["avg_jct_s"] for row in found["orders"]}
    assert by_order["fifo"] == pytest.approx(totals["fifo"])
    assert by_order["true_gpu_time"] == pytest.approx(totals["gputime"])
    _, without = entry(crowded, policies=("fifo", "qssf"))
    assert by_order["user_mean"] > {row["order"]: row["avg_jct_s"] for row in without["orders"]}["user_mean"]


def test_a_replay_without_qssf_has_no_estimates_to_judge(crowded):
    assert simulate(SchedulingScenario(crowded, policies=("fifo", "sjf"), **DAYS)).document["worth"] == []
