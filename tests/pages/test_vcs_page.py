"""The Virtual clusters page: its sentence, the way to one VC and back, bins, and what is unknown."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests import synthetic
from tests.components.text import plain, text_of
from tests.stored_trace import job, store

WEEK = {"trace": "demo", "from": "2020-09-01", "to": "2020-09-08"}


def test_every_view_draws_its_rows_for_all_vcs_and_for_one(data: Path, scope: Callable) -> None:
    from components.tables import data_table
    from pages import vcs

    for it in (scope(trace="demo"), scope(**WEEK, cluster="Earth", vc="vcC")):
        for view in vcs.VIEWS:
            rows, sentence = view.answer(it)
            assert len(rows) and sentence == "", view.name
            assert view.note(rows, it)
            drawn = view.figure(rows, it).data if view.figure else view.table(rows, it).children
            assert len(drawn) and data_table(rows, view.columns)
            if "vc" in rows and it.filters.vcs:
                assert set(rows["vc"]) == {"vcC"}, view.name


def test_the_answer_names_the_fullest_vc_and_how_much_was_waited_for(data: Path, scope: Callable) -> None:
    from pages import vcs

    it = scope(**WEEK)
    gpu = synthetic.synthetic_jobs().query("gpu_num > 0")
    start, end = it.start_time, it.end_time
    seconds = (gpu["end_time"].clip(start, end) - gpu["start_time"].clip(start, end)).dt.total_seconds()
    gpus = {vc: gpus for of_cluster in synthetic.VCS.values() for vc, gpus in of_cluster.items()}
    used = (gpu["gpu_num"] * seconds).groupby(gpu["vc"]).sum() / (
        pd.Series(gpus) * (end - start).total_seconds()
    )
    sentence = plain(vcs.answer(it))
    assert sentence.startswith(f"{used.idxmax()} (") and f"used {100 * used.max():.1f} %" in sentence
    waited_s = (gpu["start_time"].clip(start, end) - gpu["submit_time"].clip(start, end)).dt.total_seconds()
    assert f"waited for {(gpu['gpu_num'] * waited_s).sum() / 3600:,.0f} GPU-h" in sentence


def test_a_vc_opens_with_the_same_days_and_its_trail_leads_back(data: Path, scope: Callable) -> None:
    from pages import vcs

    place = vcs.address(scope(**WEEK), "Earth", "vcC")
    assert place == "?trace=demo&cluster=Earth&vc=vcC&from=2020-09-01&to=2020-09-08"
    trail = vcs.trail(scope(**WEEK, cluster="Earth", vc="vcC"))
    assert text_of(trail) == "All virtual clusters  ›  Earth  › vcC"
    assert [each.href for each in trail if hasattr(each, "href")] == [
        "/vcs?trace=demo&from=2020-09-01&to=2020-09-08",
        "/vcs?trace=demo&cluster=Earth&from=2020-09-01&to=2020-09-08",
    ]
    assert vcs.trail(scope(trace="demo")) == []


def test_how_finely_vcs_are_looked_at_depends_on_the_window_alone(data: Path, scope: Callable) -> None:
    from pages import vcs

    assert vcs.vc_bin_s(scope(**WEEK)) == 600
    whole, one = scope(trace="demo"), scope(trace="demo", cluster="Earth", vc="vcC")
    assert vcs.vc_bin_s(whole) == vcs.vc_bin_s(one) == 1800
    for view in (vcs.GANGS, vcs.IDLE):
        [alone] = view.rows(one).to_dict("records")
        [among] = [row for row in view.rows(whole).to_dict("records") if row["vc"] == "vcC"]
        assert alone == pytest.approx(among, nan_ok=True)
    jobs = [
        job(submit_time=f"20{year}-01-01", start_time=f"20{year}-01-01", vc=f"vc{place}")
        for year in (19, 22)
        for place in range(50)
    ]
    store(data, "long", jobs, [("Venus", f"vc{place}", "2019-01-01", 8) for place in range(50)])
    long = scope(trace="long")
    bins = (long.end_time - long.start_time).total_seconds() / vcs.vc_bin_s(long)
    assert bins <= vcs.VC_BINS
    assert "means of 1 d" in plain(vcs.spread_note(vcs.SPREAD.rows(long), long))


def test_without_start_times_or_capacity_the_page_says_which_is_missing(data: Path, scope: Callable) -> None:
    from pages import vcs

    store(data, "bare", [job(submit_time="2020-09-01", duration_s=5.0)])
    assert "no start times" in vcs.answer(scope(trace="bare"))
    assert "no start times" in vcs.WAITING.answer(scope(trace="bare"))[1]
    store(
        data,
        "no quota",
        [job(submit_time="2020-09-01", start_time="2020-09-01 01:00", end_time="2020-09-02")],
    )
    assert "--capacity" in vcs.IDLE.answer(scope(trace="no quota"))[1]
    assert vcs.WAITING.answer(scope(trace="no quota"))[1] == ""
    store(
        data,
        "empty vc",
        [job(submit_time="2020-09-01", start_time="2020-09-01")],
        [("Venus", "vc1", "2020-09-01", 0)],
    )
    assert "had GPUs" in vcs.answer(scope(trace="empty vc"))


def test_a_job_without_a_vc_is_a_row_that_leads_nowhere(data: Path, scope: Callable) -> None:
    from pages import vcs

    span = {"submit_time": "2020-09-01", "start_time": "2020-09-01 00:01", "end_time": "2020-09-01 01:00"}
    store(data, "no vc", [job(vc=None, **span)])
    it = scope(trace="no vc")
    rows, _ = vcs.DELAYS.answer(it)
    assert vcs.DELAYS.figure(rows, it).data[0].customdata[0][0] is None


def test_nobody_waiting_is_said(data: Path) -> None:
    from pages import vcs

    idle = pd.DataFrame({"waited_gpu_s": [0.0], "servable_gpu_s": [0.0]})
    assert vcs.waiting_sentence(idle) == "no GPU job waited."
