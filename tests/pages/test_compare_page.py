"""The Compare page: what an address compares, both sides against pandas, the published figures."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from flask.testing import FlaskClient

from tests import synthetic
from tests.pages.test_app import page
from tests.stored_trace import job, store


@pytest.fixture
def compare(application: ModuleType) -> Callable:
    """Comparisons by the query of an address."""
    from pages.comparison import comparison_of_query

    return lambda **query: comparison_of_query(
        {key.replace("b_", "b."): value for key, value in query.items()}
    )


def gpu_jobs(cluster: str) -> pd.DataFrame:
    frame = synthetic.synthetic_jobs()
    return frame[(frame["cluster"] == cluster) & (frame["gpu_num"] > 0)]


def view_of(name: str) -> object:
    from pages import compare

    return next(view for view in compare.VIEWS if view.name == name)


def test_sides_are_named_by_what_tells_them_apart(data: Path, compare: Callable) -> None:
    store(data, "other", [job(submit_time="2020-09-05")])
    assert compare(trace="demo", b_trace="demo", b_cluster="Venus").sides == ("A · all clusters", "B · Venus")
    first, second = compare(trace="demo", cluster="Venus", vc="vcA", b_trace="other").sides
    assert first == "A · demo, Venus, vcA, 1 Sep 2020 – 14 Sep 2020"
    assert second == "B · other, Venus, 5 Sep 2020"
    weeks = compare(trace="demo", to="2020-09-08", b_trace="demo", b_from="2020-09-08").sides
    assert weeks == (
        "A · all clusters, 1 Sep 2020 – 7 Sep 2020",
        "B · all clusters, 8 Sep 2020 – 14 Sep 2020",
    )


def test_without_a_choice_it_is_a_cluster_of_the_trace_else_another_trace(
    data: Path, compare: Callable
) -> None:
    store(data, "single", [job(submit_time="2020-09-05")])
    assert compare(trace="demo").other.clusters == ["Venus"]
    assert compare(trace="demo", cluster="Venus").other.clusters == ["Earth"]
    assert compare(trace="single").other.trace == "demo"
    assert compare(trace="demo").references and not compare(trace="demo", references="0").references


def test_the_rows_of_each_side_are_those_of_pandas(data: Path, compare: Callable) -> None:
    about = compare(trace="demo", cluster="Venus", b_trace="demo", b_cluster="Earth", references="0")
    numbers = view_of("compare-numbers").rows(about).set_index("side")
    curves = view_of("compare-durations").rows(about)
    gpu_time = view_of("compare-gpu-time").rows(about).set_index(["side", "status"])
    by_gpus = view_of("compare-gpu-time-by-gpus").rows(about)
    for side, cluster in zip(about.sides, ("Venus", "Earth"), strict=True):
        jobs = gpu_jobs(cluster)
        gpu_s = jobs["gpu_num"] * jobs["duration_s"]
        row = numbers.loc[side]
        assert row["gpu_jobs"] == len(jobs)
        assert row["gpu_s"] == pytest.approx(gpu_s.sum())
        assert row["mean_gpus"] == pytest.approx(jobs["gpu_num"].mean())
        assert row["completion"] == pytest.approx((jobs["state"] == "COMPLETED").mean())
        assert row["p95_queueing_delay_s"] == pytest.approx(jobs["queueing_delay_s"].quantile(0.95))
        for point in curves[curves["side"] == side].itertuples():
            assert point.share == pytest.approx((jobs["duration_s"] <= point.duration_s * (1 + 1e-12)).mean())
        status = jobs["state"].map({"COMPLETED": "completed", "CANCELLED": "cancelled"}).fillna("failed")
        assert gpu_time.loc[side]["gpu_s"].to_dict() == pytest.approx(gpu_s.groupby(status).sum().to_dict())
        assert gpu_time.loc[side]["share"].sum() == pytest.approx(1.0)
        for point in by_gpus[by_gpus["side"] == side].itertuples():
            held = gpu_s[jobs["gpu_num"] <= point.gpu_num].sum() / gpu_s.sum()
            assert point.share_of_gpu_time == pytest.approx(held)


def test_published_curves_are_beside_the_sides_where_they_are_wanted(data: Path, compare: Callable) -> None:
    about = compare(trace="demo")
    for name in ("compare-durations", "compare-gpu-time"):
        view = view_of(name)
        rows, _ = view.answer(about)
        sides = [*about.sides, "Helios, published", "Philly, published"]
        assert list(dict.fromkeys(rows["side"])) == sides
        assert "SC'21" in view.note(rows, about)
        figure = view.figure(rows, about)
        drawn = [line.name for line in figure.data] if name == "compare-durations" else list(figure.data[0].x)
        assert drawn == sides
    without = compare(trace="demo", references="0")
    rows, _ = view_of("compare-durations").answer(without)
    assert list(dict.fromkeys(rows["side"])) == list(without.sides)


def test_the_published_figures_are_those_that_were_read(application: ModuleType, shared: Path) -> None:
    from pages import published

    read = pd.read_csv(shared / "calibration/fig1a_duration_cdf.csv")
    curves = published.duration_curves()
    assert curves["side"].str.removesuffix(", published").tolist() == read["datacenter"].tolist()
    assert curves["duration_s"].tolist() == read["duration_s_le"].tolist()
    assert (100 * curves["share"]).tolist() == pytest.approx(read["cdf_pct"].tolist())
    figures = json.loads((shared / "calibration/published_figures.json").read_text(encoding="utf-8"))
    values = {each["id"]: each["value"] for each in _entries(figures) if each["id"].startswith("fig1b.")}
    assert len(values) == 6
    for name, shares in published.GPU_TIME_BY_STATUS.items():
        assert sum(shares.values()) == pytest.approx(100, abs=0.2)
        for status, share in shares.items():
            word = status.replace("cancelled", "canceled")
            assert share == pytest.approx(values[f"fig1b.{name.lower()}.gpu_time_{word}_pct"], abs=0.06)


def _entries(found: object) -> list[dict]:
    if isinstance(found, dict):
        own = [found] if "id" in found and "value" in found else []
        return own + [each for value in found.values() for each in _entries(value)]
    return [each for value in found for each in _entries(value)] if isinstance(found, list) else []


def test_the_answer_holds_both_sides_and_says_what_is_unknown(data: Path, compare: Callable) -> None:
    from pages import compare as compare_page

    sentence = compare_page.answer(compare(trace="demo"))
    assert sentence.startswith("The typical GPU job of A runs ") and "GPU time" in sentence
    store(data, "cpu", [job(submit_time="2020-09-01", gpu_num=0.0, duration_s=4.0)])
    assert "no GPU jobs" in compare_page.answer(compare(trace="demo", b_trace="cpu"))
    store(data, "bare", [job(submit_time="2020-09-01", state="UNKNOWN")])
    assert "unknown" in compare_page.answer(compare(trace="demo", b_trace="bare"))
    assert "job states" in view_of("compare-gpu-time").answer(compare(trace="bare", b_trace="bare"))[1]
    for view in compare_page.VIEWS:
        rows, sentence = view.answer(compare(trace="demo", b_trace="bare"))
        assert sentence or (view.figure or view.table)(rows, compare(trace="demo", b_trace="bare"))


def test_real_philly_beside_the_published_philly_curve(data: Path, compare: Callable, shared: Path) -> None:
    """The stored jobs are a thinned set: their curve is pandas' exactly and only near the published one."""
    source = pd.read_csv(shared / "data/philly/jobs.csv")
    rows = pd.DataFrame(
        {
            "cluster": "Philly",
            "vc": source["cluster"].astype(str),
            "gpu_num": source["num_gpus"].astype(float),
            "duration_s": source["duration"].astype(float),
            "submit_time": pd.to_datetime(source["timestamp"]),
            "state": "UNKNOWN",
            "flags": [[]] * len(source),
        }
    ).reindex(columns=list(job(submit_time="2017-10-01")))
    store(data, "philly", rows)
    about = compare(trace="demo", b_trace="philly")
    curves = view_of("compare-durations").rows(about)
    stored = curves[curves["side"] == about.sides[1]].set_index("duration_s")["share"]
    published = curves[curves["side"] == "Philly, published"].set_index("duration_s")["share"]
    for seconds in (64.0, 1024.0, 65536.0):
        assert stored[seconds] == pytest.approx((source["duration"] <= seconds).mean())
        assert stored[seconds] == pytest.approx(published[seconds], abs=0.15)


