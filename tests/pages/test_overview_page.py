"""The Overview's numbers and sentences, from frames that pandas computes too."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import plotly
import pytest

from tests import synthetic
from tests.stored_trace import job, store


def text_of(component: object) -> str:
    return json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False).replace(
        "\u00a0", " "
    )


def gpu_jobs() -> pd.DataFrame:
    jobs = synthetic.synthetic_jobs()
    return jobs[jobs["gpu_num"] > 0]


def test_utilization_is_gpu_time_in_use_over_gpu_time_present(data: Path, scope: Callable) -> None:
    from pages import overview

    whole = scope(trace="demo")
    start, end = whole.start_time, whole.end_time
    jobs = gpu_jobs()
    inside = jobs["end_time"].clip(upper=end) - jobs["start_time"].clip(upper=end)
    held = (jobs["gpu_num"] * inside.dt.total_seconds()).sum()
    grown = 16 * (end - pd.Timestamp("2020-09-07 16:00")).total_seconds()
    present = 160 * (end - start).total_seconds() + grown
    assert overview.mean_utilization(overview.timeline(whole)) == pytest.approx(held / present)
    assert f"{100 * held / present:.1f}" in text_of(overview.utilization_card(whole))


def test_the_answer_is_computed_from_the_data(data: Path, scope: Callable) -> None:
    from pages import overview

    sentence = overview.answer(scope(trace="demo")).replace("\u00a0", " ")
    waited = (gpu_jobs()["gpu_num"] * gpu_jobs()["queueing_delay_s"]).groupby(gpu_jobs()["vc"]).sum()
    assert waited.idxmax() in sentence
    assert "1 Sep 2020 – 14 Sep 2020" in sentence
    one = overview.answer(scope(trace="demo", cluster="Venus"))
    assert one != sentence and "Earth" not in one


def test_nobody_waiting_is_said(data: Path) -> None:
    from pages import overview

    idle = pd.DataFrame({"vc": ["a"], "cluster": ["C"], "waited_gpu_s": [0.0]})
    assert overview.waiting_sentence(idle) == "no GPU job waited."


def test_a_timeline_has_few_enough_points_to_be_legible(data: Path, scope: Callable) -> None:
    from pages import overview

    jobs = [
        job(submit_time="2019-01-01", start_time="2019-01-01"),
        job(submit_time="2020-12-31", start_time="2020-12-31"),
    ]
    store(data, "long", jobs, [("Venus", "vc1", "2019-01-01", 8)])
    for name in ("demo", "long"):
        series = overview.timeline(scope(trace=name))
        assert 100 < series.groupby("cluster").size().max() <= 600


def test_what_is_unknown_is_a_sentence_and_not_zero(data: Path, scope: Callable) -> None:
    from pages import overview

    store(data, "bare", [job(submit_time="2020-09-01 00:00", duration_s=60.0, state="UNKNOWN")] * 5)
    bare = scope(trace="bare")
    submitted = bare.ask("jobs_submitted").iloc[0]
    cards = [
        overview.utilization_card(bare),
        overview.queueing_card(bare, submitted),
        overview.waiting_card(bare),
        overview.lost_card(bare, submitted),
    ]
    for card in cards:
        assert '"unknown"' in text_of(card) and '"0"' not in text_of(card)
    assert "no start times" in overview.answer(bare)
    assert "no start times" in overview.UTILIZATION.answer(bare)[1]


def test_without_capacity_the_card_says_how_to_bring_it(data: Path, scope: Callable) -> None:
    from pages import overview

    store(data, "no quota", [job(submit_time="2020-09-01", start_time="2020-09-01", end_time="2020-09-02")])
    assert "--capacity" in text_of(overview.utilization_card(scope(trace="no quota")))


def test_a_cluster_without_capacity_beside_one_with_it_is_named_as_left_out(
    data: Path, scope: Callable
) -> None:
    from pages import overview

    span = {"submit_time": "2020-09-01", "start_time": "2020-09-01", "end_time": "2020-09-02"}
    store(data, "half", [job(**span), job(cluster="Earth", **span)], [("Venus", "vc1", "2020-09-01", 8)])
    rows, sentence = overview.UTILIZATION.answer(scope(trace="half"))
    assert sentence == ""
    assert "capacity unknown: Earth" in overview.UTILIZATION.note(rows, scope(trace="half"))


def test_lost_gpu_time_is_the_share_of_failed_and_cancelled_jobs(data: Path, scope: Callable) -> None:
    from pages import overview

    whole = scope(trace="demo")
    jobs = gpu_jobs()
    gpu_s = jobs["gpu_num"] * jobs["duration_s"]
    lost = 100 * gpu_s[jobs["state"] != "COMPLETED"].sum() / gpu_s.sum()
    assert f'"{lost:.1f}"' in text_of(overview.lost_card(whole, whole.ask("jobs_submitted").iloc[0]))


def test_jobs_without_a_start_are_counted_where_their_wait_is_left_out(data: Path, scope: Callable) -> None:
    from pages import overview

    known = {"submit_time": "2020-09-01", "start_time": "2020-09-01 00:00:30"}
    store(data, "waits", [job(**known), job(submit_time="2020-09-01", state="PENDING")])
    waits = scope(trace="waits")
    card = text_of(overview.queueing_card(waits, waits.ask("jobs_submitted").iloc[0]))
    assert "30 s" in card and "1 GPU job without a start" in card
