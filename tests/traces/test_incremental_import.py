"""Importing again, in pieces, in any order, or interrupted: the same table, and nothing is lost."""

import io
import itertools
import multiprocessing
import os
import shutil
import signal

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.traces.sacct_extracts import PENDING, RUNNING, extract, job
from traces import TraceError, csv_table, knowledge, slurm, store
from traces.catalog import Catalog
from traces.slurm import SlurmOptions

pytestmark = pytest.mark.usefixtures("without_rollups")
FORK = multiprocessing.get_context("fork")
DAY = pd.Timedelta("1D")
FIRST = pd.Timestamp("2024-03-01")


def written(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def bring_in(root, path, trace="T", *, start_over=False, timezone="UTC", **options):
    read = slurm.read(path, SlurmOptions(timezone=timezone, **options))
    return store.publish(root, trace, timezone, read, start_over=start_over)


def table(root, trace="T", cluster="alpha"):
    return pd.read_parquet(Catalog(root).folder(trace) / f"jobs/{cluster}.parquet").assign(trace="")


def text_of(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S")


def as_seen(number, submit, start, end, at):
    """The row that sacct prints at the moment `at` about a job with these times."""
    times = {"Submit": text_of(submit), "Start": text_of(start), "End": text_of(end)}
    if at < start:
        return job(number, **times | PENDING)
    if at < end:
        return job(number, **times | RUNNING | {"ElapsedRaw": str(int((at - start).total_seconds()))})
    return job(number, **times | {"ElapsedRaw": str(int((end - start).total_seconds()))})


JOBS = st.lists(
    st.tuples(st.integers(0, 3 * 24), st.integers(0, 40), st.integers(0, 70), st.booleans()),
    min_size=1,
    max_size=6,
)


def daily_extracts(lives):
    """What five daily extracts, each of two days, say about jobs, and the attempts of these jobs.

    A life is (submit, wait, run) in hours and whether the job is requeued once.
    """
    attempts = []
    for number, (submit_h, wait_h, run_h, again) in enumerate(lives, start=1):
        submit = FIRST + pd.Timedelta(hours=submit_h)
        start, end = submit + pd.Timedelta(hours=wait_h), submit + pd.Timedelta(hours=wait_h + run_h)
        attempts.append((number, submit, start, end))
        if again:
            attempts.append((number, end, end + DAY / 24, end + DAY / 2))
    files = []
    for day in range(1, 6):
        at = FIRST + day * DAY
        begin = at - 2 * DAY
        seen = [each for each in attempts if each[1] < at and each[3] >= begin]
        if seen:
            files.append(extract(*(as_seen(*each, at) for each in seen)))
    return files, attempts


@settings(
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    max_examples=3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(JOBS, st.randoms(use_true_random=False))
def test_overlapping_daily_files_in_any_order_and_number_give_the_same_table(tmp_path_factory, lives, random):
    root = tmp_path_factory.mktemp("data")
    files, attempts = daily_extracts(lives)
    paths = [written(root / "days", f"{number}.txt", text) for number, text in enumerate(files)]
    for path in paths:
        bring_in(root, path, "in-order")
    shuffled = paths * 2
    random.shuffle(shuffled)
    for path in shuffled:
        bring_in(root, path, "shuffled")
    bring_in(root, root / "days", "folder")
    expected = table(root, "in-order")
    for trace in ("shuffled", "folder"):
        pd.testing.assert_frame_equal(table(root, trace), expected)
    reports = [
        Catalog(root).manifest(trace)["clusters"]["alpha"]["report"]
        for trace in ("in-order", "shuffled", "folder")
    ]
    for report in reports:
        assert (
            report["rows_read"] == reports[0]["rows_read"] == sum(text.count("\n") - 1 for text in set(files))
        )
        assert report["rows_read"] == report["rows_kept"] + sum(report["rows_rejected"].values())
        assert report["effects"] == reports[0]["effects"]
    last_at = FIRST + 5 * DAY
    begun = [each for each in attempts if each[1] < last_at]
    assert len(expected) == len(begun)  # an attempt is there once, whatever was seen of it
    ended = {(str(number), submit) for number, submit, _, end in begun if end <= last_at}
    rows = expected[expected["end_time"].notna()]
    assert set(zip(rows["job_id"], rows["submit_time"], strict=True)) == ended


MOMENTS = st.sampled_from([None, "2024-03-01 01:00", "2024-03-01 02:00", "2024-03-01 03:00"])
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "9_[1-3]", "9_[2-3]", "9_2"]),
        st.sampled_from(["2024-03-01 00:00", "2024-03-01 00:30"]),
        MOMENTS,
        MOMENTS,
        st.sampled_from([None, 60.0, 3600.0]),
        st.sampled_from(["PENDING", "RUNNING", "COMPLETED", "OTHER"]),
        st.sampled_from([None, 1.0, 8.0]),
    ),
    max_size=8,
)


