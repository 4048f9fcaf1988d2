"""`import slurm`: sacct's rows as canonical jobs."""

import zipfile

import pandas as pd
import pytest

from tests.traces.sacct_extracts import FIELDS, PENDING, RUNNING, extract, job
from traces import TraceError, slurm
from traces.sacct_jobs import elapsed_s
from traces.slurm import SlurmOptions


@pytest.fixture
def read(tmp_path):
    def read(*rows, fields=FIELDS, text=None, **options):
        path = tmp_path / "extract.txt"
        path.write_text(extract(*rows, fields=fields) if text is None else text)
        return slurm.read(path, SlurmOptions(**({"timezone": "UTC"} | options)))

    return read


@pytest.fixture
def jobs(read):
    def jobs(*rows, **options):
        (only,) = read(*rows, **options)
        return only.jobs.set_index("job_id")

    return jobs


def test_a_job_has_what_its_row_says(read):
    (only,) = read(job(101))
    row = only.jobs.iloc[0]
    assert (only.cluster, row.job_id, row.user, row.vc, row.job_name) == (
        "alpha",
        "101",
        "ann",
        "gpu",
        "train",
    )
    assert (row.gpu_num, row.gpu_type, row.cpu_num, row.node_num) == (4, "a100", 8, 1)
    assert (row.duration_s, row.queueing_delay_s, row.state) == (3600, 60, "COMPLETED")
    assert str(row.submit_time) == "2024-03-01 08:00:00"
    facts = only.facts
    assert facts.ids_follow_submission
    assert facts.has_start and facts.has_end and facts.has_user and facts.has_vc and facts.has_job_name
    assert list(row["flags"]) == []


def test_columns_may_come_in_any_order_and_only_a_few_are_needed(jobs):
    few = jobs(job(7), fields=["AllocTRES", "Submit", "JobID"], cluster="C")
    assert few.gpu_num["7"] == 4
    assert few.state["7"] == "UNKNOWN"
    assert few.cpu_num["7"] == 8
    assert few.node_num["7"] == 1
    reverse = jobs(job(7), fields=FIELDS[::-1])
    assert (reverse.job_name["7"], reverse.vc["7"]) == ("train", "gpu")


def test_steps_are_counted_and_are_no_jobs(read):
    steps = [job(JobIDRaw=each, JobID=each) for each in ("1.batch", "1.extern", "1.0", "1_4.batch", "1+1.0")]
    report = read(job(1), *steps)[0].report
    assert (report.rows_read, report.rows_kept, report.rows_rejected) == (6, 1, {"job_step": 5})


def test_array_tasks_and_parts_of_heterogeneous_jobs_keep_their_ids(jobs):
    found = jobs(
        job(10, JobID="9_1"),
        job(11, JobID="9_2"),
        job(9, JobID="9_[3-5%2]", **PENDING),
        job(20, JobID="20+0"),
        job(21, JobID="20+1"),
    )
    assert list(found.index) == ["9_1", "9_2", "9_[3-5%2]", "20+0", "20+1"]
    assert list(found["flags"]["9_[3-5%2]"]) == ["pending_array_tasks"]
    assert found.gpu_num["9_[3-5%2]"] == 4  # asked for, per task


def test_running_pending_and_cancelled_jobs_have_no_times_that_they_do_not_have(jobs):
    found = jobs(
        job(1, **RUNNING),
        job(2, **PENDING),
        job(3, **PENDING | {"State": "CANCELLED by 1001", "End": "2024-03-01T08:30:00"}),
        job(4, State="CANCELLED+"),
        job(5, State="OUT_OF_ME+"),
        job(6, State="LEVITATING"),
    )
    assert list(found.state) == ["RUNNING", "PENDING", "CANCELLED", "CANCELLED", "OUT_OF_MEMORY", "OTHER"]
    assert pd.isna(found.end_time["1"])
    assert found.duration_s["1"] == 600
    assert list(found["flags"]["1"]) == ["still_running"]
    assert found.loc[["2", "3"], ["start_time", "duration_s", "queueing_delay_s"]].isna().all().all()


