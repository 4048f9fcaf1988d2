"""What a replay's result says: the policy in question against FIFO, as one sentence and as cards.

``document`` is the result of a scheduling run: ``scenario``, ``results`` (a row per policy, cluster and VC;
VC ``*`` stands for all), ``notes``. ``jobs`` is its table of jobs, one row per policy and job.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from dash import html

from components import replay_trust
from components.cards import result_card
from components.numbers import NBSP, count, duration, inflected, is_unknown, listing, percent, plural
from components.policies import POLICY_TITLES, policy_label

ALL = "*"
BASELINE = "fifo"
#: Policies in the order in which they are the one in question.
IN_QUESTION = ("qssf", "sjf", "srtf", "smallest", "gputime", "fairshare", "srsf", "las", "priority")
#: Plain orders of the queue, stopping no job, that a prediction has to beat.
CONTROLS = {"smallest": "Fewest GPUs first", "fairshare": "Fair share"}
#: A ratio of averages closer to 1 than this is no difference.
SAME = 0.005
EXCLUSIONS = {
    "cpu": "without GPUs",
    "no_duration": "of unknown duration",
    "no_gpu_num": "of unknown GPU count",
}

Document = Mapping[str, Any]


def totals(document: Document) -> dict[str, dict[str, Any]]:
    """The row of all VCs (of all clusters) of each policy."""
    rows = [row for row in document["results"] if row["vc"] == ALL]
    several = any(row["cluster"] == ALL for row in rows)
    return {row["policy"]: row for row in rows if row["cluster"] == ALL or not several}


def policies(document: Document) -> list[str]:
    """The policies that were replayed, in their order."""
    return list(totals(document))


def policy_in_question(policies: list[str]) -> str:
    """The policy that the result is about: QSSF where it was replayed, else the first that is not FIFO."""
    return next((policy for policy in IN_QUESTION if policy in policies), policies[0])


def by_vc(document: Document) -> pd.DataFrame:
    """The result rows of single VCs; ``label`` names the VC, and its cluster where there are several."""
    rows = pd.json_normalize([row for row in document["results"] if row["vc"] != ALL], sep="_")
    if rows.empty:
        return pd.DataFrame(columns=["policy", "cluster", "vc", "label", "avg_jct_s", "avg_queueing_delay_s"])
    several = rows["cluster"].nunique() > 1
    rows["label"] = rows["vc"] + " · " + rows["cluster"] if several else rows["vc"]
    numbers = ["avg_jct_s", "avg_queueing_delay_s", "p95_queueing_delay_s", "gpu_utilization", "makespan_s"]
    return rows.astype(dict.fromkeys(numbers, float))


def largest_vcs(rows: pd.DataFrame, value: str, most: int) -> pd.DataFrame:
    """The rows of the ``most`` VCs whose ``value`` is largest under FIFO (else the first policy)."""
    policies = list(dict.fromkeys(rows["policy"]))
    base = BASELINE if BASELINE in policies else policies[0] if policies else BASELINE
    own = rows[(rows["policy"] == base) & rows[value].notna()].sort_values(
        value, ascending=False, kind="stable"
    )
    order = {label: place for place, label in enumerate(own["label"].head(most))}
    kept = rows[rows["label"].isin(order)]
    return (
        kept.assign(_place=kept["label"].map(order))
        .sort_values("_place", kind="stable")
        .drop(columns="_place")
    )


def gain_by_vc(document: Document, policy: str) -> pd.Series:
    """Seconds of completion time that ``policy`` saves against FIFO, over the jobs of each VC (by label)."""
    rows = by_vc(document)
    if rows.empty:
        return pd.Series(dtype=float)
    ran = (rows["jobs"] - rows["rejected_jobs"]).astype(float)
    spent = (rows["avg_jct_s"] * ran).fillna(0.0)
    sums = spent.groupby([rows["policy"], rows["label"]]).sum()
    return (sums[BASELINE] - sums[policy]).sort_values(ascending=False)


def worse_off(jobs: pd.DataFrame, policy: str) -> tuple[int, float] | None:
    """How many jobs wait at least a second longer than under FIFO, and the longest added wait in s.

    None where the two policies did not replay the same jobs.
    """
    base, own = (jobs[jobs["policy"] == each] for each in (BASELINE, policy))
    if len(base) != len(own) or (base["job_id"].to_numpy() != own["job_id"].to_numpy()).any():
        return None
    added_s = own["queueing_delay_s"].to_numpy(float) - base["queueing_delay_s"].to_numpy(float)
    longer = added_s[np.nan_to_num(added_s) >= 1]
    return len(longer), float(longer.max()) if len(longer) else 0.0


def rejections(jobs: pd.DataFrame) -> pd.Series:
    """Rejected jobs by reason, of one policy (all reject the same ones), most first."""
    first = jobs[jobs["policy"] == jobs["policy"].iloc[0]] if len(jobs) else jobs
    return first["rejected"].dropna().value_counts()


def sentence(document: Document, jobs: pd.DataFrame) -> str:
    """What the replay shows, in one sentence or two."""
    rows = totals(document)
    policy = policy_in_question(list(rows))
    own, base = rows[policy], rows.get(BASELINE)
    if own["avg_jct_s"] is None:
        return "No job could be replayed; the notes below say why."
    if base is None or policy == BASELINE:
        waits = inflected(own["queued_jobs"], "waits", "wait")
        waited = f"{count(own['queued_jobs'])} of {plural(own['jobs'] - own['rejected_jobs'], 'job')} {waits}"
        return (
            f"Under {policy_label(policy)} a job completes after {duration(own['avg_jct_s'])} on average, "
            f"{duration(own['avg_queueing_delay_s'])} of which it waits; {waited}."
        )
    said = f"{_compared(document, policy, own, base)}.", control_sentence(rows), _harm(jobs, policy)
    return " ".join(part for part in said if part)


def _compared(document: Document, policy: str, own: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    ratio = base["avg_jct_s"] / own["avg_jct_s"] if own["avg_jct_s"] else 1.0
    if abs(ratio - 1) < SAME:
        same = duration(base["avg_jct_s"])
        return f"{policy_label(policy)} would have left the average job completion time at {same}"
    verb = "cut" if ratio > 1 else "raised"
    change = f"from {duration(base['avg_jct_s'])} under FIFO to {duration(own['avg_jct_s'])}"
    text = f"{policy_label(policy)} would have {verb} the average job completion time {change}"
    gains = gain_by_vc(document, policy)
    if ratio > 1 and len(gains) > 1 and gains.sum() > 0:
        share = min(gains.iloc[0] / gains.sum(), 1.0)
        text += f", and {percent(share, 0)} of that comes from virtual cluster {gains.index[0]}"
    return text


def control_sentence(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Whether a plain order of the queue does as well as QSSF's predictions; empty where none was "
    "replayed."""
    own = rows.get("qssf", {}).get("avg_jct_s")
    known = {name: rows[name]["avg_jct_s"] for name in CONTROLS if name in rows}
    known = {name: value for name, value in known.items() if not is_unknown(value)}
    if is_unknown(own) or not known:
        return ""
    best = min(known, key=lambda name: known[name])
    if own < known[best] * (1 - SAME):
        return f"QSSF's predictions are worth it: {CONTROLS[best]} gives {duration(known[best])}."
    if known[best] < own * (1 - SAME):
        return f"{CONTROLS[best]}, which predicts nothing, does better: {duration(known[best])}."
    return f"{CONTROLS[best]}, which predicts nothing, does as well."


