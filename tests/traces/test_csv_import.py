"""`import csv`: one outcome per row, and a sentence for a file that cannot be right."""

import gzip

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from traces import TraceError, columns, csv_table

HEAD = "job_id,user,vc,gpu_num,state,submit_time,start_time,end_time,duration\n"


@pytest.fixture
def read(tmp_path):
    def read(content, *, name="jobs.csv", timezone="UTC", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return csv_table.read(path, "Venus", timezone, **options)

    return read


def row(**cells):
    defaults = {
        "job_id": "1",
        "user": "u",
        "vc": "v",
        "gpu_num": "1",
        "state": "COMPLETED",
        "submit_time": "2020-04-01 00:00:00",
        "start_time": "2020-04-01 00:01:00",
        "end_time": "2020-04-01 00:02:00",
        "duration": "60",
    }
    return ",".join((defaults | cells).values()) + "\n"


def test_mapped_and_own_columns_become_canonical_and_others_are_ignored(read):
    done = read(
        "timestamp,duration,num_gpus,gpu_time,cluster\n2020-04-01 08:00:00,66.5,2,133,vcA\n",
        timezone="Asia/Shanghai",
        mapped=columns.column_map(["submit_time=timestamp", "gpu_num=num_gpus", "vc=cluster"]),
    )
    job = done.jobs.iloc[0]
    assert (str(job.submit_time), job.duration_s, job.gpu_num, job.vc) == (
        "2020-04-01 00:00:00",
        66.5,
        2.0,
        "vcA",
    )
    assert job.job_id == "0"
    assert job.state == "UNKNOWN"
    assert "gpu_time" not in done.jobs
    assert (done.facts.has_vc, done.facts.has_user, done.facts.has_state, done.facts.has_start) == (
        True,
        False,
        False,
        False,
    )


def test_texts_that_look_like_numbers_stay_texts(read):
    done = read(
        "job_id,user,vc,gpu_num,submit_time\n007,0012,6214e9,1,2020-04-01\n1e5,None,NA,1,2020-04-01\n"
    )
    assert list(done.jobs.job_id) == ["007", "1e5"]
    assert list(done.jobs.user) == ["0012", "None"]
    assert list(done.jobs.vc) == ["6214e9", "NA"]


def test_an_empty_gpu_count_is_unknown_and_zero_is_zero(read):
    done = read("gpu_num,submit_time\n,2020-04-01\n0,2020-04-01\n0.25,2020-04-01\n")
    assert done.jobs.gpu_num.isna().tolist() == [True, False, False]
    assert done.jobs.gpu_num.tolist()[1:] == [0, 0.25]
    assert any("unknown, not 0" in note for note in done.report.notes)


def test_rows_are_rejected_with_their_line_and_reason(read):
    bad = (
        row(submit_time="")
        + "\n"
        + row(submit_time="yesterday")
        + row(gpu_num="two")
        + row(duration="1h")
        + row()
    )
    report = read(HEAD + row() + bad).report
    assert (report.rows_read, report.rows_kept) == (6, 2)
    assert report.rows_rejected == {
        "missing_submit_time": 1,
        "unparsable_submit_time": 1,
        "unparsable_gpu_num": 1,
        "unparsable_duration_s": 1,
    }
    assert [(each.line, each.text) for each in report.rejected_examples] == [
        (3, ""),
        (5, "yesterday"),
        (6, "two"),
        (7, "1h"),
    ]


def test_contradictions_are_flagged_and_never_become_a_negative_time(read):
    done = read(
        HEAD
        + row(job_id="a", start_time="2020-03-31 23:00:00", duration="3720")
        + row(job_id="b", end_time="2020-04-01 00:00:30", duration="")
        + row(job_id="c", duration="62")
        + row(job_id="d", duration="61")
        + row(job_id="e", duration="-5")
    )
    jobs = done.jobs.set_index("job_id")
    assert [list(flags) for flags in jobs["flags"]] == [
        ["start_before_submit"],
        ["end_before_start"],
        ["duration_disagrees"],
        [],
        ["negative_duration_s"],
    ]
    assert pd.isna(jobs.queueing_delay_s["a"])
    assert pd.isna(jobs.duration_s["b"])
    assert jobs.duration_s["c"] == 62
    assert jobs.duration_s["e"] == 60  # the times say so
    assert done.report.rows_flagged == {
        "start_before_submit": 1,
        "end_before_start": 1,
        "duration_disagrees": 1,
        "negative_duration_s": 1,
    }


def test_a_negative_duration_without_times_is_unknown(read):
    done = read("gpu_num,submit_time,duration\n1,2020-04-01,-5\n")
    assert done.jobs.duration_s.isna().all()
    assert done.report.rows_flagged == {"negative_duration_s": 1}


def test_waits_and_missing_ends_follow_from_the_times(read):
    done = read("gpu_num,submit_time,start_time,duration\n1,2020-04-01 00:00:00,2020-04-01 00:01:30,10\n")
    job = done.jobs.iloc[0]
    assert (job.queueing_delay_s, str(job.end_time)) == (90, "2020-04-01 00:01:40")
    assert (done.facts.has_start, done.facts.has_end) == (True, True)


def test_a_job_that_never_started_has_no_wait(read):
    done = read(HEAD + row(start_time="", end_time="", duration="", state="CANCELLED"))
    job = done.jobs.iloc[0]
    assert pd.isna(job.start_time)
    assert pd.isna(job.queueing_delay_s)
    assert pd.isna(job.duration_s)


def test_missing_and_repeated_ids_are_flagged_and_kept(read):
    done = read("job_id,gpu_num,submit_time\nx,1,2020-04-01\n,1,2020-04-01\nx,1,2020-04-01\n")
    assert list(done.jobs.job_id) == ["x", "1", "x"]
    assert done.report.rows_flagged == {"missing_job_id": 1, "duplicate_job_id": 1}


def test_states_are_normalized_and_unknown_words_are_named_once(read):
    words = ["Pass", "Killed", "CANCELLED by 1001", "OUT_OF_ME+", "weird", "weird", ""]
    done = read("gpu_num,submit_time,state\n" + "".join(f"1,2020-04-01,{word}\n" for word in words))
    assert list(done.jobs.state) == [
        "COMPLETED",
        "CANCELLED",
        "CANCELLED",
        "OUT_OF_MEMORY",
        "OTHER",
        "OTHER",
        "UNKNOWN",
    ]
    assert "'weird' (2 rows)" in done.report.notes[0]


def test_local_times_need_a_time_zone_and_times_with_an_offset_do_not(read):
    with pytest.raises(TraceError, match="column submit_time, has times without an offset"):
        read("gpu_num,submit_time\n1,2020-04-01 00:00:00\n", timezone=None)
    done = read(
        "gpu_num,submit_time\n1,2020-04-01T08:00:00+08:00\n1,2020-04-01 00:00:00Z\n1,1585699200\n",
        timezone=None,
    )
    assert set(done.jobs.submit_time) == {pd.Timestamp("2020-04-01 00:00:00")}


def test_numeric_times_count_the_unit_that_was_said(read):
    done = read("gpu_num,submit_time\n1,1585699200500\n", time_unit="ms")
    assert str(done.jobs.submit_time[0]) == "2020-04-01 00:00:00.500000"
    with pytest.raises(TraceError, match="unit of time"):
        read("gpu_num,submit_time\n1,5\n", time_unit="fortnight")


def test_times_of_the_clock_change_are_flagged(read):
    done = read(
        "gpu_num,submit_time\n1,2017-11-05 01:30:00\n1,2017-03-12 02:30:00\n", timezone="America/Los_Angeles"
    )
    assert done.report.rows_flagged == {"ambiguous_time": 1, "nonexistent_time": 1}


@pytest.mark.parametrize(
    "spelling", ["2020-04-01T08:05:00", "2020/04/01 08:05", "2020-4-1 8:05:00", "2020-04-01 08:05:00.000"]
)
def test_year_first_spellings_of_a_time_are_understood(read, spelling):
    done = read(f"gpu_num,submit_time\n1,{spelling}\n1,2020-02-30 00:00:00\n")
    assert str(done.jobs.submit_time[0]) == "2020-04-01 08:05:00"
    assert done.report.rows_rejected == {"unparsable_submit_time": 1}


@pytest.mark.parametrize(
    ("name", "bytes_of"),
    [
        ("bom.csv", lambda text: b"\xef\xbb\xbf" + text.encode()),
        ("crlf.csv", lambda text: text.replace("\n", "\r\n").encode()),
        ("mac.csv", lambda text: text.replace("\n", "\r").encode()),
        ("unended.csv", lambda text: text.rstrip("\n").encode()),
        ("semicolon.csv", lambda text: text.replace(",", ";").encode()),
        ("trailing.csv", lambda text: text.replace("\n", ",\n").replace(",\n", "\n", 1).encode()),
        ("trailing_all.csv", lambda text: text.replace("\n", ",\n").encode()),
        ("blank.csv", lambda text: ("\n" + text.replace("\n", "\n\n") + "  \n").encode()),
        (
            "quoted.csv",
            lambda text: b'"' + text.rstrip("\n").replace(",", '","').replace("\n", '"\n"').encode() + b'"\n',
        ),
        ("jobs.csv.gz", lambda text: gzip.compress(text.encode())),
    ],
)
def test_every_dress_of_the_same_table_reads_the_same(read, name, bytes_of):
    text = HEAD + row(job_id="1") + row(job_id="2", gpu_num="8")
    plain = read(text)
    dressed = read(bytes_of(text), name=name)
    pd.testing.assert_frame_equal(dressed.jobs, plain.jobs)
    assert (dressed.report.rows_read, dressed.report.rows_rejected) == (2, {})


def test_parquet_reads_like_csv(read, tmp_path):
    table = pa.table(
        {
            "job_id": [7, 8],
            "vc": ["6214e9", None],
            "gpu_num": [1.0, None],
            "submit_time": pa.array([pd.Timestamp("2020-04-01 08:00:00")] * 2),
            "blob": [[1], [2]],
        }
    )
    pq.write_table(table, tmp_path / "jobs.parquet")
    done = csv_table.read(tmp_path / "jobs.parquet", "Venus", "Asia/Shanghai")
    assert list(done.jobs.job_id) == ["7", "8"]
    assert set(done.jobs.submit_time) == {pd.Timestamp("2020-04-01 00:00:00")}
    assert done.jobs.gpu_num.isna().tolist() == [False, True]
    with pytest.raises(TraceError, match="blob"):
        csv_table.read(tmp_path / "jobs.parquet", "Venus", "UTC", mapped={"user": "blob"})


def test_a_truncated_last_line_is_rejected_and_nothing_else(read):
    report = read(HEAD + row() + row(job_id="2") + "3,u,v,1,COMPL").report
    assert (report.rows_kept, report.rows_rejected) == (2, {"wrong_number_of_columns": 1})
    assert (report.rejected_examples[0].line, report.rejected_examples[0].text) == (4, "3,u,v,1,COMPL")


def test_a_quote_that_never_closes_costs_one_row(read):
    done = read(
        'job_name,gpu_num,submit_time\n"a\nb",1,2020-04-01\n'
        '"broken,1,2020-04-01\nc,1,2020-04-01\n5" disk,1,2020-04-01\n'
    )
    assert list(done.jobs.job_name) == ["a\nb", "c", '5" disk']
    assert [each.line for each in done.report.rejected_examples] == [4]
    assert list(done.jobs.row) == [0, 2, 3]


def test_a_name_with_a_line_break_keeps_later_line_numbers_right(read):
    done = read('job_name,gpu_num,submit_time\n"a, ""b""\nc",1,2020-04-01\nd,1,2020-04-01\ne,x,2020-04-01\n')
    assert list(done.jobs.job_name) == ['a, "b"\nc', "d"]
    assert done.report.rejected_examples[0].line == 5


def test_bytes_that_are_not_utf8_are_shown_as_such_and_noted(read):
    done = read(b"user,gpu_num,submit_time\nJos\xe9,1,2020-04-01\n")
    assert done.jobs.user[0] == "Jos�"
    assert "not all UTF-8" in done.report.notes[0]


def test_a_table_of_thousands_of_columns_is_read(read):
    names = ",".join(f"c{index}" for index in range(5000))
    done = read(f"{names},gpu_num,submit_time\n{'x,' * 5000}4,2020-04-01\n")
    assert done.jobs.gpu_num[0] == 4


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "jobs.csv is empty"),
        (b"\n\r\n  \n", "jobs.csv is empty"),
        (b"gpu_num,submit_time\n", "a header and no rows"),
        (b"gpu_num,submit_time", "a header and no rows"),
        (b"\x7fELF\0\0\0", "not a text file"),
        (b"PK\x03\x04\0\0", "not a text file"),
        (b"PAR1 and no more", "damaged parquet"),
        (gzip.compress(b"gpu_num,submit_time\n1,2020-04-01\n", mtime=0)[:-9], "cut-off gzip"),
        (
            b"gpu_num,when\n1,2020-04-01\n",
            "has no column submit_time; map one with --map submit_time=COLUMN .*gpu_num, when",
        ),
        (b"gpus,submit_time\n1,2020-04-01\n", "no GPU accounting: no column gpu_num"),
        (b"gpu_num,submit_time\n,2020-04-01\n", "no GPU accounting: column gpu_num is empty"),
        (b"gpu_num,submit_time\n1,x\n", r"not one of its 1 rows can be read .*line 2 says 'x'"),
        (b"gpu_num,gpu_num,submit_time\n1,2,2020-04-01\n", "several columns 'gpu_num'"),
    ],
)
def test_a_file_that_cannot_be_right_is_refused_with_a_sentence(read, content, sentence):
    with pytest.raises(TraceError, match=sentence):
        read(content)


