"""Capacity files: both forms of the command's contract."""

import datetime

import pytest

from traces import TraceError, capacity, csv_table

DAY = datetime.date


@pytest.fixture
def file(tmp_path):
    def file(text, name="capacity.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return file


FIRST = DAY(2020, 4, 1)


def quota_of(path, first_day=FIRST, **options):
    quota = capacity.read(path, **options).quota(first_day)
    return {(vc, date): gpus for vc, date, gpus in quota[["vc", "date", "gpus"]].itertuples(index=False)}


def test_nodes_are_multiplied_by_the_gpus_of_a_node(file):
    path = file("vc,nodes\n6214e9,64\n007,0\n")
    assert quota_of(path) == {("6214e9", DAY(2020, 4, 1)): 512, ("007", DAY(2020, 4, 1)): 0}
    assert quota_of(path, gpus_per_node=4)[("6214e9", DAY(2020, 4, 1))] == 256


def test_gpus_are_taken_as_they_are_even_with_a_remainder(file):
    assert quota_of(file("gpus,vc\n13,a\n")) == {("a", DAY(2020, 4, 1)): 13}


def test_a_table_by_date_holds_from_each_date_and_the_first_row_before_it(file):
    path = file("date,a,b,total\n2020-04-03,8,0,8\n2020-04-02,16,8,24\n")
    assert quota_of(path, DAY(2020, 4, 2)) == {
        ("a", DAY(2020, 4, 2)): 16,
        ("b", DAY(2020, 4, 2)): 8,
        ("a", DAY(2020, 4, 3)): 8,
        ("b", DAY(2020, 4, 3)): 0,
    }
    assert quota_of(path, DAY(2020, 3, 30))[("a", DAY(2020, 3, 30))] == 16


def test_a_total_that_is_not_the_sum_is_named_by_date(file):
    path = file("date,a,b,total\n2020-04-01,8,8,16\n2020-04-02,8,8,24\n2020-04-03,8,8,\n")
    assert capacity.read(path).mismatched_totals == ("2020-04-02", "2020-04-03")


def test_an_import_flags_early_days_wrong_totals_and_vcs_without_capacity(file):
    jobs = file(
        "vc,gpu_num,submit_time\na,1,2020-03-31 15:30:00\na,1,2020-03-31 16:30:00\nz,1,2020-04-02\n",
        "jobs.csv",
    )
    quota = file("date,a,total\n2020-04-01,8,8\n2020-04-02,8,9\n")
    done = csv_table.read(jobs, "Venus", "UTC", capacity=quota)
    assert done.report.rows_flagged == {"before_capacity": 2, "capacity_total_mismatch": 1}
    assert [list(flags) for flags in done.jobs["flags"]] == [["before_capacity"], ["before_capacity"], []]
    assert any("unknown): z" in note for note in done.report.notes)
    assert done.quota["date"].min() == DAY(2020, 3, 31)
    assert len(done.sources) == 2


def test_the_local_day_decides_where_the_capacity_begins(file):
    jobs = file("vc,gpu_num,submit_time\na,1,2020-04-01 00:30:00\n", "jobs.csv")
    done = csv_table.read(jobs, "Venus", "Asia/Shanghai", capacity=file("date,a\n2020-04-01,8\n"))
    assert done.report.rows_flagged == {}
    assert list(done.quota["date"]) == [DAY(2020, 4, 1)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "no capacity file: .*columns found: a, b"),
        ("vc,nodes\na,1\na,2\n", "line 3: the VC is there twice"),
        ("vc,nodes\n,1\n", "line 2: the VC has no name"),
        ("vc,nodes\na,-1\n", "line 2: column nodes must be a whole number"),
        ("vc,nodes\na,1.5\n", "line 2: column nodes must be a whole number"),
        ("vc,gpus\na,\n", "line 2: column gpus must be a whole number"),
        ("date,a\n1 April,8\n", "line 2: the date is not of the form"),
        ("date,a\n2020-04-01,8\n2020-04-01,8\n", "line 3: the date is there twice"),
        ("date,a,b\n2020-04-01,8,\n", "line 2: column b must be a whole number"),
        ("date,total\n2020-04-01,8\n", "no column of a VC"),
        ("vc,nodes\na,1,2,3\n", "line 2: .* has not the header's columns"),
    ],
)
def test_a_capacity_file_that_cannot_be_right_is_refused_with_its_line(file, text, sentence):
    with pytest.raises(TraceError, match=sentence):
        capacity.read(file(text))


@pytest.mark.parametrize(("name", "gpus_on_1_september"), [("venus", 1064), ("earth", 1144)])
def test_the_published_daily_quotas_add_up(shared, name, gpus_on_1_september):
    read = capacity.read(shared / f"data/helios/{name}_gpu_number.csv")
    assert read.mismatched_totals == ()
    assert read.rows["vc"].nunique() == 25
    assert len(read.rows) == 25 * 181
    day = read.rows[read.rows["date"] == DAY(2020, 9, 1)]
    assert day["gpus"].sum() == gpus_on_1_september
