"""What QSSF adds to expected GPU time so that one wrong estimate cannot block the queue for days."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduling.errors import ScenarioError


@dataclass(frozen=True)
class Guard:
    """The guard of the order by expected GPU time.

    - ``charge_s``: seconds added to every expected duration. Nobody overtakes a blocked head, so a gang also
      costs the GPUs that idle while they are gathered for it, however short it is; and however low its
      estimate, it goes behind all jobs that are sure to need less than its GPUs × ``charge_s``.
    - ``aging_s``: a job goes ahead of one of a fraction 1 ÷ e of its GPU time that is submitted this much
      later, so that no job waits for ever; None for no aging.
    """

    charge_s: float = 7200.0
    aging_s: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.charge_s < np.inf:
            raise ScenarioError(f"The guard's charge must be 0 s or more, not {self.charge_s}.")
        if self.aging_s is not None and not self.aging_s > 0:
            raise ScenarioError(f"The guard's aging must be longer than 0 s, not {self.aging_s}.")


NO_GUARD = Guard(charge_s=0.0)


def priority(
    expected_s: NDArray[np.float64], gpus: NDArray[np.float64], submit_s: NDArray[np.float64], guard: Guard
) -> NDArray[np.float64]:
    """Who goes next: the job of the smallest priority. Fixed at submission.

    Without aging it is GPUs × (expected duration + charge); with aging the logarithm of that, plus the
    submission in units of ``aging_s`` (aging by e times per unit, which keeps the order of two waiting jobs
    what it was at their submissions).
    """
    charged = gpus * (expected_s + guard.charge_s)
    if guard.aging_s is None:
        return charged
    aged: NDArray[np.float64] = np.log(np.maximum(charged, 1e-9)) + submit_s / guard.aging_s
    return aged
