"""The versions of a fitted model: the record of when each was fitted, on what, and what it was used for."""

import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.choice import Choice
from energy.demand import Values
from energy.fitted import Fitted

REFIT_POLICY = (
    "Every run fits its own models, once, on the data before its window, and keeps them for the window. "
    "Models whose errors on their own training flatter them are fitted once more on an earlier part, only to "
    "say how large their errors are."
)
SOFTWARE = ("numpy", "scipy", "statsmodels")


@dataclass(frozen=True, eq=False)
class Version:
    """A model fitted on the slots before ``trained_slots``, for the origins from ``first_origin`` on."""

    fitted: Fitted
    trained_slots: int
    first_origin: int
    known_slots: int
    fingerprint: str


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A model as a run uses it: ``model`` as asked for, ``chosen`` as fitted (they differ under `auto`)."""

    model: str
    chosen: str
    versions: tuple[Version, ...]
    choice: Choice | None = None

    @property
    def fitted(self) -> Fitted:
        """The latest version: the one that is used in the window."""
        return self.versions[-1].fitted

    @property
    def parameters(self) -> dict[str, float]:
        """Those of the latest version."""
        return self.fitted.parameters

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`. Each origin has the version that serves it."""
        if len(self.versions) == 1:
            return self.fitted.means(values, origins, steps)
        means = np.full((len(origins), len(steps)), np.nan)
        ends = [each.first_origin for each in self.versions[1:]] + [np.inf]
        for each, end in zip(self.versions, ends, strict=True):
            served = (origins >= each.first_origin) & (origins < end)
            if served.any():
                means[served] = each.fitted.means(values, origins[served], steps)
        return means


def version_of(model: str, fitted: Fitted, training: Values, first_origin: int) -> Version:
    """A version fitted on ``training``; its fingerprint changes with the data, the model and its numbers."""
    digest = hashlib.sha256(training.tobytes())
    digest.update(f"{model} {sorted(fitted.parameters.items())}".encode())
    known = int((~np.isnan(training)).sum())
    return Version(fitted, len(training), first_origin, known, f"{model}-{digest.hexdigest()[:12]}")


def fits_document(model: FittedModel, time: pd.Series) -> list[dict[str, Any]]:
    """One entry per version, ready for JSON; ``time``: of the series' slots, naive UTC."""
    ends = [each.first_origin for each in model.versions[1:]] + [len(time)]
    return [
        {
            "version": each.fingerprint,
            "model": model.chosen,
            "trained_from": instant(time.iloc[0]),
            "trained_to": instant(time.iloc[min(each.trained_slots, len(time) - 1)]),
            "known_slots": each.known_slots,
            "used_from": instant(time.iloc[min(each.first_origin, len(time) - 1)]),
            "used_to": instant(time.iloc[end - 1] + (time.iloc[1] - time.iloc[0])),
            "parameters": each.fitted.parameters,
            "fitted_by": "this run, with " + ", ".join(f"{name} {version(name)}" for name in SOFTWARE),
        }
        for each, end in zip(model.versions, ends, strict=True)
    ]


def instant(time: pd.Timestamp) -> str:
    """A naive UTC time in ISO 8601."""
    return f"{time.isoformat()}Z"
