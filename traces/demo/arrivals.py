"""When jobs are submitted: the rhythm of months, weekdays and hours, with busy days, bursts and sessions."""

import numpy as np

from traces.demo.calendar import DAYS, MONTH_OF_DAY, MONTHS, WEEKDAY_OF_DAY, WEEKDAYS
from traces.demo.clusters import GPU_JOBS_BY_WEEKDAY
from traces.demo.raking import Floats, Ints, ratio, sums

DAY_SPREAD = 0.7
HOUR_SPREAD = 0.6
"""Standard deviations of the log of a VC's activity from day to day, and from hour to hour within a day."""
JOBS_PER_SESSION = 12
WEEKS_SPREAD = 0.01
"""How far a template's sessions lie apart, as a share of the period (0.04 is a week)."""
SAME_SECOND = 0.45
"""Chance that a job follows the one before it, of the same template, in the very same second."""


def rhythm(months: Floats, hours: Floats, opens_day: int, rng: np.random.Generator) -> Floats:
    """Shares of a VC's submissions by day and hour (181 × 24, sum 1), zero before day `opens_day`.

    Log-normal noise by day and hour, raked to the shares of six `months`, of the weekdays and of 24 `hours`.
    """
    day = rng.normal(0, DAY_SPREAD, (DAYS, 1))
    table = np.exp(day + rng.normal(0, HOUR_SPREAD, (DAYS, 24)))
    table[:opens_day] = 0
    weekdays = np.array(GPU_JOBS_BY_WEEKDAY, float)
    for _ in range(12):
        by_weekday = sums(WEEKDAY_OF_DAY, table.sum(axis=1), WEEKDAYS)
        table *= ratio(weekdays, by_weekday)[WEEKDAY_OF_DAY][:, None]
        by_month = sums(MONTH_OF_DAY, table.sum(axis=1), MONTHS)
        table *= ratio(months, by_month)[MONTH_OF_DAY][:, None]
        table *= ratio(hours, table.sum(axis=0))
    return np.asarray(table / table.sum())


def times(count: int, shares: Floats, rng: np.random.Generator) -> Floats:
    """`count` sorted times in whole s after the begin, spread over the hours as `shares` (day × hour) says.

    Each hour gets its expected number of jobs, rounded so that no error adds up.
    """
    cumulative = np.concatenate([[0.0], np.cumsum(shares.ravel())])
    steps = np.floor(cumulative / cumulative[-1] * count + rng.random())
    hour = np.repeat(np.arange(shares.size), np.diff(steps).astype(np.int64))
    hour = hour[:count] if len(hour) >= count else np.append(hour, [shares.size - 1] * (count - len(hour)))
    return np.sort(np.floor((hour + rng.random(count)) * 3600))


def matched(template: Ints, sorted_times: Floats, rng: np.random.Generator) -> Floats:
    """One of `sorted_times` for each job, so that the jobs of a template come in sessions not far apart."""
    count = len(template)
    if count == 0:
        return np.empty(0)
    known, code = np.unique(template, return_inverse=True)
    size = np.bincount(code)
    sessions = 1 + size // JOBS_PER_SESSION
    first = np.concatenate([[0], np.cumsum(sessions)])
    session = first[code] + np.floor(rng.random(count) * sessions[code]).astype(np.int64)
    center = np.repeat(rng.random(len(known)), sessions) + WEEKS_SPREAD * rng.normal(size=first[-1])
    center = np.abs(1 - np.abs(1 - center))  # reflected at both ends of the period
    order = np.lexsort((rng.random(count), session, center[session]))
    result = np.empty(count)
    result[order] = sorted_times
    return _together(template, result, order, rng)


def _together(template: Ints, submit_s: Floats, order: Ints, rng: np.random.Generator) -> Floats:
    """Some jobs moved back to the second of the job of their template that comes just before them."""
    ordered, group = submit_s[order], template[order]
    alone = np.ones(len(order), bool)
    alone[1:] = (np.diff(group) != 0) | (np.diff(ordered) > 1800) | (rng.random(len(order) - 1) > SAME_SECOND)
    anchor = np.maximum.accumulate(np.where(alone, np.arange(len(order)), 0))
    result = np.empty(len(order))
    result[order] = ordered[anchor]
    return result
