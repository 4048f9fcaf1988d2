"""CES, the cluster energy saving rule of Helios (SC'21, arXiv 2109.01313): parameters and two forms.

`published_awake` is the rule as published: it knows the maximum of the slot it decides, and is kept for
comparison with the published figures. `causal_states` is ours: what is awake during a slot was decided from
earlier slots.
"""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import Values
from energy.errors import EnergyError
from energy.fleet import NodeStates, enact

START_SLOTS = 6  # the rule follows demand for its first hour
LONGEST_SLOTS = 1008  # a week: longer windows are a mistaken unit
TOLERANCE_NODES = 1e-9  # means of equal values may differ in their last bit


@dataclass(frozen=True)
class CesParameters:
    """The rule's parameters. Raises EnergyError for a value that is out of range.

    ``history_slots``, ``future_slots``: lengths of the two windows; ``xi_h_nodes`` (ξ_H): how far demand
    must have fallen below its recent mean; ``xi_p_nodes`` (ξ_P): how far it is forecast to stay below;
    ``min_step_nodes``: fewest nodes worth putting to sleep; ``buffer_nodes`` (σ): awake beyond demand;
    ``hold_slots``: how long after a wake-up nothing is put to sleep.
    """

    history_slots: int
    future_slots: int
    xi_h_nodes: float
    xi_p_nodes: float
    min_step_nodes: float
    buffer_nodes: int
    hold_slots: int

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            low = 1 if field.name in ("history_slots", "future_slots") else 0
            high = LONGEST_SLOTS if field.name.endswith("_slots") else 1_000_000
            if field.name.startswith("xi_"):
                low = -high
            if not low <= value <= high:
                raise EnergyError(
                    f"The controller's {field.name} must be between {low} and {high}, not {value}."
                )


# calibration of the public artifact (S-Lab HeliosArtifact, MIT), slots of 10 minutes
PRESETS = {
    "Venus": CesParameters(3, 18, 0.5, 1, 2, 5, 12),
    "Earth": CesParameters(6, 18, 1, 1, 5, 5, 12),
    "Saturn": CesParameters(6, 18, 1, 1, 1, 5, 12),
    "Uranus": CesParameters(3, 18, 1, 1, 1, 7, 12),
    "Philly": CesParameters(2, 30, 0.1, 0, 1, 20, 10),
}


def published_awake(used: Values, forecast: Values, total: Values, parameters: CesParameters) -> Values:
    """Awake nodes by slot under the published rule, which reads used[i] when it decides slot i.

    ``forecast[i]`` is the published predictor's value for slot i. Windows are cut at the end of the series,
    values are floored, and a slot whose used value is missing keeps the state.
    """
    p = parameters
    awake = np.empty(len(used))
    before = past_means(used, p.history_slots)
    near, far = (_following_means(forecast, count * p.future_slots) for count in (1, 2))
    hold_until, state = 0, float(total[0])
    for i, demand in enumerate(used):
        needed = demand + p.buffer_nodes
        if i < START_SLOTS:
            state = state if np.isnan(demand) else needed
        else:
            if state < demand:
                state, hold_until = needed, i + p.hold_slots
            state = float(np.fmin(state, total[i]))  # where the total is unknown, nothing is cut
            if i >= hold_until and _may_sleep(p, before[i], demand, near[i], far[i], state - needed):
                state = min(state, needed)
        awake[i] = state = np.floor(state)
    return awake


def causal_states(
    used: Values,
    total: Values,
    near: Values,
    far: Values,
    parameters: CesParameters,
    boot_time_s: float = 0.0,
) -> NodeStates:
    """Node states by slot of a window, each decided at the slot's beginning from the slots before it.

    ``used`` and ``total`` are the whole series; the window is its last ``len(near)`` slots. ``near[j]`` and
    ``far[j]`` are the means of the next `future_slots` and 2·`future_slots` slots, forecast at the beginning
    of the window's slot j. The rule is the published one with the slot just past in place of the slot being
    decided, and a missing slot holds the state. Boot time and nodes present: `energy.fleet.enact`. Awake
    plus booting nodes are never fewer than were in use in the last slot, unless that slot is missing or they
    have gone.
    """
    first = len(used) - len(near)
    controller = _CausalCes(used, near, far, parameters, first)
    return enact(controller.wanted, total, first, controller.start_nodes(), boot_time_s)


class _CausalCes:
    """The causal rule over one window; its only state is the end of the hold."""

    def __init__(
        self, used: Values, near: Values, far: Values, parameters: CesParameters, first: int
    ) -> None:
        self.used, self.near, self.far, self.parameters, self.first = used, near, far, parameters, first
        self.before = past_means(used, parameters.history_slots)
        self.hold_until = first

    def start_nodes(self) -> float:
        """Awake nodes when the window begins: the last known demand and the buffer; all if none is known."""
        known = self.used[: self.first][~np.isnan(self.used[: self.first])]
        return float(np.ceil(known[-1])) + self.parameters.buffer_nodes if known.size else np.inf

    def wanted(self, slot: int, ordered: float) -> float:
        """The nodes wanted awake in ``slot``, of which ``ordered`` are awake or booting."""
        demand = self.used[slot - 1] if slot else np.nan
        if np.isnan(demand):
            return ordered
        needed = float(np.ceil(demand)) + self.parameters.buffer_nodes
        ahead = slot - self.first
        if ahead < START_SLOTS:
            return needed
        if ordered < demand:
            self.hold_until = slot - 1 + self.parameters.hold_slots
            return needed
        before, near, far = self.before[slot - 1], self.near[ahead], self.far[ahead]
        falls = _may_sleep(self.parameters, before, demand, near, far, ordered - needed)
        return min(ordered, needed) if falls and slot >= self.hold_until else ordered


def past_means(used: Values, slots: int) -> Values:
    """Element i: the mean of the known values of the ``slots`` slots before slot i, NaN of none."""
    return pd.Series(used).rolling(slots, min_periods=1).mean().shift(1).to_numpy()


def _following_means(values: Values, slots: int) -> Values:
    """Element i: the mean of the ``slots`` values from i on, cut at the end of the series."""
    backwards: NDArray[np.float64] = pd.Series(values[::-1]).rolling(slots, min_periods=1).mean().to_numpy()
    return backwards[::-1]


def _may_sleep(p: CesParameters, before: float, demand: float, near: float, far: float, step: float) -> bool:
    """Whether demand fell, stays low, rises no later, and enough nodes would sleep. False where unknown."""
    return bool(
        before - demand >= p.xi_h_nodes - TOLERANCE_NODES
        and demand - near >= p.xi_p_nodes - TOLERANCE_NODES
        and far <= near + TOLERANCE_NODES
        and max(step, 0.0) >= p.min_step_nodes
    )
