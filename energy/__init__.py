"""Node demand, its forecast, and the nodes that can sleep meanwhile.

A series in (``time`` naive UTC, ``used``, ``total`` nodes), a `Study` out. Definitions:
docs/reference/energy.md.
"""

from energy.accuracy import HORIZONS_S
from energy.ces import PRESETS, CesParameters, PublishedCes, published_awake
from energy.controllers import CONTROLLERS, AlwaysOn, Controller, Drs, control, controller_named
from energy.demand import slots_from_series, slots_from_steps
from energy.errors import EnergyError
from energy.family import MODELS
from energy.fleet import Boot, NodeStates
from energy.footprint import HourlyRates, PowerInputs, Savings, WindowAndYear, savings
from energy.forecasting import ForecastStudy, forecast, forecast_study
from energy.marks import mark_spans
from energy.outages import Overrule, mark_outages, unmarked
from energy.outcome import lack_nodes, outcome
from energy.proactive import Margin, Quantile
from energy.recorded import steps_from_node_counts, steps_from_placements
from energy.spans import Span
from energy.whatif import Study, study

__all__ = [
    "CONTROLLERS",
    "HORIZONS_S",
    "MODELS",
    "PRESETS",
    "AlwaysOn",
    "Boot",
    "CesParameters",
    "Controller",
    "Drs",
    "EnergyError",
    "ForecastStudy",
    "HourlyRates",
    "Margin",
    "NodeStates",
    "Overrule",
    "PowerInputs",
    "PublishedCes",
    "Quantile",
    "Savings",
    "Span",
    "Study",
    "WindowAndYear",
    "control",
    "controller_named",
    "forecast",
    "forecast_study",
    "lack_nodes",
    "mark_outages",
    "mark_spans",
    "outcome",
    "published_awake",
    "savings",
    "slots_from_series",
    "slots_from_steps",
    "steps_from_node_counts",
    "steps_from_placements",
    "study",
    "unmarked",
]