def test_wrong_options_are_refused_with_a_sentence(read, tmp_path):
    good = "gpu_num,submit_time\n1,2020-04-01\n"
    with pytest.raises(
        TraceError, match=r"no column 'gone' to map vc to .*columns found: gpu_num, submit_time"
    ):
        read(good, mapped={"vc": "gone"})
    with pytest.raises(TraceError, match="Unknown time zone"):
        read(good, timezone="Mars/Olympus")
    with pytest.raises(TraceError, match="at least 1 GPU"):
        read(good, gpus_per_node=0)
    with pytest.raises(TraceError, match="cannot be read"):
        csv_table.read(tmp_path / "gone.csv", "Venus", "UTC")


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        (["submit_time"], "not of the form"),
        (["=x"], "not of the form"),
        (["speed=x"], "not a canonical column"),
        (["vc=a", "vc=b"], "vc twice"),
        (["duration=a", "duration_s=b"], "duration_s twice"),
    ],
)
def test_a_wrong_map_is_refused_with_a_sentence(pairs, sentence):
    with pytest.raises(TraceError, match=sentence):
        columns.column_map(pairs)


def test_a_column_of_a_canonical_name_can_be_left_out(read):
    left_out = columns.column_map(["user=", "vc=user"])
    assert left_out == {"user": "", "vc": "user"}
    read_jobs = read(HEAD + row(), mapped=left_out)
    assert "user" not in read_jobs.jobs
    assert read_jobs.jobs["vc"].to_list() == ["u"]
    assert not read_jobs.facts.has_user
    with pytest.raises(TraceError, match="no GPU accounting: no column gpu_num"):
        read(HEAD + row(), mapped={"gpu_num": ""})


