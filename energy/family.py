"""The family of forecast models behind one verb: ``fit(model, training)``, then means from any origin."""

import numpy as np

from energy.candidates import CANDIDATES
from energy.choice import choose, decision_days
from energy.demand import SLOTS_PER_DAY, Values
from energy.errors import EnergyError
from energy.fitted import Fitted, origin_means
from energy.holidays import Holidays
from energy.versions import FittedModel, version_of

AUTO = "auto"
MODELS = (*CANDIDATES, AUTO)
BASELINES = ("last", "day")

__all__ = ["AUTO", "BASELINES", "MODELS", "Fitted", "fit", "origin_means"]


def fit(model: str, training: Values, holidays: Holidays | None = None) -> FittedModel:
    """The named model fitted on ``training`` (used nodes by slot, NaN where missing, at least one known).

    ``auto`` chooses one by a backtest within the training (`energy.choice`). A model that memorizes its
    training has an earlier version for the origins within it, so that its past errors are honest ones.
    """
    if model not in MODELS:
        raise EnergyError(f"There is no forecast model {model!r}: choose one of {', '.join(MODELS)}.")
    choice = choose(training, holidays) if model == AUTO else None
    chosen = choice.model if choice else model
    candidate = CANDIDATES[chosen]
    latest = candidate.fit(training, holidays)
    if not candidate.memorizes:
        return FittedModel(model, chosen, (version_of(chosen, latest, training, 0),), choice)
    first = choice.first if choice else len(training) - decision_days(len(training)) * SLOTS_PER_DAY
    past = training[:first] if (~np.isnan(training[:first])).any() else training
    early = choice.fitted[chosen] if choice else candidate.fit(past, holidays)
    versions = (
        version_of(chosen, early, past, 0),
        version_of(chosen, latest, training, len(training)),
    )
    return FittedModel(model, chosen, versions, choice)