def _harm(jobs: pd.DataFrame, policy: str) -> str:
    worse = worse_off(jobs, policy)
    if worse is None:
        return ""
    number, longest_s = worse
    if not number:
        return "No job waits longer than under FIFO."
    verb = inflected(number, "waits", "wait")
    return f"{plural(number, 'job')} {verb} longer than under FIFO, one of them by {duration(longest_s)}."


def replay_cards(document: Document, jobs: pd.DataFrame) -> list[html.Div]:
    """The result cards: JCT, queueing, jobs that waited, worse off, rejected."""
    rows = totals(document)
    policy = policy_in_question(list(rows))
    own, base = rows[policy], rows.get(BASELINE) if policy != BASELINE else None
    return [
        _average_card(f"Average JCT · {policy_label(policy)}", "avg_jct_s", own, base),
        _average_card(f"Avg. queueing · {policy_label(policy)}", "avg_queueing_delay_s", own, base),
        _waited_card(policy, own, base),
        *([] if base is None else [_worse_card(jobs, policy)]),
        _rejected_card(own, jobs),
    ]


def _average_card(label: str, key: str, own: Mapping[str, Any], base: Mapping[str, Any] | None) -> html.Div:
    value = own[key]
    if base is None or is_unknown(value) or is_unknown(base[key]):
        return result_card(
            label, duration(value), detail="" if is_unknown(value) else "nothing to compare with"
        )
    return result_card(label, duration(value), **change(base[key], value))


