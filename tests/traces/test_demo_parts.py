"""The parts of the demo generator, each by itself."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling import replay
from traces.demo import durations, sizes, states, submissions, tables, users, workload
from traces.demo.calendar import PERIOD_S
from traces.demo.clusters import CLUSTERS, STATE_SHARES_BY_GPU_NUM
from traces.demo.datacenter import GPUS_PER_NODE, kept_slice
from traces.demo.raking import apportioned, filled, raked
from traces.demo.rehearsal import rehearsed
from traces.demo.streams import stream
from traces.demo.timetable import Timetable

VENUS, EARTH, SATURN, URANUS = CLUSTERS


@pytest.mark.parametrize("profile", CLUSTERS, ids=lambda profile: profile.name)
@pytest.mark.parametrize("scale", [0.001, 0.02, 0.1, 0.5, 1.0])
def test_a_slice_keeps_vcs_and_nodes_and_the_offered_load_per_gpu(profile, scale):
    part, whole = kept_slice(profile, scale, seed=3), kept_slice(profile, 1.0, seed=3)
    assert len(part.nodes) >= 2 and part.nodes.sum() >= 8 and part.nodes.min() >= 1
    assert part.nodes.sum() == max(8, round(profile.nodes * scale))

    def offered(some):
        return some.gpu_time_gpu_s.sum() / (some.gpus * (PERIOD_S - some.opens_s)).sum()

    assert offered(part) == pytest.approx(offered(whole), abs=0.002)
    assert set(part.vcs) <= set(whole.vcs)


@pytest.mark.parametrize("profile", CLUSTERS, ids=lambda profile: profile.name)
def test_the_full_layout_has_the_published_nodes_and_nearly_the_published_mean(profile):
    part = kept_slice(profile, 1.0, seed=11)
    assert (len(part.nodes), part.nodes.sum()) == (profile.vcs, profile.nodes)
    mean_gpus = (part.gpus * (1 - part.opens_s / PERIOD_S)).sum()
    assert mean_gpus == pytest.approx(profile.mean_gpus, rel=0.02)
    assert part.gpu_time_gpu_s.sum() == pytest.approx(profile.gpu_time_gpu_s, rel=0.001)


def test_no_job_is_submitted_before_its_virtual_cluster_opens_and_the_quota_says_when():
    part = kept_slice(SATURN, 0.02, seed=1)
    opens_s = np.array([0, 60 * 86_400])
    part = replace(part, opens_s=opens_s)
    jobs = workload.workload(part, seed=1)
    submit_s, _ = submissions.submit_times(part, jobs, seed=1)
    assert (submit_s >= opens_s[jobs.vc]).all()
    rows = tables.quota(part).query("vc == @part.vcs[1]")
    assert [str(date) for date in rows["date"]] == ["2020-04-01", "2020-05-31"]
    assert rows["gpus"].tolist() == [0, part.gpus[1]]


def test_state_shares_meet_all_published_margins():
    joint = states.joint_shares()
    for profile in CLUSTERS:
        assert joint[profile.name].sum(axis=1) == pytest.approx(sizes.bucket_shares(profile), abs=1e-6)
        published = np.array(profile.gpu_states) / sum(profile.gpu_states)
        assert joint[profile.name].sum(axis=0) == pytest.approx(published, abs=2e-3)
    by_size = sum(joint[profile.name] * profile.gpu_jobs for profile in CLUSTERS)
    single = np.array(STATE_SHARES_BY_GPU_NUM[1])
    assert by_size[0] / by_size[0].sum() == pytest.approx(single / single.sum(), abs=5e-3)


@pytest.mark.parametrize("profile", CLUSTERS, ids=lambda profile: profile.name)
def test_tilted_durations_keep_the_curve_and_give_every_gpu_count_its_mean(profile):
    grid = durations.DurationGrid(profile.gpu_duration_cdf_pct)
    cells, means = states.joint_shares()[profile.name], durations.bucket_means(profile)
    tail_tilt = np.array(durations.STATE_TAIL_TILT[profile.name])
    joint = durations.tilted(grid, cells, means, tail_tilt)
    assert joint.sum(axis=0) == pytest.approx(cells, abs=1e-9)
    curve = np.cumsum(np.bincount(grid.interval, joint.sum(axis=(1, 2))))
    assert np.abs(curve - np.array(profile.gpu_duration_cdf_pct) / 100).max() < 0.02
    large = cells.sum(axis=1) > 0.01
    found = np.tensordot(grid.middle, joint.sum(axis=2), axes=1) / cells.sum(axis=1)
    assert found[large] == pytest.approx(means[large], rel=0.02)
    log = np.tensordot(grid.log, joint.sum(axis=1), axes=1) / cells.sum(axis=0)
    assert log[2] < min(log[0], log[1])  # failed jobs are short


def test_gpu_counts_beyond_64_have_the_published_mean():
    for profile in CLUSTERS:
        gpu_num = sizes.gpu_numbers(profile, profile.gpu_jobs, stream(1, "test"))
        beyond = gpu_num[gpu_num > 64]
        assert beyond.mean() == pytest.approx(max(profile.mean_gpus_beyond_64, 72), rel=0.05)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=12), st.integers(0, 3), st.integers(0, 500))
def test_apportioning_gives_away_everything_and_the_least_to_all(weights, least, spare):
    total = least * len(weights) + spare
    parts = apportioned(total, np.array(weights), least)
    assert parts.sum() == total and parts.min() >= least
    exact = np.array(weights) / sum(weights) * spare + least
    assert np.abs(parts - exact).max() < 1 + 1e-6


def test_raking_reaches_both_margins():
    prior = np.array([[1.0, 2.0, 0.0], [3.0, 1.0, 1.0]])
    table = raked(prior, np.array([4.0, 6.0]), np.array([5.0, 3.0, 2.0]), rounds=200)
    assert table.sum(axis=1) == pytest.approx([4, 6]) and table.sum(axis=0) == pytest.approx([5, 3, 2])
    assert table[0, 2] == 0


def test_filling_gives_each_bin_its_share_and_empty_bins_nothing():
    bins = filled(np.ones(1000), np.array([0.2, 0.0, 0.5, 0.3]))
    assert np.bincount(bins, minlength=4).tolist() == [200, 0, 500, 300]


@pytest.mark.parametrize("top", [0.46, 0.6])
def test_the_top_twentieth_of_the_users_holds_its_share(top):
    share = np.sort(users.shares(300, top, stream(1, "test")))
    assert share[-15:].sum() == pytest.approx(top, abs=1e-3) and share.sum() == pytest.approx(1)


def test_streams_of_other_names_or_seeds_are_others():
    draws = [stream(seed, *names).random() for seed in (1, 2) for names in (("a",), ("b",), ("a", "b"))]
    assert len(set(draws)) == 6 and stream(1, "a").random() == draws[0]


def test_the_timetable_puts_a_job_off_to_the_same_hour_of_a_free_day():
    table = Timetable(nodes=2, gpus_per_node=8, opens_slot=0, spare_nodes=0)
    assert table.write(wish=1000, slots=144, gpu_num=16) == 1000
    assert table.write(wish=1000, slots=10, gpu_num=8) in (1000 - 144, 1000 + 144)
    assert table.write(wish=5000, slots=10, gpu_num=8) == 5000


def test_a_job_without_room_at_any_time_is_written_all_the_same():
    table = Timetable(nodes=1, gpus_per_node=8, opens_slot=100, spare_nodes=0)
    for _ in range(6):
        assert 100 <= table.write(wish=200, slots=7_000, gpu_num=8) < 181 * 144


JOBS = st.lists(
    st.tuples(st.integers(0, 300_000), st.sampled_from([1, 2, 3, 5, 8, 12, 16, 24]), st.integers(1, 90_000)),
    min_size=1,
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(JOBS, st.integers(3, 5), st.sampled_from([0.0, 600.0, 20_000.0]))
def test_a_fifo_replay_of_a_rehearsal_makes_nobody_wait_longer_than_accepted(jobs, nodes, accepted):
    wish, gpu_num, duration = (np.array(column) for column in zip(*jobs, strict=True))
    levels = np.full(200, accepted)
    lasts = duration.astype(float)
    submit, place = rehearsed(wish.astype(float), gpu_num, lasts, nodes, GPUS_PER_NODE, levels)
    order = np.lexsort((place, submit))
    frame = pd.DataFrame({"job_id": order.astype(str), "vc": "a", "gpu_num": gpu_num[order].astype(float)})
    frame = frame.assign(duration_s=lasts[order], submit_s=submit[order])
    start = replay(frame, {"a": 8 * nodes}, policy="fifo").jobs["start_s"].to_numpy()
    assert (submit >= wish).all()
    assert (np.diff(place[order]) > 0).all()
    assert (start - submit[order]).max() <= accepted
