"""Jobs without GPUs. They wait for no GPU, so their short waits are drawn, not replayed."""

from dataclasses import dataclass

import numpy as np

from traces.demo import arrivals, durations, templates, users
from traces.demo.calendar import MONTH_OF_DAY, MONTHS
from traces.demo.clusters import VENUS_CPU_JOBS_BY_HOUR
from traces.demo.datacenter import Slice
from traces.demo.raking import Floats, Ints, apportioned, sums
from traces.demo.streams import stream

CPUS = np.array([1, 2, 4, 8, 16, 32])
CPU_SHARES = np.array([0.5, 0.15, 0.15, 0.1, 0.07, 0.03])
"""CPUs of CPU jobs: made up, nothing is published."""
NO_WAIT = 0.9
"""Share of CPU jobs that start at once; the others wait exponentially long, to the published mean."""


@dataclass(frozen=True)
class CpuJobs:
    """CPU jobs in no order, one element per job; `vc`, `user` and `state` as in `workload.Workload`."""

    cpu_num: Ints
    state: Ints
    duration_s: Floats
    wait_s: Floats
    template: Ints
    vc: Ints
    user: Ints
    submit_s: Floats


def cpu_jobs(part: Slice, seed: int) -> CpuJobs:
    """The CPU jobs of `part` of a cluster."""
    profile, count = part.profile, part.cpu_jobs
    rng = stream(seed, profile.name, "cpu jobs")
    grid = durations.DurationGrid(profile.cpu_duration_cdf_pct)
    duration = durations.drawn(grid, grid.weight_with_mean(profile.mean_cpu_duration_s), count, rng)
    shares = np.array(profile.cpu_states) / sum(profile.cpu_states)
    state = rng.permutation(np.repeat(np.arange(3), apportioned(count, shares)))
    level = templates.levels(duration, np.zeros(count, np.int64), rng)
    cpu_num = rng.permutation(np.repeat(CPUS, apportioned(count, CPU_SHARES)))
    work = cpu_num * duration
    template = templates.grouped(np.zeros(count, np.int64), level, work, work.sum() / 200, rng)
    template_work = sums(template, work)
    share = users.shares(part.users, profile.top_cpu_time, rng)
    user = users.assigned(np.zeros(len(template_work), np.int64), template_work, [list(enumerate(share))])
    always_open = part.nodes * (part.opens_s == 0)
    home = rng.choice(len(part.nodes), part.users, p=always_open / always_open.sum())
    waits = rng.exponential(profile.mean_cpu_wait_s / (1 - NO_WAIT), count) * (rng.random(count) > NO_WAIT)
    return CpuJobs(
        cpu_num=cpu_num,
        state=state,
        duration_s=duration,
        wait_s=np.floor(waits),
        template=template,
        vc=home[user[template]],
        user=user[template],
        submit_s=_submit_times(part, template, rng),
    )


def _submit_times(part: Slice, template: Ints, rng: np.random.Generator) -> Floats:
    """Submit times of the CPU jobs, by the hours published for Venus, else by those of the cluster's GPU
    jobs."""
    profile = part.profile
    venus = profile.name == "Venus"
    hours = np.array(VENUS_CPU_JOBS_BY_HOUR if venus else profile.gpu_jobs_by_hour)
    months = np.bincount(MONTH_OF_DAY, minlength=MONTHS).astype(float)
    shares = arrivals.rhythm(months, hours, 0, rng)
    return arrivals.matched(template, arrivals.times(len(template), shares, rng), rng)
