"""Short jobs that would find their VC full for long are submitted at other times instead.

They go to when others of their VC found room at once, preferring the months, weekdays and hours of the day
in which the cluster has fewer jobs than published.
"""

from dataclasses import dataclass

import numpy as np

from traces.demo.calendar import DAYS, MONTH_OF_DAY, WEEKDAY_OF_DAY
from traces.demo.raking import Floats, Ints, Mask, ratio

AWAY_S = 900.0
"""A short job that would stay away longer moves to another time."""
MOST_LEAVING = 0.5
"""Largest share of the short jobs of an overfull hour of the day that move, though they found room."""
LOOKS = 16
"""A job looks at so many times at which others found room."""
NEARNESS_S = 20 * 86_400.0
"""Its chance to take one falls by e with so many s away."""


@dataclass(frozen=True)
class Margins:
    """Published shares of a cluster's GPU jobs by month (6), weekday (7) and hour of the day (24)."""

    months: Floats
    weekdays: Floats
    hours: Floats

    def wanted(self) -> tuple[Floats, Floats, Floats]:
        """The three margins, in the order of `keys`."""
        return self.months, self.weekdays, self.hours


def keys(times_s: Floats) -> tuple[Ints, Ints, Ints]:
    """Month, weekday and hour of the day of each time."""
    day = np.clip(times_s // 86_400, 0, DAYS - 1).astype(np.int64)
    return MONTH_OF_DAY[day], WEEKDAY_OF_DAY[day], (times_s % 86_400 // 3600).astype(np.int64)


def moved(
    vc: Ints, wish_s: Floats, submit_s: Floats, short: Mask, margins: Margins, rng: np.random.Generator
) -> Floats:
    """`wish_s` with some of the `short` jobs moved, given the `submit_s` to which those wishes led."""
    away = submit_s - wish_s
    moves = short & (_leaves(submit_s, short, margins.hours, rng) | (away > AWAY_S))
    stays = short & ~moves & (away <= 0)
    liking = _liking(submit_s, moves, stays, margins)
    result = wish_s.copy()
    for number in range(int(vc.max()) + 1):
        movers, models = np.flatnonzero(moves & (vc == number)), np.flatnonzero(stays & (vc == number))
        if len(movers) and len(models):
            result[movers] = _like_others(wish_s[movers], wish_s[models], liking[models], rng)
    return result


def _leaves(submit_s: Floats, short: Mask, hours: Floats, rng: np.random.Generator) -> Mask:
    """Jobs that leave an hour of the day which has more than its share."""
    hour = keys(submit_s)[2]
    excess = np.maximum(0.0, np.bincount(hour, minlength=24) - hours * len(hour))
    chance = np.minimum(MOST_LEAVING, ratio(excess, np.bincount(hour[short], minlength=24).astype(float)))
    return np.asarray(rng.random(len(hour)) < chance[hour])


def _liking(submit_s: Floats, moves: Mask, stays: Mask, margins: Margins) -> Floats:
    """For each job how much (log) movers would like its time: what its month, weekday and hour lack."""
    liking = np.zeros(len(submit_s))
    for key, share in zip(keys(submit_s), margins.wanted(), strict=True):
        wanted = share * len(submit_s)
        missing = np.maximum(wanted - np.bincount(key[~moves], minlength=len(share)), 0.01 * wanted)
        there = np.maximum(1.0, np.bincount(key[stays], minlength=len(share)))
        liking += np.log(missing / there)[key]
    return liking


def _like_others(wish_s: Floats, others_s: Floats, liking: Floats, rng: np.random.Generator) -> Floats:
    """For each job at `wish_s` a time within minutes of one of `others_s`."""
    look = rng.integers(len(others_s), size=(len(wish_s), LOOKS))
    score = liking[look] - np.abs(others_s[look] - wish_s[:, None]) / NEARNESS_S
    best = np.argmax(score + rng.gumbel(size=look.shape), axis=1)
    slot = others_s[look[np.arange(len(wish_s)), best]] // 600
    return np.asarray(slot * 600 + np.floor(600 * rng.random(len(wish_s))))
