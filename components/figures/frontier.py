"""The frontier: nodes asleep against lack events, one line per controller and forecast."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from components.controllers import controller_title
from components.figures.template import blank
from components.forecast_models import model_title

TRUE_FUTURE, NO_FORECAST = "true future", "none"
#: Controller → color; the true future, which nobody has, and the two ends are grey.
COLORS = {"quantile": "#c2620a", "ces": "#0072B2", "margin": "#009E73"}
GREY = "#8a94a3"
#: The order of the legend.
ORDER = ("quantile", "margin", "ces", "ces_published", "drs")
#: On a phone the legend has a line for each curve.
HEIGHT_PX = 460
#: Short names: the legend stands in a third of the page.
FORECASTS = {
    "last": "last value",
    "auto": "automatic",
    NO_FORECAST: "no forecast",
    TRUE_FUTURE: "true future",
}


def frontier(
    points: pd.DataFrame, own: tuple[float, float] | None = None, at_lack_events: float | None = None
) -> go.Figure:
    """Rows of `controller`, `forecast`, `parameter`, `lack_events`, `mean_sleeping_nodes`.

    ``own``: lack events and sleeping nodes of the run itself, ringed; ``at_lack_events``: where the lines are
    compared, dotted. The axes show where controllers differ: what lacks far more often lies right of them,
    and always on, which is the origin, is left to the table.
    """
    figure = blank(x_title="lack events in the window", y_title="nodes asleep, mean")
    points = points[points["controller"] != "always_on"]
    for controller, forecast in curves(points):
        _add(figure, curve(points, controller, forecast), controller, forecast)
    if own is not None:
        _ring(figure, own)
    if at_lack_events is not None:
        figure.add_vline(x=at_lack_events, line={"color": GREY, "width": 1, "dash": "dot"})
    widest = _widest(points, own, at_lack_events)
    figure.update_layout(
        height=HEIGHT_PX,
        hovermode="closest",
        xaxis={"range": [-0.04 * widest, 1.06 * widest], "showgrid": True},
        yaxis={"range": _height(points[points["lack_events"] <= widest], own)},
        legend={"y": 1.02, "font": {"size": 11}},
        margin={"t": 60},
    )
    return figure


def curves(points: pd.DataFrame) -> list[tuple[str, str | None]]:
    """Controllers and forecasts in the order of the legend."""
    pairs = zip(points["controller"], points["forecast"], strict=True)
    found = list(dict.fromkeys((name, None if pd.isna(each) else each) for name, each in pairs))
    rank = {name: place for place, name in enumerate(ORDER)}
    return sorted(found, key=lambda pair: (pair[1] == TRUE_FUTURE, rank.get(pair[0], len(rank))))


def curve(points: pd.DataFrame, controller: str, forecast: str | None) -> pd.DataFrame:
    """The points of one line, in the order of its parameter."""
    same = points["forecast"].isna() if forecast is None else points["forecast"] == forecast
    own = points[(points["controller"] == controller) & same]
    return own.dropna(subset=["mean_sleeping_nodes"]).sort_values("parameter", kind="stable")


def curve_title(controller: str, forecast: str | None) -> str:
    """What a line is called: Quantile, level; CES, no forecast; Margin."""
    title = controller_title(controller)
    if forecast is None:
        return title
    name = FORECASTS.get(forecast, forecast if len(model_title(forecast)) > 16 else model_title(forecast))
    return f"{title}, {name}"


def _style(controller: str, forecast: str | None) -> dict[str, Any]:
    if forecast == TRUE_FUTURE:
        return {"color": GREY, "dash": "dot", "width": 1.4}
    dash = {"last": "dash", NO_FORECAST: "dashdot"}.get(forecast or "", "solid")
    return {"color": COLORS.get(controller, GREY), "dash": dash, "width": 1.8}


def _add(figure: go.Figure, own: pd.DataFrame, controller: str, forecast: str | None) -> None:
    line = _style(controller, forecast)
    alone = controller == "drs" or len(own) == 1
    symbol = "triangle-up" if controller == "drs" else "circle"
    if forecast == TRUE_FUTURE and controller == "quantile":
        symbol = "star"
    figure.add_scatter(
        x=own["lack_events"],
        y=own["mean_sleeping_nodes"].astype(float),
        name=curve_title(controller, forecast),
        mode="markers" if alone else "lines+markers",
        line=line,
        marker={"size": 9 if alone else 5, "color": line["color"], "symbol": symbol},
        customdata=[_parameter(controller, each) for each in own["parameter"]],
        hovertemplate="%{customdata}%{y:,.1f} asleep, %{x:,.0f} lack events",
    )


def _parameter(controller: str, value: float) -> str:
    if pd.isna(value):
        return ""
    name = {"ces": "buffer", "margin": "margin", "quantile": "quantile"}.get(controller, "parameter")
    return f"{name} {value:g}: "


def _ring(figure: go.Figure, own: tuple[float, float]) -> None:
    figure.add_scatter(
        x=[own[0]],
        y=[own[1]],
        name="this run",
        mode="markers",
        marker={"symbol": "circle-open", "size": 15, "color": GREY, "line": {"width": 2.5}},
        hovertemplate="%{y:,.1f} asleep, %{x:,.0f} lack events",
    )


def _widest(points: pd.DataFrame, own: tuple[float, float] | None, at: float | None) -> float:
    """The most lack events that are shown: those of the run, of what is swept, up to five times ``at``."""
    swept = points.loc[points["controller"] != "drs", "lack_events"].max()
    most = float(swept) if pd.notna(swept) else 0.0
    return max(most if at is None else min(most, 5 * at), own[0] if own else 0.0, 4.0)


def _height(points: pd.DataFrame, own: tuple[float, float] | None) -> list[float]:
    """The sleeping nodes that are shown, with room above and below."""
    asleep = [*points["mean_sleeping_nodes"].dropna().astype(float), *([own[1]] if own else [])]
    low, high = (min(asleep), max(asleep)) if asleep else (0.0, 1.0)
    room = 0.12 * (high - low) or 1.0
    return [max(low - room, -0.1 * high), high + room]