def frame_of(rows):
    columns = ["job_id", "submit_time", "start_time", "end_time", "duration_s", "state", "gpu_num"]
    frame = pd.DataFrame(rows, columns=columns).astype({"job_id": "str", "state": "str"})
    times = {name: pd.to_datetime(frame[name]).astype("datetime64[us]") for name in columns[1:4]}
    return frame.assign(**times).astype({"duration_s": float, "gpu_num": float})


def told(rows):
    """What stays of these rows, as a set of texts."""
    frame = frame_of(rows)
    kept = frame[knowledge.newest(frame)]
    texts = knowledge.texts(kept)
    assert len(set(texts)) == len(texts)
    return list(kept.index), set(texts)


@settings(max_examples=50, deadline=None)
@given(ROWS, ROWS, st.randoms(use_true_random=False))
def test_what_stays_depends_on_the_rows_and_on_no_order_or_grouping(one, other, random):
    together = one + other
    _, expected = told(together)
    shuffled = together * 2
    random.shuffle(shuffled)
    assert told(shuffled)[1] == expected
    first, _ = told(one)
    assert told([one[at] for at in first] + other)[1] == expected


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_running_job_is_updated_by_a_later_extract_and_never_by_an_older_one(tmp_path, order):
    states = [job(1, **PENDING), job(1, **RUNNING), job(1)]
    for at in order:
        bring_in(tmp_path, written(tmp_path / "days", f"{at}.txt", extract(states[at], job(2))))
    found = table(tmp_path)
    assert list(found["job_id"]) == ["1", "2"]
    assert list(found["state"]) == ["COMPLETED", "COMPLETED"]
    assert list(found["row"]) == [0, 1]
    assert [list(flags) for flags in found["flags"]] == [[], []]


def test_the_manifest_says_what_the_latest_import_changed(tmp_path):
    first = written(tmp_path / "days", "1.txt", extract(job(1, **RUNNING), job(2)))
    second = written(tmp_path / "days", "2.txt", extract(job(1), job(2), job(3)))
    bring_in(tmp_path, first)
    latest = bring_in(tmp_path, second)["clusters"]["alpha"]["latest"]
    assert {key: latest[key] for key in ("added", "updated", "unchanged", "older")} == {
        "added": 1,
        "updated": 1,
        "unchanged": 1,
        "older": 0,
    }
    assert (latest["report"]["rows_read"], latest["report"]["rows_kept"]) == (3, 3)
    again = bring_in(tmp_path, first)["clusters"]["alpha"]["latest"]
    assert (again["added"], again["updated"], again["unchanged"], again["older"]) == (0, 0, 1, 1)


def test_the_latest_import_of_a_folder_adds_up_too(tmp_path):
    written(tmp_path / "days", "1.txt", extract(job(1, **RUNNING), job(2)))
    written(tmp_path / "days", "2.txt", extract(job(1), job(2), job(3)))
    latest = bring_in(tmp_path, tmp_path / "days")["clusters"]["alpha"]["latest"]
    changes = [latest[key] for key in ("added", "updated", "unchanged", "older")]
    assert sum(changes) == latest["report"]["rows_kept"] == 5
    assert changes == [3, 0, 1, 1]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_waiting_array_tasks_give_way_to_the_tasks_themselves(tmp_path, order):
    files = [
        extract(job(9, JobID="9_[1-3]", **PENDING)),
        extract(job(10, JobID="9_1"), job(9, JobID="9_[2-3]", **PENDING)),
        extract(job(10, JobID="9_1"), job(11, JobID="9_2"), job(9, JobID="9_3", **RUNNING)),
    ]
    for at in order:
        bring_in(tmp_path, written(tmp_path / "days", f"{at}.txt", files[at]))
    assert list(table(tmp_path)["job_id"]) == ["9_1", "9_2", "9_3"]


