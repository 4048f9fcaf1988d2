"""From the first look to the published trace, as the command and the pages do it."""

import gzip
import json
import zipfile

import pandas as pd
import pytest

from tests.traces.sacct_extracts import extract, job
from tests.traces.test_slurm_nodes import SINFO
from traces import TraceError, first_rows, intake
from traces.catalog import Catalog
from traces.formats import Wishes
from traces.intake import Plan

pytestmark = pytest.mark.usefixtures("without_rollups")
TABLE = "id,submit_time,gpus\n1,2020-04-01,2\n2,2020-04-02,4\n"
SERIES = "time,used,total\n2020-04-01 00:00:00,1,2\n"
HELIOS = "job_id,user,vc,gpu_num,state,submit_time,duration\n1,u,v,1,COMPLETED,2020-04-01 00:00:00,60\n"


@pytest.fixture
def written(tmp_path):
    def written(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


@pytest.mark.parametrize(
    ("name", "content", "format_", "why"),
    [
        ("a.txt", extract(job()), "slurm", "20 fields of sacct"),
        ("a.csv", extract(job(), delimiter=","), "slurm", "fields of sacct"),
        ("a.txt.gz", gzip.compress(extract(job()).encode()), "slurm", "fields of sacct"),
        ("t.csv", TABLE, "csv", "columns id, submit_time, gpus"),
        ("n.csv", SERIES, "nodes", "of a series"),
        ("Venus/cluster_log.csv", HELIOS, "helios", "cluster_log.csv"),
    ],
)
def test_a_format_is_recognized_and_the_reason_is_said(written, name, content, format_, why):
    found = intake.recognized(written(name, content))
    assert found.format == format_
    assert why in found.why


def test_folders_and_archives_are_recognized(written, tmp_path):
    log = written("data/Venus/cluster_log.csv", HELIOS)
    days = written("days/1.txt", extract(job())).parent
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.write(log, "data/Venus/cluster_log.csv")
    assert intake.recognized(tmp_path / "data").format == "helios"
    assert intake.recognized(tmp_path / "data.zip").format == "helios"
    assert intake.recognized(days).format == "slurm"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (SINFO, "is a capacity file: give it with --capacity"),
        ("vc,nodes\na,1\n", "is a capacity file"),
        ("hello\n", "in no format that is known: .*slurm"),
        ("", "in no format that is known"),
    ],
)
def test_what_is_not_recognized_is_refused_with_what_would_be(written, content, sentence):
    with pytest.raises(TraceError, match=sentence):
        intake.recognized(written("x.txt", content))
    with pytest.raises(TraceError, match="is not there"):
        intake.recognized(written("x.txt", "").with_name("gone"))


def test_a_preview_shows_rows_and_what_still_needs_a_map(written):
    shown = intake.preview(written("t.csv", TABLE))
    assert shown.columns == ("id", "submit_time", "gpus")
    assert shown.rows == (("1", "2020-04-01", "2"), ("2", "2020-04-02", "4"))
    assert shown.mapped == {"submit_time": "submit_time"}
    assert shown.needs_map == ("gpu_num",)
    slurm = intake.preview(written("a.txt", extract(job(), job(2))))
    assert (len(slurm.rows), slurm.columns[0], slurm.needs_map) == (2, "JobIDRaw", ())


def test_a_preview_of_a_long_file_is_short(written):
    shown = intake.preview(written("t.csv", TABLE + "3,2020-04-03,1\n" * 50_000))
    assert len(shown.rows) == first_rows.ROWS


def test_a_preview_of_swf_shows_its_fields_without_the_header(written):
    shown = intake.preview(written("log.swf", "; Version: 2.2\n\n" + "1 0 10 100 4" + " -1" * 13 + "\n"))
    assert shown.columns[:5] == ("job", "submit", "wait", "run", "processors")
    assert [row[:5] for row in shown.rows] == [("1", "0", "10", "100", "4")]
    assert len(shown.columns) == len(shown.rows[0]) == 18


def test_a_preview_of_a_philly_log_shows_whole_jobs_of_a_beginning_that_is_cut_off(written):
    jobs = [
        {"status": "Pass", "vc": "6214e9", "jobid": f"j{each}", "submitted_time": None, "attempts": []}
        for each in range(5000)
    ]
    shown = intake.preview(written("cluster_job_log", json.dumps(jobs, indent=1)))
    assert shown.columns == ("jobid", "status", "vc", "user", "submitted_time", "attempts")
    assert len(shown.rows) == first_rows.ROWS
    assert shown.rows[1] == ("j1", "Pass", "6214e9", "", "", "[]")
    assert intake.preview(written("cluster_job_log", '[{"attempts": [')).rows == ()


def test_a_preview_shows_columns_that_are_called_alike_and_headers_in_the_middle(written):
    shown = intake.preview(written("t.csv", "gpu_num,gpu_num,x\n1,2,3\ngpu_num,gpu_num,x\n4,5,6\n"))
    assert shown.columns == ("gpu_num", "gpu_num", "x")
    assert shown.rows == (("1", "2", "3"), ("gpu_num", "gpu_num", "x"), ("4", "5", "6"))


