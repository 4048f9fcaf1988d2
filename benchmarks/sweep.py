"""How fast a grid of scenarios is replayed, on all cores. Wall time; compiled.

- ``sweep_scenarios_per_s``: scenarios of 25,000 made-up jobs (seeded) on 28 VCs with 262 nodes, 0.95 of whose
  GPU time they ask for: four policies × three capacities × four loads × two draws, without writing;
- ``sweep_1000_scenarios_s``: what a thousand of them take at that rate, and
  ``sweep_1000_scenarios_cpu_s``: their CPU time, which other processes change less.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count

from benchmarks.scheduling import congested
from runs.grid import points
from runs.quota import constant
from runs.scenario import SweepScenario
from runs.sweep import Stage
from runs.workload import Workload
from scheduling import compile_kernels

GRID = SweepScenario(
    "made up",
    policies=("fifo", "sjf", "smallest", "gputime"),
    nodes=("x0.9", "x1", "x1.1"),
    load_factors=(0.8, 0.9, 1.0, 1.1),
    seeds=(1, 2),
)


def measure() -> dict[str, float | None]:
    """The numbers of this file's docstring."""
    compile_kernels()
    jobs, capacity = congested(25_000)
    quotas = {vc: constant(gpus) for vc, gpus in capacity.items()}
    stage = Stage(GRID.base, [Workload("made up", jobs.assign(end_s=float("nan")), quotas, 8)])
    grid = points(GRID, ["made up"])
    stage.numbers(grid[0])
    began, used = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(cpu_count()) as pool:
        made = list(pool.map(stage.numbers, grid))
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - used
    return {
        "sweep_scenarios_per_s": len(made) / wall_s,
        "sweep_1000_scenarios_s": 1000 * wall_s / len(made),
        "sweep_1000_scenarios_cpu_s": 1000 * cpu_s / len(made),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value and round(value, 1)}")
