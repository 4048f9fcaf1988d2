"""Generated jobs and quotas as canonical tables."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
import pandas as pd
import pyarrow as pa

from traces.demo import states, templates, users
from traces.demo.calendar import BEGIN, BEGIN_UTC
from traces.demo.cpu_jobs import CpuJobs
from traces.demo.datacenter import GPUS_PER_NODE, Slice
from traces.demo.raking import Floats, Ints
from traces.demo.workload import Workload

CPUS_PER_GPU = 6
"""CPUs of a GPU job per GPU: made up, nothing is published."""
FIRST_JOB_ID = 100_000


class Replayed(Protocol):
    """What a replay gives back: `jobs` with start_s in the order given, NaN for a job that cannot start."""

    @property
    def jobs(self) -> pd.DataFrame: ...


Replay = Callable[..., Replayed]
"""`replay(jobs, capacity, policy="fifo", placement="consolidate", gpus_per_node=8)`: `jobs` has job_id,
row, user, vc, job_name, gpu_num, duration_s and submit_s in order of submission, `capacity` the GPUs of
each VC by name."""


def jobs(part: Slice, gpu: Workload, gpu_submit_s: Floats, cpu: CpuJobs, seed: int) -> pd.DataFrame:
    """GPU and CPU jobs of a cluster by submission, without start times.

    Columns are those of `traces.schema.JOBS`, with submit_s, and wait_s for CPU jobs (NaN for GPU jobs).
    """
    cluster = part.profile.name
    submit_s = np.concatenate([gpu_submit_s, cpu.submit_s])
    order = np.argsort(submit_s, kind="stable")
    gpu_num = np.concatenate([gpu.gpu_num, np.zeros(len(cpu.vc), np.int64)])[order]
    cpu_num = np.concatenate([gpu.gpu_num * CPUS_PER_GPU, cpu.cpu_num])[order]
    row = np.arange(len(order), dtype=np.int32)
    names = pa.chunked_array(
        [
            templates.names(seed, cluster, gpu.template, gpu.duration_s, gpu_submit_s, cpu=False).cast(
                "string"
            ),
            templates.names(seed, cluster, cpu.template, cpu.duration_s, cpu.submit_s, cpu=True).cast(
                "string"
            ),
        ]
    )
    return pd.DataFrame(
        {
            "cluster": _text(np.zeros(len(order), np.int64), [cluster]),
            "job_id": pd.Series(pa.array(FIRST_JOB_ID + row).cast("string"), dtype="str"),
            "row": row,
            "user": _text(
                np.concatenate([gpu.user, cpu.user])[order], users.user_names(seed, cluster, part.users)
            ),
            "vc": _text(np.concatenate([gpu.vc, cpu.vc])[order], list(part.vcs)),
            "job_name": pd.Series(names.take(pa.array(order)).combine_chunks(), dtype="str"),
            "gpu_num": gpu_num.astype(float),
            "cpu_num": cpu_num.astype(np.int32),
            "node_num": np.maximum(1, -(-gpu_num // GPUS_PER_NODE)).astype(np.int32),
            "state": _text(np.concatenate([gpu.state, cpu.state])[order], list(states.NAMES)),
            "duration_s": np.concatenate([gpu.duration_s, cpu.duration_s])[order],
            "submit_s": submit_s[order],
            "wait_s": np.concatenate([np.full(len(gpu.vc), np.nan), cpu.wait_s])[order],
        }
    )


def _starts(frame: pd.DataFrame, part: Slice, replay: Replay) -> Floats:
    capacity = {vc: int(gpus) for vc, gpus in zip(part.vcs, part.gpus, strict=True)}
    outcome = replay(frame, capacity, policy="fifo", placement="consolidate", gpus_per_node=GPUS_PER_NODE)
    return outcome.jobs["start_s"].to_numpy(dtype=float)


def with_starts(frame: pd.DataFrame, part: Slice, replay: Replay) -> pd.DataFrame:
    """The jobs with submit, start and end times (naive UTC) and queueing delays; GPU jobs start as
    replayed."""
    on_gpus = frame["gpu_num"].to_numpy() > 0
    submit_s = frame["submit_s"].to_numpy()
    start_s = submit_s + frame["wait_s"].to_numpy()
    start_s[on_gpus] = _starts(frame.loc[on_gpus, list(REPLAYED)].reset_index(drop=True), part, replay)
    times = {
        "submit_time": _instants(submit_s),
        "start_time": _instants(start_s),
        "end_time": _instants(start_s + frame["duration_s"].to_numpy()),
        "queueing_delay_s": start_s - submit_s,
    }
    return frame.drop(columns=["submit_s", "wait_s"]).assign(**times)


REPLAYED = ("job_id", "row", "user", "vc", "job_name", "gpu_num", "duration_s", "submit_s")


def quota(part: Slice) -> pd.DataFrame:
    """GPUs per VC: its GPUs from the day it opens, 0 from 1 April until then."""
    rows = []
    for vc, gpus, opens_s in zip(part.vcs, part.gpus.tolist(), part.opens_s.tolist(), strict=True):
        if opens_s:
            rows.append((part.profile.name, vc, BEGIN.date(), 0))
        rows.append((part.profile.name, vc, (BEGIN + pd.Timedelta(seconds=opens_s)).date(), gpus))
    return pd.DataFrame(rows, columns=["cluster", "vc", "date", "gpus"]).astype({"gpus": "int32"})


def _text(codes: Ints, values: list[str]) -> pd.Series:
    """Text from positions in `values`."""
    dictionary = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(values))
    return pd.Series(dictionary.cast("string"), dtype="str")


def _instants(seconds: Floats) -> pd.Series:
    """Naive UTC times of whole seconds after the begin of the period."""
    return pd.Series(np.datetime64(BEGIN_UTC, "us") + (seconds * 1e6).astype("timedelta64[us]"))
