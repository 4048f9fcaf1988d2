"""What was added up at import answers as the jobs themselves do, whatever the window and the zone."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from queries import fetch, manifests, warehouse
from queries.statement import statement, statement_names
from tests import synthetic
from tests.stored_trace import job, store
from traces import rollups

WINDOWED = [name for name in statement_names() if {"start", "end"} <= set(statement(name).params)]
VALUES = {
    "period": "week",
    "user": "u07",
    "bin_s": 3600,
    "earlier_start": pd.Timestamp("2020-08-31 16:00"),
    "earlier_end": pd.Timestamp("2020-09-02 11:17:03"),
}
ROLLED_UP = ("gpu_time_in_bins", "cohorts_in", "durations_in", "submissions_in", "delays_in")
DIMENSIONS = ("all", "cluster", "vc", "gpus")


def answer(name: str, trace: str, scope: dict) -> pd.DataFrame:
    question = statement(name)
    params = {key: scope.get(key, VALUES.get(key)) for key in question.params}
    return fetch(name, trace=trace, **params)


def scope(start: str, end: str, clusters: list[str] | None = None, vcs: list[str] | None = None) -> dict:
    instants = {"start": pd.Timestamp(start), "end": pd.Timestamp(end)}
    return {"clusters": clusters or [], "vcs": vcs or [], **instants}


def assert_same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    keys = [column for column in one if not pd.api.types.is_float_dtype(one[column])]
    ordered = [frame.sort_values(keys, ignore_index=True) if keys else frame for frame in (one, other)]
    pd.testing.assert_frame_equal(*ordered, rtol=1e-9, atol=1e-6)


@pytest.fixture
def both(data: Path) -> None:
    """The synthetic datacenter, once with rollups and once as it was stored before there were any."""
    synthetic.write(data)
    synthetic.write(data, "old", rolled_up=False)


WINDOWS = [
    scope("2020-08-31 16:00", "2020-09-14 15:59:59"),
    scope("2020-08-31 16:00", "2020-10-31 16:00"),
    scope("2020-09-02 16:00", "2020-09-05 16:00", ["Venus"], ["vcB"]),
    scope("2020-09-02 11:17:03", "2020-09-06 03:41:59"),
    scope("2020-09-02 11:17:03", "2020-09-02 11:21:00"),
]


def asks_rollups(name: str) -> bool:
    return any(macro in statement(name).sql for macro in ROLLED_UP)


def choices(name: str) -> list[dict]:
    """What a question can be asked for beside its window."""
    if "dimension" in statement(name).params:
        return [{"dimension": dimension} for dimension in DIMENSIONS]
    return [{}]


def test_every_question_has_the_same_answer_with_and_without_rollups(both: None) -> None:
    for name in filter(asks_rollups, WINDOWED):
        for window in WINDOWS:
            for choice in choices(name):
                asked = window | choice
                assert_same(answer(name, "demo", asked), answer(name, "old", asked))


def test_a_trace_without_rollups_is_told_apart(both: None) -> None:
    told = [
        warehouse.connection(manifests.version(trace)).cursor().execute("SELECT rolled_up()").fetchone()[0]
        for trace in ("demo", "old")
    ]
    assert told == [True, False]


def test_a_rollup_that_one_cluster_lacks_is_not_asked_for_the_others(data: Path) -> None:
    synthetic.write(data)
    (data / "traces/demo/v000001/usage/Earth.parquet").unlink()
    bins = answer("utilization_by_cluster", "demo", scope("2020-09-02 16:00", "2020-09-03 16:00"))
    assert (bins.groupby("cluster")["held_gpu_s"].sum() > 0).to_dict() == {"Earth": True, "Venus": True}


def test_a_rollup_with_other_columns_is_not_asked(data: Path) -> None:
    synthetic.write(data)
    for path in (data / "traces/demo/v000001/cohorts").glob("*.parquet"):
        pd.read_parquet(path).drop(columns="jobs").to_parquet(path)
    jobs = answer("jobs_submitted", "demo", scope("2020-08-31 16:00", "2020-10-31 16:00"))
    assert jobs["gpu_jobs"].iloc[0] == (synthetic.synthetic_jobs()["gpu_num"] > 0).sum()


def test_the_slots_of_a_real_size_trace_hold_exactly_the_gpu_time_of_its_ended_jobs(data: Path) -> None:
    synthetic.write(data)
    folder = data / "traces/demo/v000001/usage"
    slots = pd.concat(pd.read_parquet(path) for path in sorted(folder.glob("*.parquet")))
    jobs = synthetic.synthetic_jobs()
    gpu = jobs[jobs["gpu_num"] > 0]
    held = gpu["gpu_num"] * (gpu["end_time"] - gpu["start_time"]).dt.total_seconds()
    assert slots["single_gpu_s"].sum() == pytest.approx(held[gpu["gpu_num"] <= 1].sum(), rel=1e-12)
    assert slots["multi_gpu_s"].sum() == pytest.approx(held[gpu["gpu_num"] > 1].sum(), rel=1e-12)
    assert not slots.duplicated(["cluster", "vc", "time"]).any()


ZONES = ["UTC", "Asia/Kathmandu", "America/Los_Angeles", "Australia/Lord_Howe", "America/Havana"]


@pytest.mark.parametrize("timezone", ZONES)
def test_local_days_and_hours_begin_with_a_slot_in_every_zone(data: Path, timezone: str) -> None:
    days = pd.date_range("2017-10-25", "2017-11-10", tz="UTC")
    local = days.tz_localize(None).tz_localize(timezone, ambiguous=[True] * len(days))
    starts = local.tz_convert("UTC").tz_localize(None)
    store(
        data, "t", [job(submit_time=starts[0], start_time=starts[0], end_time=starts[-1])], timezone=timezone
    )
    asked = warehouse.connection(manifests.version("t")).cursor()
    for start in starts:
        assert asked.execute("SELECT slot_s(?::TIMESTAMP, 600)", [start]).fetchone()[0]


seconds = st.integers(0, 6 * 86400)
lengths = st.one_of(st.none(), st.integers(1, 3 * 86400))
rows = st.tuples(seconds, st.integers(0, 7200), lengths, st.sampled_from([0.0, 0.25, 1.0, 2.0, 8.0]))


@settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # each example writes traces: no shrinking
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    runs=st.lists(rows, min_size=1, max_size=12),
    timezone=st.sampled_from(ZONES),
    window=st.tuples(seconds, seconds).filter(lambda pair: pair[0] < pair[1]),
)
def test_any_jobs_are_answered_alike_over_any_window(
    data: Path, runs: list, timezone: str, window: tuple[int, int]
) -> None:
    zero = pd.Timestamp("2017-11-02 23:10:07")  # three days before the clocks of America go back
    second = pd.Timedelta(seconds=1)
    jobs = [
        job(
            submit_time=zero + at * second,
            start_time=zero + (at + wait) * second,
            end_time=None if length is None else zero + (at + wait + length) * second,
            gpu_num=gpus,
            vc=f"vc{place % 2}",
            user=f"u{place % 3}" if place % 4 else None,
            cpu_num=place if place % 5 else None,
        )
        for place, (at, wait, length, gpus) in enumerate(runs)
    ]
    quota = [("Venus", "vc0", "2017-11-01", 8), ("Venus", "vc0", "2017-11-05", 16)]
    for trace, rolled_up in (("new", True), ("old", False)):
        store(data, trace, jobs, quota, timezone=timezone, rolled_up=rolled_up)
    for start, end in (window, (0, window[1])):
        asked = scope(str(zero + start * second), str(zero + end * second))
        midnight = asked["start"].tz_localize("UTC").tz_convert(timezone).normalize()
        for begin in (asked["start"], midnight.tz_convert("UTC").tz_localize(None)):
            asked["start"] = begin
            for name in ("utilization_by_cluster", "duration_cdf", "queueing_delays_over_time", "users"):
                assert_same(answer(name, "new", asked), answer(name, "old", asked))


def test_an_import_of_one_cluster_makes_its_rollups_anew_and_keeps_those_of_the_others(
    tmp_path: Path,
) -> None:
    from tests.traces.test_publish import cluster
    from traces import store as traces_store
    from traces.catalog import Catalog

    traces_store.publish(tmp_path, "T", "UTC", [cluster("Venus"), cluster("Earth", jobs=2)])
    before = Catalog(tmp_path).folder("T")
    traces_store.publish(tmp_path, "T", "UTC", [cluster("Earth", jobs=5)])
    after = Catalog(tmp_path).folder("T")
    for name in rollups.NAMES:
        same = [(folder / name / "Venus.parquet").stat().st_ino for folder in (before, after)]
        assert same[0] == same[1]
    counted = [
        int(pd.read_parquet(folder / "cohorts/Earth.parquet")["jobs"].sum()) for folder in (before, after)
    ]
    assert counted == [2, 5]
    assert np.isclose(pd.read_parquet(after / "submissions/Earth.parquet")["jobs"].sum(), 5)