def test_rejects_of_every_file_are_kept_once_with_their_file(tmp_path):
    first = written(tmp_path / "days", "1.txt", extract(job(1), job(2, Submit="")))
    second = written(tmp_path / "days", "2.txt", extract(job(3), job(4, Submit="never")))
    for path in (first, second, first):
        bring_in(tmp_path, path)
    rejects = pd.read_csv(Catalog(tmp_path).folder("T") / "rejects/alpha.csv", keep_default_na=False)
    assert rejects.to_dict("records") == [
        {"source": "1.txt", "line": 3, "reason": "missing_submit_time", "text": ""},
        {"source": "2.txt", "line": 3, "reason": "unparsable_submit_time", "text": "never"},
    ]


def test_capacity_stays_and_reaches_back_to_the_first_job_whatever_the_order(tmp_path):
    early = written(tmp_path / "days", "1.txt", extract(job(1, Submit="2024-02-20T08:00:00")))
    late = written(tmp_path / "days", "2.txt", extract(job(2)))
    undated = written(tmp_path, "capacity.csv", "vc,nodes\ngpu,2\n")
    dated = written(tmp_path, "dated.csv", "date,gpu\n2024-02-25,8\n2024-03-05,16\n")
    for name, capacity in (("undated", undated), ("dated", dated)):
        bring_in(tmp_path, late, f"{name}-a", capacity=capacity)
        bring_in(tmp_path, early, f"{name}-a")
        bring_in(tmp_path, early, f"{name}-b")
        entry = bring_in(tmp_path, late, f"{name}-b", capacity=capacity)["clusters"]["alpha"]
        assert entry["has_capacity"]
        pd.testing.assert_frame_equal(table(tmp_path, f"{name}-a"), table(tmp_path, f"{name}-b"))
        one, other = (
            pd.read_parquet(Catalog(tmp_path).folder(f"{name}-{which}") / "quota/alpha.parquet")
            for which in "ab"
        )
        pd.testing.assert_frame_equal(one, other)
        assert str(one["date"].min()) == "2024-02-20"
    assert [list(flags) for flags in table(tmp_path, "dated-a")["flags"]] == [["before_capacity"], []]


def test_jobs_are_not_added_to_what_was_imported_in_another_way(tmp_path):
    path = written(tmp_path / "days", "1.txt", extract(job(1)))
    bring_in(tmp_path, path)
    with pytest.raises(TraceError, match="has Partition as its virtual cluster, not QOS"):
        bring_in(tmp_path, path, vc_field="QOS")
    with pytest.raises(TraceError, match=r"1\.txt was imported before as 'times in UTC'"):
        bring_in(tmp_path, path, file_timezone="Asia/Tokyo")
    with pytest.raises(TraceError, match="has the time zone UTC, not Asia/Tokyo"):
        bring_in(tmp_path, path, timezone="Asia/Tokyo")
    assert len(table(tmp_path)) == 1
    entry = bring_in(tmp_path, path, vc_field="QOS", start_over=True)["clusters"]["alpha"]
    assert entry["vc_field"] == "QOS"
    jobs = written(tmp_path, "jobs.csv", "gpu_num,submit_time\n1,2024-03-01\n")
    store.publish(tmp_path, "T", "UTC", [csv_table.read(jobs, "other", "UTC")])
    with pytest.raises(TraceError, match="'other' was imported as a whole"):
        bring_in(tmp_path, path, cluster="other")


def test_starting_over_forgets_jobs_capacity_and_rejects_of_the_cluster(tmp_path):
    capacity = written(tmp_path, "capacity.csv", "vc,nodes\ngpu,2\n")
    bring_in(
        tmp_path, written(tmp_path / "days", "1.txt", extract(job(1), job(2, Submit=""))), capacity=capacity
    )
    entry = bring_in(tmp_path, written(tmp_path / "days", "2.txt", extract(job(3))), start_over=True)
    assert list(table(tmp_path)["job_id"]) == ["3"]
    folder = Catalog(tmp_path).folder("T")
    assert sorted(str(each.relative_to(folder)) for each in folder.glob("*/*")) == ["jobs/alpha.parquet"]
    assert not entry["clusters"]["alpha"]["has_capacity"]


