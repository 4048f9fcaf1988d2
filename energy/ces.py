"""CES, the cluster energy saving rule of Helios (SC'21, arXiv 2109.01313): parameters and two forms.

`published_awake` is the rule as published: it knows the maximum of the slot it decides, and is kept for
comparison with the published figures. `CesParameters.decide` is ours: what is awake during a slot was decided
from earlier slots.
"""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import Values
from energy.errors import EnergyError
from energy.fleet import NodeStates
from energy.foresight import Foresight
from energy.seen import Decision, Seen

START_SLOTS = 6  # the rule follows demand for its first hour
LONGEST_SLOTS = 1008  # a week: longer windows are a mistaken unit
TOLERANCE_NODES = 1e-9  # means of equal values may differ in their last bit


@dataclass(frozen=True)
class CesParameters:
    """The rule in its causal form, and its parameters. Raises EnergyError for a value that is out of range.

    ``history_slots``, ``future_slots``: lengths of the two windows; ``xi_h_nodes`` (ξ_H): how far demand
    must have fallen below its recent mean; ``xi_p_nodes`` (ξ_P): how far it is forecast to stay below;
    ``min_step_nodes``: fewest nodes worth putting to sleep; ``buffer_nodes`` (σ): awake beyond demand;
    ``hold_slots``: how long after a wake-up nothing is put to sleep.
    """

    name: ClassVar[str] = "ces"
    label: ClassVar[str] = "CES, causal"

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

    def start_nodes(self, demand: float, rises: Values) -> float:
        """Those in use, and the buffer."""
        return demand + self.buffer_nodes

    def steps(self, boot_slots: int) -> int:
        """Twice the future window."""
        return 2 * self.future_slots

    def rises(self, foresight: Foresight | None, boot_slots: int, window: int) -> Values:
        """Columns: mean rise over the future window, and over twice it; −∞, which is no objection, without
        a forecast."""
        if foresight is None:
            return np.full((window, 2), -np.inf)
        return np.column_stack([foresight.mean_rises(count * self.future_slots) for count in (1, 2)])

    def decide(self, seen: Seen) -> Decision:
        """The published rule with the slot just past in place of the slot being decided."""
        needed = seen.needed_nodes + self.buffer_nodes
        if seen.slot < START_SLOTS:
            return Decision(needed, seen.hold_until)
        demand = float(seen.demand[-1])
        if seen.ordered_nodes < demand:
            return Decision(needed, seen.slot - 1 + self.hold_slots)
        before = _known_mean(seen.demand[-1 - self.history_slots : -1])
        near, far = demand + seen.rises
        if seen.may_sleep and _may_sleep(self, before, demand, near, far, seen.ordered_nodes - needed):
            return Decision(min(seen.ordered_nodes, needed), seen.hold_until)
        return Decision(seen.ordered_nodes, seen.hold_until)


class PublishedCes(CesParameters):
    """The rule as published, for comparison only: it decides a slot knowing the slot's own demand, and its
    forecast of a slot is one made an hour before, so after the decisions that read it."""

    name: ClassVar[str] = "ces_published"
    label: ClassVar[str] = "CES as published (knows the slot it decides)"

    def states(self, demand: Values, total: Values, window: int, foresight: Foresight | None) -> NodeStates:
        """Its awake nodes; without boot time, which the rule does not know."""
        used = demand[-window:]
        present: Values = np.asarray(pd.Series(total).ffill().bfill())[-window:]
        forecast = used if foresight is None else foresight.hour_ahead()
        awake = published_awake(used, forecast, present, self)
        return NodeStates(awake, np.zeros(window), np.zeros(window))


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


def past_means(used: Values, slots: int) -> Values:
    """Element i: the mean of the known values of the ``slots`` slots before slot i, NaN of none."""
    return pd.Series(used).rolling(slots, min_periods=1).mean().shift(1).to_numpy()


def _following_means(values: Values, slots: int) -> Values:
    """Element i: the mean of the ``slots`` values from i on, cut at the end of the series."""
    backwards: NDArray[np.float64] = pd.Series(values[::-1]).rolling(slots, min_periods=1).mean().to_numpy()
    return backwards[::-1]


def _known_mean(values: Values) -> float:
    """The mean of the known values; NaN of none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else np.nan


def _may_sleep(p: CesParameters, before: float, demand: float, near: float, far: float, step: float) -> bool:
    """Whether demand fell, stays low, rises no later, and enough nodes would sleep. False where unknown."""
    return bool(
        before - demand >= p.xi_h_nodes - TOLERANCE_NODES
        and demand - near >= p.xi_p_nodes - TOLERANCE_NODES
        and far <= near + TOLERANCE_NODES
        and max(step, 0.0) >= p.min_step_nodes
    )
