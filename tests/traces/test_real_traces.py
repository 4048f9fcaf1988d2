"""Real files: the Philly jobs and node series, and the Venus slice."""

import time

import duckdb
import numpy as np
import pandas as pd
import pytest

from traces import clock, columns, csv_table, node_series, store

PHILLY = columns.column_map(["submit_time=timestamp", "gpu_num=num_gpus", "vc=cluster"])


def philly(shared, timezone):
    folder = shared / "data/philly"
    return csv_table.read(
        folder / "jobs.csv", "Philly", timezone, mapped=PHILLY, capacity=folder / "vc_nodes.csv"
    )


@pytest.mark.parametrize("timezone", ["UTC", "America/Los_Angeles"])
def test_every_philly_job_is_kept_as_the_file_has_it(shared, timezone):
    done = philly(shared, timezone)
    source = duckdb.sql(
        f"select * from read_csv('{shared}/data/philly/jobs.csv', types={{'cluster': 'VARCHAR'}})"
    ).df()
    assert (done.report.rows_read, done.report.rows_kept) == (82_247, 82_247)
    assert set(done.report.rows_flagged) <= {"ambiguous_time"}
    np.testing.assert_array_equal(done.jobs.duration_s, source.duration)
    np.testing.assert_array_equal(done.jobs.gpu_num, source.num_gpus)
    assert (done.jobs.vc.to_numpy() == source.cluster.to_numpy()).all()
    local = clock.to_local(done.jobs.submit_time, timezone)
    np.testing.assert_array_equal(local.to_numpy(), source.timestamp.to_numpy().astype("datetime64[us]"))
    assert len(done.quota) == 11
    assert done.quota.set_index("vc").gpus["6214e9"] == 512


def test_the_philly_jobs_are_read_and_published_in_well_under_two_seconds(shared, tmp_path):
    philly(shared, "UTC")
    begin = time.process_time()
    store.publish(tmp_path, "Philly", "UTC", [philly(shared, "UTC")])
    assert time.process_time() - begin < 2.0


def test_published_philly_jobs_are_in_trace_order_with_the_canonical_columns(shared, tmp_path):
    store.publish(tmp_path, "Philly", "UTC", [philly(shared, "UTC")])
    path = tmp_path / "traces/Philly/current/jobs/Philly.parquet"
    described = duckdb.sql(f"describe select * from '{path}'").fetchall()
    assert [(name, kind) for name, kind, *_ in described] == [
        ("trace", "VARCHAR"),
        ("cluster", "VARCHAR"),
        ("job_id", "VARCHAR"),
        ("row", "INTEGER"),
        ("user", "VARCHAR"),
        ("vc", "VARCHAR"),
        ("job_name", "VARCHAR"),
        ("gpu_num", "DOUBLE"),
        ("gpu_type", "VARCHAR"),
        ("cpu_num", "INTEGER"),
        ("node_num", "INTEGER"),
        ("state", "VARCHAR"),
        ("submit_time", "TIMESTAMP"),
        ("start_time", "TIMESTAMP"),
        ("end_time", "TIMESTAMP"),
        ("duration_s", "DOUBLE"),
        ("queueing_delay_s", "DOUBLE"),
        ("flags", "VARCHAR[]"),
    ]
    stored = pd.read_parquet(path)
    order = stored.sort_values(["submit_time", "row"], kind="stable")
    assert order.index.is_monotonic_increasing
    assert set(stored.trace) == {"Philly"}


def test_the_philly_node_series_keeps_its_repeated_hour_and_its_gap(shared):
    path = shared / "data/philly/nodes_until_2017-11-30.csv"
    done = node_series.read(path, "Philly", "America/Los_Angeles", mapped={"used": "active"})
    assert done.report.rows_kept == 84_361
    assert done.report.rows_flagged == {"ambiguous_time": 60}
    assert "36000 s" in done.report.notes[0]
    naive = node_series.read(path, "Philly", "UTC", mapped={"used": "active"})
    assert naive.report.rows_flagged == {}


def test_the_venus_slice_is_imported_as_text_with_local_times(shared):
    folder = shared / "data/helios"
    done = csv_table.read(
        folder / "venus_2vc_sept.csv", "Venus", "Asia/Shanghai", capacity=folder / "venus_gpu_number.csv"
    )
    assert (done.report.rows_read, done.report.rows_kept) == (1867, 1867)
    assert done.report.rows_flagged == {}
    assert set(done.jobs.vc) == {"vcvGl", "vcvlY"}
    assert done.jobs.submit_time[0] == pd.Timestamp("2020-08-31 17:37:15")
    assert done.jobs.state.value_counts()["COMPLETED"] == 786
    assert not done.facts.ids_follow_submission
    assert not done.facts.has_start
