"""Nodes in use as a trace recorded its jobs: from the nodes each job ran on, or from how many it had.

Both give a step function for `energy.demand.slots_from_steps`: columns ``time_s, used_nodes``, ascending in
time; times are seconds since the same instant as the jobs'.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from energy.demand import Values


def steps_from_placements(start_s: Values, end_s: Values, nodes: Sequence[Sequence[str]]) -> pd.DataFrame:
    """The number of distinct nodes on which at least one job runs, job by job on ``nodes``.

    A node that several jobs share counts once. Jobs without a positive length use nothing.
    """
    jobs = pd.DataFrame({"start": start_s, "end": end_s, "node": list(nodes)})
    rows = jobs[jobs["end"] > jobs["start"]].explode("node").dropna().sort_values(["node", "start"])
    rows = rows.astype({"start": float, "end": float})
    in_use_until = rows.groupby("node")["end"].cummax().groupby(rows["node"]).shift(fill_value=-np.inf)
    busy = (rows["start"] > in_use_until).cumsum()
    spells = rows.groupby(busy).agg(start=("start", "min"), end=("end", "max"))
    return _steps(spells["start"].to_numpy(), spells["end"].to_numpy(), np.ones(len(spells)))


def steps_from_node_counts(
    start_s: Values, end_s: Values, node_counts: Values, total_nodes: float
) -> pd.DataFrame:
    """The sum of the running jobs' node counts, at most ``total_nodes`` (NaN where that is unknown).

    It is an upper bound: a node that several small jobs share counts once for each of them.
    """
    lasting = end_s > start_s
    steps = _steps(start_s[lasting], end_s[lasting], node_counts[lasting])
    return steps.assign(used_nodes=np.fmin(steps["used_nodes"], total_nodes))


def _steps(start_s: Values, end_s: Values, nodes: Values) -> pd.DataFrame:
    changes = pd.DataFrame({"time_s": np.r_[start_s, end_s], "change": np.r_[nodes, -nodes]})
    level = changes.groupby("time_s")["change"].sum().cumsum()
    return level.rename("used_nodes").reset_index()
