"""The Overview's numbers and sentences, from frames that pandas computes too."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import plotly
import pytest

import settings
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
    from pages import overview_cards, utilization

    whole = scope(trace="demo")
    start, end = whole.start_time, whole.end_time
    jobs = gpu_jobs()
    inside = jobs["end_time"].clip(upper=end) - jobs["start_time"].clip(upper=end)
    held = (jobs["gpu_num"] * inside.dt.total_seconds()).sum()
    grown = 16 * (end - pd.Timestamp("2020-09-07 16:00")).total_seconds()
    present = 160 * (end - start).total_seconds() + grown
    assert utilization.mean_utilization(utilization.timeline(whole)) == pytest.approx(held / present)
    assert f"{100 * held / present:.1f}" in text_of(overview_cards.utilization_card(whole))


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
    from pages import utilization

    jobs = [
        job(submit_time="2019-01-01", start_time="2019-01-01"),
        job(submit_time="2020-12-31", start_time="2020-12-31"),
    ]
    store(data, "long", jobs, [("Venus", "vc1", "2019-01-01", 8)])
    for name in ("demo", "long"):
        series = utilization.timeline(scope(trace=name))
        assert 100 < series.groupby("cluster").size().max() <= 600


def test_what_is_unknown_is_a_sentence_and_not_zero(data: Path, scope: Callable) -> None:
    from pages import overview, overview_cards

    store(data, "bare", [job(submit_time="2020-09-01 00:00", duration_s=60.0, state="UNKNOWN")] * 5)
    bare = scope(trace="bare")
    unknown = [name for name in overview_cards.CARDS if not name.endswith("jobs")]
    for card in [overview_cards.CARDS[name](bare) for name in unknown]:
        assert '"unknown"' in text_of(card) and '"0"' not in text_of(card)
    assert "no start times" in overview.answer(bare)
    assert "no start times" in overview.UTILIZATION.answer(bare)[1]


def test_without_capacity_the_card_says_how_to_bring_it(data: Path, scope: Callable) -> None:
    from pages import overview_cards

    store(data, "no quota", [job(submit_time="2020-09-01", start_time="2020-09-01", end_time="2020-09-02")])
    assert "--capacity" in text_of(overview_cards.utilization_card(scope(trace="no quota")))


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
    from pages import overview_cards

    whole = scope(trace="demo")
    jobs = gpu_jobs()
    gpu_s = jobs["gpu_num"] * jobs["duration_s"]
    lost = 100 * gpu_s[jobs["state"] != "COMPLETED"].sum() / gpu_s.sum()
    assert f'"{lost:.1f}"' in text_of(overview_cards.lost_card(whole))


def test_jobs_without_a_start_are_counted_where_their_wait_is_left_out(data: Path, scope: Callable) -> None:
    from pages import overview_cards

    known = {"submit_time": "2020-09-01", "start_time": "2020-09-01 00:00:30"}
    store(data, "waits", [job(**known), job(submit_time="2020-09-01", state="PENDING")])
    waits = scope(trace="waits")
    card = text_of(overview_cards.queueing_card(waits))
    assert "30 s" in card and "1 GPU job without a start" in card


def test_a_card_says_how_its_number_changed_against_the_equally_long_period_before(
    data: Path, scope: Callable
) -> None:
    from pages import overview_cards

    second = scope(**{"trace": "demo", "from": "2020-09-08", "to": "2020-09-12"})
    days = gpu_jobs()["submit_time"].dt.tz_localize("UTC").dt.tz_convert(synthetic.TIMEZONE).dt.day
    now, before = days.between(8, 11).sum(), days.between(4, 7).sum()
    sign = "+" if now > before else "−"
    assert f"{sign}{abs(100 * (now / before - 1)):.1f} %" in text_of(overview_cards.jobs_card(second))
    first = scope(**{"trace": "demo", "from": "2020-09-02", "to": "2020-09-12"})
    assert first.earlier is None
    assert "against" not in text_of(overview_cards.jobs_card(first))


def test_completed_and_lost_shares_are_those_of_the_jobs_that_ended(data: Path, scope: Callable) -> None:
    from pages import overview_cards

    jobs = gpu_jobs()
    completed = 100 * (jobs["state"] == "COMPLETED").mean()
    assert f'"{completed:.1f}"' in text_of(overview_cards.completion_card(scope(trace="demo")))


def attention_trace(data: Path) -> None:
    """vcA is full with a queue, vcB has free GPUs that its gang does not get, u7's jobs fail in a row."""
    jobs, hour = [], pd.Timedelta(hours=1)
    zero = pd.Timestamp("2020-09-01")
    for place in range(14 * 24):
        start = zero + place * hour
        span = {
            "submit_time": start,
            "start_time": start,
            "end_time": start + hour,
            "vc": "vcA",
            "user": "u1",
        }
        jobs.append(job(gpu_num=8.0, **span))
    for day in range(7, 14):  # the second week
        submit = zero + 24 * day * hour
        for _ in range(4):
            span = {"submit_time": submit, "start_time": submit + 6 * hour, "end_time": submit + 7 * hour}
            jobs.append(job(vc="vcA", gpu_num=2.0, user="u2", **span))
        jobs.append(job(vc="vcB", gpu_num=4.0, user="u3", **span))
    at = zero + 13 * 24 * hour
    failure = {
        "submit_time": at,
        "start_time": at,
        "end_time": at + pd.Timedelta(seconds=9),
        "state": "FAILED",
    }
    jobs += [job(vc="vcB", user="u7", gpu_num=1.0, **failure) for _ in range(40)]
    quota = [
        ("Venus", "vcA", "2020-09-01", 8),
        ("Venus", "vcB", "2020-09-01", 32),
        ("Venus", "vcB", "2020-09-12", 16),
    ]
    store(data, "needy", jobs, quota)


