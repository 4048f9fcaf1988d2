"""What sleeping nodes gave and cost over a window: the result keys of an energy run."""

import numpy as np

from energy.accuracy import average
from energy.ces import START_SLOTS
from energy.demand import SLOTS_PER_DAY, Values

Figures = dict[str, float | None]


def outcome(used: Values, total: Values, awake: Values, asleep: Values, lack: Values) -> Figures:
    """The figures of a window, from its slots (nodes; NaN where unknown). Unknown figures are None.

    Means are over the slots in which used and total are known, and mean utilizations over those of them in
    which the divisor is not 0. A wake-up is a slot in which awake rises, a change one in which it rises or
    falls, both after the first 6 slots, in which the rule only finds its level. Rates are per day of the
    window.
    """
    known = ~np.isnan(used) & ~np.isnan(total)
    step = np.diff(awake)[START_SLOTS - 1 :]
    woken = step[step > 0]
    days = len(used) / SLOTS_PER_DAY
    lacking = lack[lack > 0]
    return {
        "slots": len(used),
        "slots_missing": int(np.isnan(used).sum()),
        "mean_total_nodes": average(total[known]),
        "mean_used_nodes": average(used[known]),
        "mean_awake_nodes": average(awake[known]),
        "mean_sleeping_nodes": average(asleep[known]),
        "wake_ups_per_day": woken.size / days,
        "nodes_per_wake_up": average(woken),
        "changes_per_day": int((step != 0).sum()) / days,
        "node_utilization_before": _utilization(used[known], total[known]),
        "node_utilization_after": _utilization(used[known], awake[known]),
        "lack_events": int(lacking.size),
        "lacking_nodes": float(lacking.sum()),
    }


def lack_nodes(used: Values, awake_at_beginning: Values) -> Values:
    """Nodes lacking by slot before any correction: max(0, used − awake at its beginning); NaN with used."""
    return np.maximum(used - awake_at_beginning, 0.0)


def _utilization(used: Values, nodes: Values) -> float | None:
    present = nodes > 0
    return average(used[present] / nodes[present])
