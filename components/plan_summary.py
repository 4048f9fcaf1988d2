"""What a plan says: the answer in one sentence, its cards, the nodes of each VC."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from dash import html

from components.cards import result_card
from components.numbers import count, duration, factor, inflected, percent, plural, signed_count
from components.plan_form import goal_text
from components.policies import policy_label
from components.tables import Column

Plan = Mapping[str, Any]
VC_COLUMNS = (
    Column("vc", "Virtual cluster"),
    Column("now", "Today", "count"),
    Column("planned", "Planned", "count"),
    Column("more", "Change", "signed"),
)
CURVE_COLUMNS = (
    Column("size_text", "Size"),
    Column("value_text", "Value", "written"),
    Column("rejected_jobs", "Rejected", "count"),
    Column("meets", "Met"),
)


def by_nodes(plan: Plan) -> bool:
    """Whether nodes are planned, not load."""
    return bool(plan["by"] == "nodes")


def key(plan: Plan) -> str:
    """The column of the size."""
    return "nodes" if by_nodes(plan) else "load_factor"


def written(plan: Plan, value: float | None) -> str:
    """A value of the measure as people read it."""
    return count(value) if plan["measure"] == "queued_jobs" else duration(value)


def size_text(plan: Plan, size: float | None) -> str:
    """A size as people say it: 14 nodes, × 1.2; none where there is none."""
    if size is None:
        return "none"
    return plural(size, "node") if by_nodes(plan) else factor(size)


def sentence(plan: Plan) -> str:
    """The answer, what it is compared with, and its interval."""
    policy, target = policy_label(plan["scenario"]["policies"][0]), goal_text(plan["target"])
    today = plan["now"]["numbers"][plan["measure"]]
    if plan["found"] is None:
        nobody = "even with so many that nobody waits" if by_nodes(plan) else f"down to {factor(0.01)}"
        what = "number of nodes" if by_nodes(plan) else "load"
        text = f"No {what} meets the target under {policy}, {nobody}: {target}."
        return f"{text} Today: {written(plan, today)}."
    answer = plan["found"][key(plan)]
    if by_nodes(plan):
        nodes = f"{plural(answer, 'node')} {inflected(answer, 'is', 'are')}"
        text = f"{nodes} enough under {policy} for: {target}."
    else:
        text = f"Under {policy} the load can be {factor(answer)} for: {target}."
    text += f" Today: {size_text(plan, plan['now'][key(plan)])}, {written(plan, today)}."
    return text + _surely(plan, answer)


def _surely(plan: Plan, answer: float) -> str:
    text = "" if plan["monotone"] else " More room once made it worse, so look around the answer."
    interval = plan["interval"]
    if interval is None:
        return f"{text} There is no interval: that takes draws of at least two whole weeks."
    low, high = interval["low"], interval["high"]
    draws = f"{plural(interval['resamples'], 'draw')} of {plural(interval['weeks'], 'week')}"
    text += f" In {percent(interval['coverage'], 0)} of {draws} it is from {_end(low)} to {_end(high)}."
    if (low is not None and answer < low) or (high is not None and answer > high):
        text += " So the window's own order of weeks is no typical one: plan with the interval."
    return text


def _end(size: float | None) -> str:
    return "none that meets it" if size is None else f"{size:,g}"


def cards(plan: Plan) -> list[html.Div]:
    """The answer, today, the interval."""
    found, now = plan["found"], plan["now"]
    answer = None if found is None else found[key(plan)]
    shown = [_answer_card(plan, answer, now[key(plan)])]
    reached = "" if found is None else f"{written(plan, found['numbers'][plan['measure']])} at the answer"
    value = written(plan, now["numbers"][plan["measure"]])
    tone = {"tone": "good"} if now["met"] else {"tone": "bad"}
    verdict = "meets the target" if now["met"] else "misses the target"
    shown.append(result_card(f"Today, {size_text(plan, now[key(plan)])}", value, detail=verdict, **tone))
    shown.append(result_card("Target", written(plan, plan["limit"]), detail=reached))
    return [*shown, _interval_card(plan)]


def _answer_card(plan: Plan, answer: float | None, now: float) -> html.Div:
    label = "Fewest nodes" if by_nodes(plan) else "Largest load"
    if answer is None:
        return result_card(label, "none", detail="nothing meets the target", tone="bad")
    if by_nodes(plan):
        more = answer - now
        detail = "as many as today" if not more else f"{signed_count(more)} against today"
        return result_card(label, count(answer), detail=detail)
    return result_card(label, factor(answer), detail="of the jobs submitted")


def _interval_card(plan: Plan) -> html.Div:
    interval = plan["interval"]
    if interval is None:
        return result_card("Interval", "unknown", detail="takes two whole weeks")
    ends = " – ".join(dict.fromkeys(_short(interval[end]) for end in ("low", "high")))
    unmet = f", {interval['unmet']:,} without an answer" if interval["unmet"] else ""
    detail = f"{percent(interval['coverage'], 0)} of {plural(interval['resamples'], 'draw')}{unmet}"
    return result_card("Interval", ends, detail=detail)


def _short(size: float | None) -> str:
    return "none" if size is None else f"{size:,g}"


def vc_rows(plan: Plan) -> pd.DataFrame:
    """Nodes of each VC today and as planned, the largest change first."""
    now, planned = plan["now"].get("vcs") or {}, (plan["found"] or {}).get("vcs") or {}
    rows = pd.DataFrame({"vc": list(planned), "planned": list(planned.values())})
    rows = rows.assign(now=[now.get(vc) for vc in planned])
    rows = rows.assign(more=rows["planned"] - rows["now"].astype(float))
    order = (-rows["more"].abs()).sort_values(kind="stable").index
    return rows.loc[order].reset_index(drop=True)


def curve_rows(curve: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """The curve with its texts."""
    texts = [written(plan, value) for value in curve["value"]]
    rows = curve.assign(value_text=texts, meets=curve["met"].map({True: "yes", False: "no"}))
    return rows.assign(size_text=[size_text(plan, size) for size in rows[key(plan)]])
