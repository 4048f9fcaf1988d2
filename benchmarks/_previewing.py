"""The measured work of ``benchmarks/preview.py``, in a process of its own; prints one JSON object."""

import json
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from runs import simulation
from runs.preview import preview
from runs.scenario import SchedulingScenario
from scheduling import compile_kernels

ROUNDS = 9
OFFERED_LOAD = 0.95
POLICIES = ("fifo", "sjf", "smallest", "gputime")
MONTH = SchedulingScenario("demo", ("Saturn",), from_="2020-09-01", to="2020-10-01", policies=("fifo",))


def main() -> None:
    """Warm up on a day, then replay the month."""
    compile_kernels()
    _numbers(replace(MONTH, to="2020-09-02"))
    before_mib = _most_mib()
    congested = replace(MONTH, load_factor=_load_factor())
    figures: dict[str, float] = {}
    for policy in POLICIES:
        wall_s, cpu_s = _median(lambda p=policy: _numbers(replace(congested, policies=(p,))))
        figures |= {f"preview_{policy}_ms": 1000 * wall_s, f"preview_{policy}_cpu_ms": 1000 * cpu_s}
    figures["preview_extra_mib"] = _most_mib() - before_mib
    three = replace(congested, policies=("fifo", "sjf", "smallest"))
    figures["preview_page_ms"] = 1000 * _median(lambda: preview(three))[0]
    figures["preview_jobs"] = _numbers(congested)[-1]["jobs"]
    print(json.dumps(figures))


def _numbers(scenario: SchedulingScenario) -> list[dict[str, Any]]:
    """From the stored trace to every result row."""
    return simulation.result_rows(simulation.replayed(simulation.prepared(scenario)))


def _load_factor() -> float:
    """The load under which the month's GPU time is ``OFFERED_LOAD`` of what is present."""
    scene = simulation.prepared(MONTH)
    (work,) = scene.workloads
    window_s = (scene.span.end_time - scene.span.start_time).total_seconds()
    present = sum(quota.most for quota in work.quotas.values()) * window_s
    return OFFERED_LOAD * present / float((work.jobs["gpu_num"] * work.jobs["duration_s"]).sum())


def _median(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall and CPU time in s, each the median of its rounds."""
    rounds = []
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        rounds.append((time.perf_counter() - wall, time.process_time() - cpu))
    return statistics.median(wall for wall, _ in rounds), statistics.median(cpu for _, cpu in rounds)


def _most_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
