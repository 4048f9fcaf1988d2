"""QSSF with estimates that were made before the replay."""

import pandas as pd
import pytest
from workloads import jobs_frame

from scheduling import ScenarioError, replay


def estimates(priority, **columns):
    frame = pd.DataFrame({"estimated_duration_s": 7.0, "rung": "user", "priority": priority})
    return frame.assign(**columns)


def test_given_priorities_decide_who_goes_next_and_follow_their_jobs_into_trace_order():
    rows = [(2, 8, 1), (0, 8, 10), (1, 8, 1), (1, 0, 5)]
    outcome = replay(jobs_frame(rows), {"v": 8}, policy="qssf", estimates=estimates([1.0, 9.0, 2.0, 0.0]))
    assert dict(zip(outcome.jobs["job_id"], outcome.jobs["start_s"], strict=True)) == {
        "j1": 0,
        "j0": 10,
        "j2": 11,
    }
    assert outcome.estimates["estimated_duration_s"].tolist() == [7.0] * 3
    assert outcome.estimates["rung"].tolist() == ["user"] * 3
    assert outcome.ends is None


def test_a_policy_that_estimates_nothing_ignores_given_estimates():
    outcome = replay(
        jobs_frame([(0, 8, 5), (1, 8, 5), (1, 8, 1)]),
        {"v": 8},
        policy="fifo",
        estimates=estimates([3.0, 2.0, 1.0]),
    )
    assert outcome.jobs["start_s"].tolist() == [0, 5, 10]
    assert outcome.estimates is None


def test_estimates_that_do_not_match_the_jobs_are_refused():
    jobs = jobs_frame([(0, 8, 5), (1, 8, 5)])
    for wrong, sentence in (
        (estimates([1.0]), "1 estimates for 2 jobs"),
        (estimates([1.0, float("nan")]), "no priority"),
        (estimates([1.0, 2.0]).drop(columns="rung"), "lack the column rung"),
    ):
        with pytest.raises(ScenarioError, match=sentence):
            replay(jobs, {"v": 8}, policy="qssf", estimates=wrong)
