"""Whatever bytes come in: a report whose counts add up, or one sentence; never anything else."""

import csv
import io

from hypothesis import example, given, settings
from hypothesis import strategies as st

from traces import TraceError, capacity, csv_table, node_series

VALID = (
    b"job_id,user,vc,gpu_num,state,submit_time,start_time,end_time,duration\n"
    b'1,"a ""b""",v,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 00:02:00,60\n'
    b"\n"
    b'2,"c\nd",6214e9,0.25,Killed,2020-04-01T00:00:00+08:00,,,\n'
    b"3,e,w,,odd,1585699200,2017-11-05 01:30,2017-03-12 02:30,1e3"
)
CELL = st.one_of(
    st.text(max_size=8),
    st.floats().map(str),
    st.integers().map(str),
    st.datetimes().map(str),
    st.sampled_from(
        ["", "nan", "inf", "-1", "1e400", "0001-01-01", "9999-12-31 23:59:59", "2020-04-01 00:00:00Z"]
    ),
    st.sampled_from(
        ["2017-11-05 01:30", "2020-02-30", "1e99", "2020-04-01T00:00:00+99:99", "2020-04-01 00:00:60"]
    ),
)
COLUMNS = (
    "job_id",
    "vc",
    "gpu_num",
    "cpu_num",
    "state",
    "submit_time",
    "start_time",
    "end_time",
    "duration",
    "queueing_delay_s",
)


def outcome(tmp_path_factory, content, reader):
    path = tmp_path_factory.getbasetemp() / "fuzz.csv"
    path.write_bytes(content)
    try:
        return reader(path)
    except TraceError as error:
        assert str(error).strip()
        assert "\n" not in str(error).strip()
        return None


def assert_adds_up(done):
    report = done.report
    kept = done.series if done.jobs is None else done.jobs
    assert report.rows_read == report.rows_kept + sum(report.rows_rejected.values())
    assert report.rows_kept == len(kept)
    assert sum(report.rows_rejected.values()) == 0 or report.rejected_examples
    if done.jobs is not None:
        flags = [flag for flags in done.jobs["flags"] for flag in flags]
        assert {flag: flags.count(flag) for flag in set(flags)} == report.rows_flagged
        assert not (done.jobs["duration_s"] < 0).any()
        assert not (done.jobs["queueing_delay_s"] < 0).any()
        assert done.jobs["submit_time"].notna().all()
        assert done.jobs["row"].is_unique


def read_jobs(path):
    return csv_table.read(path, "Venus", "America/Los_Angeles")


def read_series(path):
    return node_series.read(
        path, "Venus", "UTC", mapped={"time": "submit_time", "used": "gpu_num", "total": "duration"}
    )


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
@example(b"PAR1PAR1")
@example(b"\x1f\x8b\x08\0")
@example(b'"')
@example(b'gpu_num,submit_time\n"')
@example(b"gpu_num,submit_time\n1,\xff\n")
def test_any_bytes_are_refused_or_add_up(tmp_path_factory, content):
    for reader in (read_jobs, read_series, capacity.read):
        done = outcome(tmp_path_factory, content, reader)
        if done is not None and reader is not capacity.read:
            assert_adds_up(done)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(VALID) - 1),
            st.sampled_from(["delete", "insert", "replace", "cut"]),
            st.binary(max_size=4),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_damaged_valid_files_are_refused_or_add_up(tmp_path_factory, damages):
    content = bytearray(VALID)
    for at, kind, put in damages:
        end = {"delete": at + 1, "insert": at, "replace": at + len(put), "cut": len(content)}[kind]
        content[at:end] = put
    done = outcome(tmp_path_factory, bytes(content), read_jobs)
    if done is not None:
        assert_adds_up(done)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(CELL, min_size=len(COLUMNS), max_size=len(COLUMNS)), min_size=1, max_size=6))
def test_any_table_is_refused_or_adds_up(tmp_path_factory, rows):
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([COLUMNS, *rows])
    content = buffer.getvalue().encode("utf-8", errors="replace")
    for reader in (read_jobs, read_series):
        done = outcome(tmp_path_factory, content, reader)
        if done is not None:
            assert_adds_up(done)
            assert done.report.rows_read <= len(rows) + content.count(b"\n") + content.count(b"\r")
