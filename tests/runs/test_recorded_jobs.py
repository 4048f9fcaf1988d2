"""The node demand of jobs as they were recorded."""

import pandas as pd
import pytest

from runs import RunError, node_demand
from runs.scenario import EnergyScenario
from traces import csv_table, store


def published(folder, tmp_path, rows, capacity="vc,nodes\na,3\n"):
    columns = "job_id,user,vc,gpu_num,node_num,submit_time,start_time,end_time"
    (tmp_path / "jobs.csv").write_text(columns + "\n" + "\n".join(rows) + "\n")
    (tmp_path / "nodes.csv").write_text(capacity)
    read = csv_table.read(tmp_path / "jobs.csv", "C", "UTC", capacity=tmp_path / "nodes.csv")
    store.publish(folder, "logged", "UTC", [read])
    return EnergyScenario("logged", "C", policy="recorded")


def test_the_demand_is_the_sum_of_the_running_jobs_node_counts_at_most_those_present(data_folder, tmp_path):
    day = "2020-04-01"
    rows = [
        f"1,u,a,8,2,{day} 00:00:00,{day} 00:10:00,{day} 00:30:00",
        f"2,u,a,16,2,{day} 00:00:00,{day} 00:20:00,{day} 00:40:00",
        f"3,u,a,12,,{day} 00:00:00,{day} 00:50:00,{day} 01:00:00",
        f"4,u,a,1,1,{day} 01:10:00,,",
    ]
    demand = node_demand.stored(published(data_folder, tmp_path, rows))
    assert demand.origin == "recorded starts, ends and node counts of the jobs"
    # slot 2: 2 + 2 of 3 nodes present; 12 GPUs fill 2 nodes of 8
    assert demand.series["used"].tolist()[:7] == [0, 2, 3, 2, 0, 2, 0]
    assert demand.series["total"].eq(3).all()
    assert demand.series["time"].iloc[0] == pd.Timestamp(day)


def test_jobs_without_a_recorded_start_are_refused_in_one_sentence(small_trace):
    with pytest.raises(RunError, match="no job with a recorded start"):
        node_demand.stored(EnergyScenario(small_trace, "C", policy="recorded"))
