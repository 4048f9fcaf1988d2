"""The Queueing page: its sentence, its notes, what it says where starts or users are unknown."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import settings
from tests import synthetic
from tests.components.text import plain, text_of, wrong_plurals
from tests.stored_trace import job, store


def test_the_answer_says_how_many_wait_how_long_and_where(data: Path, scope: Callable) -> None:
    from components.numbers import duration
    from pages import queueing

    sentence = plain(queueing.answer(scope(trace="demo")))
    gpu = synthetic.synthetic_jobs().query("gpu_num > 0")
    waits = gpu["queueing_delay_s"][gpu["queueing_delay_s"] > 0]
    assert sentence.startswith(f"{100 * len(waits) / len(gpu):.0f} % of {len(gpu):,} GPU jobs waited")
    assert plain(duration(waits.median())) in sentence and plain(duration(waits.quantile(0.95))) in sentence
    by_vc = gpu.groupby("vc")["queueing_delay_s"].sum()
    share = 100 * by_vc.max() / by_vc.sum()
    assert f"{share:.0f} % of the queueing time is in {by_vc.idxmax()}" in sentence


def test_every_view_draws_its_rows_and_shares_add_up(data: Path, scope: Callable) -> None:
    from components.tables import data_table
    from pages import queueing

    demo = scope(trace="demo")
    for view in queueing.VIEWS:
        rows, sentence = view.answer(demo)
        assert len(rows) and sentence == "" and view.note(rows, demo), view.name
        assert view.figure(rows, demo).data if view.figure else view.table(rows, demo)
        assert data_table(rows, view.columns)
        if "queueing_share" in rows:
            assert rows["queueing_share"].sum() == pytest.approx(1.0)


def test_a_lone_job_user_and_vc_are_written_as_one(data: Path, scope: Callable) -> None:
    from components.figures.queueing import mean_delays
    from pages import queueing

    store(data, "lone", [job(user="ann", submit_time="2020-09-01", start_time="2020-09-01 01:00")])
    lone = scope(trace="lone")
    said = [queueing.answer(lone), *(view.note(view.rows(lone), lone) for view in queueing.RECORDED)]
    said += [each[1] for each in mean_delays(queueing.delays_by(lone, "gpus"), "GPUs").data[0].customdata]
    assert plain(said[0]) == "The one GPU job that started waited 1 h."
    assert [wrong_plurals(each) for each in said] == [[]] * len(said)
    assert not [each for each in said if "The first" in each]


def test_bars_are_in_a_unit_people_read_and_say_who_waits(data: Path, scope: Callable) -> None:
    from components.figures.queueing import mean_delays

    groups = pd.DataFrame(
        {
            "label": ["1", "2"],
            "jobs": [4, 2],
            "waiting_jobs": [1, 0],
            "mean_delay_s": [7200.0, 0.0],
            "p50_wait_s": [28800.0, None],
            "p95_wait_s": [28800.0, None],
        }
    )
    figure = mean_delays(groups, "GPUs")
    assert list(figure.data[0].y) == [2.0, 0.0] and figure.layout.yaxis.ticksuffix == " h"
    assert plain(figure.data[0].text[0]) == "25 %"
    assert plain(figure.data[0].customdata[0][1]) == (
        "mean 2 h · 25.0 % of 4 jobs wait<br>of those: median 8 h, p95 8 h"
    )


def test_vcs_of_one_name_in_two_clusters_are_two_bars(data: Path, scope: Callable) -> None:
    from pages import queueing

    rows = [
        job(cluster=cluster, submit_time="2020-09-01", start_time="2020-09-01 01:00")
        for cluster in ("Venus", "Earth")
    ]
    store(data, "twins", rows)
    twins = scope(trace="twins")
    figure = queueing.BY_VC.figure(queueing.BY_VC.rows(twins), twins)
    assert {label for bars in figure.data for label in bars.x} == {"vc1 (Venus)", "vc1 (Earth)"}


def test_hours_without_a_job_are_there_and_unknown(data: Path, scope: Callable) -> None:
    from pages import queueing

    store(data, "one", [job(submit_time="2020-09-01 05:30", start_time="2020-09-01 06:00")])
    hours = queueing.delays_by_hour(scope(trace="one")).set_index("label")
    assert len(hours) == 24 and hours.loc["05", "jobs"] == 1 and hours["jobs"].sum() == 1
    assert pd.isna(hours.loc["04", "mean_delay_s"]) and hours.loc["05", "mean_delay_s"] == 1800.0


def test_a_trace_without_starts_or_where_nobody_waits_says_so(data: Path, scope: Callable) -> None:
    from pages import queueing

    store(data, "bare", [job(submit_time="2020-09-01", duration_s=60.0)])
    assert "no start times" in queueing.answer(scope(trace="bare"))
    assert all("no start times" in view.answer(scope(trace="bare"))[1] for view in queueing.RECORDED)
    store(data, "idle", [job(submit_time="2020-09-01", start_time="2020-09-01")])
    idle = scope(trace="idle")
    assert queueing.answer(idle) == "None of the 1 GPU job that started had to wait."
    assert queueing.BY_USER.answer(idle)[1] == "This trace has no users."


@pytest.mark.parametrize("policy", ["pseudonyms", "off"])
def test_who_waits_is_told_as_the_setting_says(
    data: Path, scope: Callable, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    from pages import queueing

    monkeypatch.setenv("HELIOGRAPH_USERS", policy)
    settings.current.cache_clear()
    demo = scope(trace="demo")
    rows, sentence = queueing.BY_USER.answer(demo)
    if policy == "off":
        assert rows.empty and "HELIOGRAPH_USERS=off" in sentence
    else:
        assert rows["label"].str.fullmatch(r"user \d+").all()
        assert "user 1" in text_of(rows["label"].tolist())


def test_bars_open_their_vc_or_their_jobs_with_the_longest_wait_first(data: Path, scope: Callable) -> None:
    from pages import queueing

    demo = scope(trace="demo", **{"from": "2020-09-03"})
    by_vc = queueing.BY_VC.drawn(queueing.BY_VC.rows(demo), demo)
    places = {
        name: point[0] for bars in by_vc.data for name, point in zip(bars.x, bars.customdata, strict=True)
    }
    assert places["vcC"] == "?trace=demo&cluster=Earth&vc=vcC&from=2020-09-03"
    assert {bars.name: bars.meta for bars in by_vc.data}[
        "Earth"
    ] == "?trace=demo&cluster=Earth&from=2020-09-03"
    by_gpus = queueing.BY_GPUS.drawn(queueing.BY_GPUS.rows(demo), demo)
    bars = dict(zip(by_gpus.data[0].x, (point[0] for point in by_gpus.data[0].customdata), strict=True))
    assert bars["16"] == "/jobs/find?trace=demo&from=2020-09-03&gpu_num=16..16&sort=-queueing_delay_s"
    rows = queueing.BY_USER.rows(demo)
    assert f"/users/{rows['label'].iloc[0]}?trace=demo" in str(queueing.BY_USER.table(rows, demo))
