"""Energy, money and carbon that sleeping nodes save."""

from dataclasses import dataclass, fields

import numpy as np

from energy.demand import SLOT_S, Values
from energy.errors import EnergyError

HOURS_PER_YEAR = 8760.0


@dataclass(frozen=True)
class PowerInputs:
    """What an operator knows of the site. Raises EnergyError for a negative input, and for a node that
    takes more power asleep than idle.

    ``idle_w`` and ``sleep_w``: power of an idle and of a sleeping node, W; ``boot_wh``: what one attempt to
    wake a node takes beyond idling, Wh; ``cooling_factor``: cooling power per power of the node (PUE − 1
    where cooling is all the overhead); ``price_per_kwh`` in the currency of the report;
    ``carbon_g_per_kwh``: g CO₂e. ``sleep_w`` and ``boot_wh`` are left out of the sum where they are None.
    """

    idle_w: float
    cooling_factor: float
    price_per_kwh: float
    carbon_g_per_kwh: float
    sleep_w: float | None = None
    boot_wh: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not (np.isfinite(value) and value >= 0):
                raise EnergyError(f"The input {field.name} must be a number of at least 0, not {value}.")
        if self.sleep_w is not None and self.sleep_w > self.idle_w:
            raise EnergyError(
                f"A sleeping node would take more power ({self.sleep_w:g} W) than an idle one "
                f"({self.idle_w:g} W): check the two inputs."
            )


@dataclass(frozen=True)
class HourlyRates:
    """Price per kWh and g CO₂e per kWh by slot, in place of the constants; None where the constant holds."""

    price_per_kwh: Values | None = None
    carbon_g_per_kwh: Values | None = None


@dataclass(frozen=True)
class Savings:
    """What sleeping saved over a span of time; ``node_h`` are the hours of nodes asleep (GPU-node-hours)."""

    node_h: float
    energy_kwh: float
    cost: float
    carbon_kg: float


@dataclass(frozen=True)
class WindowAndYear:
    """Savings of a window, of a year (8,760 h) that goes as the window's known slots do, and the inputs."""

    inputs: PowerInputs
    window: Savings
    year: Savings


def savings(
    asleep: Values, inputs: PowerInputs, wakes: Values | None = None, rates: HourlyRates | None = None
) -> WindowAndYear:
    """What ``asleep`` nodes by slot of 10 minutes save, less what waking them takes.

    kWh = (∑ sleeping nodes × (idle − sleep power) × time − ∑ wakes × boot energy) × (1 + cooling factor);
    ``wakes``: attempts to wake a node by slot. Money and carbon are summed slot by slot where ``rates`` are
    given. Slots in which the number of sleeping nodes is unknown (NaN) count nothing in the window. Raises
    EnergyError where no slot is known, or a rate of a known slot is not.
    """
    asleep = np.asarray(asleep, dtype=float)
    known = ~np.isnan(asleep)
    if not known.any():
        raise EnergyError("Savings need at least one slot with a known number of sleeping nodes.")
    rates = rates or HourlyRates()
    node_h = asleep[known] * SLOT_S / 3600
    boot_kwh = (np.zeros(len(asleep)) if wakes is None else wakes)[known] * (inputs.boot_wh or 0.0) / 1000
    saved_w = inputs.idle_w - (inputs.sleep_w or 0.0)
    kwh = (node_h * saved_w / 1000 - boot_kwh) * (1 + inputs.cooling_factor)
    price = _rate("price", rates.price_per_kwh, inputs.price_per_kwh, known)
    carbon = _rate("carbon intensity", rates.carbon_g_per_kwh, inputs.carbon_g_per_kwh, known)
    sums = (node_h.sum(), kwh.sum(), (kwh * price).sum(), (kwh * carbon).sum() / 1000)
    to_year = HOURS_PER_YEAR / (known.sum() * SLOT_S / 3600)
    return WindowAndYear(
        inputs, Savings(*(float(each) for each in sums)), Savings(*(float(each * to_year) for each in sums))
    )


def _rate(what: str, hourly: Values | None, constant: float, known: Values) -> Values:
    if hourly is None:
        return np.full(int(known.sum()), constant)
    if np.isnan(hourly[known]).any():
        raise EnergyError(
            f"The {what} series does not cover the window: give its values for every hour of it."
        )
    chosen: Values = hourly[known]
    return chosen
