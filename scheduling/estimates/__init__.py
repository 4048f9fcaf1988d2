"""What a job's GPU time will be, as far as it can be known at its submission.

``history`` averages the jobs that had ended, ``names`` tells which job names are alike, ``boosted`` is a
model fitted before the window, ``estimator`` merges the two, ``guard`` makes a priority of them, ``controls``
and ``accuracy`` say what they are worth.
"""

from scheduling.estimates.estimator import ALL_RUNGS, Estimator, estimates, merged
from scheduling.estimates.guard import NO_GUARD, Guard, priority
from scheduling.estimates.history import Known, Rolling, known_at_submission

__all__ = [
    "ALL_RUNGS",
    "NO_GUARD",
    "Estimator",
    "Guard",
    "Known",
    "Rolling",
    "estimates",
    "known_at_submission",
    "merged",
    "priority",
]
