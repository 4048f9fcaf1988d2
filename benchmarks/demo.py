"""How fast the demo trace is made, without publishing it. Wall time, compiled kernels, best of two rounds.

- ``demo_scale_002_s``: the default demo, about 76,000 jobs, in s;
- ``demo_scale_002_verify_s``: its comparison with the published statistics, in s;
- ``demo_scale_1_s``: the whole datacenter, 3,362,981 jobs, one cluster at a time, in s; one round;
- ``demo_scale_1_memory_gib``: the most memory that the process held until then, in GiB.
"""

import resource
import time
from collections.abc import Callable

from scheduling import compile_kernels, replay
from traces.demo import generate
from traces.demo.verify import verify


def measure() -> dict[str, float | None]:
    """The figures named above."""
    compile_kernels()
    small = list(generate(0.02, replay=replay))
    return {
        "demo_scale_002_s": min(_seconds(lambda: _drained(0.02)) for _ in range(2)),
        "demo_scale_002_verify_s": min(
            _seconds(lambda: verify([(each.cluster, each.jobs, each.quota) for each in small], 0.02))
            for _ in range(2)
        ),
        "demo_scale_1_s": _seconds(lambda: _drained(1.0)),
        "demo_scale_1_memory_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2,
    }


def _drained(scale: float) -> None:
    for _ in generate(scale, replay=replay):
        pass


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
