"""What a sweep says: a number by policy, nodes and load, the draws of a load taken together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from components.numbers import NBSP, count, duration, factor, is_unknown, percent, plural
from components.policies import policy_label
from components.tables import Column
from components.theme import POLICIES


@dataclass(frozen=True)
class Measure:
    """A number of a scenario: title, how it is written, whether less of it is better."""

    title: str
    kind: str
    less_is_better: bool = True

    @property
    def written(self) -> Callable[[Any], str]:
        """A value as people read it."""
        return {"duration": duration, "count": count, "percent": percent}[self.kind]


MEASURES = {
    "avg_queueing_delay_s": Measure("Average queueing", "duration"),
    "p95_queueing_delay_s": Measure("Queueing, 95th percentile", "duration"),
    "avg_jct_s": Measure("Average JCT", "duration"),
    "queued_jobs": Measure("Jobs that waited", "count"),
    "gpu_utilization": Measure("Utilization", "percent", less_is_better=False),
    "makespan_s": Measure("Makespan", "duration"),
    "rejected_jobs": Measure("Rejected jobs", "count"),
    "preemptions": Measure("Preemptions", "count"),
}
DEFAULT_MEASURE = "avg_queueing_delay_s"
STAR = " *"
CELL = ["policy", "nodes", "load_factor"]
COLUMNS = (
    Column("policy_title", "Policy"),
    Column("nodes_text", "Nodes"),
    Column("load_text", "Load"),
    Column("gpus", "GPUs", "count"),
    Column("draws", "Draws", "count"),
    Column("rejected_jobs", "Rejected", "count"),
    Column("value_text", "Mean", "written"),
    Column("low_text", "Lowest draw", "written"),
    Column("high_text", "Highest draw", "written"),
)


def cells(results: pd.DataFrame, cluster: str, measure: str) -> pd.DataFrame:
    """A row per policy, step of nodes and load of a cluster, in the order of the grid.

    ``value`` is the mean over the draws in which the number is known, ``low`` and ``high`` its range; null
    where no draw knows it. ``gpus`` are the most that were present, ``draws`` how many there were. A cell is
    ``partial`` if more jobs are rejected in it than elsewhere at its load; its text has a star.
    """
    own = results[results["cluster"] == cluster]
    own = own.assign(number=own[measure].astype(float))
    groups = own.groupby(CELL, sort=False)["number"]
    made = groups.agg(value="mean", low="min", high="max", draws="size")
    made.insert(0, "gpus", own.groupby(CELL, sort=False)["gpus"].max())
    made.insert(1, "rejected_jobs", own.groupby(CELL, sort=False)["rejected_jobs"].mean())
    made = made.reset_index()
    titles = made["policy"].map(policy_label)
    rank = made["policy"].map({name: place for place, name in enumerate(POLICIES)})
    about = MEASURES[measure]
    made["partial"] = made["rejected_jobs"] > made.groupby("load_factor")["rejected_jobs"].transform("min")
    texts = {f"{name}_text": made[name].map(about.written) for name in ("value", "low", "high")}
    texts["value_text"] += made["partial"].map({True: STAR, False: ""})
    made = made.assign(
        **texts,
        policy_title=titles,
        nodes_text=made["nodes"].map(step_text),
        load_text=made["load_factor"].map(factor),
    )
    order = pd.DataFrame({"policy": rank, "load": made["load_factor"], "gpus": made["gpus"]})
    return made.loc[order.sort_values(["policy", "load", "gpus"], kind="stable").index].reset_index(drop=True)


def step_text(step: str) -> str:
    """A step of nodes as people read it: × 0.9, +2, −1."""
    return f"×{NBSP}{step[1:]}" if step.startswith("x") else step.replace("-", "−")


def nearest(values: pd.Series, wanted: float) -> float:
    """The value of an axis that is nearest to ``wanted``, the smaller of two."""
    return min(sorted(values.unique()), key=lambda value: abs(value - wanted))


def usual_step(steps: pd.Series) -> str:
    """The step of nodes that stands for the cluster as it is: x1, else +0, else the first."""
    present = list(dict.fromkeys(steps))
    return next((step for step in ("x1", "+0") if step in present), present[0])


def sentence(made: pd.DataFrame, measure: str, cluster: str, scenarios: int) -> str:
    """The best and the worst cell, and today's nodes and load under each policy."""
    about, known = MEASURES[measure], made.dropna(subset=["value"])
    of = f"{plural(scenarios, 'scenario')} of {cluster}"
    if known.empty:
        return f"{of}: no job could be replayed in any of them."
    whole = known[~known["partial"]]
    ordered = (whole if len(whole) else known).sort_values(
        "value", kind="stable", ascending=about.less_is_better
    )
    best, worst = ordered.iloc[0], ordered.iloc[-1]
    written = [about.written(value) for value in ordered["value"]]
    if len(written) > 1 and len(set(written)) == 1:
        return f"{of}. {about.title} is the same in every cell, {written[0]}."
    sharing = written.count(written[0]) - 1
    others = f" and {plural(sharing, 'other cell')}" if sharing else ""
    text = f"{of}. {about.title} is best under {_where(best)}{others} ({written[0]})"
    text += f" and worst under {_where(worst)} ({about.written(worst['value'])})."
    return text + _today(known, about)


def _where(cell: "pd.Series[Any]") -> str:
    return f"{cell['policy_title']} at nodes {cell['nodes_text']} and load {cell['load_text']}"


def _today(known: pd.DataFrame, about: Measure) -> str:
    today = known[(known["nodes"] == usual_step(known["nodes"])) & (known["load_factor"] == 1)]
    if today.empty or usual_step(known["nodes"]) not in ("x1", "+0"):
        return ""
    said = ", ".join(f"{row.policy_title} {about.written(row.value)}" for row in today.itertuples())
    return f" With today's nodes and load: {said}."


def partial_note(made: pd.DataFrame) -> str:
    """What a star means, if there is any."""
    partial = int(made["partial"].sum())
    where = f"{plural(partial, 'cell')} with more rejected jobs than elsewhere at the same load"
    return f" *: {where} (larger than their VC), which are in no number." if partial else ""


def axes_sentence(grid: Mapping[str, Any]) -> str:
    """The axes in words: 3 policies × 5 steps of nodes × 2 loads × 4 draws."""
    parts = (("policies", "policy", "policies"), ("nodes", "step of nodes", "steps of nodes"))
    said = [plural(len(grid[key]), one, many) for key, one, many in parts]
    said += [plural(len(grid["load_factors"]), "load"), plural(len(grid["seeds"]), "draw")]
    return " × ".join(said)


def is_flat(made: pd.DataFrame) -> bool:
    """Whether there is nothing to draw."""
    return made.empty or all(is_unknown(value) for value in made["value"])
