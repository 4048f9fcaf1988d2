"""Scheduling: replay a cluster's jobs under a policy, and count what came of it."""

from scheduling.capacity import Capacity, NodeSteps, gpu_steps
from scheduling.errors import ScenarioError
from scheduling.outcome import Outcome
from scheduling.placement import PLACEMENTS
from scheduling.policies import POLICIES
from scheduling.preemption import Costs
from scheduling.simulator import replay
from scheduling.warmup import compile_kernels

__all__ = [
    "PLACEMENTS",
    "POLICIES",
    "Capacity",
    "Costs",
    "NodeSteps",
    "Outcome",
    "ScenarioError",
    "compile_kernels",
    "gpu_steps",
    "replay",
]