def change(before: float, after: float) -> dict[str, Any]:
    """Detail, tone and arrow of a card whose number should be small: 5.6 × shorter, − 42 %, unchanged."""
    if before == after or (before > 0 and abs(after / before - 1) < SAME):
        return {"detail": f"as under FIFO, {duration(before)}"}
    falls = after < before
    tone = {"tone": "good" if falls else "bad", "arrow": "down" if falls else "up"}
    if falls and after > 0 and before / after >= 2:
        return {"detail": f"{before / after:.1f} × shorter · FIFO {duration(before)}", **tone}
    if before <= 0:
        return {"detail": f"FIFO {duration(before)}", **tone}
    return {"detail": f"{signed_percent(after / before - 1)} · FIFO {duration(before)}", **tone}


def signed_percent(ratio: float) -> str:
    """A relative change: + 12 %, − 0.4 %."""
    size, sign = 100 * abs(ratio), "+" if ratio >= 0 else "−"
    return f"{sign}{NBSP}{size:,.{0 if size >= 1 else 1}f}{NBSP}%"


def _waited_card(policy: str, own: Mapping[str, Any], base: Mapping[str, Any] | None) -> html.Div:
    label, value = f"Waited · {policy_label(policy)}", own["queued_jobs"]
    unit = f"of {count(own['jobs'] - own['rejected_jobs'])}"
    if base is None:
        return result_card(label, count(value), unit, detail="waited a second or more")
    before = base["queued_jobs"]
    if value == before:
        return result_card(label, count(value), unit, detail="as many as under FIFO")
    tone = {"tone": "good" if value < before else "bad", "arrow": "down" if value < before else "up"}
    relative = f"{signed_percent(value / before - 1)} · " if before else ""
    return result_card(label, count(value), unit, detail=f"{relative}FIFO {count(before)}", **tone)


def _worse_card(jobs: pd.DataFrame, policy: str) -> html.Div:
    worse = worse_off(jobs, policy)
    if worse is None:
        return result_card("Worse off", "unknown", detail="The policies did not replay the same jobs.")
    number, longest_s = worse
    detail = f"longest added wait {duration(longest_s)}" if number else "no job waits longer than under FIFO"
    tone = {"tone": "bad", "arrow": "up"} if number else {"tone": "good"}
    return result_card(
        "Worse off than FIFO", count(number), "job" if number == 1 else "jobs", detail=detail, **tone
    )


def _rejected_card(own: Mapping[str, Any], jobs: pd.DataFrame) -> html.Div:
    reasons = rejections(jobs)
    detail = "; ".join(f"{count(number)} {reason}" for reason, number in reasons.items())
    unit = f"of {plural(own['jobs'], 'job')}"
    tone = {"tone": "bad"} if own["rejected_jobs"] else {}
    return result_card(
        "Rejected", count(own["rejected_jobs"]), unit, detail=detail or "every job fits its VC", **tone
    )


def notes(document: Document) -> list[str]:
    """What to know about the numbers: who took no part and why, and what the replay itself noted."""
    rows = totals(document)
    own = rows[policy_in_question(list(rows))]
    left_out = [
        f"{count(number)} {EXCLUSIONS[reason]}" for reason, number in own["excluded"].items() if number
    ]
    told = [f"Jobs that took no part: {', '.join(left_out)}."] if left_out else []
    knowing = [each.label for policy, each in POLICY_TITLES.items() if policy in rows and each.oracle]
    if knowing:
        verb = "know" if len(knowing) > 1 else "knows"
        bound = "true durations, which no real scheduler does: a bound, not a plan."
        told.append(f"{listing(knowing)} {verb} {bound}")
    told += replay_trust.notes(document, own)
    return told + list(document.get("notes", []))
