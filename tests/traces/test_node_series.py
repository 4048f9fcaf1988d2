"""`import nodes`: the series as it is stored."""

import pandas as pd
import pytest

from traces import TraceError, node_series


@pytest.fixture
def read(tmp_path):
    def read(text, timezone="UTC", **options):
        path = tmp_path / "nodes.csv"
        path.write_text(text)
        return node_series.read(path, "Philly", timezone, **options)

    return read


def test_duplicates_order_and_gaps_stay_as_they_are(read):
    rows = ["2020-01-01 00:02,5,9", "2020-01-01 00:00,3,9", "2020-01-01 00:01,4,9", "2020-01-01 00:01,4,8"]
    done = read(
        "time,active,total\n" + "\n".join([*rows, "2020-01-01 01:00,0,9"]) + "\n", mapped={"used": "active"}
    )
    assert list(done.series.used) == [5, 3, 4, 4, 0]
    assert done.report.rows_flagged == {"duplicate_time": 1}
    assert "1 gaps" in done.report.notes[0]
    assert "3480 s" in done.report.notes[0]
    assert done.jobs is None


def test_unreadable_rows_are_rejected_and_unknown_counts_stay_unknown(read):
    done = read(
        "time,used,total\nx,1,2\n,1,2\n2020-01-01,one,2\n2020-01-02,,2\n2020-01-03,-1,2\n2020-01-04,3,2\n2020-01-05\n"
    )
    assert (done.report.rows_read, done.report.rows_kept) == (7, 3)
    assert done.report.rows_rejected == {
        "wrong_number_of_columns": 1,
        "missing_time": 1,
        "unparsable_time": 1,
        "unparsable_used": 1,
    }
    assert done.report.rows_flagged == {"missing_used": 1, "negative_used": 1, "used_above_total": 1}
    assert done.series.used.isna().tolist() == [True, True, False]


def test_the_repeated_hour_is_flagged(read):
    done = read("time,used,total\n2017-11-05 01:30,1,2\n2017-11-05 03:30,1,2\n", "America/Los_Angeles")
    assert done.report.rows_flagged == {"ambiguous_time": 1}
    assert done.series.time[0] == pd.Timestamp("2017-11-05 08:30")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "time,active,total\n2020-01-01,1,2\n",
            "has no column used; map one with --map used=COLUMN .*active",
        ),
        ("time,used,total\nx,1,2\n", "not one of its 1 rows"),
        ("time,used,total\n", "a header and no rows"),
    ],
)
def test_a_file_that_is_no_series_is_refused(read, text, sentence):
    with pytest.raises(TraceError, match=sentence):
        read(text)