def test_a_preview_of_a_parquet_file_reads_its_first_rows(tmp_path):
    path = tmp_path / "jobs.parquet"
    pd.DataFrame({"submit_time": pd.date_range("2020", periods=99), "gpu_num": range(99)}).to_parquet(path)
    shown = intake.preview(path)
    assert (len(shown.rows), shown.rows[1]) == (first_rows.ROWS, ("2020-01-02 00:00:00", "1"))
    assert shown.mapped == {"submit_time": "submit_time", "gpu_num": "gpu_num"}


def test_a_check_gives_the_report_of_the_import_and_publishes_nothing(written, tmp_path):
    root = tmp_path / "data-folder"
    first, second = (
        written("1.txt", extract(job(1))),
        written("2.txt", extract(job(1), job(2), job(3, Submit=""))),
    )
    wishes = Wishes(timezone="UTC")
    assert intake.check(root, Plan(first, "slurm", wishes, "T")).reports[0]["changes"]["added"] == 1
    assert Catalog(root).names() == []
    intake.publish(root, Plan(first, "slurm", wishes, "T"))
    checked = intake.check(root, Plan(second, "slurm", wishes, "T")).reports
    assert Catalog(root).manifest("T")["version"] == 1
    assert checked == intake.publish(root, Plan(second, "slurm", wishes, "T"))
    assert checked[0]["changes"] == {"added": 1, "updated": 0, "unchanged": 1, "older": 0}
    assert checked[0]["rows_read"] == checked[0]["rows_kept"] + sum(checked[0]["rows_rejected"].values()) == 3


def test_a_check_gives_every_rejected_row_with_its_cluster_and_file(written, tmp_path):
    rows = extract(job(1), *(job(2, Submit="", Cluster="beta") for _ in range(30)), job(3, Cluster="beta"))
    found = intake.check(tmp_path, Plan(written("1.txt", rows), "slurm", Wishes(timezone="UTC"), "T"))
    assert list(found.rejects.columns) == ["cluster", "source", "line", "reason", "text"]
    assert len(found.rejects) == sum(sum(each["rows_rejected"].values()) for each in found.reports) == 30
    assert set(found.rejects["cluster"]) == {"beta"}
    assert list(found.rejects["line"]) == list(range(3, 33))
    assert set(found.rejects["source"]) == {"1.txt"}
    series = written("n.csv", "time,used,total\n2020-04-01,1,2\nsoon,1,2\n")
    found = intake.check(tmp_path, Plan(series, "nodes", Wishes(cluster="alpha"), "T"))
    assert found.rejects.to_numpy().tolist() == [["alpha", "n.csv", 3, "unparsable_time", "soon"]]


def test_a_check_refuses_what_the_import_would_refuse(written, tmp_path):
    path = written("1.txt", extract(job(1)))
    intake.publish(tmp_path, Plan(path, "slurm", Wishes(timezone="UTC"), "T"))
    for plan in (
        Plan(path, "slurm", Wishes(timezone="Asia/Tokyo"), "T"),
        Plan(path, "slurm", Wishes(timezone="UTC", vc_field="QOS"), "T"),
        Plan(path, "slurm", Wishes(timezone="UTC"), "../T"),
        Plan(path, "csv", Wishes(timezone="UTC"), "T"),
        Plan(path, "magic", Wishes(timezone="UTC"), "T"),
        Plan(written("t.csv", TABLE), "csv", Wishes(timezone="UTC", cluster="C"), None),
    ):
        for verb in (intake.check, intake.publish):
            with pytest.raises(TraceError):
                verb(tmp_path, plan)


def test_a_day_of_cpu_jobs_is_taken_where_gpus_are_known_to_be_accounted(written, tmp_path):
    cpu = written("2.txt", extract(job(2, AllocTRES="cpu=1,node=1", ReqTRES="cpu=1,node=1")))
    plan = Plan(cpu, "slurm", Wishes(timezone="UTC"), "T")
    with pytest.raises(TraceError, match="no GPU accounting"):
        intake.publish(tmp_path, plan)
    intake.publish(tmp_path, Plan(written("1.txt", extract(job(1))), "slurm", Wishes(timezone="UTC"), "T"))
    intake.publish(tmp_path, plan)
    jobs = pd.read_parquet(Catalog(tmp_path).folder("T") / "jobs/alpha.parquet")
    assert list(jobs.gpu_num) == [4, 0]


def test_the_report_of_a_series_is_that_of_the_series(written, tmp_path):
    intake.publish(tmp_path, Plan(written("1.txt", extract(job(1))), "slurm", Wishes(timezone="UTC"), "T"))
    series = Plan(written("n.csv", SERIES * 1), "nodes", Wishes(cluster="alpha"), "T")
    report = intake.publish(tmp_path, series)[0]
    assert (report["rows_read"], report["first_submit"]) == (1, "2020-04-01T00:00:00Z")
