"""What a replay gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from scheduling.capacity import Fleet


@dataclass(frozen=True)
class Outcome:
    """One policy's replay of one cluster. Seconds count from the start of the window.

    - ``jobs``: the jobs that took part, in trace order: job_id, vc, policy, submit_s, gpu_num, duration_s,
      start_s (the first start), end_s, queueing_delay_s (all the time spent waiting; start − submit where
      nobody is preempted), preemptions, rejected (the reason, or None). A rejected job has NaN where it has
      no time.
    - ``steps``: the load of each VC as a step function: vc, time_s, used_nodes, running_gpus, waiting_jobs,
      draining_gpus (of nodes that leave once their last job ends); a row holds from its time until the VC's
      next row.
    - ``excluded``: how many jobs took no part: vc, reason (cpu, no_duration, no_gpu_num), jobs.
    - ``estimates``: what the policy believed at submission: job_id, vc, estimated_duration_s (NaN where
      nothing was known), rung; None for a policy that estimates nothing.
    - ``placements``: where each job ran last: job_id, vc, node (from 0 in its VC), gpus; None unless asked
      for.
    - ``capacity``: GPUs present per VC, the most that it ever has; ``fleets``: its nodes over time;
      ``ends``: which ends the estimates learned from.
    """

    policy: str
    placement: str
    capacity: dict[str, int]
    jobs: pd.DataFrame
    steps: pd.DataFrame
    excluded: pd.DataFrame
    estimates: pd.DataFrame | None = None
    ends: str | None = None
    placements: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()
    fleets: Mapping[str, Fleet] = field(default_factory=dict)

    @property
    def used_nodes(self) -> pd.DataFrame:
        """Nodes with at least one GPU in use, as a step function: vc, time_s, used_nodes."""
        return self.steps[["vc", "time_s", "used_nodes"]]
