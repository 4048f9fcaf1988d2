"""Orders of the queue beside QSSF's: how much of FIFO's waiting each takes away, and where a control wins.

An order's *closed gap* is the share of FIFO's average queueing above that of the perfect order (true GPU
time) which it takes away. It may exceed 1: no order by GPU time is optimal where a blocked head holds up the
queue.
"""

from typing import Any

import pandas as pd

from runs.words import plural

FEWEST_WAITING_S = 1.0
"""VCs whose FIFO average queueing is below this have no gap to close."""

PERFECT = "true_gpu_time"
CONTROLS = ("fifo", "fewest_gpus", "user_mean")
TITLES = {"fifo": "FIFO", "fewest_gpus": "Fewest GPUs first", "user_mean": "The user's mean"}


def averages(ran: dict[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """Average queueing and JCT of each order, with the gap that it closes; the jobs that ran, by order."""
    delay_s = {order: _mean(jobs["queueing_delay_s"]) for order, jobs in ran.items()}
    jct_s = {order: _mean(jobs["end_s"] - jobs["submit_s"]) for order, jobs in ran.items()}
    return [
        {
            "order": order,
            "avg_queueing_delay_s": delay_s[order],
            "avg_jct_s": jct_s[order],
            "closed_gap": closed_gap(delay_s["fifo"], delay_s[order], delay_s[PERFECT]),
        }
        for order in ran
    ]


def _mean(values: "pd.Series[float]") -> float | None:
    return float(values.mean()) if len(values) else None


def closed_gap(fifo_s: float | None, own_s: float | None, perfect_s: float | None) -> float | None:
    """(FIFO − own) ÷ (FIFO − perfect); None where there is no gap."""
    if fifo_s is None or own_s is None or perfect_s is None or fifo_s - perfect_s < FEWEST_WAITING_S:
        return None
    return (fifo_s - own_s) / (fifo_s - perfect_s)


def by_waiting_vc(ran: dict[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """The same of each VC that queues, with the control that beats QSSF there."""
    by_vc = []
    for vc, own in ran["fifo"].groupby("vc", observed=True):
        if own["queueing_delay_s"].mean() >= FEWEST_WAITING_S:
            rows = averages({order: jobs[jobs["vc"] == vc] for order, jobs in ran.items()})
            by_vc.append(
                {"vc": str(vc), "jobs": len(own), "orders": rows, "best_control": best_control(rows)}
            )
    return by_vc


def best_control(rows: list[dict[str, Any]]) -> str | None:
    """The control that beats QSSF in average JCT, the best of them; None where none does."""
    jct_s = {row["order"]: row["avg_jct_s"] for row in rows if row["avg_jct_s"] is not None}
    better = [order for order in CONTROLS if order in jct_s and jct_s[order] < jct_s["qssf"]]
    return min(better, key=lambda order: jct_s[order]) if better else None


def control_notes(schedules: list[dict[str, Any]], by_vc: list[dict[str, Any]]) -> list[str]:
    """Where a control has a shorter average JCT than QSSF."""
    notes = []
    if (winner := best_control(schedules)) is not None:
        notes.append(f"{TITLES[winner]} has a shorter average JCT than QSSF on the whole cluster.")
    for control in CONTROLS:
        won = [row["vc"] for row in by_vc if row["best_control"] == control]
        if won:
            queue = "queues" if len(by_vc) == 1 else "queue"
            where = f"{len(won)} of {plural(len(by_vc), 'VC')} that {queue}: {', '.join(won)}"
            notes.append(f"{TITLES[control]} has a shorter average JCT than QSSF on {where}.")
    return notes
