"""More or less load keeps what it does not change."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs import RunError
from runs.load import scaled


def jobs(count: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "job_id": [str(i) for i in range(count)],
            "vc": [f"v{i % 3}" for i in range(count)],
            "gpu_num": 1.0 + np.arange(count) % 8,
            "duration_s": 60.0,
            "submit_s": np.arange(count) * 100.0,
            "end_s": np.arange(count) * 100.0 + 60,
        }
    )


@given(st.floats(0.05, 3), st.integers(0, 5))
def test_jobs_stay_in_trace_order_with_ids_of_their_own_and_none_before_the_window(factor, seed):
    made = scaled(jobs(200), factor, seed)
    assert made["submit_s"].is_monotonic_increasing
    assert made["job_id"].is_unique
    assert (made["submit_s"] >= 0).all()


@given(st.floats(1, 3), st.integers(0, 5))
def test_above_one_every_job_stays_and_the_count_is_exact(factor, seed):
    made = scaled(jobs(200), factor, seed)
    assert len(made) == 200 + round((factor - 1) * 200)
    assert set(jobs(200)["job_id"]) <= set(made["job_id"])


def test_below_one_about_that_share_stays_unchanged():
    made = scaled(jobs(4000), 0.25, seed=1)
    assert 900 < len(made) < 1100
    pd.testing.assert_frame_equal(
        made, jobs(4000)[jobs(4000)["job_id"].isin(made["job_id"])].reset_index(drop=True)
    )


def test_the_same_seed_gives_the_same_jobs_and_another_gives_others():
    assert scaled(jobs(300), 1.5, 7).equals(scaled(jobs(300), 1.5, 7))
    assert not scaled(jobs(300), 1.5, 7).equals(scaled(jobs(300), 1.5, 8))


def test_a_resampled_job_has_no_recorded_end_from_which_an_estimate_could_learn():
    made = scaled(jobs(100), 2, 1)
    assert made.loc[made["job_id"].str.contains("+", regex=False), "end_s"].isna().all()


@pytest.mark.parametrize("factor", [0, -1, 11, float("nan")])
def test_a_factor_out_of_range_is_refused(factor):
    with pytest.raises(RunError, match="load factor"):
        scaled(jobs(3), factor, 1)
