"""The compiled code: inside its arrays, compiled once for all frames, and found again by a new process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from workloads import jobs_frame, random_jobs

from scheduling import POLICIES, compile_kernels, replay
from scheduling.compilation import ROOM, source_fingerprint
from scheduling.engine import replay_by_priority
from scheduling.preemption import replay_preempting

HERE = Path(__file__).parent
KERNELS = (replay_by_priority, replay_preempting)

WITHIN_BOUNDS = """
import gc
import numba
import numpy as np
from numba.core.runtime import _nrt_python
from scheduling import PLACEMENTS, POLICIES, NodeSteps, replay
from scheduling.waiting import explained
from workloads import random_jobs

def replayed(*arguments, **options):
    outcome = replay(*arguments, **options)
    if not POLICIES[outcome.policy].preempts:
        explained(outcome)
    return outcome

@numba.njit
def beyond(values):
    return values[values.size]

try:
    beyond(np.zeros(3))
except IndexError:
    print("bounds are checked")
for seed, (gangs, gpus) in enumerate(
    [((1, 8, 128, 144), 160), ((1, 3, 12, 144), 148), ((64, 65, 520), 70 * 8), ((1,), 1)]
):
    jobs = random_jobs(seed, 150, gangs)
    for policy in POLICIES:
        for placement in PLACEMENTS:
            outcome = replayed(jobs, {"v": gpus}, policy=policy, placement=placement)
            assert outcome.jobs["end_s"].notna().all()
recorded = jobs.assign(end_s=jobs["submit_s"] + jobs["duration_s"])
replay(recorded, {"v": 1}, policy="qssf", history=recorded)

steps = [0, 2000, 2500, 4000], [3, 0, 12, 2]
fleet = [NodeSteps(*steps, 8, "A"), NodeSteps([0], [9], 16, "B"), NodeSteps(*steps, 3, "A")]
jobs = random_jobs(7, 300, (0.1, 0.5, 1, 3, 16, 17, 40)).assign(gpu_type=["A", "B", "A|B"] * 100)
first = random_jobs(8, 40, (0.3, 2, 20)).assign(start_s=[-50.0, np.nan] * 20, submit_s=-60.0)
kept = []
for again in range(3):
    for policy in POLICIES:
        for placement in PLACEMENTS:
            replayed(
                jobs,
                {"v": fleet},
                policy=policy,
                placement=placement,
                backfill=True,
                initial=first.assign(job_id=first["job_id"] + "b"),
                until_s=5000 if again == 1 else None,
            )
    gc.collect()
    kept.append(_nrt_python.memsys_get_stats_alloc() - _nrt_python.memsys_get_stats_free())
print("memory is given back" if len(set(kept)) == 1 and kept[0] >= 0 else kept)
print("done")
"""

FRESH = """
from scheduling import compile_kernels
from scheduling.engine import replay_by_priority
from scheduling.preemption import replay_preempting
compile_kernels()
for kernel in (replay_by_priority, replay_preempting):
    print(sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""


def in_a_new_process(code, **environment):
    paths = os.pathsep.join([str(HERE.parents[1]), str(HERE)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_no_kernel_reads_or_writes_outside_its_arrays_or_keeps_memory(tmp_path):
    settings = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_NRT_STATS": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    lines = in_a_new_process(WITHIN_BOUNDS, **settings)
    assert lines == ["bounds are checked", "memory is given back", "done"]


def test_a_new_process_finds_the_compiled_kernels():
    compile_kernels()
    assert in_a_new_process(FRESH) == ["1 0", "1 0"]


def test_frames_of_any_number_type_use_the_same_compiled_code():
    compile_kernels()
    jobs = jobs_frame([(0, 1, 5, "a"), (2, 12, 5, "a")])
    for frame in (jobs, jobs.astype({"gpu_num": int, "duration_s": "float32", "submit_s": "Int64"})):
        for policy in POLICIES:
            replay(frame, {"v": np.int64(16)}, policy=policy)
    assert [len(kernel.signatures) for kernel in KERNELS] == [1, 1]


def test_compiled_code_is_reused_only_for_the_source_of_the_whole_room():
    for kernel in KERNELS:
        assert kernel._cache._cache_file._source_stamp == source_fingerprint(ROOM)
        assert {name for name in vars(kernel._cache._cache_file) if "stamp" in name} == {"_source_stamp"}


def test_twenty_thousand_jobs_of_one_instant_end():
    rows = [(0, 1 + i % 8, 1) for i in range(20_000)]
    for policy in POLICIES:
        jobs = replay(jobs_frame(rows), {"v": 64}, policy=policy).jobs
        assert jobs["end_s"].notna().all()


def test_replays_of_several_threads_do_not_disturb_each_other():
    from concurrent.futures import ThreadPoolExecutor

    jobs = [random_jobs(seed, 3000, (1, 2, 4, 8, 16)) for seed in range(4)]
    alone = [replay(each, {"v": 32}, policy="qssf").jobs for each in jobs]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda each: replay(each, {"v": 32}, policy="qssf").jobs, jobs))
    for one, other in zip(alone, together, strict=True):
        pd.testing.assert_frame_equal(one, other)
