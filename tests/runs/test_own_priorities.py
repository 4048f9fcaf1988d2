"""The operator's own priorities, from an imported table to the order of a replay."""

import pytest

from runs import simulation
from runs.scenario import SchedulingScenario
from scheduling import ScenarioError
from traces.formats import Wishes
from traces.intake import Plan, publish

HEAD = "job_id,gpu_num,submit_time,duration,vc"
ROWS = (
    "runs,8,2024-03-01T00:00:00,60,v",
    "low,8,2024-03-01T00:00:01,60,v",
    "high,8,2024-03-01T00:00:02,60,v",
)


@pytest.fixture
def imported(tmp_path, data_folder):
    (tmp_path / "capacity.csv").write_text("vc,gpus\nv,8\n")

    def imported(cluster, header, *lines):
        path = tmp_path / f"{cluster}.csv"
        path.write_text("\n".join((header, *lines)) + "\n")
        wishes = Wishes(timezone="UTC", cluster=cluster, capacity=tmp_path / "capacity.csv")
        publish(data_folder, Plan(path, "csv", wishes, "T"))

    return imported


def order(**changes):
    made = simulation.simulate(SchedulingScenario("T", policies=("priority",), **changes))
    return made.jobs.sort_values("start_s")["job_id"].tolist()


def test_the_smallest_priority_goes_first_and_unknown_last(imported):
    imported("one", HEAD + ",priority", ROWS[0] + ",5", ROWS[1] + ",", ROWS[2] + ",1")
    assert order() == ["runs", "high", "low"]


def test_a_cluster_without_priorities_is_refused_beside_one_that_has_them(imported):
    imported("one", HEAD + ",priority", ROWS[0] + ",5", ROWS[1] + ",2", ROWS[2] + ",1")
    imported("two", HEAD, *ROWS)
    assert order(clusters=("one",)) == ["runs", "high", "low"]
    with pytest.raises(ScenarioError, match="needs a column priority"):
        order(clusters=("two",))


def test_a_trace_without_priorities_says_what_the_policy_needs(imported):
    imported("two", HEAD, *ROWS)
    with pytest.raises(ScenarioError, match="needs a column priority"):
        order()
