"""One figure of the demo beside the published one."""

from dataclasses import dataclass
from typing import Any

ERRORS_ALLOWED = 2.0
"""At a scale below 1 a statistic passes within its tolerance and this many standard errors."""


@dataclass(frozen=True)
class Statistic:
    """One comparison.

    `kind` says how `tolerance` is meant: `difference` (in the statistic's unit), `relative` (to the published
    value), `factor` (either way) or `order`. `fed_in` is what the generator was given; the rest came out of
    it. `sampling_error` is the standard error of `generated`, where it is known.
    """

    name: str
    cluster: str
    published: float | str
    generated: float | str | None
    tolerance: float
    kind: str
    fed_in: bool
    sampling_error: float | None = None

    def passes(self, scale: float) -> bool | None:
        """Whether `generated` is within tolerance of `published`; None where there is nothing to compare."""
        if self.generated is None:
            return None
        if isinstance(self.published, str) or isinstance(self.generated, str):
            return self.published == self.generated
        if self.kind == "factor":
            low, high = self.published / self.tolerance, self.published * self.tolerance
        else:
            width = self.tolerance * (abs(self.published) if self.kind == "relative" else 1.0)
            low, high = self.published - width, self.published + width
        spare = ERRORS_ALLOWED * (self.sampling_error or 0.0) if scale < 1 else 0.0
        return bool(low - spare <= self.generated <= high + spare)

    def document(self, scale: float) -> dict[str, Any]:
        """The statistic as it stands in ``demo --verify --json``."""
        return {
            "name": self.name,
            "cluster": self.cluster,
            "published": self.published,
            "generated": self.generated,
            "tolerance": self.tolerance,
            "kind": self.kind,
            "pass": self.passes(scale),
            "fed_in": self.fed_in,
            "sampling_error": self.sampling_error,
        }
