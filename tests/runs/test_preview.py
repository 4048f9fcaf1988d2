"""A preview gives the numbers of the stored run, reads estimates without fitting any, and knows its cost."""

import pandas as pd
import pytest

from runs import RunError, models, simulation
from runs.preview import affordable, cost, preview
from runs.scenario import SchedulingScenario
from scheduling.policies import POLICIES
from tests.stored_trace import job, store

FIVE_AT_ONCE = [
    job(
        job_id=str(i),
        user=f"u{i % 2}",
        gpu_num=8.0,
        submit_time="2020-09-01 00:00:0" + str(i),
        start_time="2020-09-01 01:00",
        end_time=f"2020-09-01 01:{10 * (5 - i):02}",
    )
    for i in range(5)
]


@pytest.fixture
def queue_of_five(data_folder):
    store(data_folder, "five", FIVE_AT_ONCE, [("Venus", "vc1", "2020-09-01", 8)])
    return "five"


@pytest.mark.parametrize("changes", [{}, {"load_factor": 1.6}, {"duration_factor": 0.5}, {"backfill": True}])
def test_a_preview_has_the_totals_and_the_distribution_of_the_run(queue_of_five, changes):
    scenario = SchedulingScenario(queue_of_five, policies=("fifo", "sjf", "srtf"), **changes)
    models.refit(queue_of_five)  # backfill asks for estimates
    shown, run = preview(scenario), simulation.simulate(scenario)
    totals = [row for row in run.document["results"] if row["vc"] == "*"]
    assert shown.rows == totals
    pd.testing.assert_frame_equal(shown.cdf, run.cdf)


def test_a_policy_without_stored_estimates_is_left_out_until_they_are_fitted(queue_of_five):
    scenario = SchedulingScenario(queue_of_five, policies=("fifo", "qssf"))
    shown = preview(scenario)
    assert shown.unfitted == ("qssf",)
    assert [row["policy"] for row in shown.rows] == ["fifo"]
    models.refit(queue_of_five)
    shown = preview(scenario)
    assert shown.unfitted == ()
    assert shown.rows == [
        row for row in simulation.simulate(scenario).document["results"] if row["vc"] == "*"
    ]


def test_nothing_is_replayed_where_every_policy_waits_for_estimates(queue_of_five):
    shown = preview(SchedulingScenario(queue_of_five, policies=("qssf",)))
    assert (shown.rows, shown.unfitted) == ([], ("qssf",))


def test_no_policy_at_all_is_refused(queue_of_five):
    with pytest.raises(RunError, match="at least one policy"):
        preview(SchedulingScenario(queue_of_five, policies=()))


def test_the_cost_grows_with_jobs_load_and_policies_that_take_longer():
    def of(*policies, **changes):
        return cost(SchedulingScenario("t", policies=policies, **changes), 1000)

    assert of("fifo") == 1000
    assert of("fifo", "sjf", load_factor=1.5) == 3000
    assert of("srtf") > of("fifo")
    assert of("fifo", backfill=True) > of("fifo")
    assert of("srtf", backfill=True) == of("srtf")  # it passes over jobs that do not fit anyway
    assert all(of(policy) > 0 for policy in POLICIES)


def test_a_preview_is_affordable_up_to_the_setting(monkeypatch):
    import settings

    monkeypatch.setenv("HELIOGRAPH_REPLAY_JOBS_IN_WEB", "2000")
    settings.current.cache_clear()
    scenario = SchedulingScenario("t", policies=("fifo", "sjf"))
    assert affordable(scenario, 1000)
    assert not affordable(scenario, 1001)
    settings.current.cache_clear()
