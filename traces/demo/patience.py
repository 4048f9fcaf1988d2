"""How long users accept to wait in a queue before they rather come back later."""

from dataclasses import dataclass

import numpy as np

from traces.demo.calendar import PERIOD_S
from traces.demo.raking import Floats
from traces.demo.rehearsal import EPISODE_S


@dataclass(frozen=True)
class Patience:
    """How long users of a cluster accept to wait.

    In a share `crowded` of a VC's episodes the accepted wait is log-normal with median `median_s` and
    `spread`; in the others nobody queues.
    """

    crowded: float
    median_s: float
    spread: float = 1.3

    def accepted_s(self, rng: np.random.Generator) -> Floats:
        """The longest wait in s that users of one VC accept, per episode of the period."""
        count = int(-(-PERIOD_S // EPISODE_S))
        level = self.median_s * np.exp(self.spread * rng.normal(size=count))
        return np.where(rng.random(count) < self.crowded, level, 0.0)
