"""Published traces and SWF: what their columns mean, and a sentence for what cannot be right."""

import gzip
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traces import TraceError, acme, openb, pai, philly, spot, swf
from traces.formats import FORMATS, Wishes
from traces.intake import recognized

PHILLY = [
    {
        "status": "Pass",
        "vc": "6214e9",
        "jobid": "application_1",
        "attempts": [
            {
                "start_time": "2017-11-05 01:30:00",
                "end_time": "2017-11-05 01:10:00",
                "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}],
            }
        ],
        "submitted_time": "2017-11-05 00:30:00",
        "user": "a",
    },
    {
        "status": "Killed",
        "vc": "ee9e8c",
        "jobid": "application_2",
        "attempts": [],
        "submitted_time": "2017-10-05 00:30:00",
        "user": "a",
    },
    {
        "status": "Failed",
        "vc": "6214e9",
        "jobid": "application_3",
        "attempts": [
            {
                "start_time": "2017-10-05 01:00:00",
                "end_time": "2017-10-05 02:00:00",
                "detail": [{"ip": "m1", "gpus": ["gpu0"]}],
            },
            {"start_time": None, "end_time": "None", "detail": []},
            {
                "start_time": "2017-10-05 03:00:00",
                "end_time": "2017-10-05 04:00:00",
                "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu0", "gpu1"]}],
            },
        ],
        "submitted_time": "2017-10-05 00:30:00",
        "user": "b",
    },
]
# ruff: noqa: E501  (lines of files as they are)
OPENB_PODS = """name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
p0,12000,16384,1,1000,,LS,Running,0,500,0
p1,6500,12288,1,460,T4|V100M16,LS,Failed,100,700,150
p2,6000,12288,0,0,,BE,Pending,200,900,
p3,6000,12288,4,1000,,LS,Succeeded,300,900,400
"""
OPENB_NODES = "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,1,0,\nn1,32000,1,8,T4\nn2,32000,1,2,P100\n"
SPOT_JOBS = """job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type
j0,o1,A100,8,1,4,0,3600,HP
j1,o2,H800,8,0.5,1,60,100,Spot
"""
SPOT_NODES = "gpu_model,gpu_capacity_num,cpu_num,node_name\nA100,8,96,n0\nA100,8,96,n1\nH800,8,96,n2\n"
ACME = """job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
d1,u1,2,16,128,Pretrain,COMPLETED,2023-03-01 08:00:00+08:00,2023-03-01 08:01:00+08:00,2023-03-01 09:01:00+08:00,3600,60,57600
d2,u2,1,0,8,Other,CANCELLED,2023-03-01 08:00:00+08:00,,2023-03-01 08:10:00+08:00,0,600,0
"""
SWF = """; Version: 2.2
; UnixStartTime: 1000000000
; TimeZoneString: Europe/Berlin
; MaxProcs: 64
1 0 10 100 4 -1 -1 4 200 -1 1 7 1 3 -1 1 -1 -1
2 60 -1 -1 -1 -1 -1 8 200 -1 5 8 1 -1 -1 1 -1 -1
3 90 0 50 2 -1 -1 2 200 -1 0 7 1 3 -1 1 -1 -1
"""
PAI = {
    "pai_job_table.csv": "j0,i0,u0,Terminated,1000,5000\nj1,i1,u1,Running,2000,\nj2,i2,u2,Failed,0,9000\nj3,i3,u3,Waiting,3000,0\n",
    "pai_task_table.csv": (
        "j0,worker,2,Terminated,1100,5000,600,29,50,T4\nj0,ps,1,Terminated,1050,5000,450,29,,\n"
        "j1,worker,1,Running,2100,,600,29,,V100\nj2,worker,1,Failed,0,9000,600,29,100,P100\n"
    ),
    "pai_group_tag_table.csv": "i0,u0,T4,g7,bert\ni1,u1,,g8,\n",
    "pai_machine_spec.csv": "m0,T4,96,512,2\nm1,CPU,96,512,0\nm2,P100,64,512,8\n",
}


