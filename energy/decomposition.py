"""What a seasonal model sees in a demand: its level, its day, its week, and what they leave over."""

import numpy as np
import pandas as pd

from energy.demand import Values
from energy.fitted import Fitted
from energy.state_space import StateSpace
from energy.versions import FittedModel

PARTS = ("level", "day", "week", "holiday")


def decomposition(model: Fitted, values: Values) -> pd.DataFrame | None:
    """Columns ``level, day, week, holiday, remainder`` in nodes, one row per slot; None without such parts.

    Each slot is told apart with what is known after it and nothing later (the filter's view, not the
    smoother's): the parts and the remainder add up to the slot's value, and the remainder of a missing slot
    is NaN.
    """
    fitted = model.fitted if isinstance(model, FittedModel) else model
    if not isinstance(fitted, StateSpace) or not fitted.components.day_harmonics:
        return None
    filtered = fitted.filtered(values)
    design = np.broadcast_to(filtered.design[0], (filtered.design.shape[1], len(values)))
    seen = filtered.filtered_state * design
    places = fitted.components.states
    parts = pd.DataFrame({name: seen[places[name]].sum(axis=0) for name in PARTS})
    return parts.assign(remainder=values - parts.sum(axis=1).to_numpy())
