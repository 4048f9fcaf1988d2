"""What a report says beside its counts: gaps, effects on the headline numbers, all rejects."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import TraceError, csv_table, flag_lists, store
from traces.catalog import Catalog
from traces.coverage import coverage
from traces.report import EXAMPLES, combined

pytestmark = pytest.mark.usefixtures("without_rollups")
HEAD = "job_id,gpu_num,submit_time,start_time,end_time,duration\n"


@pytest.fixture
def read(tmp_path):
    def read(text, name="jobs.csv"):
        path = tmp_path / name
        path.write_text(text)
        return csv_table.read(path, "Venus", "UTC")

    return read


def times(*hours):
    return pd.Series(pd.Timestamp("2020-04-01") + pd.to_timedelta(hours, unit="h"))


def test_a_long_silence_among_frequent_submissions_is_a_gap():
    busy = [each / 10 for each in range(2000)]
    found = coverage(times(*busy, *(each + 300 for each in busy)))
    assert found.count == 1
    assert found.longest[0].duration_s == pytest.approx((300 - 199.9) * 3600)
    assert found.document()["longest"][0]["from"] == "2020-04-09T07:54:00Z"


def test_weekly_submissions_have_no_gaps_and_neither_has_a_single_one():
    assert coverage(times(*(168 * week for week in range(20)))).count == 0
    assert coverage(times(0)).count == coverage(times()).count == 0


def test_a_quiet_night_is_no_gap():
    assert coverage(times(*(day * 24 + hour / 4 for day in range(10) for hour in range(40)))).count == 0


def test_only_the_longest_gaps_are_listed_and_all_are_counted():
    bursts = [burst * 100 * (burst + 1) + each / 50 for burst in range(8) for each in range(200)]
    found = coverage(times(*bursts))
    lengths = [gap.duration_s for gap in found.longest]
    assert (found.count, len(lengths)) == (7, 5)
    assert lengths == sorted(lengths, reverse=True)


def test_every_rule_says_how_many_gpu_hours_it_concerns(read):
    report = read(
        HEAD
        + "a,2,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 01:00:00,3600\n"
        + "b,1,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 02:00:00,3600\n"  # the duration disagrees
        + "c,4,never,2020-04-01 00:00:00,2020-04-01 01:00:00,3600\n"
        + "d,x,2020-04-01 00:00:00,,,3600\n"
        + "e,,2020-04-01 00:00:00,,,3600\n"
    ).report
    assert vars(report.headline) == {"jobs": 3, "gpu_jobs": 2, "gpu_hours": 3, "jobs_without_gpu_hours": 1}
    assert {(each.outcome, each.reason): (each.rows, each.gpu_hours) for each in report.effects} == {
        ("flagged", "duration_disagrees"): (1, 1),
        ("rejected", "unparsable_submit_time"): (1, 4),
        ("rejected", "unparsable_gpu_num"): (1, None),
    }
    document = report.document()
    assert document["headline"]["gpu_hours"] == 3
    assert document["timezone"] == "UTC"


def test_all_rejects_are_stored_and_the_report_shows_some_of_each_reason(read, tmp_path):
    lines = [f"{at},1,2020-04-01,,,\n" for at in range(3)]
    lines += [f"x{at},many,2020-04-01,,,\n" for at in range(60)] + ["y,1,,,,\n", "z,1\n"]
    done = read(HEAD + "".join(lines))
    assert len(done.report.rejected_examples) <= EXAMPLES
    assert {each.reason for each in done.report.rejected_examples} == {
        "unparsable_gpu_num",
        "missing_submit_time",
        "wrong_number_of_columns",
    }
    store.publish(tmp_path, "T", "UTC", [done])
    rejects = pd.read_csv(Catalog(tmp_path).rejects("T", "Venus"), keep_default_na=False)
    assert len(rejects) == 62
    assert rejects["line"].is_monotonic_increasing
    assert list(rejects.iloc[0]) == ["jobs.csv", 5, "unparsable_gpu_num", "many"]
    store.publish(tmp_path, "T", "UTC", [read(HEAD + lines[0])])
    for cluster in ("Venus", "../jobs/Venus"):
        with pytest.raises(TraceError, match="has no rejected rows"):
            Catalog(tmp_path).rejects("T", cluster)


def test_a_renamed_trace_keeps_its_rejects(read, tmp_path):
    store.publish(tmp_path, "T", "UTC", [read(HEAD + "a,1,2020-04-01,,,\nb,1,,,,\n")])
    Catalog(tmp_path).rename("T", "U")
    assert (Catalog(tmp_path).folder("U") / "rejects/Venus.csv").is_file()


def test_the_reports_of_several_files_add_up(read):
    reports = [
        read(HEAD + "a,1,2020-04-01,,,3600\nb,x,2020-04-01,,,\n", name).report for name in ("1.csv", "2.csv")
    ]
    together = combined(reports)
    assert (together.rows_read, together.rows_kept) == (4, 2)
    assert together.headline.gpu_hours == 2
    assert [vars(each) for each in together.effects] == [
        {"outcome": "rejected", "reason": "unparsable_gpu_num", "rows": 2, "gpu_hours": None}
    ]


@given(st.lists(st.tuples(st.lists(st.sampled_from("abc"), unique=True), st.booleans()), max_size=6))
def test_a_flag_is_set_for_exactly_the_chosen_jobs_and_no_other_flag_changes(rows):
    flags = pd.Series([flags for flags, _ in rows], dtype=object)
    chosen = pd.Series([mark for _, mark in rows], dtype=bool).to_numpy()
    marked = flag_lists.marked(flags, "b", chosen)
    for before, mark, after in zip(flags, chosen, marked, strict=True):
        assert [flag for flag in after if flag != "b"] == [flag for flag in before if flag != "b"]
        assert list(after).count("b") == mark