def written(folder, files):
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def counts_add_up(report):
    return report.rows_read == report.rows_kept + sum(report.rows_rejected.values())


@pytest.fixture
def philly_log(tmp_path):
    (tmp_path / "cluster_job_log").write_text(json.dumps(PHILLY))
    return tmp_path


def test_a_philly_job_without_a_time_of_submission_is_rejected_with_what_it_says(philly_log):
    said = ["2017-10-05 00:30:00", "None", "soon", "2017-11-05 01:30:00", "2017-03-12 02:30:00", None]
    jobs = [PHILLY[1] | {"jobid": str(each), "submitted_time": text} for each, text in enumerate(said)]
    (philly_log / "cluster_job_log").write_text(json.dumps([*PHILLY, *jobs]))
    found = philly.read(philly_log)
    assert found.report.rows_rejected == {"missing_submit_time": 2, "unparsable_submit_time": 1}
    assert [(each.line, each.text) for each in found.report.rejected_examples] == [
        (5, "None"),
        (6, "soon"),
        (9, ""),
    ]
    flags = found.jobs.set_index("job_id")["flags"]
    assert [list(flags[each]) for each in ("0", "3", "4")] == [[], ["ambiguous_time"], ["nonexistent_time"]]


def test_a_philly_jobs_gpu_time_is_the_sum_over_its_attempts(philly_log):
    jobs = philly.read(philly_log).jobs.set_index("job_id")
    third = jobs.loc["application_3"]
    assert third["gpu_num"] * third["duration_s"] == 1 * 3600 + 4 * 3600
    assert third["gpu_num"] == 4
    assert third["node_num"] == 2
    assert third["start_time"] == pd.Timestamp("2017-10-05 08:00:00")
    assert third["end_time"] == pd.Timestamp("2017-10-05 11:00:00")
    assert {"several_attempts", "attempts_differ_in_gpus", "attempt_without_times"} <= set(third["flags"])


def test_a_philly_job_without_attempts_never_started_and_its_gpus_are_unknown(philly_log):
    job = philly.read(philly_log).jobs.set_index("job_id").loc["application_2"]
    assert pd.isna(job["gpu_num"])
    assert pd.isna(job["start_time"])
    assert pd.isna(job["duration_s"])
    assert job["state"] == "CANCELLED"


def test_an_end_in_the_repeated_hour_that_precedes_its_start_is_the_later_instant(philly_log):
    job = philly.read(philly_log).jobs.set_index("job_id").loc["application_1"]
    assert job["end_time"] - job["start_time"] == pd.Timedelta(minutes=40)
    assert job["duration_s"] == 2400


def test_the_log_may_be_compressed(tmp_path):
    (tmp_path / "cluster_job_log.gz").write_bytes(gzip.compress(json.dumps(PHILLY).encode()))
    assert len(philly.read(tmp_path / "cluster_job_log.gz").jobs) == 3


def test_openb_pods_ask_for_parts_of_gpus_and_pending_ones_never_started(tmp_path):
    made = openb.read(written(tmp_path, {"pods.csv": OPENB_PODS, "nodes.csv": OPENB_NODES}))
    assert made.jobs["gpu_num"].tolist() == [1, 0.46, 0, 4]
    assert made.jobs["cpu_num"].tolist() == [12, 7, 6, 6]
    assert made.jobs["start_time"].isna().tolist() == [False, False, True, False]
    assert made.jobs["queueing_delay_s"].tolist()[:2] == [0, 50]
    assert made.jobs["state"].tolist() == ["RUNNING", "FAILED", "PENDING", "COMPLETED"]
    assert made.quota[["vc", "gpus"]].to_numpy().tolist() == [["openb", 10]]
    assert made.nodes["gpus"].tolist() == [8, 2]


