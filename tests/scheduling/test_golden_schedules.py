"""Replays give the schedules that the Helios simulator gives, job by job and second by second."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from scheduling import Costs, replay

GOLDEN = Path(__file__).parent / "golden"
MICRO = json.loads((GOLDEN / "micro.json").read_text())
FUZZ = {
    key: rows.reset_index(drop=True)
    for key, rows in pd.read_csv(GOLDEN / "fuzz.csv.gz").groupby(
        ["case", "nodes_present", "policy", "placement"], sort=False
    )
}
ONE_SECOND_MORE = Costs(extra_s=1)  # the Helios simulator's SRTF holds each job a second longer
NODES_OF_VC = {"103959": 8, "11cb48": 16, "vcvlY": 2}
REAL = [
    f"{folder}/{vc}_{policy}_{placement}.csv"
    for folder, vc, placements in (
        ("philly", "philly_103959", ("consolidate", "consolidateFirst")),
        ("philly", "philly_11cb48", ("consolidate", "consolidateFirst")),
        ("helios", "venus_vcvlY", ("consolidate",)),
    )
    for policy in ("fifo", "sjf", "srtf")
    for placement in placements
    if not (policy == "srtf" and placement == "consolidateFirst")
]


def frame(rows: list[list[float]]) -> pd.DataFrame:
    jobs = pd.DataFrame(rows, columns=["submit_s", "gpu_num", "duration_s"]).astype(float)
    return jobs.assign(job_id=[str(i) for i in range(len(jobs))], vc="v")


def placed(outcome) -> list[list[list[int]]]:
    nodes = {job: [] for job in outcome.jobs["job_id"]}
    for row in outcome.placements.itertuples():
        nodes[row.job_id].append([row.node, row.gpus])
    return list(nodes.values())


@pytest.mark.parametrize("case", MICRO, ids=lambda c: f"{c['name']} {c['policy']} {c['placer']}")
def test_a_small_case_is_scheduled_and_placed_as_by_the_helios_simulator(case):
    outcome = replay(
        frame(case["jobs"]),
        {"v": 8 * case["nodes"]},
        policy=case["policy"],
        placement=case["placer"],
        costs=ONE_SECOND_MORE,
        with_placements=True,
    )
    times = outcome.jobs[["start_s", "end_s", "queueing_delay_s", "preemptions"]].to_numpy().tolist()
    assert times == [result[:4] for result in case["result"]]
    assert placed(outcome) == [result[4] for result in case["result"]]


@pytest.mark.parametrize("key", FUZZ, ids=lambda key: "-".join(map(str, key)))
def test_a_random_workload_is_scheduled_and_placed_as_by_the_helios_simulator(key):
    _, nodes, policy, placement = key
    golden = FUZZ[key]
    jobs = frame(golden[["submit_s", "gpu_num", "duration_s"]].to_numpy().tolist())
    outcome = replay(
        jobs,
        {"v": 8 * nodes},
        policy=policy,
        placement=placement,
        costs=ONE_SECOND_MORE,
        with_placements=True,
    )
    columns = ["start_s", "end_s", "queueing_delay_s", "preemptions"]
    assert outcome.jobs[columns].to_numpy().tolist() == golden[columns].to_numpy().tolist()
    assert [" ".join(f"{n}:{g}" for n, g in nodes) for nodes in placed(outcome)] == golden["nodes"].tolist()


@pytest.mark.parametrize("file", REAL)
def test_a_real_vc_is_scheduled_as_by_the_helios_simulator(shared, file):
    golden = pd.read_csv(shared / "golden" / file, dtype={"vc": str})
    policy, placement = re.search(r"_(fifo|sjf|srtf)_(\w+)\.csv", file).groups()
    vc = golden["vc"].iloc[0]
    jobs = golden[["vc", "gpu_num"]].assign(
        job_id=golden["job_index"].astype(str), submit_s=golden["submit"], duration_s=golden["duration"]
    )
    outcome = replay(
        jobs, {vc: 8 * NODES_OF_VC[vc]}, policy=policy, placement=placement, costs=ONE_SECOND_MORE
    )
    made = outcome.jobs[["start_s", "end_s", "queueing_delay_s", "preemptions"]].to_numpy()
    assert made.tolist() == golden[["start", "end", "queue", "preemptions"]].to_numpy().tolist()


@pytest.mark.parametrize("file", [file for file in REAL if "srtf" in file])
def test_srtf_without_the_extra_second_agrees_on_average(shared, file):
    golden = pd.read_csv(shared / "golden" / file, dtype={"vc": str})
    vc = golden["vc"].iloc[0]
    jobs = golden[["vc", "gpu_num"]].assign(
        job_id=golden["job_index"].astype(str), submit_s=golden["submit"], duration_s=golden["duration"]
    )
    made = replay(jobs, {vc: 8 * NODES_OF_VC[vc]}, policy="srtf").jobs
    assert (made["end_s"] - made["submit_s"]).mean() == pytest.approx(
        (golden["end"] - golden["submit"]).mean(), rel=1e-3
    )
    assert made["queueing_delay_s"].mean() == pytest.approx(golden["queue"].mean(), rel=1e-3)
