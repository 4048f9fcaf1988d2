"""Publishing a trace, and the catalog of what is published."""

import json
import multiprocessing
import os
import signal

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traces import TraceError, folders, store
from traces.catalog import Catalog
from traces.cluster_import import ClusterImport, Facts
from traces.report import Report, Source

pytestmark = pytest.mark.usefixtures("without_rollups")
FORK = multiprocessing.get_context("fork")


def cluster(name="Venus", jobs=3, ids_follow_submission=False, **parts):
    frame = pd.DataFrame(
        {
            "job_id": [str(jobs - index) for index in range(jobs)],
            "row": range(jobs),
            "gpu_num": 1.0,
            "state": "COMPLETED",
            "submit_time": pd.Timestamp("2020-04-01"),
        }
    )
    report = Report(
        jobs, jobs, first_submit=pd.Timestamp("2020-04-01"), last_submit=pd.Timestamp("2020-04-01")
    )
    facts = Facts("csv", ids_follow_submission=ids_follow_submission)
    return ClusterImport(name, facts, report, (Source("jobs.csv", 1, "0"),), jobs=frame, **parts)


def series(name="Venus"):
    frame = pd.DataFrame({"time": [pd.Timestamp("2020-04-01")], "used": [1.0], "total": [2.0]})
    return ClusterImport(name, Facts("nodes"), Report(1, 1), series=frame)


def quota(gpus=8):
    return pd.DataFrame({"vc": ["a"], "date": [pd.Timestamp("2020-04-01").date()], "gpus": [gpus]})


def stored(root, trace="T", part="jobs", name="Venus"):
    return pd.read_parquet(Catalog(root).folder(trace) / part / f"{name}.parquet")


def test_what_is_published_can_be_read_back(tmp_path):
    manifest = store.publish(tmp_path, "T", "UTC", [cluster(quota=quota())])
    assert Catalog(tmp_path).names() == ["T"]
    assert Catalog(tmp_path).manifest("T") == manifest
    entry = manifest["clusters"]["Venus"]
    assert (entry["has_jobs"], entry["has_capacity"], entry["has_series"]) == (True, True, False)
    assert entry["report"]["first_submit"] == "2020-04-01T00:00:00Z"
    assert list(stored(tmp_path).job_id) == ["3", "2", "1"]
    assert list(stored(tmp_path, part="quota").gpus) == [8]


def test_equal_submit_times_go_by_numeric_id_where_ids_follow_submission(tmp_path):
    store.publish(tmp_path, "T", "UTC", [cluster(jobs=12, ids_follow_submission=True)])
    assert list(stored(tmp_path).job_id) == [str(number) for number in range(1, 13)]


def test_another_cluster_joins_and_shares_the_files_of_the_first(tmp_path):
    store.publish(tmp_path, "T", "UTC", [cluster("Venus")])
    before = (Catalog(tmp_path).folder("T") / "jobs/Venus.parquet").stat().st_ino
    manifest = store.publish(tmp_path, "T", "UTC", [cluster("Earth")])
    assert sorted(manifest["clusters"]) == ["Earth", "Venus"]
    assert manifest["version"] == 2
    assert (Catalog(tmp_path).folder("T") / "jobs/Venus.parquet").stat().st_ino == before


def test_an_import_replaces_jobs_and_capacity_and_keeps_the_series(tmp_path):
    store.publish(tmp_path, "T", "UTC", [cluster(quota=quota())])
    store.publish(tmp_path, "T", "UTC", [series()])
    entry = store.publish(tmp_path, "T", "UTC", [cluster(jobs=5)])["clusters"]["Venus"]
    assert (entry["has_jobs"], entry["has_capacity"], entry["has_series"]) == (True, False, True)
    assert len(stored(tmp_path)) == 5
    assert list(stored(tmp_path, part="series").used) == [1.0]
    assert not (Catalog(tmp_path).folder("T") / "quota/Venus.parquet").exists()


