"""What is odd about real files and their names: a report whose counts add up, or one sentence."""

import datetime as dt
import errno
import os
import threading
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from traces import TraceError, inputs, intake, readings
from traces.catalog import Catalog
from traces.formats import Wishes
from traces.intake import Plan

pytestmark = pytest.mark.usefixtures("without_rollups")
TABLE = "submit_time,gpu_num\n2020-04-01,2\n2020-04-02,many\n"
WISHES = Wishes(cluster="C", timezone="UTC")


def test_times_of_any_fineness_and_of_years_beyond_belief_are_read_side_by_side():
    texts = ["2020-04-01 00:00:00.123456789", "0001-01-01 00:00:00", "9999-12-31", "2020/04/01 00:00:00,5"]
    read = readings.times(pd.Series(texts, dtype="str"), "UTC", "x")
    assert read.unparsable.tolist() == [False, True, True, False]
    assert read.utc[0] == pd.Timestamp("2020-04-01 00:00:00.123456")
    assert read.utc[3] == pd.Timestamp("2020-04-01 00:00:00.5")


def test_offsets_that_are_none_are_no_times_beside_ones_that_are():
    texts = ["2020-04-01 00:00:00Zx", "2020-04-01 00:00:00+08:00:00", "2020-04-01Z", "2020-04-01+02:00"]
    good = ["2020/4/1 07:30", "2020-04-01T08:00:00+08:00", "2020-4-1 0:0:0,25"]
    read = readings.times(pd.Series([*texts, *good], dtype="str"), "UTC", "x")
    assert read.unparsable.tolist() == [True] * 4 + [False] * 3
    expected = ["2020-04-01 07:30", "2020-04-01", "2020-04-01 00:00:00.25"]
    assert read.utc[4:].tolist() == [pd.Timestamp(each) for each in expected]


def test_a_sentence_stays_on_its_line_and_has_an_end():
    assert str(TraceError("damaged (no more\n data\r\n).")) == "damaged (no more data )."
    assert str(TraceError(os.fsdecode(b"\xff.csv is empty"))) == "?.csv is empty"
    long = str(TraceError(f"x has columns {'a, ' * 9000}: name one."))
    assert len(long) < 2000
    assert long.endswith(": name one.")


def test_a_file_whose_name_is_no_text_is_imported_and_named_as_far_as_it_is(tmp_path):
    path = tmp_path / os.fsdecode(b"\xffjobs.csv")
    path.write_text(TABLE)
    plan = Plan(path, "csv", WISHES, "T")
    found = intake.check(tmp_path, plan)
    found.rejects.to_csv(tmp_path / "rejects.csv")
    report = intake.publish(tmp_path, plan)[0]
    assert report["rows_rejected"] == {"unparsable_gpu_num": 1}
    assert Catalog(tmp_path).manifest("T")["clusters"]["C"]["source"][0]["name"] == "?jobs.csv"


def test_a_pipe_can_be_imported_though_it_is_read_twice(tmp_path):
    pipe = tmp_path / "jobs.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(TABLE,))
    writer.start()
    with inputs.spooled(pipe) as path:
        assert intake.recognized(path).format == "csv"
        assert intake.check(tmp_path, Plan(path, "csv", WISHES, "T")).reports[0]["rows_read"] == 2
    writer.join()
    with pytest.raises(TraceError, match="neither a file nor a folder"):
        intake.recognized(pipe)
    with pytest.raises(TraceError, match="neither a file nor a folder"):
        intake.recognized(Path("/dev/null"))


def stored(folder: Path, **columns: pa.Array) -> Path:
    usual = {"submit_time": pa.array([dt.datetime(2020, 4, 1)] * 2), "gpu_num": pa.array([1, 2])}
    pq.write_table(pa.table(usual | columns), folder / "jobs.parquet")
    return folder / "jobs.parquet"


def test_times_that_no_calendar_has_are_shown_by_their_number_and_rejected(tmp_path):
    times = pa.array([2**62, 1_585_699_200_000_000], pa.timestamp("us"))
    path = stored(tmp_path, submit_time=times)
    assert [row[0] for row in intake.preview(path).rows] == [str(2**62), "2020-04-01 00:00:00"]
    report = intake.check(tmp_path, Plan(path, "csv", WISHES, "T")).reports[0]
    assert (report["rows_kept"], report["rows_rejected"]) == (1, {"unparsable_submit_time": 1})


def test_a_parquet_file_of_texts_that_are_none_is_refused_in_one_sentence(tmp_path):
    damaged = pa.array([b"ok", b"\x9e\xff"]).view(pa.string())
    path = stored(tmp_path, user=damaged)
    for look in (intake.preview, lambda path: intake.check(tmp_path, Plan(path, "csv", WISHES, "T"))):
        with pytest.raises(TraceError, match="damaged parquet file"):
            look(path)


@pytest.mark.parametrize("form", ["csv", "slurm", "helios", "philly", "swf", "pai"])
def test_what_may_not_be_read_is_said_in_one_sentence(tmp_path, monkeypatch, form):
    path = tmp_path / "jobs.csv"
    path.write_text(TABLE)

    def refused(self, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    for method in ("is_file", "open", "read_bytes", "iterdir"):
        monkeypatch.setattr(Path, method, refused)
    plan = Plan(path, form, WISHES, "T")
    for look in (intake.recognized, intake.preview, lambda _: intake.check(tmp_path / "none", plan)):
        with pytest.raises(TraceError, match="cannot be read: Permission denied"):
            look(path)
