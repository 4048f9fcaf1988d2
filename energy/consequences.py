"""What a controller does with a window of slots, and what came of it."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from energy.ces import START_SLOTS, PublishedCes
from energy.controllers import Controller, control
from energy.demand import SLOTS_PER_DAY, Values
from energy.fleet import Boot, NodeStates
from energy.foresight import Foresight
from energy.outcome import Figures, lack_nodes, outcome


def controlled(
    slots: pd.DataFrame,
    demand: Values,
    total: Values,
    controller: Controller,
    foresight: Foresight | None,
    boot: Boot,
) -> pd.DataFrame:
    """The slots of a window with ``awake, booting, asleep, lack, failed_wakes`` (nodes).

    ``demand`` and ``total`` are those of the whole series, of which ``slots`` are the end.
    """
    states = control(controller, demand, total, len(slots), foresight, boot)
    return with_states(slots, controller, states)


def with_states(slots: pd.DataFrame, controller: Controller, states: NodeStates) -> pd.DataFrame:
    """The slots of a window with their node states; asleep = total − awake − booting.

    The published rule awakens within the slot what the slot needs, so its lack counts against the slot
    before.
    """
    asleep = slots["total"].to_numpy(float) - states.awake - states.booting
    beginning = states.awake
    if isinstance(controller, PublishedCes):
        beginning = np.concatenate([states.awake[:1], states.awake[:-1]])
    return slots.assign(
        awake=states.awake,
        booting=states.booting,
        asleep=np.maximum(asleep, 0.0),
        lack=lack_nodes(slots["used"].to_numpy(float), beginning),
        failed_wakes=states.failed,
    )


def result(slots: pd.DataFrame) -> Figures:
    """The figures of `energy.outcome.outcome` from slots with node states."""
    used, total, awake, asleep, lack = (
        slots[name].to_numpy(float) for name in ("used", "total", "awake", "asleep", "lack")
    )
    return outcome(used, total, awake, asleep, lack)


def nodes_woken_per_day(awake: Values) -> float:
    """Rises of awake, after the first 6 slots in which a rule only finds its level, per day of the window."""
    rises = np.diff(awake)[START_SLOTS - 1 :]
    return float(rises[rises > 0].sum()) / (len(awake) / SLOTS_PER_DAY)


def controller_document(
    controller: Controller, foresight: Foresight | None, boot: Boot, slots: pd.DataFrame
) -> dict[str, Any]:
    """What acted, ready for JSON: name, label, whether it is causal, its parameters, the forecast it read
    (None: none), boot, and the wakes that failed."""
    published = isinstance(controller, PublishedCes)
    reads = controller.steps(boot.slots) > 0 and foresight is not None
    return {
        "name": controller.name,
        "label": controller.label,
        "causal": not published,
        "parameters": asdict(controller),  # type: ignore[call-overload]
        "forecast": foresight.name if foresight is not None and reads else None,
        "boot_time_s": 0.0 if published else boot.time_s,
        "wake_failure_probability": 0.0 if published else boot.failure_probability,
        "seed": boot.seed,
        "nodes_woken_per_day": nodes_woken_per_day(slots["awake"].to_numpy(float)),
        "failed_wakes": int(slots["failed_wakes"].sum()),
    }
