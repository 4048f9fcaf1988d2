"""What the pages about utilization share: their timeline, its definition in words, and why there is none."""

import pandas as pd

from components import numbers
from pages.scope import Scope, local_times

#: A chart can draw 1,500 points, but several clusters' lines are only legible with fewer.
POINTS = 600
NO_CAPACITY = "The capacity of this choice is unknown, so its utilization is too; import it with --capacity."
NO_STARTS_HERE = "This trace has no start times."
NO_STARTS = "This trace has no start times, so it is not known which GPUs were in use, or who waited."
DEFINITION = (
    "Utilization is GPUs allocated ÷ GPUs present. A job holds its GPUs from its start up to, not including, "
    "its end; the GPUs present are that day's quota. Both are integrated exactly over time, so that "
    "utilization × capacity adds up to GPU time. Curves of the Helios paper count a job's first and last "
    "minute as whole ones and are 0.2 to 0.5 points higher."
)


def no_utilization(scope: Scope) -> str | None:
    """Why there is no utilization of this scope, if so."""
    if not scope.knows("has_start"):
        return NO_STARTS
    return None if scope.knows("has_capacity") else NO_CAPACITY


def no_waits(scope: Scope) -> str | None:
    """Why it is not known who waited, if so."""
    return None if scope.knows("has_start") else NO_STARTS


def timeline(scope: Scope) -> pd.DataFrame:
    """Utilization by cluster over the window, with local times for the axis."""
    series = scope.ask("utilization_by_cluster", bin_s=scope.bin_s(POINTS))
    series.insert(2, "local_time", local_times(series["time"], scope.timezone))
    return series


def mean_utilization(series: pd.DataFrame) -> float | None:
    """Time-weighted utilization of all rows together, 0–1; None where no GPU was present."""
    present = series["present_gpu_s"].sum()
    return float(series["held_gpu_s"].sum() / present) if present > 0 else None


def utilization_note(scope: Scope, what: str) -> str:
    """What is shown, and whom it leaves out."""
    sentence = f"GPUs allocated ÷ GPUs present, {what}."
    lacking = scope.lacking("has_capacity")
    return f"{sentence} Left out, capacity unknown: {numbers.listing(lacking)}." if lacking else sentence
