"""What ended jobs say of a job at its submission, and that no later one says anything."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.estimates import ALL_RUNGS, Rolling, known_at_submission
from scheduling.estimates.controls import global_median, last_job, user_mean
from scheduling.estimates.history import RUNGS

FEW = settings(max_examples=60, deadline=None)
PLAIN = Rolling(decay=1.0, shrinkage_jobs=0.0, prior_s=3600.0)
NAMES = ("bert_pretrain_1", "Bert-pretrain-2", "bert_pretrains_3", "vit", None)


def frame(rows):
    """Jobs of (submit_s, gpu_num, duration_s, user, name, wait_s), by submission, on two VCs."""
    jobs = pd.DataFrame(rows, columns=["submit_s", "gpu_num", "duration_s", "user", "job_name", "wait_s"])
    jobs = jobs.astype({"submit_s": float, "gpu_num": float, "duration_s": float})
    jobs["end_s"] = jobs["submit_s"] + jobs.pop("wait_s") + jobs["duration_s"]
    return jobs.assign(vc=["v" if i % 3 else "w" for i in range(len(jobs))])


row = st.tuples(
    st.integers(0, 60),
    st.sampled_from([1, 8]),
    st.integers(0, 60),
    st.sampled_from(["a", "b", None]),
    st.sampled_from(NAMES),
    st.integers(0, 30),
)
traces = st.lists(row, min_size=1, max_size=25).map(lambda rows: frame(sorted(rows, key=lambda r: r[0])))


def rungs(jobs, rolling=PLAIN):
    return [ALL_RUNGS[code] for code in known_at_submission(jobs, rolling).rung]


def test_an_estimate_falls_back_rung_by_rung():
    past = [
        (0, 1, 10, "a", "bert_1", 0),
        (0, 1, 20, "a", "vit", 0),
        (0, 8, 30, "a", "vit", 0),
        (0, 2, 40, "b", None, 0),
    ]
    asked = [
        ((99, 1, 5, "a", "bert_2", 0), "user_name_gpus", 10),
        ((99, 1, 5, "a", "berts_2", 0), "user_similar_gpus", 10),
        ((99, 1, 5, "a", "swin", 0), "user_gpus", 15),
        ((99, 4, 5, "a", "swin", 0), "user", 20),
        ((99, 2, 5, "c", None, 0), "vc_gpus", 40),
        ((99, 4, 5, "c", None, 0), "vc", 25),
    ]
    for job, rung, expected_s in asked:
        jobs = frame([*past, job]).assign(vc="v")
        assert rungs(jobs)[-1] == rung
        assert known_at_submission(jobs, PLAIN).expected_s[-1] == pytest.approx(expected_s)
    elsewhere = frame([*past, (99, 4, 5, "c", None, 0)]).assign(vc=["v"] * 4 + ["w"])
    assert rungs(elsewhere)[-1] == "everyone"
    assert rungs(elsewhere)[0] == "none"
    assert known_at_submission(elsewhere, PLAIN).expected_s[0] == 3600


def test_each_ended_job_counts_less_than_the_next_and_the_mean_leans_on_the_next_rung():
    jobs = frame([(0, 1, 10, "a", None, 0), (0, 1, 40, "a", None, 0), (99, 1, 1, "a", None, 0)])
    half = known_at_submission(jobs, Rolling(decay=0.5, shrinkage_jobs=0.0)).expected_s[-1]
    assert half == pytest.approx((0.5 * 10 + 40) / 1.5)
    leaning = known_at_submission(jobs, Rolling(decay=1.0, shrinkage_jobs=2.0, prior_s=100.0)).expected_s[-1]
    expected_s = 100.0
    for mean_s in (25.0,) * 5:  # everyone, vc, vc_gpus, user, user_gpus: the same two jobs (all but the vc's)
        expected_s = (2 * mean_s + 2 * expected_s) / 4
    assert known_at_submission(jobs.assign(vc="v"), Rolling(1.0, 2.0, 100.0)).expected_s[-1] == expected_s
    assert leaning != expected_s


def slow(jobs, at, decay, shrinkage_jobs, prior_s):
    """The estimate of job ``at`` by its definition; names are the same or far apart, so none is similar."""
    me = jobs.iloc[at]
    gone = [
        other
        for i, other in enumerate(jobs.itertuples())
        if i != at and other.end_s <= me.submit_s and (i < at or other.submit_s < other.end_s)
    ]
    gone.sort(key=lambda other: (other.end_s, other.Index))
    same = {
        "user_name_gpus": lambda o: (o.user, o.job_name, o.gpu_num) == (me.user, me.job_name, me.gpu_num),
        "user_gpus": lambda o: (o.user, o.gpu_num) == (me.user, me.gpu_num),
        "user": lambda o: o.user == me.user,
        "vc_gpus": lambda o: (o.vc, o.gpu_num) == (me.vc, me.gpu_num),
        "vc": lambda o: o.vc == me.vc,
        "everyone": lambda o: True,
    }
    expected_s, nearest = prior_s, "none"
    for rung in reversed(same):
        durations = [other.duration_s for other in gone if same[rung](other)]
        if durations:
            weights = decay ** np.arange(len(durations))[::-1]
            total = weights @ np.array(durations) + shrinkage_jobs * expected_s
            expected_s, nearest = total / (weights.sum() + shrinkage_jobs), rung
    return expected_s, nearest


@FEW
@given(jobs=traces, decay=st.sampled_from([1.0, 0.5]), shrinkage_jobs=st.sampled_from([0.0, 1.5]))
def test_rolling_means_are_those_of_their_definition(jobs, decay, shrinkage_jobs):
    jobs["user"], jobs["job_name"] = (
        jobs["user"].fillna("c"),
        jobs["job_name"].map({"vit": "vit"}).fillna("zz"),
    )
    known = known_at_submission(jobs, Rolling(decay, shrinkage_jobs, 77.0))
    for at in range(len(jobs)):
        expected_s, rung = slow(jobs, at, decay, shrinkage_jobs, 77.0)
        assert ALL_RUNGS[known.rung[at]] == rung
        assert known.expected_s[at] == pytest.approx(expected_s)


@FEW
@given(jobs=traces, moment=st.integers(0, 60), longer=st.integers(1, 500))
def test_changing_whatever_ends_later_changes_nothing_known_earlier(jobs, moment, longer):
    later = jobs["end_s"] > moment
    changed = jobs.assign(
        duration_s=jobs["duration_s"] + longer * later, end_s=jobs["end_s"] + longer * later
    )
    before = (jobs["submit_s"] <= moment).to_numpy()
    rolling = Rolling()
    one, other = (known_at_submission(each, rolling, True) for each in (jobs, changed))
    for field, values in zip(one._fields, one, strict=True):
        np.testing.assert_array_equal(values[before], getattr(other, field)[before])
    for control in (user_mean, last_job):
        np.testing.assert_array_equal(control(one, 1.0)[before], control(other, 1.0)[before])
    medians = [global_median(each, 1.0)[before] for each in (jobs, changed)]
    np.testing.assert_array_equal(*medians)


@FEW
@given(jobs=traces, new=st.text("xyz", min_size=1, max_size=3))
def test_a_name_used_only_later_changes_no_earlier_estimate(jobs, new):
    if len(jobs) > 1:
        renamed = jobs.copy()
        renamed.loc[len(jobs) - 1, "job_name"] = new
        one, other = (known_at_submission(each, PLAIN).expected_s[:-1] for each in (jobs, renamed))
        np.testing.assert_array_equal(one, other)


def test_controls_know_the_users_ended_jobs_and_the_median_of_all():
    jobs = frame(
        [
            (0, 1, 10, "a", None, 0),
            (0, 8, 30, "a", None, 0),
            (0, 1, 50, "b", None, 0),
            (99, 1, 1, "a", None, 0),
        ]
    )
    known = known_at_submission(jobs, Rolling(decay=1.0), True)
    assert user_mean(known, 1.0)[-1] == pytest.approx(20)
    assert last_job(known, 1.0).tolist() == [1.0, 1.0, 1.0, 30.0]
    assert global_median(jobs, 1.0).tolist() == [1.0, 1.0, 1.0, 30.0]


def test_a_trace_without_users_and_names_is_estimated_from_its_vcs():
    jobs = frame([(0, 1, 10, None, None, 0), (50, 1, 5, None, None, 0)]).drop(columns=["user", "job_name"])
    assert rungs(jobs.assign(vc="v")) == ["none", "vc_gpus"]
    assert len(RUNGS) + 1 == len(ALL_RUNGS)