def test_a_series_joins_the_jobs_of_its_cluster_and_keeps_their_report(tmp_path):
    store.publish(tmp_path, "T", "UTC", [cluster(quota=quota())])
    entry = store.publish(tmp_path, "T", "UTC", [series()])["clusters"]["Venus"]
    assert (entry["has_jobs"], entry["has_capacity"], entry["has_series"]) == (True, True, True)
    assert entry["report"]["rows_read"] == 3
    assert entry["series"]["report"]["rows_read"] == 1


def test_a_version_and_the_one_before_stay_and_older_ones_go(tmp_path):
    for _ in range(4):
        store.publish(tmp_path, "T", "UTC", [cluster()])
    assert sorted(path.name for path in (tmp_path / "traces/T").iterdir()) == [
        "current",
        "v000003",
        "v000004",
    ]


def test_a_reader_keeps_its_version_while_the_next_is_published(tmp_path):
    store.publish(tmp_path, "T", "UTC", [cluster(jobs=3)])
    folder = Catalog(tmp_path).folder("T")
    store.publish(tmp_path, "T", "UTC", [cluster(jobs=4)])
    assert len(pd.read_parquet(folder / "jobs/Venus.parquet")) == 3


def test_another_time_zone_is_refused_unless_it_replaces_everything(tmp_path):
    store.publish(tmp_path, "T", "UTC", [cluster("Venus")])
    with pytest.raises(TraceError, match="has the time zone UTC, not Asia/Shanghai"):
        store.publish(tmp_path, "T", "Asia/Shanghai", [cluster("Earth")])
    with pytest.raises(TraceError, match="time zone"):
        store.publish(tmp_path, "T", "Asia/Shanghai", [series("Venus")])
    assert store.publish(tmp_path, "T", "Asia/Shanghai", [cluster("Venus")])["timezone"] == "Asia/Shanghai"


def test_a_refusal_changes_nothing(tmp_path):
    def broken():
        yield cluster("Earth")
        raise TraceError("the second file cannot be read")

    with pytest.raises(TraceError, match="second file"):
        store.publish(tmp_path, "T", "UTC", broken())
    assert Catalog(tmp_path).names() == []
    assert not (tmp_path / "traces/T").exists()
    store.publish(tmp_path, "T", "UTC", [cluster("Venus")])
    with pytest.raises(TraceError, match="second file"):
        store.publish(tmp_path, "T", "UTC", broken())
    with pytest.raises(TraceError, match="nothing to publish"):
        store.publish(tmp_path, "T", "UTC", [])
    assert list(Catalog(tmp_path).manifest("T")["clusters"]) == ["Venus"]


def test_a_cluster_that_comes_twice_in_one_import_is_refused(tmp_path):
    with pytest.raises(TraceError, match="'Venus' is there twice"):
        store.publish(tmp_path, "T", "UTC", [cluster("Venus"), cluster("Venus", jobs=5)])
    assert Catalog(tmp_path).names() == []
    both = store.publish(tmp_path, "T", "UTC", [cluster("Venus"), series("Venus")])["clusters"]["Venus"]
    assert both["has_jobs"] and both["has_series"]


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".hidden", "a/b", "a\\b", " a", "a ", "x" * 65, "a\nb", "a\0b", "é"]
)
def test_a_name_that_could_leave_its_folder_is_refused(tmp_path, name):
    with pytest.raises(TraceError, match="cannot name a trace"):
        store.publish(tmp_path, name, "UTC", [cluster()])
    with pytest.raises(TraceError, match="cannot name a cluster"):
        store.publish(tmp_path, "T", "UTC", [cluster(name)])
    with pytest.raises(TraceError, match="There is no trace"):
        Catalog(tmp_path).folder(name)


def test_a_frame_that_does_not_fit_the_schema_is_refused(tmp_path):
    bad = cluster()
    bad.jobs["gpu_num"] = "many"
    with pytest.raises(TraceError, match="gpu_num"):
        store.publish(tmp_path, "T", "UTC", [bad])