def test_tables_with_ids_can_be_added_to_as_well(tmp_path):
    head = "job_id,gpu_num,submit_time,start_time,end_time,state\n"
    first = written(tmp_path, "1.csv", head + "a,1,2024-03-01,2024-03-01,,RUNNING\n")
    second = written(
        tmp_path, "2.csv", head + "a,1,2024-03-01,2024-03-01,2024-03-02,COMPLETED\nb,2,2024-03-02,,,PENDING\n"
    )
    for path in (second, first, second):
        store.publish(tmp_path, "T", "UTC", [csv_table.read(path, "alpha", "UTC", adds=True)])
    found = table(tmp_path)
    assert list(found["job_id"]) == ["a", "b"]
    assert list(found["state"]) == ["COMPLETED", "PENDING"]
    with pytest.raises(TraceError, match="no column job_id"):
        csv_table.read(
            written(tmp_path, "3.csv", "gpu_num,submit_time\n1,2024-03-01\n"), "alpha", "UTC", adds=True
        )


def complete_days(root, days):
    """How many of the days, each of ten jobs, are in the table; each is there as a whole."""
    found = table(root)
    counts = found["submit_time"].dt.day.value_counts()
    assert set(counts) == {10}
    assert len(found) == Catalog(root).manifest("T")["clusters"]["alpha"]["report"]["rows_kept"]
    return len(counts)


def days_of_ten(folder, days):
    return [
        written(
            folder,
            f"{day}.txt",
            extract(*(job(100 * day + each, Submit=f"2024-03-{day:02}T08:00:00") for each in range(10))),
        )
        for day in range(1, days + 1)
    ]


STEPS = (
    *((os, name) for name in ("mkdir", "rename", "replace", "link", "symlink", "unlink", "rmdir", "fsync")),
    *((pq.ParquetWriter, name) for name in ("write_table", "close")),
    (io, "open"),
)
"""What a publication does on disk."""


def killed_before(number, work):
    """Whether a process that does `work` dies before its step `number`, counted from 1; else it ends well."""

    def victim():
        calls = itertools.count(1)

        def counted(step):
            def counting(*args, **kwargs):
                if next(calls) == number:
                    os.kill(os.getpid(), signal.SIGKILL)
                return step(*args, **kwargs)

            return counting

        for owner, name in STEPS:
            setattr(owner, name, counted(getattr(owner, name)))
        work()
        os._exit(0)

    process = FORK.Process(target=victim)
    process.start()
    process.join(60)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def rows_of(root):
    jobs = Catalog(root).folder("T").glob("jobs/*.parquet")
    return {path.stem: pq.read_metadata(path).num_rows for path in jobs}


@pytest.mark.parametrize("adds", [True, False])
def test_an_import_killed_before_any_step_on_disk_changes_all_or_nothing_and_can_be_repeated(
    tmp_path, monkeypatch, adds
):
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a killed process loses nothing that it has written
    paths = days_of_ten(tmp_path / "days", 2)
    table_of_five = "job_id,gpu_num,submit_time\n" + "a,1,2024-03-01\n" * 5
    replacing = written(tmp_path / "days", "jobs.csv", table_of_five)
    first = tmp_path / "first"
    bring_in(first, written(tmp_path / "days", "other.txt", extract(job(1, Cluster="beta"))))
    bring_in(first, paths[0])
    store.publish(first, "T", "UTC", [csv_table.read(replacing, "gamma", "UTC")])
    replacing.write_text(table_of_five + "b,2,2024-03-02\n")
    before = {"alpha": 10, "beta": 1, "gamma": 5}
    after = before | ({"alpha": 20} if adds else {"gamma": 6})
    found = []
    for number in itertools.count(1):
        root = tmp_path / str(number)
        shutil.copytree(first, root, symlinks=True)

        def work(root=root):
            if adds:
                bring_in(root, paths[1])
            else:
                store.publish(root, "T", "UTC", [csv_table.read(replacing, "gamma", "UTC")])

        died = killed_before(number, work)
        found.append(rows_of(root))
        work()
        assert rows_of(root) == after
        hidden = [each.name for each in (root / "traces").iterdir() if each.name.startswith((".new", ".rem"))]
        assert hidden == []  # what the killed one had staged is gone
        assert len(list((root / "traces/T").iterdir())) == 3  # the link, its version and the one before
        shutil.rmtree(root)
        if not died:
            break
    switched = found.index(after)
    assert found == [before] * switched + [after] * (len(found) - switched)
    assert 20 < switched < len(found) - 1


def test_a_slow_reader_of_files_holds_up_nobody(tmp_path):
    paths = days_of_ten(tmp_path / "days", 2)

    def slowly():
        bring_in(tmp_path, paths[1])  # another import, while this one is still being read
        yield from slurm.read(paths[0], SlurmOptions(timezone="UTC"))

    store.publish(tmp_path, "T", "UTC", slowly())
    assert complete_days(tmp_path, paths) == 2
