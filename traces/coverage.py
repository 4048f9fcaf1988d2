"""Stretches without submissions: the sign of a missing extract, a shut-down, or a long holiday."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from traces.clock import iso

SHORTEST_GAP_S = 86_400.0
TIMES_USUAL = 10.0
USUAL_QUANTILE = 0.99
SHOWN = 5
RULE = (
    "A gap is a stretch of more than 24 hours without a submission that is also more than 10 times as long "
    "as 99 % of the stretches between submissions."
)


@dataclass(frozen=True)
class Gap:
    """A stretch without submissions between two naive UTC instants."""

    start_time: pd.Timestamp
    end_time: pd.Timestamp

    @property
    def duration_s(self) -> float:
        return float((self.end_time - self.start_time).total_seconds())


@dataclass(frozen=True)
class Coverage:
    """How many gaps there are by `RULE`, and the longest of them, longest first."""

    count: int = 0
    longest: tuple[Gap, ...] = ()

    def document(self) -> dict[str, Any]:
        """The coverage as it stands in trace.json and in ``--json`` output."""
        return {
            "rule": RULE,
            "count": self.count,
            "longest": [
                {"from": iso(gap.start_time), "to": iso(gap.end_time), "duration_s": gap.duration_s}
                for gap in self.longest
            ],
        }


def coverage(submit_times: pd.Series) -> Coverage:
    """The gaps in naive UTC submit times, in any order and without missing ones."""
    times = np.sort(submit_times.to_numpy(dtype="datetime64[us]"))
    steps_s = np.diff(times) / np.timedelta64(1, "s")
    if not len(steps_s):
        return Coverage()
    longest_usual_s = max(SHORTEST_GAP_S, TIMES_USUAL * float(np.quantile(steps_s, USUAL_QUANTILE)))
    found = np.flatnonzero(steps_s > longest_usual_s)
    order = found[np.argsort(-steps_s[found], kind="stable")][:SHOWN]
    gaps = tuple(Gap(pd.Timestamp(times[at]), pd.Timestamp(times[at + 1])) for at in order)
    return Coverage(len(found), gaps)
