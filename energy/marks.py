"""The marks of a demand, slot by slot, as a list of spans that a person can read and overrule."""

from typing import Any

import numpy as np
import pandas as pd

from energy.demand import SLOT


def mark_spans(slots: pd.DataFrame) -> list[dict[str, Any]]:
    """One entry per run of slots with the same mark, in the order of time, ready for JSON.

    ``slots``: as `energy.outages.mark_outages` gives them. Keys: ``reason``; ``from`` and ``to`` (UTC, ISO
    8601); ``slots``; ``kept``: whether the operator lifted the mark; ``recorded_mean_nodes``: mean of what
    was recorded in it, None of nothing. Gaps that are no longer than the series' usual step are its rhythm,
    and no marks.
    """
    lifted = slots["kept"].notna()
    reason = slots["missing"].where(slots["missing"].notna(), slots["kept"])
    runs = ((reason != reason.shift()) | (lifted != lifted.shift())).cumsum()[reason.notna()]
    rhythm = _usual_step_slots(slots)
    spans = []
    for rows in runs.groupby(runs).groups.values():
        run = slots.loc[rows]
        if reason[rows[0]] == "gap" and len(run) < rhythm:
            continue
        recorded = run["recorded"].mean()
        spans.append(
            {
                "reason": str(reason[rows[0]]),
                "from": f"{run['time'].iloc[0].isoformat()}Z",
                "to": f"{(run['time'].iloc[-1] + SLOT).isoformat()}Z",
                "slots": len(run),
                "kept": bool(lifted[rows[0]]),
                "recorded_mean_nodes": None if pd.isna(recorded) else float(recorded),
            }
        )
    return spans


def _usual_step_slots(slots: pd.DataFrame) -> float:
    """The median distance of slots that were recorded: 6 in an hourly series."""
    recorded = np.flatnonzero(slots["missing"].ne("gap").to_numpy())
    return float(np.median(np.diff(recorded))) if recorded.size > 1 else 1.0
