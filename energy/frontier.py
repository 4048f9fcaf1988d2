"""The frontier: what each controller's parameter trades, nodes asleep against lacks and wake-ups.

A single setting says little: more nodes asleep can always be had for more lacks. So each controller's
parameter is swept, and controllers are compared at equal lack events.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from energy.ces import CesParameters
from energy.consequences import controlled, nodes_woken_per_day, result
from energy.controllers import AlwaysOn, Controller, Drs
from energy.demand import SLOTS_PER_DAY, Values
from energy.family import Fitted
from energy.fleet import Boot
from energy.foresight import NO_FORECAST, TRUE_FUTURE, Foresight, model_foresight, true_future
from energy.proactive import Margin, Quantile

COLUMNS = (
    "controller",
    "forecast",
    "parameter",
    "mean_sleeping_nodes",
    "lack_events",
    "lacking_nodes",
    "wake_ups_per_day",
    "nodes_woken_per_day",
)
QUANTILES = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
LACK_EVENTS_PER_DAY = 10 / 14  # at which the curves are compared
NODE_COUNTS = np.arange(5, 65, 5)  # buffers and margins of a cluster of at least 120 nodes

GAINS = ("from_lack_events", "to_lack_events", "mean_nodes", "least_nodes", "most_nodes")

Point = tuple[Controller, Foresight | None, float | None]


def frontier_document(
    slots: pd.DataFrame,
    demand: Values,
    total: Values,
    controllers: Mapping[str, Controller],
    models: Mapping[str, Fitted],
    boot: Boot,
) -> dict[str, Any]:
    """``frontier`` (the rows of `frontier`) and ``comparison``, ready for JSON.

    ``models``: fitted forecast models by name; the true future is added as the limit.
    """
    steps = max(each.steps(boot.slots) for each in controllers.values())
    foresights = [model_foresight(name, each, demand, len(slots), steps) for name, each in models.items()]
    limit = true_future(demand, len(slots), steps)
    table = frontier(slots, demand, total, controllers, [*foresights, limit], boot)
    plain = table.astype(object).where(table.notna(), None)
    lack_events = LACK_EVENTS_PER_DAY * len(slots) / SLOTS_PER_DAY
    return {"frontier": plain.to_dict("records"), "comparison": comparison(table, lack_events)}


def frontier(
    slots: pd.DataFrame,
    demand: Values,
    total: Values,
    controllers: Mapping[str, Controller],
    foresights: Iterable[Foresight],
    boot: Boot,
) -> pd.DataFrame:
    """One row per controller, forecast and swept parameter, with the columns of `COLUMNS`.

    ``slots`` is the window and ``demand`` and ``total`` the whole series; ``controllers`` gives the
    parameters that are not swept, by name. ``foresights``: the models to compare, the true future among them
    as the limit. ``forecast`` is None for a controller that reads none, and "none" for CES without one.
    """
    rows = []
    for controller, foresight, parameter in _points(controllers, list(foresights), np.nanmax(total)):
        made = controlled(slots, demand, total, controller, foresight, boot)
        figures = result(made)
        reads = controller.steps(boot.slots) > 0
        name = (NO_FORECAST if foresight is None else foresight.name) if reads else None
        woken = nodes_woken_per_day(made["awake"].to_numpy(float))
        kept = {column: figures[column] for column in COLUMNS[3:-1]}
        rows.append(
            {"controller": controller.name, "forecast": name, "parameter": parameter}
            | {**kept, "nodes_woken_per_day": woken}
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _points(
    controllers: Mapping[str, Controller], foresights: list[Foresight], nodes: float
) -> Iterable[Point]:
    """What is swept: buffers with and without forecasts, margins, quantiles of each forecast; and the
    ends."""
    ces, margin, quantile = controllers["ces"], controllers["margin"], controllers["quantile"]
    assert isinstance(ces, CesParameters)
    assert isinstance(margin, Margin)
    assert isinstance(quantile, Quantile)
    counts = node_counts(nodes)
    yield AlwaysOn(), None, None
    yield Drs(), None, None
    for foresight in (None, *foresights):
        for count in counts:
            yield replace(ces, buffer_nodes=count), foresight, count
    for count in counts:
        low = min(margin.low_water_nodes, count)
        yield replace(margin, margin_nodes=count, low_water_nodes=low), None, count
    for foresight in foresights:
        if foresight.name == TRUE_FUTURE:  # it errs by nothing, so that every quantile is the same
            yield quantile, foresight, None
            continue
        for share in QUANTILES:
            yield replace(quantile, quantile=share), foresight, share


def node_counts(nodes: float) -> list[int]:
    """Buffers and margins worth trying in a cluster of ``nodes``: 5 to 60, in smaller ones up to half."""
    if nodes >= 2 * NODE_COUNTS[-1]:
        return [int(count) for count in NODE_COUNTS]
    parts = len(NODE_COUNTS)
    return sorted({int(np.ceil(nodes / 2 * part / parts)) for part in range(1, parts + 1)})


def comparison(table: pd.DataFrame, lack_events: float) -> dict[str, Any]:
    """The curves of a frontier at equal lack events, ready for JSON.

    ``at_lack_events`` and ``curves``: mean sleeping nodes of each controller and forecast there, linear
    between sweep points, None outside the curve's range; ``forecasts``: for each controller that reads one,
    how many more nodes sleep with a model than without any and than with the last value, over the lack
    counts that both curves cover (mean, least and most), and a sentence.
    """
    curves = {key: _curve(part) for key, part in _by_curve(table).items()}
    at = [
        {"controller": controller, "forecast": forecast, "mean_sleeping_nodes": _at(curve, lack_events)}
        for (controller, forecast), curve in curves.items()
    ]
    return {"at_lack_events": lack_events, "curves": at, "forecasts": list(_forecast_gains(curves))}


Curve = tuple[Values, Values]  # lack events, ascending, and mean sleeping nodes
Key = tuple[str, str | None]


def _by_curve(table: pd.DataFrame) -> dict[Key, pd.DataFrame]:
    keys = [
        (str(controller), None if pd.isna(forecast) else str(forecast))
        for controller, forecast in zip(table["controller"], table["forecast"], strict=True)
    ]
    return {key: table[[each == key for each in keys]] for key in dict.fromkeys(keys)}


def _curve(points: pd.DataFrame) -> Curve:
    """The best point of each lack count, in the order of lack counts; where more lacks give fewer sleeping
    nodes, the better point of fewer lacks is kept, as an operator would."""
    best = points.groupby("lack_events")["mean_sleeping_nodes"].max().dropna().cummax()
    return best.index.to_numpy(float), best.to_numpy(float)


def _at(curve: Curve, lack_events: float) -> float | None:
    lacks, asleep = curve
    if not lacks.size or not lacks[0] <= lack_events <= lacks[-1]:
        return None
    return float(np.interp(lack_events, lacks, asleep))


def _forecast_gains(curves: Mapping[Key, Curve]) -> Iterable[dict[str, Any]]:
    for (controller, forecast), curve in curves.items():
        if forecast in (None, NO_FORECAST, TRUE_FUTURE, "last"):
            continue
        for plain in (NO_FORECAST, "last"):
            if (controller, plain) in curves:
                gain = _gain(curve, curves[controller, plain])
                names = {"controller": controller, "forecast": forecast, "instead_of": plain}
                yield names | gain | {"sentence": _verdict(controller, forecast, plain, gain)}


def _gain(curve: Curve, plain: Curve) -> dict[str, float | None]:
    """Nodes more asleep than on the plain curve, over the lack counts that both cover."""
    low, high = np.inf, -np.inf
    if curve[0].size and plain[0].size:
        low, high = max(curve[0][0], plain[0][0]), min(curve[0][-1], plain[0][-1])
    if low > high:
        return dict.fromkeys(GAINS)
    lacks = np.linspace(low, high, 101)
    more = np.interp(lacks, *curve) - np.interp(lacks, *plain)
    figures = (low, high, more.mean(), more.min(), more.max())
    return {name: float(figure) for name, figure in zip(GAINS, figures, strict=True)}


def _verdict(controller: str, forecast: str, plain: str, gain: Mapping[str, float | None]) -> str:
    instead = "no forecast" if plain == NO_FORECAST else "the last value"
    mean, least = gain["mean_nodes"], gain["least_nodes"]
    if mean is None or least is None:
        return f"{controller} with {forecast} and with {instead} have no number of lack events in common."
    if mean <= 0:
        return f"The forecast {forecast} adds nothing to {controller} with {instead}."
    if least < 0:
        return (
            f"The forecast {forecast} lets {controller} put {mean:.1f} nodes more to sleep on average than "
            f"{instead}, but not at every number of lack events: no clear difference."
        )
    return f"The forecast {forecast} lets {controller} put {mean:.1f} nodes more to sleep than {instead}."
