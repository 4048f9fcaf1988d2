"""The one verb of this room: replay a cluster's jobs under a policy."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.beliefs import Beliefs, beliefs, estimate_table
from scheduling.capacity import Capacity, fleets
from scheduling.errors import ScenarioError
from scheduling.estimate import Ends, beside
from scheduling.jobs import in_trace_order, taking_part
from scheduling.orders import FAIR_SHARE
from scheduling.outcome import Outcome
from scheduling.placement import PLACEMENTS
from scheduling.policies import Policy, policy_named
from scheduling.preemption import Costs
from scheduling.requests import Requests
from scheduling.schedule import Schedule
from scheduling.start_state import RAN_S, believed_left_s, running_first, standing_jobs
from scheduling.virtual_clusters import REASONS, Setting, VirtualClusters, labels
from scheduling.workload import Rules, Standing

HALF_LIFE_S = 7 * 86_400.0
"""How fast attained GPU time fades in fair share (Slurm's PriorityDecayHalfLife is 7 days by default)."""
LEVELS_GPU_S = (3_600.0, 36_000.0)
"""Attained GPU times at which a job goes to the next level of least attained service: 1 and 10 GPU-hours."""


def replay(
    jobs: pd.DataFrame,
    capacity: Mapping[str, Capacity],
    *,
    policy: str,
    placement: str = "consolidate",
    backfill: bool = False,
    gpus_per_node: int = 8,
    history: pd.DataFrame | None = None,
    ends: Ends | None = None,
    estimates: pd.DataFrame | None = None,
    costs: Costs | None = None,
    half_life_s: float = HALF_LIFE_S,
    levels_gpu_s: Sequence[float] = LEVELS_GPU_S,
    initial: pd.DataFrame | None = None,
    until_s: float | None = None,
    reverse_ties: bool = False,
    with_placements: bool = False,
) -> Outcome:
    """Replay ``jobs``, each VC alone on its own nodes, until the last job has ended.

    - ``jobs``: job_id, vc, gpu_num, duration_s, submit_s (s since the window's start), and where known user,
      end_s (recorded end, NaN if unknown), gpu_type and priority. Order among equal submissions is that of
      the rows, or the reverse of it (``reverse_ties``).
    - ``capacity``: GPUs present per VC, or its nodes over time (:class:`scheduling.NodeSteps`); a VC that is
      absent here has unknown capacity, 0 is a VC that is empty. A number of GPUs is made of nodes of
      ``gpus_per_node``.
    - ``backfill``: jobs may overtake a blocked head of the queue that they are not expected to delay.
    - ``history``: jobs before the window with the same columns, from which estimates may learn if ``ends``
      are recorded.
    - ``ends``: by which ends estimates know that a job is over; by default the recorded ones where there are
      any.
    - ``estimates``: what QSSF and backfill believe, made before the replay, in place of the rolling means
      that they would learn: a row per row of ``jobs`` with estimated_duration_s, rung and priority (the
      smallest goes first; QSSF alone looks at it).
    - ``costs``: what a preemption costs. ``half_life_s`` after which attained GPU time counts half (fair
      share; inf: never). ``levels_gpu_s``: attained GPU times between the levels of least attained service.
    - ``initial``: jobs submitted before second 0 that run or wait then, with start_s (the recorded start, NaN
      for a job that waits). They take GPUs and stand in the queue, and are no part of the results.
    - ``until_s``: the replay stops there, and jobs that have not ended are unfinished.

    Jobs that can never start are rejected with a reason. Jobs that ask for a part of one GPU share it. Raises
    ScenarioError for an unknown policy or placement, or for jobs, a capacity or a parameter that cannot be.
    """
    chosen = policy_named(policy)
    if placement not in PLACEMENTS:
        raise ScenarioError(f"There is no placement {placement!r}; choose one of {', '.join(PLACEMENTS)}.")
    present = fleets(capacity, gpus_per_node)
    part, excluded = taking_part(jobs if estimates is None else beside(jobs, estimates), reverse_ties)
    everyone, before = (part, 0) if initial is None else _with_initial(part, initial)
    code, names = pd.factorize(everyone["vc"])
    believed = beliefs(
        everyone, code, chosen, backfill and not chosen.preempts, ends, _without(history, initial)
    )
    order: Any = slice(None)
    runs = np.zeros(0, np.bool_)
    if before:
        order, runs = running_first(everyone)
        everyone = everyone.iloc[order].reset_index(drop=True)
    rules = _rules(chosen, placement, backfill, believed, until_s, half_life_s, levels_gpu_s)
    setting = Setting(chosen, rules, Costs(*map(float, costs or Costs())), 0.0 if before else -np.inf)
    standing = _standing(everyone, chosen, believed.believed_s[order])
    vcs = VirtualClusters(everyone, code[order], [str(name) for name in names], present, setting, standing)
    priority = believed.priority[order]
    priority[: runs.size][runs] = -np.inf
    made = vcs.replay(priority, None if believed.group is None else believed.group[order])
    ours = slice(before, None)
    table = believed.table
    if believed.group is not None:
        table = estimate_table(everyone, made.expected_s, made.rung)
    elif table is not None and before:
        table = table.iloc[order].reset_index(drop=True)
    results = _job_table(everyone, policy, made, vcs.reason)
    return Outcome(
        policy=policy,
        placement=placement,
        capacity={vc: int(fleet.gpus.max()) for vc, fleet in present.items()},
        jobs=results.iloc[ours].reset_index(drop=True) if before else results,
        excluded=excluded,
        vcs=vcs,
        estimates=table.iloc[ours].reset_index(drop=True) if table is not None and before else table,
        ends=believed.ends,
        placements=vcs.placement_table(everyone) if with_placements else None,
        notes=_notes(vcs.asked, chosen, backfill),
        fleets=present,
        until_s=until_s,
        initial=results.iloc[:before] if before else None,
        reservations=_reservations(everyone, made) if rules.backfill else None,
    )


def _with_initial(part: pd.DataFrame, initial: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The jobs with those that are there at the start before them, and the number of these."""
    first = standing_jobs(taking_part(initial)[0])
    if (first["submit_s"] >= 0).any() or (len(part) and part["submit_s"].iloc[0] < 0):
        raise ScenarioError(
            "Jobs from before the replay must be submitted before second 0, the others later."
        )
    if not len(first):
        return part, 0
    return in_trace_order(pd.concat([first, part], ignore_index=True)), len(first)


def _without(history: pd.DataFrame | None, initial: pd.DataFrame | None) -> pd.DataFrame | None:
    """The history without the jobs that are themselves replayed."""
    if history is None or initial is None:
        return history
    return history[~history["job_id"].isin(initial["job_id"])]


def _rules(
    policy: Policy,
    placement: str,
    backfill: bool,
    believed: Beliefs,
    until_s: float | None,
    half_life_s: float,
    levels_gpu_s: Sequence[float],
) -> Rules:
    levels = np.array(levels_gpu_s, dtype=np.float64)
    if not half_life_s > 0:
        raise ScenarioError(f"The half-life of attained GPU time must be longer than 0 s, not {half_life_s}.")
    if not ((levels > 0).all() and (np.diff(levels) > 0).all()):
        raise ScenarioError("The levels of attained GPU time must be above 0 and ascend.")
    if until_s is not None and np.isnan(until_s):
        raise ScenarioError("The instant at which the replay stops must be a number of seconds.")
    return Rules(
        PLACEMENTS[placement],
        policy.order,
        backfill and not policy.preempts,
        policy.estimates and believed.group is not None,
        np.inf if until_s is None else float(until_s),
        float(half_life_s),
        levels,
    )


def _standing(jobs: pd.DataFrame, policy: Policy, believed_s: NDArray[np.float64]) -> Standing:
    user = np.zeros(len(jobs), dtype=np.int64)
    if policy.order == FAIR_SHARE and "user" in jobs.columns:
        user = pd.factorize(jobs["user"], use_na_sentinel=False)[0].astype(np.int64)
    attained_gpu_s = np.zeros(len(jobs))
    if RAN_S in jobs.columns:
        ran_s = jobs[RAN_S].to_numpy(dtype=float)
        believed_s = believed_left_s(believed_s, ran_s)
        attained_gpu_s = np.nan_to_num(ran_s) * jobs["gpu_num"].to_numpy(dtype=float)
    return Standing(believed_s, user, attained_gpu_s)


def _job_table(jobs: pd.DataFrame, policy: str, made: Schedule, reason: NDArray[np.int8]) -> pd.DataFrame:
    submit_s, gpu_num, duration_s = (
        jobs[name].to_numpy(dtype=float, copy=True) for name in ("submit_s", "gpu_num", "duration_s")
    )
    left_s = np.where(np.isnan(made.end_s), duration_s, 0.0)
    if made.left_s.size:
        left_s = np.where(np.isnan(made.left_s), left_s, made.left_s)
    rejected = np.array(REASONS, dtype=object)[reason] if reason.any() else np.full(len(jobs), None)
    columns: dict[str, Any] = {
        "job_id": jobs["job_id"],
        "vc": jobs["vc"],
        "policy": labels(np.zeros(len(jobs), np.int8), [policy]),
        "submit_s": submit_s,
        "gpu_num": gpu_num,
        "duration_s": duration_s,
        "start_s": made.start_s,
        "end_s": made.end_s,
        "queueing_delay_s": made.waiting_s,
        "preemptions": made.preemptions,
        "rejected": pd.Series(rejected, index=jobs.index, dtype=object),
        "left_s": left_s,
    }
    if "user" in jobs.columns:
        columns["user"] = jobs["user"]
    return pd.DataFrame(columns, index=jobs.index, copy=False)


def _reservations(jobs: pd.DataFrame, made: Schedule) -> pd.DataFrame:
    """What backfill did: job_id, vc, reserved_s (NaN: never held back), backfilled."""
    columns = {"reserved_s": made.reserved_s, "backfilled": made.backfilled}
    return jobs[["job_id", "vc"]].assign(**columns)


def _notes(asked: Requests, policy: Policy, backfill: bool) -> tuple[str, ...]:
    notes = []
    in_part = (asked.gpu_num != np.floor(asked.gpu_num)) & (asked.gpu_num > 1)
    parts = int(in_part[asked.which].sum()) if in_part.any() else 0
    if parts:
        ask, them = ("job asks", "it") if parts == 1 else ("jobs ask", "them")
        notes.append(f"{parts:,} {ask} for some GPUs and part of one; the replay gives {them} whole GPUs.")
    if backfill and policy.preempts:
        notes.append(f"{policy.title} passes over jobs that do not fit, so backfill changes nothing.")
    return tuple(notes)
