"""`import helios`: a cluster folder, the data folder, or the archive as it was downloaded."""

import zipfile

import pandas as pd
import pytest

from traces import TraceError, helios, store

LOG = (
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
    "10,u1,vcA,8,64,1,COMPLETED,2020-04-01 00:00:05,2020-04-01 00:01:05,2020-04-01 00:02:05,60,60\n"
    "9,u2,vcA,0,4,1,RUNNING,2020-04-01 00:00:05,2020-04-01 00:00:05,,,0\n"
    "11,u2,vcB,1,4,1,TIMEOUT,2020-04-02 00:00:00,2020-04-02 00:00:10,2020-04-02 00:00:20,10,7\n"
)
QUOTA = "date,vcA,vcB,total\n2020-04-01,16,0,16\n2020-04-02,16,8,24\n"


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    for cluster in ("Venus", "Earth"):
        (folder / cluster).mkdir(parents=True)
        (folder / cluster / "cluster_log.csv").write_text(LOG)
    (folder / "Venus" / "cluster_gpu_number.csv").write_text(QUOTA)
    return folder


@pytest.fixture
def archive(data, tmp_path):
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(data.rglob("*.csv")):
            packed.write(file, file.relative_to(tmp_path))
        packed.writestr("__MACOSX/data/Venus/cluster_log.csv", b"\0\1")
    return path


def test_times_are_utc_and_facts_are_those_of_the_release(data):
    (venus,) = helios.read(data / "Venus")
    assert venus.cluster == "Venus"
    facts = venus.facts
    assert facts.has_start
    assert facts.has_end
    assert facts.has_state
    assert facts.has_user
    assert facts.has_vc
    assert facts.ids_follow_submission
    assert facts.gpus_per_node == 8
    jobs = venus.jobs.set_index("job_id")
    assert jobs.submit_time["10"] == pd.Timestamp("2020-03-31 16:00:05")
    assert jobs.queueing_delay_s["10"] == 60
    assert jobs.state["9"] == "RUNNING"
    assert pd.isna(jobs.end_time["9"])
    assert pd.isna(jobs.duration_s["9"])
    assert list(jobs["flags"]["11"]) == ["queueing_delay_disagrees"]
    assert venus.report.rows_flagged == {"queueing_delay_disagrees": 1}
    assert len(venus.quota) == 4


def test_the_data_folder_gives_every_cluster_and_the_archive_the_same(data, archive):
    plain, packed = list(helios.read(data)), list(helios.read(archive))
    assert [each.cluster for each in plain] == [each.cluster for each in packed] == ["Earth", "Venus"]
    for one, other in zip(plain, packed, strict=True):
        pd.testing.assert_frame_equal(one.jobs, other.jobs)
    assert plain[0].quota is None
    assert packed[1].quota is not None


def test_ties_are_stored_by_numeric_id(data, tmp_path):
    store.publish(tmp_path, "Helios", helios.TIMEZONE, helios.read(data))
    stored = pd.read_parquet(tmp_path / "traces/Helios/current/jobs/Venus.parquet")
    assert list(stored.job_id) == ["9", "10", "11"]
    assert list(stored.row) == [1, 0, 2]


def test_a_path_without_a_cluster_is_refused(tmp_path):
    with pytest.raises(TraceError, match="is not there"):
        helios.read(tmp_path / "gone")
    with pytest.raises(TraceError, match=r"has no cluster_log\.csv"):
        helios.read(tmp_path)
    (tmp_path / "x.zip").write_bytes(b"no archive")
    with pytest.raises(TraceError, match="not a zip archive"):
        helios.read(tmp_path / "x.zip")


def test_a_damaged_archive_is_refused(archive):
    content = bytearray(archive.read_bytes())
    content[60:200] = bytes(140)
    archive.write_bytes(bytes(content))
    with pytest.raises(TraceError, match="cannot be read"):
        list(helios.read(archive))


def test_an_archive_with_two_folders_of_one_cluster_is_refused(data, tmp_path):
    path = tmp_path / "twice.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for folder in ("data/Venus", "copy/Venus"):
            packed.writestr(f"{folder}/cluster_log.csv", LOG)
    with pytest.raises(TraceError, match="several folders of a cluster 'Venus'"):
        helios.read(path)


def test_a_log_of_another_format_is_refused_and_names_its_columns(data):
    (data / "Venus" / "cluster_log.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TraceError, match=r"Venus/cluster_log\.csv has no column job_id.*columns found: a, b"):
        list(helios.read(data / "Venus"))