def test_a_renamed_trace_says_its_new_name_in_every_row(tmp_path):
    store.publish(tmp_path, "T", "UTC", [cluster(quota=quota())], generated=True)
    catalog = Catalog(tmp_path)
    catalog.rename("T", "U 2")
    assert catalog.names() == ["U 2"]
    assert catalog.manifest("U 2")["trace"] == "U 2"
    assert catalog.manifest("U 2")["generated"]
    assert set(stored(tmp_path, "U 2").trace) == {"U 2"}
    assert list(stored(tmp_path, "U 2", "quota").gpus) == [8]


def test_renaming_refuses_taken_bad_and_unknown_names(tmp_path):
    for trace in ("T", "U"):
        store.publish(tmp_path, trace, "UTC", [cluster()])
    catalog = Catalog(tmp_path)
    with pytest.raises(TraceError, match="'U' already"):
        catalog.rename("T", "U")
    with pytest.raises(TraceError, match="cannot name"):
        catalog.rename("T", "../U")
    with pytest.raises(TraceError, match="no trace 'V': known traces are T, U"):
        catalog.rename("V", "W")
    assert catalog.names() == ["T", "U"]


def test_a_deleted_trace_is_gone_and_its_name_is_free(tmp_path):
    store.publish(tmp_path, "T", "UTC", [cluster()])
    catalog = Catalog(tmp_path)
    catalog.delete("T")
    assert catalog.names() == []
    with pytest.raises(TraceError, match="nothing is imported yet"):
        catalog.delete("T")
    assert store.publish(tmp_path, "T", "UTC", [cluster()])["version"] == 1


STEPS = ("fsync_tree", "fsync", "point", "link")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("nth", [1, 2])
def test_a_kill_before_each_step_on_disk_leaves_the_last_version(tmp_path, step, nth):
    store.publish(tmp_path, "T", "UTC", [cluster("Venus"), cluster("Earth", jobs=7)])

    def killed():
        left = nth
        original = getattr(folders, step)

        def dying(*arguments):
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*arguments)

        setattr(folders, step, dying)
        store.publish(tmp_path, "T", "UTC", [cluster("Venus", jobs=9)])

    victim = FORK.Process(target=killed)
    victim.start()
    victim.join(60)
    assert victim.exitcode is not None
    rows = len(stored(tmp_path))
    assert rows in (3, 9)
    assert rows == Catalog(tmp_path).manifest("T")["clusters"]["Venus"]["report"]["rows_kept"]
    assert len(stored(tmp_path, name="Earth")) == 7
    store.publish(tmp_path, "T", "UTC", [cluster("Venus", jobs=5)])
    assert len(stored(tmp_path)) == 5


def publish_ten(root, name):
    for jobs in range(1, 11):
        store.publish(root, "T", "UTC", [cluster(name, jobs=jobs)])


def test_two_publishers_wait_for_each_other_and_lose_nothing(tmp_path):
    both = [FORK.Process(target=publish_ten, args=(tmp_path, name)) for name in ("Venus", "Earth")]
    for process in both:
        process.start()
    for process in both:
        process.join(60)
        assert process.exitcode == 0
    manifest = Catalog(tmp_path).manifest("T")
    assert manifest["version"] == 20
    assert [len(stored(tmp_path, name=name)) for name in ("Venus", "Earth")] == [10, 10]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sampled_from(["Venus", "Earth", "series"]), min_size=1, max_size=5))
def test_the_manifest_names_exactly_the_files_that_are_there(tmp_path_factory, steps):
    root = tmp_path_factory.mktemp("data")
    for step in steps:
        store.publish(root, "T", "UTC", [series() if step == "series" else cluster(step)])
    folder = Catalog(root).folder("T")
    entries = json.loads((folder / "trace.json").read_text())["clusters"]
    files = {str(path.relative_to(folder)) for path in folder.glob("*/*")}
    named = {f"jobs/{name}.parquet" for name, entry in entries.items() if entry["has_jobs"]}
    assert files == named | {
        f"series/{name}.parquet" for name, entry in entries.items() if entry["has_series"]
    }
