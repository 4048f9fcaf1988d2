"""Why the jobs of a replay waited, and behind whom.

At every instant at which a job waits, exactly one thing keeps it from starting, found from the free GPUs on
each node of its VC between the job's submission (or the replay's start) and its start:

- *capacity*: fewer GPUs are free in the VC than the job asks for, wherever they are. Free are whole GPUs that
  nobody uses, on nodes that take jobs and suit the job's GPU type; for a job that asks for a part of one also
  what is left of shared GPUs;
- *fragmentation*: enough are free, and the placement refuses them: they are on the wrong nodes;
- *head of line*: it could be placed now, and waits because the job at the head of the queue cannot. With
  backfill: because it would delay the head, as far as estimates tell.

The time of each adds up to the job's queueing delay. Behind whom: a job that waits for capacity or for want
of GPUs on the right nodes waits behind the jobs that hold GPUs of its VC (on nodes that suit it), behind each
in proportion to the GPUs that it holds at that instant; a job that waits for the head waits behind the head.
While nobody holds a GPU (the VC has too few nodes) a job waits behind nobody.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.attributed import Attributed
from scheduling.attribution import Asked, Past, attribute
from scheduling.errors import ScenarioError
from scheduling.outcome import Outcome
from scheduling.placement import room_for_placements
from scheduling.policies import policy_named
from scheduling.virtual_clusters import Vc, VirtualClusters

MOST_USERS = 500
"""So many users of a VC are told apart, those with the most GPU time; the others are :data:`OTHERS`."""
OTHERS = "other users"


@dataclass(frozen=True)
class Waiting:
    """Why jobs waited, and behind whom. Seconds.

    - ``causes``: a row per row of ``Outcome.jobs``, with its index: job_id, vc, user (where users are known),
      waited_s (the queueing delay; of a job that had not started when the replay stopped, until then),
      capacity_s, fragmentation_s and head_of_line_s, which add up to it. NaN for a rejected job.
    - ``blockers``: waiting_user, blocking_user (None where unknown), waited_s (summed over the waiting user's
      jobs), and head_of_line_s, the part of it behind a head of the queue; the most first.
    - ``blocking_jobs``: the jobs behind which others waited, the most first: job_id, vc, user, gpu_num,
      submit_s, start_s, duration_s, waited_s and head_of_line_s (while it was itself the head).
    """

    causes: pd.DataFrame
    blockers: pd.DataFrame
    blocking_jobs: pd.DataFrame


def explained(outcome: Outcome, chosen: NDArray[np.bool_] | None = None) -> Waiting:
    """Why the jobs of a replay waited, and behind whom.

    ``chosen``: for each row of ``outcome.jobs`` whether its wait counts in ``blockers`` and
    ``blocking_jobs``; all of them unless said. Jobs from before the replay may be waited behind, and their
    own waits do not count. Raises ScenarioError for a policy that preempts.
    """
    policy, vcs = policy_named(outcome.policy), outcome.vcs
    if policy.preempts:
        raise ScenarioError(
            f"{policy.title} stops jobs and starts them again, so a wait has no one cause; "
            "choose a policy that does not preempt."
        )
    jobs = outcome.jobs if outcome.initial is None else pd.concat([outcome.initial, outcome.jobs])
    before = len(jobs) - len(outcome.jobs)
    counts = np.ones(len(outcome.jobs), dtype=np.bool_) if chosen is None else np.asarray(chosen, dtype=bool)
    counts = np.r_[np.zeros(before, dtype=np.bool_), counts]
    user, names = _numbered_users(jobs)
    until_s = np.inf if outcome.until_s is None else float(outcome.until_s)
    times = _Times.of(jobs, vcs, until_s)
    walks = [_Walk.of(vcs, vc, times, user, len(names), counts) for vc in vcs.vcs]
    causes = _causes(jobs, times.waited_s, walks).iloc[before:].set_axis(outcome.jobs.index)
    return Waiting(causes, _blockers(walks, names), _blocking_jobs(jobs, walks))


@dataclass(frozen=True)
class _Times:
    """When each job joined its queue, started and ended as a walk wants it, and for how long it waited."""

    submit_s: NDArray[np.float64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    waited_s: NDArray[np.float64]

    @classmethod
    def of(cls, jobs: pd.DataFrame, vcs: VirtualClusters, until_s: float) -> "_Times":
        start_s, end_s = (jobs[name].to_numpy(dtype=float) for name in ("start_s", "end_s"))
        waited_s = jobs["queueing_delay_s"].to_numpy(dtype=float, copy=True)
        rejected = jobs["rejected"].notna().to_numpy()
        left = np.isnan(start_s) & ~rejected & (vcs.submit_s <= until_s)
        waited_s[left] = until_s - vcs.submit_s[left]
        start_s = np.where(rejected, -np.inf, np.where(np.isnan(start_s), np.inf, start_s))
        return cls(vcs.submit_s, start_s, np.where(np.isnan(end_s), np.inf, end_s), waited_s)


@dataclass(frozen=True)
class _Walk:
    """What a walk made of one VC; ``users`` are the numbers of its users among all."""

    vc: Vc
    users: NDArray[np.int64]
    made: Attributed

    @classmethod
    def of(
        cls,
        vcs: VirtualClusters,
        vc: Vc,
        times: _Times,
        user: NDArray[np.int64],
        others: int,
        counts: NDArray[np.bool_],
    ) -> "_Walk":
        rows, fleet = vc.rows, vcs.fleets[vc.number]
        assert fleet is not None
        present, request = np.unique(vcs.asked.which[rows], return_inverse=True)
        asked = Asked(request.astype(np.int64), vcs.asked.gpus[present], vcs.asked.job_class[present])
        gpu_s = vcs.duration_s[rows] * vcs.asked.gpu_num[vcs.asked.which[rows]]
        own_user, users = _largest_users(user[rows], gpu_s, others)
        submit_s, start_s, end_s = times.submit_s[rows], times.start_s[rows], times.end_s[rows]
        started = np.flatnonzero(np.isfinite(start_s))
        held = started[(end_s[started] > start_s[started]) & np.isfinite(end_s[started])]
        past = Past(
            vc.steps.time_s,
            vc.steps.head,
            submit_s,
            start_s,
            end_s,
            started[np.argsort(start_s[started], kind="stable")],
            held[np.argsort(end_s[held], kind="stable")],
        )
        nodes = vcs.nodes_at_first(vc.number, rows)
        room = room_for_placements(asked.gpus, nodes.size.size, vcs.asked.share_milli[present])
        rule, changes = vcs.setting.rules.placement, fleet.changes()
        made = attribute(
            past, asked, own_user, users.size, counts[rows], nodes, changes, vc.placed, room, rule
        )
        return cls(vc, users, made)


def _numbered_users(jobs: pd.DataFrame) -> tuple[NDArray[np.int64], list[Any]]:
    """The number of each job's user, and their names by number, None for the unknown one."""
    if "user" not in jobs.columns:
        return np.zeros(len(jobs), dtype=np.int64), [None]
    number, names = pd.factorize(jobs["user"])
    unknown = len(names)
    return np.where(number < 0, unknown, number).astype(np.int64), [*names, None]


