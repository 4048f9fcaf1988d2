"""The one verb of this room: replay a cluster's jobs under a policy."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.capacity import Capacity, fleets
from scheduling.engine import Schedule
from scheduling.errors import ScenarioError
from scheduling.estimate import (
    GIVEN_PRIORITY,
    RUNGS,
    Ends,
    beside,
    ends_to_use,
    given_estimates,
    groups,
    recorded_estimates,
)
from scheduling.jobs import taking_part
from scheduling.outcome import Outcome
from scheduling.placement import PLACEMENTS
from scheduling.policies import policy_named
from scheduling.preemption import Costs
from scheduling.virtual_clusters import Setting, VirtualClusters, labels


def replay(
    jobs: pd.DataFrame,
    capacity: Mapping[str, Capacity],
    *,
    policy: str,
    placement: str = "consolidate",
    gpus_per_node: int = 8,
    history: pd.DataFrame | None = None,
    ends: Ends | None = None,
    estimates: pd.DataFrame | None = None,
    costs: Costs | None = None,
    with_placements: bool = False,
) -> Outcome:
    """Replay ``jobs``, each VC alone on its own nodes, idle at the start, until the last job has ended.

    - ``jobs``: job_id, vc, gpu_num, duration_s, submit_s (s since the window's start), and where known user
      and end_s (recorded end, NaN if unknown). Order among equal submissions is that of the rows.
    - ``capacity``: GPUs present per VC, or its nodes over time (:class:`scheduling.NodeSteps`); a VC that is
      absent here has unknown capacity, 0 is a VC that is empty. A number of GPUs is made of nodes of
      ``gpus_per_node``.
    - ``history``: jobs before the window with the same columns, from which QSSF may learn if ``ends`` are
      recorded.
    - ``ends``: by which ends QSSF knows that a job is over; by default the recorded ones where there are any.
    - ``estimates``: what QSSF believes, made before the replay, in place of the rolling means that it would
      learn: a row per row of ``jobs`` with estimated_duration_s, rung and priority (the smallest goes first).
    - ``costs``: what a preemption costs (SRTF).

    Jobs that can never start are rejected with a reason. A request for a part of a GPU holds a whole one,
    which a note says. Raises ScenarioError for an unknown policy or placement, or for jobs or a capacity
    that cannot be.
    """
    chosen = policy_named(policy)
    if placement not in PLACEMENTS:
        raise ScenarioError(f"There is no placement {placement!r}; choose one of {', '.join(PLACEMENTS)}.")
    present = fleets(capacity, gpus_per_node)
    given = estimates is not None and chosen.estimates
    part, excluded = taking_part(jobs if estimates is None or not given else beside(jobs, estimates))
    setting = Setting(chosen, PLACEMENTS[placement], Costs(*map(float, costs or Costs())))
    learned_from = ends_to_use(part, ends) if chosen.estimates and not given else None
    priority = np.array(part[GIVEN_PRIORITY] if given else chosen.priority(part), dtype=np.float64)
    expected_s, rung = np.full(len(part), np.nan), np.full(len(part), -1, dtype=np.int64)
    if learned_from == "recorded":
        expected_s, rung = recorded_estimates(part, history)
        priority *= expected_s
    group = groups(part) if learned_from == "simulated" else None
    vcs = VirtualClusters(part, present, setting)
    made = vcs.replay(priority, group)
    if group is not None:
        expected_s, rung = made.expected_s, made.rung
    believed = given_estimates(part) if given else _estimate_table(part, expected_s, rung)
    return Outcome(
        policy=policy,
        placement=placement,
        capacity={vc: int(fleet.gpus.max()) for vc, fleet in present.items()},
        fleets=present,
        jobs=_job_table(part, policy, made, vcs.reason),
        steps=vcs.step_table(),
        excluded=excluded,
        estimates=believed if chosen.estimates else None,
        ends=learned_from,
        placements=vcs.placement_table() if with_placements else None,
        notes=_notes(part),
    )


def _job_table(jobs: pd.DataFrame, policy: str, made: Schedule, reason: NDArray[np.object_]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "job_id": jobs["job_id"],
            "vc": jobs["vc"],
            "policy": labels(np.zeros(len(jobs), np.int64), [policy]),
            "submit_s": jobs["submit_s"].astype(float),
            "gpu_num": jobs["gpu_num"].astype(float),
            "duration_s": jobs["duration_s"].astype(float),
            "start_s": made.start_s,
            "end_s": made.end_s,
            "queueing_delay_s": made.waiting_s,
            "preemptions": made.preemptions,
            "rejected": pd.Series(reason, index=jobs.index, dtype=object),
        },
        copy=False,
    )


def _estimate_table(
    jobs: pd.DataFrame, expected_s: NDArray[np.float64], rung: NDArray[np.int64]
) -> pd.DataFrame:
    known = (rung >= 0) & (rung < len(RUNGS) - 1)
    return pd.DataFrame(
        {
            "job_id": jobs["job_id"],
            "vc": jobs["vc"],
            "estimated_duration_s": np.where(known, expected_s, np.nan),
            "rung": labels(rung, RUNGS),
        }
    )


def _notes(jobs: pd.DataFrame) -> tuple[str, ...]:
    gpu_num = jobs["gpu_num"].to_numpy(dtype=float)
    parts = int((gpu_num != np.floor(gpu_num)).sum())
    if not parts:
        return ()
    return (f"{parts:,} jobs ask for part of a GPU; the replay gives them whole GPUs.",)
