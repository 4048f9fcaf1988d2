"""Who waits less and who waits longer: the mean change of the queueing delay, up for longer."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from components.figures.scheduling import STEPS_S, TICKS, tick_text
from components.figures.template import bar_marker, blank
from components.numbers import count, plural, signed_duration

#: Longer or shorter → (color, bar pattern): readable in greyscale and by color-blind people.
DIRECTIONS = {"waits longer": ("#d55e00", "/"), "waits less": ("#1b9e8a", "")}
#: How wide a bar is in its place, at most and of few.
WIDEST, OF_FEW = 0.72, 0.2


def changes_by_vc(rows: pd.DataFrame) -> go.Figure:
    """A bar per VC: label, change_s (mean, above 0 is longer), losers and winners (jobs)."""
    figure = blank(y_title="change of the mean delay")
    for name, (color, pattern) in DIRECTIONS.items():
        own = rows[(rows["change_s"] > 0) == (name == "waits longer")]
        figure.add_bar(
            x=own["label"].str.replace(" · ", "<br>", regex=False),
            y=own["change_s"],
            name=name,
            width=min(WIDEST, OF_FEW * len(rows)),
            marker=bar_marker(color, pattern),
            customdata=[_hover(row) for row in own.itertuples()],
            hovertemplate="%{customdata}",
        )
    order = rows["label"].str.replace(" · ", "<br>", regex=False).tolist()
    axis = {"type": "category", "categoryorder": "array", "categoryarray": order}
    figure.update_layout(barmode="overlay", xaxis=axis)
    _signed_axis(figure, rows["change_s"])
    return figure


def _hover(row: Any) -> str:
    jobs = f"{plural(row.losers, 'job')} longer, {count(row.winners)} shorter"
    return f"{signed_duration(row.change_s)} ({jobs})"


def _signed_axis(figure: go.Figure, change_s: pd.Series) -> None:
    """An axis of seconds through zero, with ticks at durations people know and their signs."""
    least, most = (float(end) for end in (min([0.0, *change_s]), max([0.0, *change_s])))
    span_s = max(most - least, 1.0)
    step = next((each for each in STEPS_S if span_s / each <= TICKS), span_s / TICKS)
    places = range(int(least // step), int(-(-most // step)) + 1)
    text = [f"{'−' if at < 0 else '+' if at > 0 else ''}{tick_text(abs(at) * step)}" for at in places]
    figure.update_layout(yaxis={"tickvals": [at * step for at in places], "ticktext": text, "zeroline": True})
