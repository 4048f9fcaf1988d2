"""What a replay gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from scheduling.capacity import Fleet
from scheduling.virtual_clusters import VirtualClusters


@dataclass(frozen=True)
class Outcome:
    """One policy's replay of one cluster. Seconds count from the start of the window.

    - ``jobs``: the jobs that took part, in trace order: job_id, vc, policy, submit_s, gpu_num, duration_s,
      start_s (the first start), end_s, queueing_delay_s (all the time spent waiting; start − submit where
      nobody is preempted), preemptions, rejected (the reason, or None), left_s (what was still to run when
      the replay stopped, 0 for a job that ended), and user where it is known. A rejected or unfinished job
      has NaN where it has no time.
    - ``steps``: the load of each VC as a step function: vc, time_s, used_nodes, running_gpus, waiting_jobs,
      draining_gpus (of nodes that leave once their last job ends), free_gpus (of the other nodes), head_gpus
      (that the job at the head of the queue asks for, 0 if nobody waits); a row holds from its time until the
      VC's next row.
    - ``excluded``: how many jobs took no part: vc, reason (cpu, no_duration, no_gpu_num), jobs.
    - ``estimates``: what the policy believed at submission: job_id, vc, estimated_duration_s (NaN where
      nothing was known), rung; None for a policy that estimates nothing.
    - ``placements``: where each job ran last: job_id, vc, node (from 0 in its VC), gpus; None unless asked
      for.
    - ``capacity``: GPUs present per VC, the most that it ever has; ``fleets``: its nodes over time;
      ``ends``: which ends the estimates learned from; ``until_s``: where the replay stopped, None if it did
      not.
    - ``initial``: jobs that were there at the start, as ``jobs``; None without a start state.
    - ``reservations``: job_id, vc, reserved_s (when a job was expected to start as it was first held back at
      the head of the queue, else NaN), backfilled (it overtook a blocked head); None without backfill.
    - ``vcs``: the replayed VCs themselves, for :mod:`scheduling.waiting`.
    """

    policy: str
    placement: str
    capacity: dict[str, int]
    jobs: pd.DataFrame
    excluded: pd.DataFrame
    vcs: VirtualClusters
    estimates: pd.DataFrame | None = None
    ends: str | None = None
    placements: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()
    fleets: Mapping[str, Fleet] = field(default_factory=dict)
    until_s: float | None = None
    initial: pd.DataFrame | None = None
    reservations: pd.DataFrame | None = None

    @cached_property
    def steps(self) -> pd.DataFrame:
        """The load of each VC, put together when it is first asked for."""
        return self.vcs.step_table()

    @property
    def used_nodes(self) -> pd.DataFrame:
        """Nodes with at least one GPU in use, as a step function: vc, time_s, used_nodes."""
        return self.steps[["vc", "time_s", "used_nodes"]]
