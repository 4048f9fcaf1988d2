"""Capacity from what Slurm says about its nodes."""

import datetime

import pandas as pd
import pytest

from tests.traces.sacct_extracts import extract, job
from traces import TraceError, capacity_source, slurm, store
from traces.catalog import Catalog
from traces.slurm import SlurmOptions

SCONTROL = """NodeName=a01 Arch=x86_64 CoresPerSocket=32
   CPUAlloc=0 CPUTot=64 CPULoad=0.01
   Gres=gpu:a100:8(S:0-1)
   NodeAddr=a01 OS=Linux 5.14 #1 SMP Fri Mar 1
   State=IDLE ThreadsPerCore=1
   Partitions=gpu,all
   CfgTRES=cpu=64,mem=500G,billing=64,gres/gpu=8

NodeName=a02 Arch=x86_64 CoresPerSocket=32
   Gres=gpu:a100:8(S:0-1)
   Partitions=gpu,all
NodeName=c01 Arch=x86_64
   Gres=(null)
   Partitions=cpu,all
"""
SINFO = """NODELIST|PARTITION|GRES
a01|gpu*|gpu:a100:8(S:0-1)
a02|gpu*|gpu:a100:8(S:0-1)
a01|all|gpu:a100:8(S:0-1)
a02|all|gpu:a100:8(S:0-1)
c01|all|(null)
c01|cpu|(null)
"""
GROUPED = """PARTITION AVAIL NODES STATE GRES NODELIST
gpu* up 2 idle gpu:a100:8(S:0-1) a[01-02]
all up 2 idle gpu:a100:8(S:0-1) a[01-02]
all up 1 mix (null) c01
cpu up 1 mix (null) c01
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "nodes.txt"
        path.write_text(text)
        return capacity_source.read(path)[1]

    return read


@pytest.mark.parametrize("text", [SCONTROL, SINFO, GROUPED], ids=["scontrol", "sinfo by node", "sinfo"])
def test_partitions_have_the_gpus_of_their_nodes_in_every_listing(read, text):
    found = read(text)
    assert dict(zip(found.rows["vc"], found.rows["gpus"], strict=True)) == {"all": 16, "cpu": 0, "gpu": 16}
    assert found.nodes.fillna("").values.tolist() == [["a01", 8, "a100"], ["a02", 8, "a100"], ["c01", 0, ""]]
    assert "16 GPUs in 2 nodes" in found.notes[0]
    assert "several partitions" in found.notes[0]


def test_one_line_per_node_reads_the_same(read):
    lines = " ".join(SCONTROL.split("\n")).replace(" NodeName", "\nNodeName")
    assert read(lines).rows.equals(read(SCONTROL).rows)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\ngpu up 1-00 2 idle a[01-02]\n", "without GRES"),
        (SINFO.replace("a02|gpu*", "a[02|gpu*"), "line 3: .* is no node list"),
        (
            SINFO.replace("a02|all|gpu:a100:8", "a02|all|gpu:a100:4"),
            "line 5: node a02 is there with other GPUs",
        ),
        (SINFO.replace("gpu:a100:8(S:0-1)", "(null)"), "no node with GPUs in Gres"),
        (SINFO.replace("a02|gpu*|gpu:a100:8(S:0-1)", "a02|gpu*|gpu:a100:many"), "line 3: .* is no GPU count"),
        (SINFO + "x|y\n", "line 8: .* has not the header's columns"),
    ],
)
def test_a_listing_that_cannot_be_right_is_refused_with_its_line(read, text, sentence):
    with pytest.raises(TraceError, match=sentence):
        read(text)


def test_an_import_with_a_node_listing_knows_capacity_machines_and_the_size_of_a_node(tmp_path):
    (tmp_path / "jobs.txt").write_text(extract(job(1)))
    (tmp_path / "nodes.txt").write_text(SCONTROL.replace("a100:8", "a100:4"))
    options = SlurmOptions(timezone="UTC", capacity=tmp_path / "nodes.txt")
    store.publish(tmp_path, "T", "UTC", slurm.read(tmp_path / "jobs.txt", options))
    entry = Catalog(tmp_path).manifest("T")["clusters"]["alpha"]
    assert (entry["has_capacity"], entry["gpus_per_node"]) == (True, 4)
    folder = Catalog(tmp_path).folder("T")
    assert list(pd.read_parquet(folder / "nodes/alpha.parquet")["gpus"]) == [4, 4, 0]
    quota = pd.read_parquet(folder / "quota/alpha.parquet")
    assert set(quota["date"]) == {datetime.date(2024, 3, 1)}
    store.publish(tmp_path, "T", "UTC", slurm.read(tmp_path / "jobs.txt", SlurmOptions(timezone="UTC")))
    entry = Catalog(tmp_path).manifest("T")["clusters"]["alpha"]
    assert (entry["has_capacity"], entry["gpus_per_node"]) == (True, 4)  # a later extract forgets nothing
    assert (Catalog(tmp_path).folder("T") / "nodes/alpha.parquet").is_file()


def test_without_a_capacity_nothing_is_invented(tmp_path):
    (tmp_path / "jobs.txt").write_text(extract(job(1)))
    store.publish(tmp_path, "T", "UTC", slurm.read(tmp_path / "jobs.txt", SlurmOptions(timezone="UTC")))
    assert not Catalog(tmp_path).manifest("T")["clusters"]["alpha"]["has_capacity"]
    assert not (Catalog(tmp_path).folder("T") / "quota").exists()
