"""How far to trust a replay: the recorded schedule, the order of ties, and where estimates come from."""

from collections.abc import Mapping
from typing import Any

from components.numbers import count, duration, inflected, is_unknown, listing, percent, plural

#: Stands for all VCs of a cluster.
ALL = "*"
Document = Mapping[str, Any]


def notes(document: Document, own: Mapping[str, Any]) -> list[str]:
    """The sentences of a result; ``own`` is the total row of the policy in question."""
    told = [recorded] if (recorded := recorded_sentence(document)) else []
    told += [ties] if (ties := tie_sentence(own)) else []
    if own["policy"] == "qssf":
        estimates = document["scenario"].get("estimates") or {}
        told += estimate_sentences(estimates)
    return told


def recorded_sentence(document: Document) -> str:
    """How far simulated FIFO is from the record, over all clusters; empty where there is none."""
    rows = [row for row in recorded_rows(document) if row["vc"] == ALL]
    jobs = sum(row["jobs"] for row in rows)
    if not jobs:
        return ""

    def mean(name: str) -> float:
        return float(sum(row["jobs"] * row[name] for row in rows) / jobs)

    return (
        f"Recorded: the same {plural(jobs, 'job')} waited "
        f"{duration(mean('recorded_avg_queueing_delay_s'))} on average. Simulated FIFO says "
        f"{duration(mean('fifo_avg_queueing_delay_s'))}, and is off by "
        f"{duration(mean('mean_absolute_difference_s'))} for a single job on average; "
        f"{percent(mean('within_60_s'), 0)} are within a minute."
    )


def tie_sentence(own: Mapping[str, Any]) -> str:
    """How far the averages move when jobs of the same second go in reverse order; empty if not replayed."""
    intervals = own.get("tie_interval") or {}
    parts = [
        f"{name} {duration(low)} to {duration(high)}"
        for key, name in (("avg_jct_s", "average JCT"), ("avg_queueing_delay_s", "average queueing"))
        for low, high in [intervals.get(key) or (None, None)]
        if not is_unknown(low) and high - low >= 0.5
    ]
    if parts:
        return f"Ties: the order of jobs submitted in the same second moves {listing(parts)}."
    return "Ties: the order of jobs submitted in the same second changes no average." if intervals else ""


def estimate_sentences(estimates: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Which estimates QSSF used: the model's version and what it was trained on; alike clusters together."""
    alike: dict[tuple[Any, ...], list[str]] = {}
    for cluster, each in estimates.items():
        same = tuple(each.get(name) for name in ("version", "estimator", "trained_until", "ends"))
        alike.setdefault(same, []).append(cluster)
    return [
        _estimates(clusters, estimates[clusters[0]], [estimates[each]["jobs"] for each in clusters])
        for clusters in alike.values()
    ]


def _estimates(clusters: list[str], described: Mapping[str, Any], jobs: list[int]) -> str:
    where = listing(clusters)
    ends = f"jobs count once they had ended, by their {described['ends']} ends"
    if described.get("version") is None:
        return (
            f"QSSF's estimates in {where}: rolling means made in this run, no model had been fitted before "
            f"this window; {ends}."
        )
    until = str(described["trained_until"]).replace("T", " ")[:16]
    learned = f"{listing([count(each) for each in jobs])} {inflected(sum(jobs), 'job')}"
    return (
        f"QSSF's estimates in {where}: {described['estimator']}, version {described['version']}, trained "
        f"until {until} UTC on {learned}; {ends}."
    )


def recorded_rows(document: Document) -> list[dict[str, Any]]:
    """The recorded schedule beside simulated FIFO, flat: one row per cluster and VC."""
    baseline = document.get("baseline") or {"rows": []}
    flat = []
    for row in baseline["rows"]:
        label = f"all of {row['cluster']}" if row["vc"] == ALL else str(row["vc"])
        names = {"label": label, "cluster": row["cluster"], "vc": row["vc"], "jobs": row["jobs"]}
        flat.append(names | _numbers(row))
    return flat


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    made = {}
    for schedule in ("recorded", "fifo"):
        for name, value in row[schedule].items():
            made[f"{schedule}_{name}"] = value
    return made | dict(row["distance"])
