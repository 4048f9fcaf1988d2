"""The demo trace: one `ClusterImport` per cluster, from a seed."""

from collections.abc import Iterator

from traces.cluster_import import ClusterImport, Facts
from traces.demo import cpu_jobs, submissions, tables, workload
from traces.demo.clusters import CLUSTERS, ClusterProfile
from traces.demo.datacenter import GPUS_PER_NODE, Slice, kept_slice
from traces.demo.tables import Replay
from traces.errors import TraceError
from traces.report import Report

DEFAULT_SCALE = 0.02
DEFAULT_SEED = 2020
FACTS = Facts(
    format="demo",
    gpus_per_node=GPUS_PER_NODE,
    has_start=True,
    has_end=True,
    has_state=True,
    has_user=True,
    has_vc=True,
    has_job_name=True,
    ids_follow_submission=True,
)


def generate(
    scale: float = DEFAULT_SCALE, seed: int = DEFAULT_SEED, *, replay: Replay
) -> Iterator[ClusterImport]:
    """The four clusters of the demo trace, one at a time, ready to be published.

    `scale` (0 < scale ≤ 1) thins virtual clusters, then nodes, never time. Start times of GPU jobs come from
    `replay` (FIFO, consolidated placement, each VC alone). The same `scale` and `seed` give the same tables.
    Raises TraceError for a scale or seed that cannot be.
    """
    if not 0 < scale <= 1:
        raise TraceError(f"The demo's scale is {scale}: give a number above 0 and at most 1, such as 0.02.")
    if seed < 0:
        raise TraceError(f"The demo's seed is {seed}: give a whole number of at least 0.")
    return (cluster_import(profile, scale, seed, replay) for profile in CLUSTERS)


def cluster_import(profile: ClusterProfile, scale: float, seed: int, replay: Replay) -> ClusterImport:
    """One cluster of the demo trace."""
    part = kept_slice(profile, scale, seed)
    gpu = workload.workload(part, seed)
    submit_s, order = submissions.submit_times(part, gpu, seed)
    gpu, submit_s = gpu.in_order(order), submit_s[order]
    jobs = tables.jobs(part, gpu, submit_s, cpu_jobs.cpu_jobs(part, seed), seed)
    jobs = tables.with_starts(jobs, part, replay)
    report = Report(
        rows_read=len(jobs),
        rows_kept=len(jobs),
        first_submit=jobs["submit_time"].iloc[0],
        last_submit=jobs["submit_time"].iloc[-1],
        notes=_notes(part, scale, seed, gpu.capped),
    )
    return ClusterImport(profile.name, FACTS, report, jobs=jobs, quota=tables.quota(part))


def _notes(part: Slice, scale: float, seed: int, capped: int) -> tuple[str, ...]:
    name, nodes = part.profile.name, int(part.nodes.sum())
    notes = [
        f"Generated data, not a recording: a demo of {name} made from published statistics "
        f"(scale {scale:g}, seed {seed}).",
        f"It has {nodes} of {part.profile.nodes} nodes in {len(part.nodes)} of {part.profile.vcs} "
        "virtual clusters; "
        "their quotas are plausible, not real.",
        "Start times of GPU jobs come from a FIFO replay, one virtual cluster at a time; "
        "waits of CPU jobs are drawn.",
    ]
    if capped:
        notes.append(
            f"{capped} gangs larger than any kept virtual cluster were capped at {int(part.gpus.max())} GPUs."
        )
    return tuple(notes)
