"""A target of a plan: one number of a result row that must not be larger than a limit."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runs.errors import RunError

MEASURES = (
    *("avg_jct_s", "avg_queueing_delay_s", "p95_queueing_delay_s"),
    *("median_queueing_delay_s", "p90_queueing_delay_s", "p99_queueing_delay_s"),
    *("queued_jobs", "makespan_s"),
)
"""Numbers that more nodes, or less load, make smaller, but for the anomalies of any list schedule."""
FORM = re.compile(r"\s*(\w+)\s*(<=|<)\s*(\S+)\s*")


@dataclass(frozen=True)
class Target:
    """``measure`` at most ``limit``, or below it if ``strict``."""

    measure: str
    limit: float
    strict: bool = False

    def __str__(self) -> str:
        return f"{self.measure}{'<' if self.strict else '<='}{self.limit:g}"

    @property
    def words(self) -> str:
        """The target in words: p95 queueing delay at most 3,600 s."""
        name, in_seconds = self.measure.removesuffix("_s"), self.measure.endswith("_s")
        unit = " s" if in_seconds else ""
        return f"{name.replace('_', ' ')} {'below' if self.strict else 'at most'} {self.limit:,.10g}{unit}"

    def met(self, numbers: Mapping[str, Any]) -> bool:
        """Whether a result row meets it; one in which the number is unknown does not."""
        value = numbers[self.measure]
        return value is not None and (value < self.limit if self.strict else value <= self.limit)


def target(text: str) -> Target:
    """The target that a text such as ``p95_queueing_delay_s<=3600`` says. Raises RunError."""
    found = FORM.fullmatch(text)
    if not found or found[1] not in MEASURES:
        raise RunError(
            f"{text!r} is no target; give a limit to one of {', '.join(MEASURES)}, such as "
            "p95_queueing_delay_s<=3600."
        )
    try:
        limit = float(found[3])
    except ValueError:
        limit = math.nan
    if not (math.isfinite(limit) and limit >= 0):
        raise RunError(f"The limit of {text!r} must be a number, 0 or more.")
    return Target(found[1], limit, found[2] == "<")
