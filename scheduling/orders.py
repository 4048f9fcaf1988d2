"""The orders that the event loops know, as codes: how a policy's priority is used."""

BY_PRIORITY = 0
"""A number per job, fixed when it is submitted; the smallest goes first."""
FAIR_SHARE = 1
"""The user with the least attained GPU time goes first, and among that user's jobs the priority decides."""
REMAINING = 2
"""Preemptive: the least remaining time goes first."""
REMAINING_GPU_TIME = 3
"""Preemptive: the least remaining GPU time goes first."""
ATTAINED = 4
"""Preemptive: the lowest level of attained GPU time goes first, within a level by submission."""