def test_a_source_name_may_hold_an_equals_sign():
    assert columns.column_map(["vc=a=b", "duration=d"]) == {"vc": "a=b", "duration_s": "d"}


def test_a_mapped_column_is_not_also_taken_by_its_own_name(read):
    done = read("vc,gpu_num,submit_time\nalice,1,2020-04-01\n", mapped={"user": "vc"})
    assert list(done.jobs.user) == ["alice"]
    assert not done.facts.has_vc


def test_fractional_and_absurd_counts_are_flagged_and_unknown(read):
    done = read(
        "gpu_num,cpu_num,node_num,submit_time\n-1,2.5,1,2020-04-01\n1,4,9e18,2020-04-01\n1e300,4,2,2020-04-01\n"
    )
    assert done.report.rows_flagged == {
        "negative_gpu_num": 1,
        "implausible_gpu_num": 1,
        "fractional_cpu_num": 1,
        "implausible_node_num": 1,
    }
    assert done.jobs.gpu_num.isna().tolist() == [True, False, True]


def test_reading_twice_gives_the_same_and_changes_no_file(read, tmp_path):
    content = HEAD + row() + row(submit_time="x")
    first, second = read(content), read(content)
    pd.testing.assert_frame_equal(first.jobs, second.jobs)
    assert first.report == second.report
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs.csv"]
