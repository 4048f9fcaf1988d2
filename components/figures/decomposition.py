"""A demand taken apart: its level, its day, its week, its holidays, and what they leave over."""

import pandas as pd
import plotly.graph_objects as go

from components.figures.template import blank
from components.figures.thinning import thinned

#: Part → (title, color).
PARTS = {
    "level": ("level", "#0072B2"),
    "day": ("day", "#009E73"),
    "week": ("week", "#D98A00"),
    "holiday": ("holiday", "#B5578F"),
    "remainder": ("remainder", "#8a94a3"),
}
PANEL_PX, GAP = 82, 0.1


def decomposition(slots: pd.DataFrame, timezone: str) -> go.Figure:
    """One panel per part, above each other over the same time: local_time, and a column per part in nodes."""
    shown = parts_of(slots)
    figure = blank(x_title=f"time ({timezone})", legend=False)
    height = (1 - GAP * (len(shown) - 1)) / len(shown)
    for place, name in enumerate(shown):
        title, color = PARTS[name]
        axis = "" if place == 0 else str(place + 1)
        top = 1 - place * (height + GAP)
        line = thinned(slots[["local_time", name]], name)
        figure.add_scatter(
            x=line["local_time"],
            y=line[name].astype("float32"),
            name=title,
            yaxis=f"y{axis}",
            mode="lines",
            line={"color": color, "width": 1.4},
            hovertemplate="%{y:+,.1f}" if name != "level" else "%{y:,.1f}",
        )
        domain = [max(0.0, top - height), top]
        figure.update_layout({f"yaxis{axis}": {"domain": domain, "title": {"text": title}, "nticks": 3}})
    figure.update_layout(height=height_px(len(shown)), xaxis={"anchor": "free", "position": 0})
    return figure


def parts_of(slots: pd.DataFrame) -> list[str]:
    """The parts that a model saw: a holiday's is left out where there was none."""
    return [name for name in PARTS if name in slots and (name != "holiday" or slots[name].fillna(0).any())]


def height_px(parts: int) -> int:
    """The height of a figure of so many panels."""
    return PANEL_PX * parts + 60
