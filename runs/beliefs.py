"""What QSSF believes of a stored trace's jobs at their submission, whatever the scenario."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import scheduling
from queries import rows
from runs.errors import RunError
from runs.parts import read_capacity
from runs.window import Window
from scheduling.estimates import ALL_RUNGS, Estimator, Known, boosted, estimates, known_at_submission
from scheduling.jobs import exclusion
from traces import clock

Ends = Literal["recorded", "simulated"]
EPOCH = pd.Timestamp("1970-01-01")


@dataclass(frozen=True)
class Past:
    """A cluster's GPU jobs of known duration submitted until a window's end, in trace order.

    ``jobs`` has the columns of a replay, with end_s by ``ends``: *recorded* by the trace, or *simulated* by a
    FIFO replay from the trace's beginning. Seconds count from the window's start. ``midnight_s`` is a local
    Monday's midnight on that clock.
    """

    jobs: pd.DataFrame
    ends: Ends
    midnight_s: float

    def known(self, estimator: Estimator, with_statistics: bool = True) -> Known:
        """What was known of each job at its submission."""
        return known_at_submission(self.jobs, estimator.rolling, with_statistics)

    def in_window(self) -> NDArray[np.bool_]:
        """Which jobs were submitted in the window."""
        return self.jobs["submit_s"].to_numpy(dtype=float) >= 0


def past(
    trace: str,
    cluster: str,
    facts: dict[str, Any],
    span: Window,
    ends: Ends | None = None,
    fallback: Mapping[str, int] | None = None,
) -> Past:
    """Read a cluster's past up to the window's end. ``facts`` are the cluster's in the trace's manifest.

    ``ends`` is by default recorded where the trace has ends; ``fallback`` is the capacity (GPUs per VC) for
    simulated ends in VCs of which the trace knows none. Raises RunError where recorded ends are asked for and
    there are none.
    """
    if ends == "recorded" and not facts["has_end"]:
        raise RunError(f"Trace {trace} has no end times of {cluster}; use simulated ends.")
    chosen: Ends = ends or ("recorded" if facts["has_end"] else "simulated")
    jobs = rows("replay_jobs", trace=trace, cluster=cluster, vcs=[], start=EPOCH, end=span.end_time)
    shift_s = (span.start_time - EPOCH).total_seconds()
    jobs[["submit_s", "end_s"]] -= shift_s
    jobs = jobs[exclusion(jobs) < 0].reset_index(drop=True)
    if chosen == "simulated" and len(jobs):
        begin = span.start_time + pd.Timedelta(seconds=float(jobs["submit_s"].min()))
        known = read_capacity(trace, cluster, Window(begin, span.end_time, span.timezone))
        jobs["end_s"] = _fifo_ends(jobs, {**(fallback or {}), **known}, facts["gpus_per_node"])
    monday = clock.instant(str(_monday(span)), span.timezone)
    return Past(jobs, chosen, (monday - span.start_time).total_seconds())


def _fifo_ends(jobs: pd.DataFrame, capacity: Mapping[str, int], gpus_per_node: int) -> NDArray[np.float64]:
    """When each job ends in a FIFO replay of all of them; NaN for one that cannot start."""
    numbered = jobs.assign(job_id=np.arange(len(jobs)))  # a trace may give an id twice
    replayed = scheduling.replay(numbered, capacity, policy="fifo", gpus_per_node=gpus_per_node).jobs
    end_s = np.full(len(jobs), np.nan)
    end_s[replayed["job_id"].to_numpy(dtype=np.int64)] = replayed["end_s"].to_numpy(dtype=float)
    return end_s


def _monday(span: Window) -> Any:
    """The local Monday of the window's first week."""
    first = pd.Timestamp(span.local_days()[0])
    return (first - pd.Timedelta(days=first.day_of_week)).date()


def fitted(before: Past, known: Known) -> boosted.Boosted | None:
    """A model of the jobs that had ended by the window's start; None where they are too few."""
    train = _trained_on(before)
    if train.sum() < boosted.FEWEST_JOBS:
        return None
    seen = boosted.features(before.jobs, known, before.midnight_s)
    return boosted.fit(seen[train], before.jobs["duration_s"].to_numpy(dtype=float)[train])


def _trained_on(before: Past) -> NDArray[np.bool_]:
    end_s = before.jobs["end_s"].to_numpy(dtype=float)
    return ~before.in_window() & (end_s <= 0)


def table(before: Past, known: Known, model: boosted.Boosted | None) -> pd.DataFrame:
    """The window's jobs: row, rolling_s, rung (place in ``ALL_RUNGS``), boosted_s (NaN without a model)."""
    window = before.in_window()
    own = before.jobs[window]
    boosted_s = np.full(len(own), np.nan)
    if model is not None:
        boosted_s = boosted.expected(model, boosted.features(before.jobs, known, before.midnight_s)[window])
    columns = {
        "row": own["row"].to_numpy(),
        "rolling_s": known.expected_s[window],
        "rung": known.rung[window],
    }
    return pd.DataFrame(columns | {"boosted_s": boosted_s})


def believed(jobs: pd.DataFrame, beliefs: pd.DataFrame, estimator: Estimator) -> pd.DataFrame:
    """The estimates for a scenario's ``jobs`` (row, gpu_num, submit_s), as ``scheduling.replay`` takes them.

    ``beliefs`` is what :func:`table` gave; a resampled job is believed to be as its original. A job without
    one (it takes no part in a replay) counts as of the prior's length.
    """
    place = _places(beliefs["row"].to_numpy(), jobs["row"].to_numpy())
    if beliefs.empty:
        beliefs = pd.DataFrame({"rung": [0], "rolling_s": [np.nan], "boosted_s": [np.nan]})
    own, unknown = beliefs.take(np.maximum(place, 0)), place < 0
    rung = np.where(unknown, len(ALL_RUNGS) - 1, own["rung"].to_numpy())
    rolling_s = np.where(unknown, estimator.rolling.prior_s, own["rolling_s"].to_numpy())
    boosted_s = np.where(unknown, np.nan, own["boosted_s"].to_numpy())
    with_model = not beliefs["boosted_s"].isna().all()
    filled = np.where(np.isnan(boosted_s), rolling_s, boosted_s) if with_model else None
    return estimates(jobs, rolling_s, rung, filled, estimator)


def _places(rows: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.int64]:
    """Where each wanted source row is among ``rows``; −1 where it is not."""
    place = np.full(max(rows.max(initial=-1), wanted.max(initial=-1)) + 1, -1, dtype=np.int64)
    place[rows] = np.arange(rows.size)
    found: NDArray[np.int64] = place[wanted]
    return found
