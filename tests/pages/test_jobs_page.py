"""The Jobs page: its sentence, its notes, and every view's table columns."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import settings
from components.numbers import duration
from tests import synthetic
from tests.stored_trace import job, store


def test_the_answer_is_computed_from_the_data(data: Path, scope: Callable) -> None:
    from pages import jobs

    frame = synthetic.synthetic_jobs()
    gpu = frame[frame["gpu_num"] > 0]
    sentence = jobs.answer(scope(trace="demo")).replace("\u00a0", " ")
    assert f"end within {duration(gpu['duration_s'].median())};".replace("\u00a0", " ") in sentence
    small = 100 * (gpu["gpu_num"] <= 1).mean()
    assert f"{small:.0f} % ask for one GPU at most" in sentence
    failed = 100 * gpu["state"].isin(["FAILED", "TIMEOUT"]).mean()
    assert f"{failed:.0f} % fail" in sentence


def test_notes_count_what_each_chart_leaves_out_and_say_why(data: Path, scope: Callable) -> None:
    from pages import jobs

    rows = [
        job(submit_time="2020-09-01", duration_s=5.0),
        job(submit_time="2020-09-01", gpu_num=None, duration_s=5.0),
        job(submit_time="2020-09-01", state="RUNNING"),
    ]
    store(data, "gaps", rows)
    gaps = scope(trace="gaps")
    note = jobs.DURATIONS.note(jobs.DURATIONS.rows(gaps), gaps)
    assert "1 job of unknown GPU count and 1 job without a duration" in note
    assert "not ended or of unknown state" in jobs.status_note(gaps)


def test_a_trace_without_states_or_durations_says_so(data: Path, scope: Callable) -> None:
    from pages import jobs

    store(data, "bare", [job(submit_time="2020-09-01", state="UNKNOWN")])
    bare = scope(trace="bare")
    assert "no job states" in jobs.STATUS_BY_KIND.answer(bare)[1]
    assert "known duration" in jobs.DURATIONS.answer(bare)[1]


@pytest.mark.parametrize("page", ["overview", "jobs"])
def test_every_view_draws_its_rows_and_its_table_has_their_columns(
    data: Path, scope: Callable, page: str
) -> None:
    import importlib

    from components.tables import data_table

    for view in importlib.import_module(f"pages.{page}").VIEWS:
        rows, sentence = view.answer(scope(trace="demo"))
        if view.name == "overview-attention" and sentence:
            continue  # nothing stands out in random data
        assert len(rows) and sentence == "", view.name
        assert view.note(rows, scope(trace="demo"))
        if view.figure:
            assert len(view.figure(rows, scope(trace="demo")).data)
            assert data_table(rows, view.columns)
        else:
            assert view.table(rows, scope(trace="demo"))


def gpu_jobs() -> pd.DataFrame:
    jobs = synthetic.synthetic_jobs()
    jobs = jobs[jobs["gpu_num"] > 0]
    return jobs.assign(gpu_s=jobs["gpu_num"] * jobs["duration_s"], lost=jobs["state"] != "COMPLETED")


def test_the_bars_of_lost_gpu_time_add_up_to_what_failed_and_cancelled_jobs_held(
    data: Path, scope: Callable
) -> None:
    from pages import job_failures

    demo, jobs = scope(trace="demo"), gpu_jobs()
    lost_h = jobs[jobs["lost"]]["gpu_s"].sum() / 3600
    over_time = job_failures.LOST_OVER_TIME
    drawn = over_time.drawn(over_time.rows(demo), demo)
    assert {bar.name for bar in drawn.data} == {"cancelled", "failed"}
    assert sum(sum(bar.y) for bar in drawn.data) == pytest.approx(lost_h)
    by_vc = job_failures.LOST_BY_VC.drawn(job_failures.LOST_BY_VC.rows(demo), demo)
    assert sum(sum(bar.x) for bar in by_vc.data) == pytest.approx(lost_h)
    assert by_vc.data[0].customdata[0][0].startswith("?trace=demo&cluster=")


def test_lines_of_failures_are_shares_of_ended_jobs_and_open_their_cluster(
    data: Path, scope: Callable
) -> None:
    from pages import job_failures

    demo, jobs = scope(trace="demo"), gpu_jobs()
    figure = job_failures.CANCELLED.drawn(job_failures.CANCELLED.rows(demo), demo)
    line = next(line for line in figure.data if line.name == "Earth")
    cancelled, ended = (sum(day[place] for day in line.customdata) for place in (0, 1))
    earth = jobs[jobs["cluster"] == "Earth"]
    assert (cancelled, ended) == ((earth["state"] == "CANCELLED").sum(), len(earth))
    assert line.meta == "?trace=demo&cluster=Earth"
    alone = scope(trace="demo", cluster="Earth")
    figure = job_failures.CANCELLED.drawn(job_failures.CANCELLED.rows(alone), alone)
    assert figure.data[0].meta == "?trace=demo"


def test_users_are_listed_by_what_they_lost_unless_nobody_may_know(
    data: Path, scope: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages import job_failures

    jobs = gpu_jobs()
    lost = jobs[jobs["lost"]].groupby("user")["gpu_s"].sum().sort_values(ascending=False)
    rows, _ = job_failures.LOST_BY_USER.answer(scope(trace="demo"))
    assert rows["user"].tolist() == lost.index.tolist()
    assert rows["share_of_lost"].tolist() == pytest.approx((lost / lost.sum()).tolist())
    monkeypatch.setenv("HELIOGRAPH_USERS", "off")
    settings.current.cache_clear()
    rows, sentence = job_failures.LOST_BY_USER.answer(scope(trace="demo"))
    assert rows.empty and "HELIOGRAPH_USERS=off" in sentence


def test_a_bar_of_gpu_counts_opens_those_jobs(data: Path, scope: Callable) -> None:
    from pages import jobs
    from pages.job_links import gpus_address

    demo = scope(trace="demo", cluster="Venus")
    figure = jobs.STATUS_BY_GPUS.drawn(jobs.STATUS_BY_GPUS.rows(demo), demo)
    places = dict(zip(figure.data[0].x, (point[0] for point in figure.data[0].customdata), strict=True))
    assert places["8"] == "/jobs/find?trace=demo&cluster=Venus&gpu_num=8..8"
    assert gpus_address(demo.filters, "≥ 64").endswith("&gpu_num=64..")
    assert gpus_address(demo.filters, "other") is None
