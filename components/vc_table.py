"""The table of virtual clusters: who is full, and who waits."""

from collections.abc import Callable

import pandas as pd
from dash import html

from components.drawn_table import Cell, drawn_table
from components.numbers import count, duration, is_unknown, percent
from components.theme import cluster_styles

HEAD = ("Virtual cluster", "GPUs", "Utilization", "", "Queueing p95", "GPU jobs")
CLASSES = ("", "right", "right", "wide-only bar-column", "right", "right")


def vc_table(
    vcs: pd.DataFrame, clusters: list[str], href: Callable[[str, str], str] | None = None
) -> html.Div:
    """Rows of cluster, vc, present_gpus, utilization (0–1), p95_queueing_delay_s, jobs.

    A dot before the name and the bar have the color of the cluster; ``href(cluster, vc)`` opens a VC.
    """
    styles = cluster_styles(clusters)
    rows = [_row(vc, styles[vc.cluster][0], href) for vc in vcs.itertuples()]
    return html.Div(drawn_table(HEAD, rows, classes=CLASSES), className="table-scroll")


def _row(vc: object, color: str, href: Callable[[str, str], str] | None) -> list[str | Cell]:
    name = "no VC" if is_unknown(vc.vc) else vc.vc
    linked = href is not None and not is_unknown(vc.vc)
    return [
        Cell(name, href(vc.cluster, vc.vc) if linked else None, color, f" {vc.cluster}"),
        count(vc.present_gpus),
        percent(vc.utilization, 0),
        "" if is_unknown(vc.utilization) else Cell(dot=color, share=vc.utilization),
        duration(vc.p95_queueing_delay_s),
        count(vc.jobs),
    ]