def test_what_needs_attention_is_found_and_leads_to_its_view(data: Path, scope: Callable) -> None:
    from pages import attention

    attention_trace(data)
    found = attention.findings(scope(trace="needy"))
    expected = {
        "vcA (Venus) waits while others idle": "/vcs?trace=needy&cluster=Venus&vc=vcA",
        "u7: 40 failures in one hour": "/users/u7?trace=needy&cluster=Venus",
        "Gangs wait beside free GPUs in vcB (Venus)": "/vcs?trace=needy&cluster=Venus&vc=vcB",
        "Venus lost 16 GPUs on 12 Sep 2020": "/vcs?trace=needy&cluster=Venus",
    }
    addresses = {row.title: row.href.split("&from")[0] for row in found.itertuples()}
    assert expected.items() <= addresses.items()
    assert found["tone"].tolist() == sorted(found["tone"], key=["bad", "warn", "muted"].index)
    grown = found[found["title"].str.startswith("Queueing in vcA")]
    assert "0 s in the period before" in grown["text"].iloc[0].replace("\u00a0", " ")


def test_a_quiet_trace_needs_no_attention(data: Path, scope: Callable) -> None:
    from pages import overview

    span = {"submit_time": "2020-09-01", "start_time": "2020-09-01", "end_time": "2020-09-02"}
    store(data, "quiet", [job(**span)], [("Venus", "vc1", "2020-09-01", 8)])
    assert "Nothing stands out" in overview.ATTENTION.answer(scope(trace="quiet"))[1]


@pytest.mark.parametrize(("policy", "who"), [("pseudonyms", "user 1"), ("off", "One user")])
def test_a_burst_is_told_of_without_the_name_where_names_are_not_shown(
    data: Path, scope: Callable, monkeypatch: pytest.MonkeyPatch, policy: str, who: str
) -> None:
    from pages import attention

    failure = {"submit_time": "2020-09-13", "start_time": "2020-09-13", "end_time": "2020-09-13 00:01"}
    rows = [job(user="ann", vc="vcB", gpu_num=1.0, state="FAILED", **failure) for _ in range(40)]
    store(data, "burst", rows, [("Venus", "vcB", "2020-09-01", 8)])
    monkeypatch.setenv("HELIOGRAPH_USERS", policy)
    settings.current.cache_clear()
    found = attention.findings(scope(trace="burst"))
    assert found["title"].tolist() == [f"{who}: 40 failures in one hour"]
    assert not found.astype(str).apply(lambda column: column.str.contains("ann")).to_numpy().any()
