"""How fast the energy room is, on a made series of 59 days with a gap, of which the last 14 are the window.

- ``energy_seasonal_fit_s``: maximum likelihood of the seasonal model on 45 days of slots;
- ``energy_seasonal_outlook_24h_s``: its forecast of the next 24 hours with intervals;
- ``energy_backtest_14d_s``: 2,016 origins at 4 horizons with intervals, `seasonal` and both baselines;
- ``energy_causal_ces_14d_s``: the causal controller over 2,016 slots;
- ``energy_study_14d_s``: a whole run from minutely rows, all of the above included.

Wall seconds of one run each; the import of statsmodels is left out.
"""

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pandas as pd

import energy
from energy.accuracy import backtest
from energy.family import BASELINES, fit
from energy.intervals import outlook

START = pd.Timestamp("2017-10-03")
DAYS, WINDOW_DAYS = 59, 14
T = TypeVar("T")


def measure() -> dict[str, float]:
    """The figures by name, in seconds."""
    rows = _rows()
    slots = energy.mark_outages(energy.slots_from_series(rows))
    used, total = slots["used"].to_numpy(float), slots["total"].to_numpy(float)
    first = len(used) - WINDOW_DAYS * 144
    fit("level", used[:1000])  # imports statsmodels
    fit_s, seasonal = _timed(lambda: fit("seasonal", used[:first]))
    outlook_s, _ = _timed(lambda: outlook(seasonal, used, 144))
    models = {"seasonal": seasonal, **{name: fit(name, used[:first]) for name in BASELINES}}
    backtest_s, _ = _timed(lambda: backtest(models, used, first))
    preset = energy.PRESETS["Philly"]
    controller_s, _ = _timed(lambda: energy.control(preset, used, total, WINDOW_DAYS * 144))
    window = (START + pd.Timedelta(days=DAYS - WINDOW_DAYS), START + pd.Timedelta(days=DAYS))
    study_s, _ = _timed(lambda: energy.study(rows, *window, controller=preset))
    return {
        "energy_seasonal_fit_s": fit_s,
        "energy_seasonal_outlook_24h_s": outlook_s,
        "energy_backtest_14d_s": backtest_s,
        "energy_causal_ces_14d_s": controller_s,
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