def test_without_a_node_list_capacity_is_unknown(tmp_path):
    assert openb.read(written(tmp_path, {"pods.csv": OPENB_PODS})).quota is None


def test_two_lists_of_pods_in_one_folder_are_refused(tmp_path):
    with pytest.raises(TraceError, match="several lists of the same kind"):
        openb.read(written(tmp_path, {"a.csv": OPENB_PODS, "b.csv": OPENB_PODS}))


def test_spot_jobs_have_their_workers_gpus_and_their_model_as_virtual_cluster(tmp_path):
    made = spot.read(written(tmp_path, {"jobs.csv": SPOT_JOBS, "nodes.csv": SPOT_NODES}))
    assert made.jobs["gpu_num"].tolist() == [4, 0.5]
    assert made.jobs["vc"].tolist() == ["A100", "H800"]
    assert dict(zip(made.quota["vc"], made.quota["gpus"], strict=True)) == {"A100": 16, "H800": 8}
    assert not made.facts.has_start


def test_columns_of_a_list_are_found_by_name_and_not_by_place(tmp_path):
    table = pd.read_csv(pd.io.common.StringIO(SPOT_JOBS))
    table[table.columns[::-1]].to_csv(tmp_path / "jobs.csv", index=False)
    assert spot.read(tmp_path).jobs["gpu_num"].tolist() == [4, 0.5]


def test_acme_times_carry_their_offset_and_the_cluster_is_in_the_name(tmp_path):
    made = acme.read(written(tmp_path, {"trace_seren.csv": ACME}) / "trace_seren.csv")
    assert made.cluster == "Seren"
    assert made.jobs["submit_time"].tolist() == [pd.Timestamp("2023-03-01")] * 2
    assert made.jobs["queueing_delay_s"].tolist() == [60, 600]
    assert not made.facts.has_vc
    with pytest.raises(TraceError, match="--cluster"):
        acme.read(written(tmp_path, {"other.csv": ACME}) / "other.csv")


def test_swf_processors_are_cpus_unless_the_operator_says_gpus(tmp_path):
    path = written(tmp_path, {"log.swf": SWF}) / "log.swf"
    cpus, gpus = swf.read(path, "C"), swf.read(path, "C", processors_are_gpus=True)
    assert cpus.jobs["gpu_num"].tolist() == [0, 0, 0]
    assert cpus.jobs["cpu_num"].tolist() == [4, 8, 2]
    assert gpus.jobs["gpu_num"].tolist() == [4, 8, 2]
    assert gpus.quota[["vc", "gpus"]].to_numpy().tolist() == [["C", 64]]
    assert cpus.quota is None


def test_swf_counts_from_its_unix_start_time_and_minus_one_is_unknown(tmp_path):
    jobs = swf.read(written(tmp_path, {"log.swf": SWF}) / "log.swf", "C").jobs
    assert jobs["submit_time"].iloc[0] == pd.Timestamp(1_000_000_000, unit="s")
    assert jobs["start_time"].isna().tolist() == [False, True, False]
    assert jobs["duration_s"].tolist()[0] == 100
    assert np.isnan(jobs["duration_s"].iloc[1])
    assert jobs["state"].tolist() == ["COMPLETED", "CANCELLED", "FAILED"]
    assert jobs["job_name"].isna().tolist() == [False, True, False]


def test_a_line_of_another_length_costs_one_row_with_its_line_number(tmp_path):
    made = swf.read(written(tmp_path, {"log.swf": SWF + "4 1 2\n"}) / "log.swf", "C")
    assert made.report.rows_rejected == {"wrong_number_of_columns": 1}
    assert made.rejects["line"].tolist() == [8]