@pytest.mark.parametrize("word", ["Unknown", "None", "N/A", ""])
def test_words_for_nothing_are_missing(jobs, word):
    found = jobs(job(1, Start=word, End=word, State="PENDING", ElapsedRaw="0", AllocTRES=""))
    assert pd.isna(found.start_time["1"])
    assert pd.isna(found.end_time["1"])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3-00:00:00", "259200"),
        ("00:00:52", "52"),
        ("00:36.857", "36.857"),
        ("1-02", "93600"),
        ("1-02:30", "95400"),
        ("10:11:12", "36672"),
        ("UNLIMITED", ""),
        ("Partition_Limit", ""),
        ("INVALID", ""),
        ("", ""),
        ("soon", "soon"),
    ],
)
def test_every_form_of_elapsed_time_is_understood(text, seconds):
    assert elapsed_s(text) == seconds


def test_elapsed_is_taken_where_there_is_no_raw_one(read):
    fields = ["JobID", "Submit", "Start", "AllocTRES", "Elapsed"]
    rows = [job(1) | {"Elapsed": "1-02:00:00"}, job(2) | {"Elapsed": "x"}]
    (only,) = read(*rows, fields=fields, cluster="C")
    assert list(only.jobs.duration_s) == [93600]
    assert only.report.rows_rejected == {"unparsable_duration_s": 1}


def test_gpus_come_from_the_request_where_nothing_was_allocated(jobs):
    found = jobs(
        job(1, AllocTRES=""),
        job(2, AllocTRES="", ReqTRES=""),
        job(3, AllocTRES="cpu=1,node=1", ReqTRES="cpu=1,node=1"),
        job(4, AllocTRES="gres/gpu:v100s=2,gres/gpu:a100=1"),
    )
    assert found.gpu_num.fillna(-1).tolist() == [4, -1, 0, 3]
    assert list(found["flags"]["1"]) == ["gpu_num_from_request"]
    assert found.gpu_type["4"] == "v100s,a100"


def test_old_gres_columns_are_read(jobs):
    rows = [job(1) | {"AllocGRES": "gpu:tesla:3(IDX:0,2-3)"}, job(2) | {"AllocGRES": ""}]
    found = jobs(*rows, fields=["JobID", "Submit", "AllocGRES"], cluster="C")
    assert found.gpu_num.fillna(-1).tolist() == [3, -1]


def test_a_count_that_cannot_be_read_rejects_its_row_with_the_text(read):
    report = read(job(1), job(2, AllocTRES="cpu=1,gres/gpu=lots"))[0].report
    assert report.rows_rejected == {"unparsable_gpu_num": 1}
    assert (report.rejected_examples[0].line, report.rejected_examples[0].text) == (3, "cpu=1,gres/gpu=lots")


def test_nodes_are_counted_from_the_list_where_there_is_no_number(jobs):
    row = job(1, NodeList="a[01-02],b03,c[1,3-4]", AllocTRES="gres/gpu=4")
    fields = ["JobID", "Submit", "AllocTRES", "NodeList"]
    assert jobs(row, fields=fields, cluster="C").node_num["1"] == 6


def test_requeues_are_attempts_of_one_job_and_only_the_last_is_not_flagged(jobs):
    found = jobs(
        job(1, State="PREEMPTED"),
        job(1, Submit="2024-03-01T09:01:00", Start="2024-03-01T10:00:00", End="2024-03-01T11:00:00"),
        job(2, State="NODE_FAIL"),
        job(2, Start="2024-03-01T10:00:00", End="2024-03-01T11:00:00"),  # the submit time may stay
    )
    assert len(found) == 4
    assert found.duration_s["1"].sum() == 7200
    assert [list(flags) for flags in found["flags"]] == [["requeued"], [], ["requeued"], []]
    assert list(found.state) == ["PREEMPTED", "COMPLETED", "NODE_FAIL", "COMPLETED"]


def test_a_row_twice_in_one_file_and_a_repeated_header_count_and_change_nothing(read):
    once, twice = job(1), extract(job(1), job(2)) + extract(job(2), job(1, **RUNNING))
    (only,) = read(once, text=twice)
    assert list(only.jobs.job_id) == ["1", "2"]
    assert list(only.jobs.state) == ["COMPLETED", "COMPLETED"]
    assert only.report.rows_rejected == {"repeated_header": 1, "superseded": 2}
    assert only.report.rows_read == 5


