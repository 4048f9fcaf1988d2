"""How good the forecast was: the chosen model beside two naive ones, by horizon."""

from collections.abc import Sequence

import dash_mantine_components as dmc
import pandas as pd
from dash import html

from components.forecast_models import model_title
from components.numbers import count, duration, is_unknown, percent

HEAD = (
    "Ahead",
    "Model",
    "MAE, nodes",
    "RMSE, nodes",
    "sMAPE",
    "Skill",
    "In the 80 % interval",
    "In the 95 % interval",
    "80 % width, nodes",
    "Slots",
)


def backtest_table(backtest: pd.DataFrame, model: str, chosen: str | None = None) -> html.Div:
    """Rows of model, horizon_s, n, mae, rmse, smape, skill, coverage_80, coverage_95, width_80, and the
    coverages' intervals (low and high, or null); the smallest errors stand out. ``chosen`` is the model that
    an automatic ``model`` took.

    A run of an earlier time has no skill and no 95 %.
    """
    later = {"skill", "coverage_95", "coverage_80_interval", "coverage_95_interval"} - set(backtest.columns)
    backtest = backtest.assign(**dict.fromkeys(later))
    body = []
    for horizon_s, rows in backtest.groupby("horizon_s"):
        ordered = rows.assign(_own=rows["model"] != model).sort_values("_own", kind="stable")
        best = ordered["mae"].astype(float).min()
        body += [
            _row(row, place == 0, int(horizon_s), row.model == model, best, chosen)
            for place, row in enumerate(ordered.itertuples())
        ]
    head = [dmc.TableTh(title, className="right" if place > 1 else "") for place, title in enumerate(HEAD)]
    return html.Div(
        dmc.Table([dmc.TableThead(dmc.TableTr(head)), dmc.TableTbody(body)], className="backtest"),
        className="table-scroll",
    )


def _row(row: object, first: bool, horizon_s: int, own: bool, best: float, chosen: str | None) -> dmc.TableTr:
    title = model_title(row.model, chosen)
    is_best = not is_unknown(row.mae) and float(row.mae) == best
    cells = [
        dmc.TableTd(duration(horizon_s) if first else ""),
        dmc.TableTd([html.B(title) if own else title]),
        dmc.TableTd(html.B(_nodes(row.mae)) if is_best else _nodes(row.mae), className="right"),
        dmc.TableTd(_nodes(row.rmse), className="right"),
        dmc.TableTd(percent(row.smape), className="right"),
        dmc.TableTd(percent(row.skill).replace("-", "−"), className="right"),
        dmc.TableTd(_coverage(row.coverage_80, row.coverage_80_interval), className="right"),
        dmc.TableTd(_coverage(row.coverage_95, row.coverage_95_interval), className="right"),
        dmc.TableTd(_nodes(row.width_80), className="right"),
        dmc.TableTd(count(row.n), className="right"),
    ]
    return dmc.TableTr(cells, className="first-of-group" if first else "")


def _nodes(value: float | None) -> str:
    return "unknown" if is_unknown(value) else f"{value:,.2f}"


def _coverage(share: float | None, interval: Sequence[float] | None) -> str:
    """A coverage, and between which shares so few days leave it: 81.2 % (74 – 88)."""
    if is_unknown(share) or interval is None or len(interval) != 2:
        return percent(share)
    low, high = (100 * each for each in interval)
    return f"{percent(share)} ({low:.0f} – {high:.0f})"
