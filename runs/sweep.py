"""A grid of scenarios: policy × nodes × load × seed, replayed on all cores, each result kept as it comes."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import settings
from queries import manifests
from runs import load
from runs.grid import KEY, MOST_SCENARIOS, Point, checked
from runs.parts import chosen_clusters
from runs.resizing import resized
from runs.scenario import SchedulingScenario, SweepScenario, document
from runs.simulation import SAME_S
from runs.sweep_file import SweepFile
from runs.window import Window, window
from runs.words import plural
from runs.workload import Workload, check_changes, workload
from scheduling import POLICIES, Capacity, compile_kernels, metrics
from scheduling.jobs import exclusion

NUMBERS = (
    *("jobs", "rejected_jobs", "avg_jct_s", "avg_queueing_delay_s", "p95_queueing_delay_s", "queued_jobs"),
    *("preemptions", "makespan_s", "gpu_utilization"),
)
Progress = Callable[[float, str], None]


class Stage:
    """What the scenarios of a sweep have in common, read once: jobs, quotas, estimates by cluster."""

    def __init__(self, base: SchedulingScenario, workloads: Sequence[Workload]) -> None:
        self.base = base
        self.work = {each.cluster: _taking_part(each) for each in workloads}
        self._loaded = lru_cache(maxsize=4 * _threads())(self._scaled)
        self._capacity = lru_cache(maxsize=256)(self._resized)

    def numbers(self, point: Point) -> dict[str, Any]:
        """The result of one scenario: its point, the most GPUs present, and the numbers of a result row."""
        work = self._loaded(point.cluster, point.load_factor, point.seed)
        capacity, gpus = self._capacity(point.cluster, point.nodes)
        outcome = work.replay(
            point.policy, placement=self.base.placement, backfill=self.base.backfill, capacity=capacity
        )
        row = metrics.summary(outcome.jobs, metrics.present_gpus([outcome]))
        return asdict(point) | {"gpus": gpus} | {name: row[name] for name in NUMBERS}

    def _scaled(self, cluster: str, factor: float, seed: int) -> Workload:
        work = self.work[cluster]
        return replace(work, jobs=load.scaled(work.jobs, factor, seed))

    def _resized(self, cluster: str, step: str) -> tuple[dict[str, Capacity], int]:
        work = self.work[cluster]
        quotas = resized(work.quotas, step, work.gpus_per_node)
        return (
            work.capacity_of(quotas),
            sum(quota.most for quota in quotas.values()),
        )


def _taking_part(work: Workload) -> Workload:
    """The workload without jobs that no replay takes, which it would sort out again in every scenario."""
    return replace(work, jobs=work.jobs[exclusion(work.jobs) < 0].reset_index(drop=True))


def _threads() -> int:
    return os.cpu_count() or 1


def sweep(
    grid: SweepScenario,
    progress: Progress = lambda done, step: None,
    out: Path | None = None,
    limit: int = MOST_SCENARIOS,
) -> dict[str, Any]:
    """Replay every scenario of the grid whose result is not yet in the file, and return the whole document.

    ``out`` is a CSV with one line per scenario, by default one in the data folder; results are added to it as
    they come, so that a sweep that was stopped goes on where it was. Raises RunError, before anything is
    replayed, for a grid of more than ``limit`` scenarios or one that cannot be.
    """
    began = time.perf_counter()
    base, manifest = grid.base, manifests.manifest(grid.trace)
    clusters = chosen_clusters(manifest, grid.clusters)
    span = window(manifest, clusters, grid.from_, grid.to)
    points = checked(grid, clusters, limit)
    study = _study(base, span)
    file = SweepFile(out or settings.current().data / "sweeps" / f"{study}.csv", study, KEY)
    missing = [point for point in points if asdict(point) not in file]
    if missing:
        progress(0.0, "Reading the jobs")
        workloads = [workload(base, manifest, each, span) for each in clusters]
        check_changes(base, workloads)
        compile_kernels()
        for at, row in enumerate(_results(Stage(base, workloads), missing, file), start=1):
            file.add(row)
            progress(at / len(missing), f"{at:,} of {plural(len(missing), 'scenario')}")
    shown = document(base) | {"from": str(span.start_time), "to": str(span.end_time)}
    shown |= {"timezone": span.timezone, "clusters": clusters, "trace_version": manifest["version"]}
    made = {
        "scenario": shown,
        "grid": {axis: list(getattr(grid, axis)) for axis in ("policies", "nodes", "load_factors", "seeds")},
        "file": str(file.path),
        "scenarios": len(points),
        "replayed": len(missing),
        "results": file.rows([asdict(point) for point in points]),
    }
    return made | {"sentence": sentence(made), "elapsed_s": time.perf_counter() - began}


def _results(stage: Stage, points: Sequence[Point], file: SweepFile) -> Iterator[Mapping[str, Any]]:
    """The results in the order of the points, by threads; the event loops run without Python's lock."""
    pool = ThreadPoolExecutor(_threads())
    try:
        yield from pool.map(stage.numbers, points)
    finally:
        pool.shutdown(cancel_futures=True)
        file.write()


def _study(base: SchedulingScenario, span: Window) -> str:
    """Names what all scenarios share, the version of the trace's jobs among it; no axis is part of it."""
    shared = document(replace(base, policies=(), clusters=(), load_factor=1.0, seed=1))
    version = manifests.version(base.trace)
    shared |= {"from": str(span.start_time), "to": str(span.end_time), "jobs": version.written_ns}
    return hashlib.sha256(json.dumps(shared, sort_keys=True).encode()).hexdigest()[:16]


def sentence(made: Mapping[str, Any]) -> str:
    """How much was replayed, and the shortest average JCT of it."""
    known = [row for row in made["results"] if row["avg_jct_s"] is not None]
    text = plural(made["scenarios"], "scenario")
    if not known:
        return f"{text}; no job could be replayed in any of them."
    best = min(known, key=lambda row: row["avg_jct_s"])
    sharing = sum(row["avg_jct_s"] - best["avg_jct_s"] < SAME_S for row in known)
    if sharing > 1:
        return f"{text}; {sharing:,} of them share the shortest average JCT, {best['avg_jct_s']:,.0f} s."
    where = f"{POLICIES[best['policy']].label} at nodes {best['nodes']} and load {best['load_factor']:g}"
    return f"{text}; {where} has the shortest average JCT, {best['avg_jct_s']:,.0f} s."
