"""Winners and losers of a run: every job of every cluster once, sums as pandas makes them by hand."""

import pandas as pd
import pytest

from components.replay_gains import ends_of
from runs.gains import gains
from runs.scenario import SchedulingScenario
from runs.simulation import simulate


def replayed(policy: str, cluster: str, delays: list[float | None]) -> pd.DataFrame:
    """Jobs 0, 1, … of users u0, u1 in turn, in VCs a (even) and b (odd); None is a rejected job."""
    count = range(len(delays))
    return pd.DataFrame(
        {
            "job_id": [str(at) for at in count],
            "policy": policy,
            "cluster": cluster,
            "vc": ["ab"[at % 2] for at in count],
            "user": [f"u{at % 2}" for at in count],
            "queueing_delay_s": pd.Series(delays, dtype=float),
            "end_s": pd.Series(delays, dtype=float),
            "rejected": ["larger than its VC" if each is None else None for each in delays],
        }
    )


def test_clusters_whose_jobs_have_the_same_ids_are_compared_each_with_itself():
    jobs = pd.concat(
        [
            replayed("fifo", "X", [10, 0, 100, None]),
            replayed("fifo", "Y", [5, 5]),
            replayed("qssf", "X", [0, 60, 40, None]),
            replayed("qssf", "Y", [5, 5.5]),
        ]
    )
    found = gains(jobs, "qssf", "fifo")
    assert found.totals == {
        "jobs": 5,
        "winners": 2,
        "losers": 1,
        "avg_change_s": pytest.approx((-10 + 60 - 60 + 0 + 0.5) / 5),
        "losing_vcs": 1,
        "losing_users": 1,
    }
    assert found.vcs[["cluster", "vc", "change_s"]].values.tolist() == [
        ["X", "b", 60.0],
        ["Y", "b", 0.5],
        ["Y", "a", 0.0],
        ["X", "a", -35.0],
    ]
    assert list(found.users["losers"]) == [1, 0, 0, 0]
    assert list(found.users["winners"]) == [0, 0, 0, 2]


def test_both_ends_of_a_table_are_those_who_lose_and_those_who_gain_most():
    table = pd.DataFrame({"change_s": [3.0, -9.0, 0.2, 50.0, -1.0, 7.0, -30.0]})
    assert list(ends_of(table, 2)["change_s"]) == [50.0, 7.0, -9.0, -30.0]
    assert list(ends_of(table.iloc[[0, 2]], 2)["change_s"]) == [3.0]


def test_a_run_that_is_compared_job_by_job_has_the_difference_of_its_averages(small_trace):
    made = simulate(SchedulingScenario(small_trace, policies=("fifo", "sjf"), load_factor=4.0))
    totals = {row["policy"]: row for row in made.document["results"] if row["vc"] == "*"}
    found = gains(made.jobs, "sjf", "fifo")
    wanted = totals["sjf"]["avg_queueing_delay_s"] - totals["fifo"]["avg_queueing_delay_s"]
    assert found.totals["avg_change_s"] == pytest.approx(wanted)
    both = made.jobs.pivot(index="job_id", columns="policy", values="queueing_delay_s")
    change = both["sjf"] - both["fifo"]
    assert found.totals["losers"] == (change >= 1).sum() > 0
    assert found.totals["winners"] == (change <= -1).sum() > 0
