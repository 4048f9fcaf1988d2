"""The table of virtual clusters: who is full, and who waits."""

from collections.abc import Callable

import dash_mantine_components as dmc
import pandas as pd
from dash import dcc, html

from components.numbers import count, duration, is_unknown, percent
from components.tables import bar, dot
from components.theme import cluster_styles

HEAD = ("Virtual cluster", "GPUs", "Utilization", "", "Queueing p95", "GPU jobs")


def vc_table(
    vcs: pd.DataFrame, clusters: list[str], href: Callable[[str, str], str] | None = None
) -> html.Div:
    """Rows of cluster, vc, present_gpus, utilization (0–1), p95_queueing_delay_s, jobs.

    A dot before the name and the bar have the color of the cluster; ``href(cluster, vc)`` opens a VC.
    """
    styles = cluster_styles(clusters)
    rows = [_row(vc, styles[vc.cluster][0], href) for vc in vcs.itertuples()]
    head = [
        dmc.TableTh(title, className=("right" if place else "") if title else "wide-only")
        for place, title in enumerate(HEAD)
    ]
    table = dmc.Table([dmc.TableThead(dmc.TableTr(head)), dmc.TableTbody(rows)], verticalSpacing=7)
    return html.Div(table, className="table-scroll")


def _row(vc: object, color: str, href: Callable[[str, str], str] | None) -> dmc.TableTr:
    name = "no VC" if is_unknown(vc.vc) else vc.vc
    linked = href is not None and not is_unknown(vc.vc)
    shown = dcc.Link(name, href=href(vc.cluster, vc.vc), className="vc-link") if linked else name
    cells = [
        dmc.TableTd([dot(color), shown, html.Span(f" {vc.cluster}", className="muted")]),
        dmc.TableTd(count(vc.present_gpus), className="right"),
        dmc.TableTd(percent(vc.utilization, 0), className="right"),
        dmc.TableTd(bar(vc.utilization, color), style={"width": "22%"}, className="wide-only"),
        dmc.TableTd(duration(vc.p95_queueing_delay_s), className="right"),
        dmc.TableTd(count(vc.jobs), className="right"),
    ]
    return dmc.TableTr(cells)