@pytest.mark.parametrize(
    ("search", "sentence"),
    [
        ("?trace=demo&b.trace=gone", "no trace called “gone”"),
        ("?trace=demo&b.trace=demo&b.cluster=Mars", "has no cluster “Mars”"),
        ("?trace=demo&b.trace=demo&b.from=soon", "“soon” is not a day"),
    ],
)
def test_a_side_that_cannot_be_is_answered_with_a_sentence(
    client: FlaskClient, data: Path, search: str, sentence: str
) -> None:
    assert sentence in page(client, "/compare", search)


def test_a_side_opens_its_jobs(data: Path, compare: Callable) -> None:
    from pages import compare as page

    about = compare(trace="demo", cluster="Earth", **{"b.trace": "demo", "b.vc": "vcA"})
    one, other = about.sides
    assert about.addresses() == {one: "/jobs?trace=demo&cluster=Earth", other: "/jobs?trace=demo&vc=vcA"}
    lines = {line.name: line.meta for line in page.DURATIONS.drawn(page.DURATIONS.rows(about), about).data}
    assert lines[one] == "/jobs?trace=demo&cluster=Earth" and lines["Helios, published"] is None
    bars = page.GPU_TIME.drawn(page.GPU_TIME.rows(about), about).data[0]
    assert dict(zip(bars.x, bars.customdata, strict=True))[other][0] == "/jobs?trace=demo&vc=vcA"
