"""Node demand, its forecast, and the nodes that can sleep meanwhile.

A series in (``time`` naive UTC, ``used``, ``total`` nodes), a `Study` out. Definitions:
docs/reference/energy.md.
"""

from energy.accuracy import HORIZONS_S
from energy.ces import PRESETS, CesParameters, causal_states, published_awake
from energy.demand import slots_from_series, slots_from_steps
from energy.errors import EnergyError
from energy.family import MODELS
from energy.footprint import PowerInputs, Savings, WindowAndYear, savings
from energy.outages import mark_outages
from energy.outcome import lack_nodes, outcome
from energy.whatif import ForecastStudy, Study, forecast, forecast_study, study

__all__ = [
    "HORIZONS_S",
    "MODELS",
    "PRESETS",
    "CesParameters",
    "EnergyError",
    "ForecastStudy",
    "PowerInputs",
    "Savings",
    "Study",
    "WindowAndYear",
    "causal_states",
    "forecast",
    "forecast_study",
    "lack_nodes",
    "mark_outages",
    "outcome",
    "published_awake",
    "savings",
    "slots_from_series",
    "slots_from_steps",
    "study",
]