def test_times_need_a_zone_unless_they_have_an_offset(read):
    with pytest.raises(TraceError, match="times without an offset"):
        read(job(1), timezone=None)
    with_offset = job(1, Submit="2024-03-01T09:00:00+0100", Start="", End="", Eligible="", ElapsedRaw="")
    assert str(read(with_offset, timezone=None)[0].jobs.submit_time[0]) == "2024-03-01 08:00:00"


def test_the_file_may_be_in_another_zone_than_the_site(read):
    (only,) = read(job(1), timezone="Europe/Berlin", file_timezone="UTC")
    assert str(only.jobs.submit_time[0]) == "2024-03-01 08:00:00"
    (local,) = read(job(1), timezone="Europe/Berlin")
    assert str(local.jobs.submit_time[0]) == "2024-03-01 07:00:00"


@pytest.mark.parametrize(("field", "vc"), [("Partition", "gpu"), ("QOS", "normal"), ("account", "physics")])
def test_the_vc_is_the_partition_or_what_the_operator_says(jobs, field, vc):
    assert jobs(job(1), vc_field=field).vc["1"] == vc


def test_a_file_with_several_clusters_gives_each_its_own_report_that_adds_up(read):
    alpha, beta = read(
        job(1), job(1, Cluster="beta"), job(2, Cluster="beta", Submit=""), job(3, Cluster=""), text=None
    )
    assert (alpha.cluster, beta.cluster) == ("alpha", "beta")
    assert (alpha.report.rows_read, alpha.report.rows_rejected) == (2, {"missing_cluster": 1})
    assert (beta.report.rows_read, beta.report.rows_rejected) == (2, {"missing_submit_time": 1})
    assert any("name no cluster" in note for note in alpha.report.notes)


def test_the_cluster_can_be_named_where_there_is_one_and_must_be_where_the_file_does_not(read):
    assert read(job(1), cluster="mine")[0].cluster == "mine"
    with pytest.raises(TraceError, match="clusters alpha, beta: leave out --cluster"):
        read(job(1), job(2, Cluster="beta"), cluster="mine")
    fields = [field for field in FIELDS if field != "Cluster"]
    with pytest.raises(TraceError, match="name it with --cluster"):
        read(job(1), fields=fields)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (["JobID", "State", "AllocTRES"], "no column Submit; add it to sacct --format"),
        (["JobID", "Submit", "State"], "no GPU accounting: no column AllocTRES"),
    ],
)
def test_a_file_without_a_needed_column_is_refused(read, fields, sentence):
    with pytest.raises(TraceError, match=sentence):
        read(job(1), fields=fields, cluster="C")


def test_a_file_in_which_no_job_has_gpus_is_refused_with_the_remedy(read):
    cpu = {"AllocTRES": "cpu=1,node=1", "ReqTRES": "cpu=1,node=1"}
    with pytest.raises(TraceError, match="AccountingStorageTRES=gres/gpu"):
        read(job(1, **cpu))
    assert read(job(1, **cpu), needs_gpus=False)[0].jobs.gpu_num.tolist() == [0]


def test_wrong_options_are_refused(read):
    with pytest.raises(TraceError, match="no column Wing that could be the VC"):
        read(job(1), vc_field="Wing")
    with pytest.raises(TraceError, match="at least 1 GPU"):
        read(job(1), gpus_per_node=0)
    with pytest.raises(TraceError, match="Unknown time zone"):
        read(job(1), file_timezone="Mars")


def test_a_folder_and_an_archive_of_daily_files_give_every_file(tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    (folder / "2024-03-01.txt").write_text(extract(job(1)))
    (folder / "2024-03-02.txt").write_text(extract(job(2)))
    (folder / "2024-03-03.txt").write_text(extract())  # nobody submitted
    with zipfile.ZipFile(tmp_path / "days.zip", "w") as archive:
        for file in sorted(folder.iterdir())[:2]:
            archive.write(file, f"days/{file.name}")
    for path in (folder, tmp_path / "days.zip"):
        read = slurm.read(path, SlurmOptions(timezone="UTC"))
        assert [list(each.jobs.job_id) for each in read] == [["1"], ["2"]]
