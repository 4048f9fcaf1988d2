"""What QSSF's estimates are worth in a replay, in sentences and as a table of orders."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from dash import html

from components.numbers import is_unknown, listing, percent
from components.tables import Column, data_table

Worth = Mapping[str, Any]

#: Orders of the queue in the order of the table.
ORDERS = {
    "fifo": "FIFO",
    "fewest_gpus": "Fewest GPUs first",
    "user_mean": "The user's mean × GPUs",
    "qssf": "QSSF",
    "true_gpu_time": "True GPU time, the perfect order",
}
#: Rung → the jobs whose mean an estimate is.
RUNGS = {
    "user_name_gpus": "user, name and GPUs",
    "user_similar_gpus": "user, a similar name and GPUs",
    "user_gpus": "user and GPUs",
    "user": "user",
    "vc_gpus": "VC and GPUs",
    "vc": "VC",
    "everyone": "everyone",
    "none": "nothing known",
}
COLUMNS = (
    Column("order_title", "Order of the queue"),
    Column("cluster", "Cluster"),
    Column("avg_queueing_delay_s", "Average queueing", "duration"),
    Column("avg_jct_s", "Average JCT", "duration"),
    Column("closed_gap", "Gap closed", "share_if_any"),
)


def rows(worth: Sequence[Worth]) -> pd.DataFrame:
    """A row per cluster and order."""
    made = []
    for entry in worth:
        by_order = {row["order"]: row for row in entry["orders"]}
        for order, title in ORDERS.items():
            if order in by_order:
                row = by_order[order]
                made.append({"order_title": title, "cluster": entry["cluster"], **row})
    return pd.DataFrame(made)


def sentences(entry: Worth) -> list[str]:
    """What a cluster's estimates are worth: the gap they close, how well they rank, which control wins."""
    ran = any(not is_unknown(row["avg_jct_s"]) for row in entry["orders"])
    return [*_gap(entry), *(_ranking(entry) if ran else []), *entry["notes"]]


def _gap(entry: Worth) -> list[str]:
    own = next(row for row in entry["orders"] if row["order"] == "qssf")
    if is_unknown(own["avg_jct_s"]):
        return ["In this cluster no job ran."]
    if is_unknown(own["closed_gap"]):
        return ["True GPU time does not wait less than FIFO here, so there is no gap to close."]
    if own["closed_gap"] < 0:
        share = percent(-own["closed_gap"], 0)
        return [f"QSSF widens the gap in average queueing between FIFO and true GPU time by {share}."]
    share = percent(own["closed_gap"], 0)
    return [f"QSSF closes {share} of the gap in average queueing between FIFO and true GPU time."]


def _ranking(entry: Worth) -> list[str]:
    ranked, within = entry["rank_correlation"], entry["rank_correlation_within_gpus"]
    noticed = [each for each in entry["rungs"] if each["share"] >= 0.005]
    rungs = sorted(noticed, key=lambda each: -each["share"])[:3]
    said = listing([f"{RUNGS.get(each['rung'], each['rung'])} {percent(each['share'], 0)}" for each in rungs])
    parts = [f"rank correlation with true GPU time {ranked:.2f}"] if ranked is not None else []
    parts += [f"{within:.2f} with true durations at equal GPU counts"] if within is not None else []
    text = f"Estimates: {listing(parts)}; " if parts else "Estimates: too few jobs to rank; "
    return [f"{text}made of the mean of jobs of the same {said}."]


def table(worth: Sequence[Worth], found: pd.DataFrame) -> html.Div:
    """The sentences of each cluster, and the table."""
    several = len(worth) > 1
    said = [
        html.Li([html.B(f"{entry['cluster']}: ") if several else None, " ".join(sentences(entry))])
        for entry in worth
    ]
    columns = [column for column in COLUMNS if several or column.name != "cluster"]
    return html.Div([html.Ul(said, className="result-notes"), data_table(found, columns)])
