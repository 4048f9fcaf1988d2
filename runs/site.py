"""What an operator knows of the site: power, price and carbon, and what sleeping nodes save there."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import energy
from runs.errors import RunError
from runs.scenario import EnergyScenario
from traces import TraceError, clock

HOLDS = pd.Timedelta(hours=2)  # longer without a new value, and the rate is unknown


@dataclass(frozen=True)
class RateFiles:
    """Hourly rates in files, in place of a scenario's constants; None where the constant holds."""

    price_per_kwh: Path | None = None
    carbon_g_per_kwh: Path | None = None
    timezone: str = "UTC"

    def read(self, time: "pd.Series[pd.Timestamp]") -> energy.HourlyRates:
        """The rates in force when each slot of ``time`` begins."""
        files = (self.price_per_kwh, self.carbon_g_per_kwh)
        return energy.HourlyRates(
            *(None if file is None else read_rate(file, self.timezone, time) for file in files)
        )


def saved(settings: EnergyScenario, slots: pd.DataFrame, rates: energy.HourlyRates) -> dict[str, Any] | None:
    """What the sleeping nodes save with the operator's inputs; None where an input is not given.

    ``hourly`` names the inputs that were given by the hour; they are printed with their mean.
    """
    inputs = power_inputs(settings, rates)
    if inputs is None:
        return None
    woken = np.diff(slots["awake"].to_numpy(float), prepend=np.nan)
    attempts = np.nan_to_num(np.maximum(woken, 0.0)) + slots["failed_wakes"].to_numpy(float)
    made = asdict(energy.savings(slots["asleep"].to_numpy(float), inputs, attempts, rates))
    hourly = [name for name in ("price_per_kwh", "carbon_g_per_kwh") if getattr(rates, name) is not None]
    return made | {"hourly": hourly}


def power_inputs(settings: EnergyScenario, rates: energy.HourlyRates) -> energy.PowerInputs | None:
    """The operator's inputs; None where one is missing. Raises RunError for both PUE and a cooling factor."""
    if settings.pue is not None and settings.cooling_factor is not None:
        raise RunError("Give either the PUE or the cooling factor: the factor is PUE − 1.")
    if settings.pue is not None and not settings.pue >= 1:
        raise RunError(f"The PUE must be at least 1, not {settings.pue:g}.")
    factor = settings.cooling_factor if settings.pue is None else settings.pue - 1
    price = _constant(settings.price_per_kwh, rates.price_per_kwh)
    carbon = _constant(settings.carbon_g_per_kwh, rates.carbon_g_per_kwh)
    if settings.idle_w is None or factor is None or price is None or carbon is None:
        return None
    return energy.PowerInputs(settings.idle_w, factor, price, carbon, settings.sleep_w, settings.boot_wh)


def read_rate(path: Path, timezone: str, time: "pd.Series[pd.Timestamp]") -> NDArray[np.float64]:
    """The rate in force when each slot of ``time`` (naive UTC) begins, NaN where the file gives none.

    The file is CSV with the columns ``time`` (in ``timezone`` unless it has an offset) and ``value``; a value
    holds until the next one, two hours at most. Raises RunError for a file that cannot be right.
    """
    try:
        rows = pd.read_csv(path, dtype={"time": str})
        instants = [clock.instant(each, timezone) for each in rows["time"]]
        values = rows["value"].to_numpy(float)
    except KeyError as error:
        raise RunError(f"{path.name} has no column {error.args[0]!r}: it needs time and value.") from error
    except (OSError, pd.errors.ParserError, pd.errors.EmptyDataError, TraceError, ValueError) as error:
        raise RunError(f"{path.name} cannot be read as time and value: {error}") from error
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        raise RunError(f"{path.name}, line {int(wrong.argmax()) + 2}: the value must be at least 0.")
    rates = pd.DataFrame({"time": pd.Series(instants, dtype="datetime64[us]"), "value": values})
    held = pd.merge_asof(
        pd.DataFrame({"time": time.astype("datetime64[us]")}),
        rates.sort_values("time", kind="stable"),
        on="time",
        tolerance=HOLDS,
    )
    return held["value"].to_numpy(float)


def _constant(constant: float | None, hourly: NDArray[np.float64] | None) -> float | None:
    if hourly is None:
        return constant
    known = hourly[~np.isnan(hourly)]
    return float(known.mean()) if known.size else 0.0  # a file without a value here is refused slot by slot
