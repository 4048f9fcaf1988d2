"""What QSSF's estimates are worth in a replay: beside controls and the perfect order, and by themselves."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import scheduling
from runs import beliefs
from runs.models import Used
from runs.orders import PERFECT, averages, by_waiting_vc, control_notes
from runs.scenario import SchedulingScenario
from runs.window import Window
from runs.workload import Workload, until_s
from scheduling.estimates import Estimator, accuracy, controls

ORDERS = {"fifo": "fifo", "fewest_gpus": "smallest", "qssf": "qssf", PERFECT: "gputime"}
"""Order → the policy that goes by it. The user's mean is no policy: QSSF replays it with other estimates."""


def worth(
    settings: SchedulingScenario,
    manifest: Mapping[str, Any],
    span: Window,
    replayed: Mapping[str, tuple[Workload, Mapping[str, scheduling.Outcome]]],
) -> list[dict[str, Any]]:
    """One entry per cluster whose jobs were replayed under QSSF (docs/reference/command.md, ``worth``).

    ``replayed`` are workload and outcomes by policy of each cluster; orders that are not among them are
    replayed here, under the same rules.
    """
    made = []
    for cluster, (work, outcomes) in replayed.items():
        if "qssf" in outcomes:
            facts = manifest["clusters"][cluster]
            made.append(_cluster(settings, facts, span, work, outcomes))
    return made


def _cluster(
    settings: SchedulingScenario,
    facts: Mapping[str, Any],
    span: Window,
    work: Workload,
    outcomes: Mapping[str, scheduling.Outcome],
) -> dict[str, Any]:
    rules: dict[str, Any] = {"placement": settings.placement, "backfill": settings.backfill}
    stop_s = until_s(settings, span)
    ran = {
        order: outcomes[policy] if policy in outcomes else work.replay(policy, until_s=stop_s, **rules)
        for order, policy in ORDERS.items()
    }
    if facts["has_user"]:
        by_mean = _by_user_mean(settings, facts, span, work)
        ran["user_mean"] = by_mean.replay("qssf", until_s=stop_s, **rules)
    ended = {order: _ended(outcome.jobs) for order, outcome in ran.items()}
    orders, by_vc = averages(ended), by_waiting_vc(ended)
    return {
        "cluster": work.cluster,
        "orders": orders,
        "vcs": by_vc,
        "notes": control_notes(orders, by_vc),
        **_by_themselves(ran["qssf"]),
    }


def _ended(jobs: pd.DataFrame) -> pd.DataFrame:
    return jobs[jobs["rejected"].isna() & jobs["end_s"].notna()]


def _by_themselves(outcome: scheduling.Outcome) -> dict[str, Any]:
    """Rank correlations of the estimates with what was true, and which rungs they came from."""
    assert outcome.estimates is not None
    expected_s = outcome.estimates["estimated_duration_s"].to_numpy(dtype=float)
    true_s, gpus = (outcome.jobs[name].to_numpy(dtype=float) for name in ("duration_s", "gpu_num"))
    known = ~np.isnan(expected_s)
    found = accuracy.accuracy(expected_s[known], true_s[known], gpus[known])
    share = outcome.estimates["rung"].value_counts(normalize=True, sort=False)
    return {
        "rank_correlation": found["rank_correlation"],
        "rank_correlation_within_gpus": found["rank_correlation_within_gpus"],
        "rungs": [{"rung": str(rung), "share": float(each)} for rung, each in share.items() if each > 0],
    }


def _by_user_mean(
    settings: SchedulingScenario, facts: Mapping[str, Any], span: Window, work: Workload
) -> Workload:
    """The workload whose estimates are the mean durations of each user's jobs, as of the submission."""
    most = {vc: quota.most for vc, quota in work.quotas.items()}
    before = beliefs.past(settings.trace, work.cluster, dict(facts), span, fallback=most)
    mean_s = controls.user_mean(before.known(Estimator()), Estimator().rolling.prior_s)
    table = {"row": before.jobs["row"].to_numpy(), "rolling_s": mean_s, "rung": 0, "boosted_s": np.nan}
    same = {each.name: getattr(work, each.name) for each in fields(work)}
    return _UserMean(**(same | {"believed": Used(pd.DataFrame(table), {})}))


class _UserMean(Workload):
    """A workload that QSSF orders by estimate × GPUs alone: a control has no guard."""

    def _estimated(self, jobs: pd.DataFrame, used: Used) -> pd.DataFrame:
        made = super()._estimated(jobs, used)
        gpus: NDArray[np.float64] = np.nan_to_num(jobs["gpu_num"].to_numpy(dtype=float, na_value=np.nan))
        return made.assign(priority=made["estimated_duration_s"].to_numpy(dtype=float) * gpus)