def _largest_users(
    user: NDArray[np.int64], gpu_s: NDArray[np.float64], others: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The users of a VC numbered anew, and their numbers among all; where there are very many, those with
    little GPU time have one number, ``others`` among all."""
    users, own = np.unique(user, return_inverse=True)
    if users.size <= MOST_USERS:
        return own.astype(np.int64), users.astype(np.int64)
    order = np.argsort(-np.bincount(own, weights=gpu_s), kind="stable")
    place = np.empty(users.size, dtype=np.int64)
    place[order] = np.minimum(np.arange(users.size), MOST_USERS)
    return place[own], np.append(users[order[:MOST_USERS]], others).astype(np.int64)


def _causes(jobs: pd.DataFrame, waited_s: NDArray[np.float64], walks: list[_Walk]) -> pd.DataFrame:
    capacity_s, fragmentation_s = np.zeros(len(jobs)), np.zeros(len(jobs))
    for walk in walks:
        capacity_s[walk.vc.rows] = walk.made.capacity_s
        fragmentation_s[walk.vc.rows] = walk.made.fragmentation_s
    # The parts are differences of sums over the whole replay; what rounding adds is cut off.
    capacity_s = np.clip(capacity_s, 0.0, waited_s)
    fragmentation_s = np.clip(fragmentation_s, 0.0, waited_s - capacity_s)
    columns = [name for name in ("job_id", "vc", "user") if name in jobs.columns]
    return jobs[columns].assign(
        waited_s=waited_s,
        capacity_s=capacity_s,
        fragmentation_s=fragmentation_s,
        head_of_line_s=waited_s - capacity_s - fragmentation_s,
    )


def _blockers(walks: list[_Walk], names: list[Any]) -> pd.DataFrame:
    """Sums of waits by waiting and blocking user, all VCs together."""
    waiting, blocking = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    waited_s, head_s = [np.zeros(0)], [np.zeros(0)]
    for walk in walks:
        whole_s = walk.made.behind_user_s + walk.made.behind_head_s
        by, behind = np.nonzero(whole_s)
        blocking.append(walk.users[by])
        waiting.append(walk.users[behind])
        waited_s.append(whole_s[by, behind])
        head_s.append(walk.made.behind_head_s[by, behind])
    count = len(names) + 1
    pairs = np.concatenate(waiting) * count + np.concatenate(blocking)
    pair, own = np.unique(pairs, return_inverse=True)
    total_s = np.bincount(own, weights=np.concatenate(waited_s), minlength=pair.size)
    total_head_s = np.bincount(own, weights=np.concatenate(head_s), minlength=pair.size)
    order = np.argsort(-total_s, kind="stable")
    shown = np.array([*names, OTHERS], dtype=object)
    return pd.DataFrame(
        {
            "waiting_user": pd.Series(shown[(pair // count)[order]], dtype=object),
            "blocking_user": pd.Series(shown[(pair % count)[order]], dtype=object),
            "waited_s": total_s[order],
            "head_of_line_s": total_head_s[order],
        }
    )


def _blocking_jobs(jobs: pd.DataFrame, walks: list[_Walk]) -> pd.DataFrame:
    waited_s, head_s = np.zeros(len(jobs)), np.zeros(len(jobs))
    for walk in walks:
        waited_s[walk.vc.rows] = walk.made.behind_job_s + walk.made.behind_head_job_s
        head_s[walk.vc.rows] = walk.made.behind_head_job_s
    blocking = np.flatnonzero(waited_s > 0)
    blocking = blocking[np.argsort(-waited_s[blocking], kind="stable")]
    facts = ("job_id", "vc", "user", "gpu_num", "submit_s", "start_s", "duration_s")
    table = jobs[[name for name in facts if name in jobs.columns]].iloc[blocking].reset_index(drop=True)
    return table.assign(waited_s=waited_s[blocking], head_of_line_s=head_s[blocking])
