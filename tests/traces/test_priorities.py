"""An operator's own priority: kept where the source has one, nowhere else, and never worth a job."""

import pandas as pd
import pyarrow.parquet as pq
import pytest

import queries
from tests.traces.sacct_extracts import FIELDS, extract, job
from traces.catalog import Catalog
from traces.formats import Wishes
from traces.intake import Plan, publish

TABLE = """job_id,gpu_num,gpu_type,submit_time,duration,priority
a,1,V100,2024-03-01,60,2.5
b,2,A100,2024-03-02,60,-7
c,4,,2024-03-03,60,
d,8,A100,2024-03-04,60,urgent
"""


@pytest.fixture
def stored(tmp_path, data_folder):
    def stored(name, text, form="csv", **wishes):
        path = tmp_path / name
        path.write_text(text)
        publish(data_folder, Plan(path, form, Wishes(timezone="UTC", **wishes), "T"))
        return data_folder

    return stored


def jobs(root, cluster):
    return pq.read_table(Catalog(root).folder("T") / "jobs" / f"{cluster}.parquet", partitioning=None)


def test_a_table_keeps_priorities_and_gpu_types_and_a_job_is_kept_without_a_readable_one(stored):
    found = jobs(stored("jobs.csv", TABLE, cluster="C"), "C").to_pandas()
    assert found["priority"].fillna(0).tolist() == [2.5, -7, 0, 0]
    assert found["gpu_type"].fillna("").tolist() == ["V100", "A100", "", "A100"]
    assert [list(each) for each in found["flags"]] == [[], [], [], ["unparsable_priority"]]


def test_in_slurm_the_largest_goes_first_so_its_sign_is_turned(stored):
    rows = (job(1, Priority="4294901000"), job(2, Priority="0"), job(3, Priority=""))
    root = stored("1.txt", extract(*rows, fields=[*FIELDS, "Priority"]), "slurm")
    found = jobs(root, "alpha").to_pandas()["priority"]
    assert found[:2].tolist() == [-4294901000, 0]
    assert pd.isna(found[2])


def test_extracts_with_and_without_priorities_are_added_in_any_order(stored):
    with_them = extract(job(1, Priority="5"), fields=[*FIELDS, "Priority"])
    without = extract(job(2))
    for first, second in ((with_them, without), (without, with_them)):
        stored("1.txt", first, "slurm", cluster="alpha")
        root = stored("2.txt", second, "slurm", cluster="alpha")
        found = jobs(root, "alpha").to_pandas().set_index("job_id")["priority"]
        assert found["1"] == -5
        assert pd.isna(found["2"])


def test_clusters_without_priorities_have_no_such_column_and_are_read_beside_those_that_do(stored):
    stored("z.csv", TABLE, cluster="Z")
    root = stored("a.csv", "gpu_num,submit_time,duration\n1,2024-03-01,60\n", cluster="A")
    assert "priority" in jobs(root, "Z").column_names
    assert "priority" not in jobs(root, "A").column_names
    Catalog(root).rename("T", "U")
    for cluster, number in (("A", 1), ("Z", 4)):
        window = {"start": pd.Timestamp("2024-03-01"), "end": pd.Timestamp("2024-04-01")}
        found = queries.fetch("replay_jobs", trace="U", cluster=cluster, vcs=[], **window)
        assert len(found) == number
