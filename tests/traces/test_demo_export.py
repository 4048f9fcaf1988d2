"""The demo in public formats is the demo: what is exported and imported again is the same table."""

import pandas as pd
import pytest

import scheduling
from traces import TraceError, helios, philly
from traces.demo import generate
from traces.demo.export import as_helios, as_philly

SAME = ["job_id", "user", "vc", "gpu_num", "node_num", "state", "submit_time", "start_time", "end_time"]


@pytest.fixture(scope="module")
def demo():
    return {item.cluster: item for item in generate(0.003, 7, replay=scheduling.replay)}


def plain(frame, columns):
    return frame[columns].sort_values("job_id", ignore_index=True).astype({"gpu_num": float}).astype(object)


def test_helios_files_import_to_the_same_jobs_and_capacity(demo, tmp_path):
    as_helios(demo.values(), tmp_path)
    for made in helios.read(tmp_path):
        before = demo[made.cluster]
        assert made.report.rows_rejected == {}
        columns = [*SAME, "cpu_num", "duration_s", "queueing_delay_s"]
        left, right = (plain(each.jobs, columns) for each in (made, before))
        for column in columns:
            if column.endswith("_time"):
                assert (
                    pd.to_datetime(left[column]) - pd.to_datetime(right[column])
                ).abs().max() == pd.Timedelta(0)
            else:
                assert left[column].fillna("").astype(str).str.removesuffix(".0").tolist() == (
                    right[column].fillna("").astype(str).str.removesuffix(".0").tolist()
                ), column
        assert set(made.quota["vc"]) == set(before.quota["vc"])
        assert (
            made.quota.groupby("vc")["gpus"].max().to_dict()
            == before.quota.groupby("vc")["gpus"].max().to_dict()
        )


def test_a_philly_log_imports_to_the_same_gpu_jobs(demo, tmp_path):
    count = as_philly(demo.values(), tmp_path / "cluster_job_log")
    jobs = philly.read(tmp_path).jobs
    gpu_jobs = pd.concat([item.jobs[item.jobs["gpu_num"] > 0] for item in demo.values()])
    assert len(jobs) == count == len(gpu_jobs)
    started = gpu_jobs[gpu_jobs["start_time"].notna()]
    assert (jobs["gpu_num"] * jobs["duration_s"]).sum() == (started["gpu_num"] * started["duration_s"]).sum()
    assert sorted(jobs["submit_time"]) == sorted(gpu_jobs["submit_time"])
    assert (jobs["state"] == "COMPLETED").sum() == (gpu_jobs["state"] == "COMPLETED").sum()


def test_a_philly_log_can_be_made_as_large_as_a_benchmark_needs(demo, tmp_path):
    as_philly(demo.values(), tmp_path / "log", size_bytes=6_000_000)
    assert 6_000_000 <= (tmp_path / "log").stat().st_size < 6_100_000
    assert philly.read(tmp_path / "log").jobs["job_id"].is_unique


def test_nothing_that_is_there_is_overwritten(demo, tmp_path):
    (tmp_path / "data").mkdir()
    with pytest.raises(TraceError, match="there already"):
        as_helios(demo.values(), tmp_path)
    (tmp_path / "log").touch()
    with pytest.raises(TraceError, match="there already"):
        as_philly(demo.values(), tmp_path / "log")
