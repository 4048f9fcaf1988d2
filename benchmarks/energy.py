"""How fast the energy room is, on a made series of 59 days with a gap, of which the last 14 are the window.

- ``energy_<model>_fit_s``: the model fitted on 45 days of slots; ``auto`` chooses among all others on 22 of
  them;
- ``energy_seasonal_outlook_24h_s``: the forecast of the next 24 hours with intervals;
- ``energy_backtest_14d_s``: 2,016 origins at 5 horizons with intervals, `seasonal` and both baselines;
- ``energy_causal_ces_14d_s``: the causal controller over 2,016 slots;
- ``energy_frontier_14d_s``: every controller's sweep over that window, with two models and the limit;
- ``energy_study_14d_s``: a whole run from minutely rows, all of the above included.

Wall seconds of one run each; imports and compilation are left out.

How good forecasts are, on the reference material (null where it is absent): ``energy_philly_auto_skill_<h>``
on 17–30 November 2017 and ``energy_venus_seasonal_skill_<h>`` from 29 August 2020 on, against the last value
at 10 min, 1, 3, 5 and 24 h.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

import energy
from energy.accuracy import backtest
from energy.family import BASELINES, MODELS, fit
from energy.frontier import frontier_document
from energy.intervals import outlook

START = pd.Timestamp("2017-10-03")
DAYS, WINDOW_DAYS = 59, 14
SHARED = Path(__file__).resolve().parents[2] / "shared"
HORIZONS = ("10min", "1h", "3h", "5h", "24h")
PHILLY = {"active": "used"}
VENUS = {"running_gpus": "used", "total_gpus": "total"}
REAL = (
    ("philly", "data/philly/nodes_until_2017-11-30.csv", PHILLY, "auto", "2017-11-17", "2017-12-01"),
    ("venus", "calibration/venus_hourly_series.csv", VENUS, "seasonal", "2020-08-29", "2020-09-29"),
)
T = TypeVar("T")


def measure() -> dict[str, float | None]:
    """The figures by name."""
    return {**speed(), **skill()}


def skill() -> dict[str, float | None]:
    """1 − mean absolute error ÷ that of the last value, by series and horizon."""
    figures: dict[str, float | None] = {}
    for name, file, columns, model, start, end in REAL:
        names = [f"energy_{name}_{model}_skill_{horizon}" for horizon in HORIZONS]
        if not (SHARED / file).is_file():
            figures |= dict.fromkeys(names)
            continue
        series = pd.read_csv(SHARED / file, parse_dates=["time"]).rename(columns=columns)
        made = energy.forecast_study(series, pd.Timestamp(start), pd.Timestamp(end), model=model)
        rows = made.document["forecast"]["horizons"]
        figures |= {each: row["skill"] for each, row in zip(names, rows, strict=True)}
    return figures


def speed() -> dict[str, float]:
    """Seconds by name."""
    rows = _rows()
    slots = energy.mark_outages(energy.slots_from_series(rows))
    used, total = slots["used"].to_numpy(float), slots["total"].to_numpy(float)
    first = len(used) - WINDOW_DAYS * 144
    outlook(fit("auto", used[:3000]), used[:3000], 12)  # imports statsmodels and compiles
    fits = {}
    for name in MODELS:
        fits[f"energy_{name}_fit_s"], _ = _timed(lambda name=name: fit(name, used[:first]))
    seasonal = fit("seasonal", used[:first])
    outlook_s, _ = _timed(lambda: outlook(seasonal, used, 144))
    models = {"seasonal": seasonal, **{name: fit(name, used[:first]) for name in BASELINES}}
    backtest_s, _ = _timed(lambda: backtest(models, used, first))
    preset = energy.PRESETS["Philly"]
    controller_s, _ = _timed(lambda: energy.control(preset, used, total, WINDOW_DAYS * 144))
    swept = {"ces": preset, "margin": energy.Margin(), "quantile": energy.Quantile()}
    two = {name: models[name] for name in ("last", "seasonal")}
    frontier_s, _ = _timed(lambda: frontier_document(slots[first:], used, total, swept, two, energy.Boot()))
    window = (START + pd.Timedelta(days=DAYS - WINDOW_DAYS), START + pd.Timedelta(days=DAYS))
    study_s, _ = _timed(lambda: energy.study(rows, *window, controller=preset))
    return {
        **fits,
        "energy_seasonal_outlook_24h_s": outlook_s,
        "energy_backtest_14d_s": backtest_s,
        "energy_causal_ces_14d_s": controller_s,
        "energy_frontier_14d_s": frontier_s,
        "energy_study_14d_s": study_s,
    }


def _rows() -> pd.DataFrame:
    """Minutely used and total nodes: a daily wave on a random walk, with a gap of 10 hours."""
    rng = np.random.default_rng(20171003)
    minute = np.arange(DAYS * 1440)
    walk = np.clip(rng.normal(0, 1.6, minute.size).cumsum(), -90, 90)
    used = np.round(300 + walk + 12 * np.sin(2 * np.pi * minute / 1440))
    rows = pd.DataFrame({"time": START + pd.to_timedelta(minute, unit="min"), "used": used, "total": 420.0})
    return rows.drop(index=range(32_520, 33_120))


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result
