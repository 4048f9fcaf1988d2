"""Energy, money and carbon that sleeping nodes save."""

from dataclasses import dataclass, fields

import numpy as np

from energy.demand import SLOT_S, Values
from energy.errors import EnergyError

HOURS_PER_YEAR = 8760.0


@dataclass(frozen=True)
class PowerInputs:
    """What an operator knows of the site; nothing has a default. Raises EnergyError for a negative input.

    ``idle_w``: power of an idle node, W; ``cooling_factor``: cooling power per power of the node (PUE − 1
    where cooling is all the overhead); ``price_per_kwh`` in the currency of the report;
    ``carbon_g_per_kwh``: g CO₂e.
    """

    idle_w: float
    cooling_factor: float
    price_per_kwh: float
    carbon_g_per_kwh: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (np.isfinite(value) and value >= 0):
                raise EnergyError(f"The input {field.name} must be a number of at least 0, not {value}.")


@dataclass(frozen=True)
class Savings:
    """What sleeping saved over a span of time; ``node_h`` are the hours of nodes asleep."""

    node_h: float
    energy_kwh: float
    cost: float
    carbon_kg: float


@dataclass(frozen=True)
class WindowAndYear:
    """Savings of a window, of a year (8,760 h) that sleeps as the window's mean slot does, and the inputs."""

    inputs: PowerInputs
    window: Savings
    year: Savings


def savings(asleep: Values, inputs: PowerInputs) -> WindowAndYear:
    """kWh = ∑ sleeping nodes × idle power × (1 + cooling factor) × time, for ``asleep`` nodes by slot of 10
    minutes.

    Slots in which the number of sleeping nodes is unknown (NaN) count nothing in the window; the year is
    that of the known slots' mean. Raises EnergyError where no slot is known.
    """
    known = np.asarray(asleep, dtype=float)
    known = known[~np.isnan(known)]
    if known.size == 0:
        raise EnergyError("Savings need at least one slot with a known number of sleeping nodes.")
    window_h = float(known.sum()) * SLOT_S / 3600
    return WindowAndYear(
        inputs, _savings(window_h, inputs), _savings(float(known.mean()) * HOURS_PER_YEAR, inputs)
    )


def _savings(node_h: float, inputs: PowerInputs) -> Savings:
    energy_kwh = node_h * inputs.idle_w / 1000 * (1 + inputs.cooling_factor)
    return Savings(
        node_h=node_h,
        energy_kwh=energy_kwh,
        cost=energy_kwh * inputs.price_per_kwh,
        carbon_kg=energy_kwh * inputs.carbon_g_per_kwh / 1000,
    )