def test_pai_gpus_are_those_of_all_instances_of_all_tasks(tmp_path):
    made = pai.read(written(tmp_path, PAI))
    jobs = made.jobs.set_index("job_id")
    assert jobs.loc["j0", "gpu_num"] == 1.0  # 2 instances of half a GPU, and a CPU task
    assert jobs.loc["j0", "cpu_num"] == 17  # 2 × 6 + 4.5, rounded up
    assert pd.isna(jobs.loc["j1", "gpu_num"])  # a GPU type without a number
    assert jobs.loc["j0", "job_name"] == "g7"
    assert jobs.loc["j0", "start_time"] == pd.Timestamp(1050, unit="s")
    assert jobs.loc["j0", "queueing_delay_s"] == 50
    assert jobs.loc["j3", "state"] == "PENDING"
    assert made.report.rows_rejected == {"missing_submit_time": 1}  # 0 is missing
    assert made.quota["gpus"].tolist() == [10]


def test_pai_needs_its_job_and_its_task_table(tmp_path):
    with pytest.raises(TraceError, match="no task table"):
        pai.read(written(tmp_path, {"pai_job_table.csv": PAI["pai_job_table.csv"]}))


def test_an_archive_is_read_like_a_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / "pai.zip", "w") as archive:
        for name, text in PAI.items():
            archive.writestr(name, text)
    assert len(pai.read(tmp_path / "pai.zip").jobs) == 3


@pytest.mark.parametrize("start", [b"\x80", b"\xff\xfe", b"", b"{", b'[{"jobid": "\xc3"}]'])
def test_a_log_that_is_no_json_is_refused_whatever_its_bytes(tmp_path, start):
    (tmp_path / "cluster_job_log").write_bytes(start + json.dumps(PHILLY).encode()[1:])
    with pytest.raises(TraceError, match="Philly"):
        philly.read(tmp_path)


@pytest.mark.parametrize("nodes", ["gpu_model,gpu_capacity_num,cpu_num,node_name\nA100,0,96,n0\n"])
def test_a_node_list_without_gpus_gives_no_capacity(tmp_path, nodes):
    made = spot.read(written(tmp_path, {"jobs.csv": SPOT_JOBS, "nodes.csv": nodes}))
    assert made.quota is None or made.quota.empty


SOURCES = {
    "philly": {"cluster_job_log": json.dumps(PHILLY)},
    "openb": {"nodes.csv": OPENB_NODES, "pods.csv": OPENB_PODS},
    "spot": {"jobs.csv": SPOT_JOBS, "nodes.csv": SPOT_NODES},
    "acme": {"trace_kalos.csv": ACME},
    "swf": {"log.swf": SWF},
    "pai": PAI,
}


def at(folder, files):
    return folder if len(files) > 1 else folder / next(iter(files))


@pytest.mark.parametrize("name", SOURCES)
def test_each_format_is_recognized_and_says_why(tmp_path, name):
    found = recognized(at(written(tmp_path, SOURCES[name]), SOURCES[name]))
    assert found.format == name
    assert len(found.why) > 10


@pytest.mark.parametrize("name", SOURCES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_gives_a_report_that_adds_up_or_one_sentence(tmp_path, name, data):
    files = dict(SOURCES[name])
    victim = data.draw(st.sampled_from(sorted(files)))
    content = bytearray(files[victim].encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at_byte = data.draw(st.integers(0, max(len(content) - 1, 0)))
        match data.draw(st.sampled_from(["flip", "cut", "repeat", "insert"])):
            case "flip" if content:
                content[at_byte] = data.draw(st.integers(0, 255))
            case "cut":
                del content[at_byte : at_byte + data.draw(st.integers(1, 40))]
            case "repeat":
                content[at_byte:at_byte] = content[at_byte : at_byte + 30]
            case _:
                content[at_byte:at_byte] = data.draw(st.binary(max_size=8))
    folder = tmp_path / "damaged"
    folder.mkdir(exist_ok=True)
    for each, text in files.items():
        (folder / each).write_bytes(bytes(content) if each == victim else text.encode())
    try:
        imports = list(FORMATS[name].read(at(folder, files), Wishes(cluster="C")))
    except TraceError as error:
        assert str(error)
    else:
        assert all(counts_add_up(made.report) for made in imports)
