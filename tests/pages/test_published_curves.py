"""What pages show of the demo equals the published curves of the Helios clusters (Hu et al., SC'21).

The demo is one of scale 0.05 made here, whose sampling error widens what may differ; or the whole datacenter
where HELIOGRAPH_BENCH_DATA names a data folder that holds it, and then what was not fed into it counts too.
Published utilization counts a job's first and last minute as whole ones: 0.2 to 0.5 points more.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import settings
from pages.scope import Scope, scope_of_query

CLUSTERS = ("Venus", "Earth", "Saturn", "Uranus")
GIVEN = os.environ.get("HELIOGRAPH_BENCH_DATA")
SCALE = 1.0 if GIVEN else 0.05
#: A difference of so many standard errors is chance in one of ten thousand comparisons.
STANDARD_ERRORS = 4
#: Jobs that are submitted together, as far as the sampling error of hours goes.
BURST = 8
#: The largest GPU count that every VC of a part of the datacenter has room for.
LARGEST_GPUS = 10_000 if GIVEN else 8
whole_datacenter = pytest.mark.skipif(
    GIVEN is None, reason="needs the demo at scale 1 in HELIOGRAPH_BENCH_DATA: a part of it waits differently"
)


@pytest.fixture(scope="module")
def demo(
    application: ModuleType, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Scope]]:
    """Scopes of the demo by what an address chooses."""
    from commands import demo as command

    root = Path(GIVEN) if GIVEN else tmp_path_factory.mktemp("demo")
    if GIVEN is None:
        command.make(root, SCALE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HELIOGRAPH_DATA", str(root))
        settings.current.cache_clear()
        yield lambda **query: scope_of_query({"trace": "demo", **query})
    settings.current.cache_clear()


def rows(name: str, subject: object) -> pd.DataFrame:
    """What the view called ``name`` draws about a subject."""
    from pages import clusters, compare, jobs, overview, users

    modules = (clusters, compare, jobs, overview, users)
    return next(view for module in modules for view in module.VIEWS if view.name == name).rows(subject)


def of_clusters(scope: Scope) -> object:
    from pages.clusters import Comparison

    return Comparison(scope, published=False)


def chance(share: float | pd.Series, jobs: float) -> float | pd.Series:
    """How far a share of so many jobs may be off by chance; nothing at scale 1, where the bars are."""
    return 0.0 if SCALE == 1 else STANDARD_ERRORS * np.sqrt(np.maximum(share * (1 - share), 1e-4) / jobs)


@pytest.fixture
def published(shared: Path) -> Callable[[str], pd.DataFrame]:
    return lambda name: pd.read_csv(shared / "calibration" / f"{name}.csv")


def test_as_many_jobs_as_published(demo: Callable[..., Scope], published: Callable) -> None:
    wanted = published("cluster_summary_published").set_index("id")
    for cluster in CLUSTERS:
        submitted = demo(cluster=cluster).ask("jobs_submitted").iloc[0]
        for kind in ("gpu", "cpu"):
            # A part of a cluster is given more GPU jobs where its few large ones would leave it idle.
            tolerance = 0.02 if SCALE == 1 or kind == "cpu" else 0.1
            expected = SCALE * wanted[f"{kind}_job_num"][cluster]
            assert submitted[f"{kind}_jobs"] == pytest.approx(expected, rel=tolerance), (cluster, kind)


def test_submissions_by_hour_of_day(demo: Callable[..., Scope], published: Callable) -> None:
    found = rows("clusters-submissions-by-hour", of_clusters(demo()))
    wanted = published("fig2_diurnal").set_index(["cluster", "hour"])["avg_submitted_gpu_jobs_per_hour"]
    for cluster, part in found.groupby("cluster"):
        share = part.set_index("hour")["gpu_jobs"] / part["gpu_jobs"].sum()
        reference = wanted[cluster] / wanted[cluster].sum()
        off = (share - reference).abs() - chance(reference, part["gpu_jobs"].sum() / BURST)
        assert (off <= 0.005).all(), (cluster, off.max())


@pytest.mark.parametrize(("kind", "name"), [("GPU jobs", "gpu"), ("CPU jobs", "cpu")])
def test_durations(demo: Callable[..., Scope], published: Callable, kind: str, name: str) -> None:
    wanted = published("fig5_duration_cdf")
    for cluster in CLUSTERS:
        curve = rows("jobs-durations", demo(cluster=cluster))
        curve = curve[curve["kind"] == kind]
        of_cluster = wanted[(wanted["cluster"] == cluster) & (wanted["job_type"] == name)]
        places = np.searchsorted(curve["duration_s"], of_cluster["duration_s_le"] * (1 + 1e-9)) - 1
        share = np.where(places < 0, 0.0, curve["share"].to_numpy()[places])
        reference = of_cluster["cdf_pct"].to_numpy() / 100
        off = np.abs(share - reference) - chance(reference, curve["jobs"].max())
        assert off.max() <= 0.02, (cluster, off.max())


def test_gpu_counts(demo: Callable[..., Scope], published: Callable) -> None:
    wanted = published("fig6_gpu_num_cdf")
    for cluster in CLUSTERS:
        curve = rows("jobs-gpu-counts", demo(cluster=cluster))
        of_cluster = wanted[(wanted["cluster"] == cluster) & (wanted["weight"] == "jobs")]
        of_cluster = of_cluster[of_cluster["gpu_num_le"] <= LARGEST_GPUS]
        for size, percent in zip(of_cluster["gpu_num_le"], of_cluster["cdf_pct"], strict=True):
            share = curve[curve["gpu_num"] <= size]["share_of_jobs"].iloc[-1]
            assert abs(share - percent / 100) <= 0.01 + chance(percent / 100, curve["jobs"].sum()), (
                cluster,
                size,
            )


@pytest.mark.parametrize(("kind", "name"), [("GPU jobs", "gpu"), ("CPU jobs", "cpu")])
def test_final_states(demo: Callable[..., Scope], published: Callable, kind: str, name: str) -> None:
    wanted = published("cluster_summary_published").set_index("id")
    groups = {"completed": "complete", "cancelled": "cancel", "failed": "fail"}
    for cluster in CLUSTERS:
        bars = rows("jobs-status-by-kind", demo(cluster=cluster))
        bars = bars[bars["kind"] == kind].set_index("status")
        for status, short in groups.items():
            share = wanted[f"{short}_rate_{name}"][cluster]
            off = abs(bars["share"][status] - share)
            assert off <= 0.01 + chance(share, bars["jobs"].sum()), (cluster, status)


def test_final_states_by_gpu_count(demo: Callable[..., Scope], published: Callable) -> None:
    bars = rows("jobs-status-by-gpus", demo()).set_index(["gpus", "status"])
    names = {"completed_pct": "completed", "canceled_pct": "cancelled", "failed_pct": "failed"}
    for row in published("fig7b_status_by_gpu_num").to_dict("records"):
        gpus = {">=64": "≥ 64"}.get(row["gpu_num"], row["gpu_num"])
        for column, status in names.items():
            share = row[column] / 100
            off = abs(bars["share"][(gpus, status)] - share)
            assert off <= 0.01 + chance(share, bars["jobs"][gpus].sum()), (gpus, status)


@whole_datacenter
def test_utilization_by_hour_of_day_and_on_average(demo: Callable[..., Scope], published: Callable) -> None:
    found = rows("clusters-utilization-by-hour", of_clusters(demo())).set_index(["cluster", "hour"])
    wanted = published("fig2_diurnal").set_index(["cluster", "hour"])["avg_utilization_pct"] / 100
    off = (found["utilization"] - wanted).abs()
    assert off.max() <= 0.04, off.groupby("cluster").max().to_dict()
    bins = rows("overview-utilization", demo()).groupby("cluster")[["held_gpu_s", "present_gpu_s"]].sum()
    mean = bins["held_gpu_s"] / bins["present_gpu_s"]
    assert (mean - wanted.groupby("cluster").mean()).abs().max() <= 0.04


@whole_datacenter
def test_queueing_is_as_long_and_in_the_order_of_the_published_means(
    demo: Callable[..., Scope], published: Callable
) -> None:
    from pages.queueing import delays_by

    wanted = published("cluster_summary_published").set_index("id")["avg_que_time_gpu"]
    found = {cluster: delays_by(demo(cluster=cluster), "all")["mean_delay_s"].iloc[0] for cluster in CLUSTERS}
    for cluster, mean_s in found.items():
        assert wanted[cluster] / 2 <= mean_s <= 2 * wanted[cluster], (cluster, mean_s)
    assert sorted(found, key=found.get, reverse=True) == ["Uranus", "Venus", "Saturn", "Earth"]


@whole_datacenter
@pytest.mark.parametrize(("view", "resource"), [("users-gpu", "gpu_time"), ("users-cpu", "cpu_time")])
def test_the_top_users_hold_as_much(
    demo: Callable[..., Scope], published: Callable, view: str, resource: str
) -> None:
    from pages.user_shares import top_share

    points = published("user_concentration_points")
    wanted = points[points["resource"] == resource].set_index("cluster")["top_5_pct"] / 100
    for cluster, curve in rows(view, demo()).groupby("cluster"):
        found = top_share(curve, 0.05)
        assert found is not None and abs(found[1] - wanted[cluster]) <= 0.04, (cluster, found)


@whole_datacenter
def test_gpu_time_by_final_state(demo: Callable[..., Scope], published: Callable) -> None:
    wanted = published("cluster_summary_published").set_index("id")
    groups = {"completed": "complete", "cancelled": "cancel", "failed": "fail"}
    for cluster in CLUSTERS:
        submitted = demo(cluster=cluster).ask("jobs_submitted").iloc[0]
        found = {status: submitted[f"{status}_gpu_s"] for status in groups}
        amounts = {status: wanted[f"{short}_gpu_time"][cluster] for status, short in groups.items()}
        for status in groups:
            share, reference = found[status] / sum(found.values()), amounts[status] / sum(amounts.values())
            assert abs(share - reference) <= 0.05, (cluster, status, share, reference)
