"""What a controller sees when a slot begins, and what it answers."""

from typing import NamedTuple

import numpy as np

from energy.demand import Values


class Seen(NamedTuple):
    """All that a controller may know: nothing of it is from the slot that begins, or later.

    ``slot``: number of the slot in the window; ``ordered_nodes``: awake or booting; ``demand``: nodes by slot
    up to the slot just past, whose value is known (in use, and with a trace also those that waiting jobs
    need); ``rises``: what the controller reads of its forecast, above the last known demand; ``hold_until``:
    the slot of the window before which nothing may be put to sleep.
    """

    slot: int
    ordered_nodes: float
    demand: Values
    rises: Values
    hold_until: int

    @property
    def needed_nodes(self) -> float:
        """Whole nodes needed in the slot just past."""
        return float(np.ceil(self.demand[-1]))

    @property
    def may_sleep(self) -> bool:
        """Whether the hold is over."""
        return self.slot >= self.hold_until


class Decision(NamedTuple):
    """Nodes wanted awake (more than are present: all), and the end of the hold."""

    wanted_nodes: float
    hold_until: int
