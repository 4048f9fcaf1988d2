"""One job: its life from submission to end, and the load of its VC while it waited."""

from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go

from components.figures.template import blank, duration_axis, percent_axis
from components.theme import NODE_SERIES, STATUSES

PHASES = {"waits": "waiting", "runs": "running"}


def life(phases: pd.DataFrame, timezone: str) -> go.Figure:
    """A bar per phase: phase (``waits``, ``runs``), start_time, end_time (local), seconds, attempt."""
    figure = blank(x_title=f"time ({timezone})")
    for phase, status in PHASES.items():
        part = phases[phases["phase"] == phase]
        color, pattern = STATUSES[status]
        figure.add_bar(
            y=part["attempt"],
            base=part["start_time"],
            x=1000 * part["seconds"],
            customdata=part["length"],
            orientation="h",
            name=phase,
            width=0.4,
            marker={
                "color": color,
                "pattern": {"shape": pattern, "bgcolor": color, "fgcolor": "rgba(255,255,255,.6)", "size": 6},
            },
            hovertemplate="%{customdata}",
        )
    figure.update_layout(
        barmode="overlay",
        hovermode="closest",
        xaxis={"type": "date"},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False},
    )
    return figure


def vc_load(load: pd.DataFrame, timezone: str) -> go.Figure:
    """GPUs of a VC: local_time, used_gpus, waiting_gpus, present_gpus (null where unknown)."""
    figure = blank(x_title=f"time ({timezone})", y_title="GPUs")
    lines = {
        "in use": ("used_gpus", *NODE_SERIES["in use"]),
        "asked for by waiting jobs": ("waiting_gpus", STATUSES["waiting"][0], "9px,2px"),
        "present": ("present_gpus", *NODE_SERIES["present"]),
    }
    for name, (column, color, dash) in lines.items():
        if load[column].notna().any():
            figure.add_scatter(
                x=load["local_time"],
                y=load[column],
                name=name,
                mode="lines",
                line={"color": color, "width": 2, "dash": dash, "shape": "hv"},
                hovertemplate="%{y:,}",
            )
    figure.update_layout(yaxis={"rangemode": "tozero"})
    return figure


def durations_of_similar(
    jobs: pd.DataFrame, duration_s: float | None, address: Callable[[str], str] | None = None
) -> go.Figure:
    """Duration curve of similar jobs (job_id, duration_s), with the job's own as a line where it is known.

    ``address``: the page of a job by its id, which a click on its point opens.
    """
    ordered = jobs.dropna(subset="duration_s").sort_values("duration_s", kind="stable")
    known = ordered["duration_s"].clip(lower=1)
    figure = blank(x_title="duration (log scale)", y_title="share of similar jobs")
    color, dash = NODE_SERIES["in use"]
    figure.add_scatter(
        x=known,
        y=[100 * (place + 1) / len(known) for place in range(len(known))],
        customdata=[[address(job_id)] for job_id in ordered["job_id"]] if address else None,
        name="similar jobs",
        mode="lines+markers",
        line={"color": color, "width": 2, "dash": dash, "shape": "hv"},
        marker={"color": color, "size": 4},
        hovertemplate="%{y:.0f} %",
    )
    if duration_s is not None and duration_s > 0:
        figure.add_scatter(
            x=[max(duration_s, 1)] * 2,
            y=[0, 100],
            name="this job",
            mode="lines",
            line={"color": "#d9720a", "width": 2, "dash": "9px,2px"},
            hoverinfo="skip",
        )
    duration_axis(figure)
    percent_axis(figure, upper=102)
    return figure
