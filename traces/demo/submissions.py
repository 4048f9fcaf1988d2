"""Submit times of a cluster's GPU jobs."""

import numpy as np

from traces.demo import arrivals, patience, rehearsal, timetable
from traces.demo.calendar import MONTH_OF_DAY, MONTHS, PERIOD_S
from traces.demo.datacenter import GPUS_PER_NODE, Slice
from traces.demo.raking import Floats, Ints, Mask, raked, ratio, sums
from traces.demo.streams import stream
from traces.demo.workload import Workload

SPARE = 0.02
"""Share of a VC's nodes that the timetable leaves to short jobs beyond their mean load, rounded to whole
nodes."""
PATIENCE = {
    "Venus": patience.Patience(0.5, 3600.0),
    "Earth": patience.Patience(0.5, 900.0),
    "Saturn": patience.Patience(0.5, 1800.0),
    "Uranus": patience.Patience(0.7, 9000.0),
}
"""Tuned so that mean queueing comes out near the published one."""
SECOND_THOUGHTS = 2
AWAY_S = 900.0
"""A short job that would stay away longer moves to another time."""
MOVES_S, LOOKS = 10 * 86_400.0, 12
"""It looks at so many times at which others found room; a chance falls by e with so many s away."""
FILL_S = 6 * 3600.0
"""The cluster is not idle on 1 April: jobs that were likely to run then are submitted in the first hours."""


def submit_times(part: Slice, jobs: Workload, seed: int) -> tuple[Floats, Ints]:
    """Submit times in whole s after the begin, in the order of `jobs`, and the order of submission.

    Long and large jobs are put on the timetable first; short, small ones fill up the published months and
    hours of the day. The rehearsal then shows who finds no room, and short jobs among them move elsewhere.
    """
    profile = part.profile
    hours = np.array(profile.gpu_jobs_by_hour) / sum(profile.gpu_jobs_by_hour)
    look = timetable.on_timetable(jobs.gpu_num, jobs.duration_s, GPUS_PER_NODE)
    wish = np.empty(len(look))
    wish[look] = _with_a_look(part, jobs, look, hours, seed)
    wish[~look] = _without_a_look(part, jobs, look, wish[look], hours, seed)
    submit, place = _rehearsed(part, jobs, wish, seed)
    rng = stream(seed, profile.name, "second thoughts")
    for _ in range(SECOND_THOUGHTS):
        wish = _moved(jobs.vc, wish, submit, ~look, hours, rng)
        submit, place = _rehearsed(part, jobs, wish, seed)
    return submit, np.lexsort((place, submit))


def _moved(
    vc: Ints, wish_s: Floats, submit_s: Floats, movable: Mask, hours: Floats, rng: np.random.Generator
) -> Floats:
    """`wish_s` with some of the `movable` jobs moved to when others of their VC found room at once.

    Those who stayed away for long move, and some from hours of the day that have more jobs than published;
    they go to hours that have fewer.
    """
    hour = (submit_s % 86_400 // 3600).astype(np.int64)
    away = submit_s - wish_s
    count = np.bincount(hour, minlength=24)
    excess = np.maximum(0.0, count - hours * len(vc))
    light = np.bincount(hour[movable], minlength=24)
    leaves = rng.random(len(vc)) < np.minimum(0.5, ratio(excess, light.astype(float)))[hour]
    moves = movable & (leaves | (away > AWAY_S))
    stays = movable & ~moves & (away <= 0)
    missing = np.maximum(hours * len(vc) - np.bincount(hour[~moves], minlength=24), 1e-3)
    weight = ratio(missing, np.bincount(hour[stays], minlength=24).astype(float))
    result = wish_s.copy()
    for number in range(int(vc.max()) + 1):
        movers, models = np.flatnonzero(moves & (vc == number)), np.flatnonzero(stays & (vc == number))
        if len(movers) and len(models):
            result[movers] = _like_others(wish_s[movers], wish_s[models], weight, rng)
    return result


def _like_others(wish_s: Floats, others_s: Floats, weight: Floats, rng: np.random.Generator) -> Floats:
    """Times within minutes of one of `others_s`, for each job at `wish_s`.

    A job looks at a few of the others' times and takes one with a chance in proportion to the `weight` of its
    hour of the day, which falls off with the days that it is away.
    """
    candidate = others_s[rng.integers(len(others_s), size=(len(wish_s), LOOKS))]
    score = np.log(weight + 1e-9)[(candidate % 86_400 // 3600).astype(np.int64)]
    score -= np.abs(candidate - wish_s[:, None]) / MOVES_S
    best = np.argmax(score + rng.gumbel(size=candidate.shape), axis=1)
    slot = candidate[np.arange(len(wish_s)), best] // 600
    return np.asarray(slot * 600 + np.floor(600 * rng.random(len(wish_s))))


def _rehearsed(part: Slice, jobs: Workload, wish_s: Floats, seed: int) -> tuple[Floats, Ints]:
    """Submit times, and places in the order of submission of each VC."""
    name = part.profile.name
    rng = stream(seed, name, "patience")
    submit, place = np.empty(len(wish_s)), np.empty(len(wish_s), np.int64)
    for number, nodes in enumerate(part.nodes.tolist()):
        own = np.flatnonzero(jobs.vc == number)
        accepted = PATIENCE[name].accepted_s(rng)
        submit[own], place[own] = rehearsal.rehearsed(
            wish_s[own], jobs.gpu_num[own], jobs.duration_s[own], nodes, GPUS_PER_NODE, accepted
        )
    return submit, place


def _without_a_look(
    part: Slice, jobs: Workload, look: Mask, looked_s: Floats, hours: Floats, seed: int
) -> Floats:
    """Times of short, small jobs, which fill up the months and hours of the day to the published numbers."""
    profile = part.profile
    both = np.array(profile.single_gpu_jobs_by_month) + np.array(profile.multi_gpu_jobs_by_month)
    day = (looked_s // 86_400).astype(np.int64)
    months = _rest(both / both.sum() * len(look), np.bincount(MONTH_OF_DAY[day], minlength=MONTHS))
    hour = (looked_s % 86_400 // 3600).astype(np.int64)
    by_hour = _rest(hours * len(look), np.bincount(hour, minlength=24))
    rng = stream(seed, profile.name, "arrivals")
    return _spread(part, jobs, ~look, months, by_hour, rng)


def _rest(wanted: Floats, there: Ints) -> Floats:
    """What is missing of `wanted`, at least a tenth of it."""
    return np.maximum(wanted - there, 0.1 * wanted)


def _spread(
    part: Slice, jobs: Workload, chosen: Mask, months: Floats, hours: Floats, rng: np.random.Generator
) -> Floats:
    """Times for the `chosen` jobs by months and hours, each VC with busy days of its own, none before it
    opens."""
    vc, template = jobs.vc[chosen], jobs.template[chosen]
    counts = np.bincount(vc, minlength=len(part.nodes)).astype(float)
    opens_day = part.opens_s // 86_400
    days_open = (np.arange(len(MONTH_OF_DAY))[None, :] >= opens_day[:, None]).astype(float)
    open_share = np.stack([sums(MONTH_OF_DAY, row, MONTHS) for row in days_open])
    table = raked(open_share * counts[:, None], counts, months / months.sum() * counts.sum())
    result = np.empty(len(vc))
    for number in np.flatnonzero(counts):
        members = np.flatnonzero(vc == number)
        shares = arrivals.rhythm(table[number], hours, int(opens_day[number]), rng)
        result[members] = arrivals.matched(template[members], arrivals.times(len(members), shares, rng), rng)
    return result


def _with_a_look(part: Slice, jobs: Workload, look: Mask, hours: Floats, seed: int) -> Floats:
    """Times of the jobs whose users look at the load first."""
    profile = part.profile
    rng = stream(seed, profile.name, "looks")
    single, multi = (
        np.array(months) / sum(months)
        for months in (profile.single_gpu_jobs_by_month, profile.multi_gpu_jobs_by_month)
    )
    alone = np.mean(jobs.gpu_num[look] == 1)
    months = single * alone + multi * (1 - alone)
    vc, gpu_num, duration = jobs.vc[look], jobs.gpu_num[look], jobs.duration_s[look]
    intended = _spread(part, jobs, look, months, hours, rng)
    fills = rng.random(len(vc)) < duration / (PERIOD_S - part.opens_s[vc])
    intended = np.where(fills, part.opens_s[vc] + FILL_S * rng.random(len(vc)), intended)
    result = np.empty(len(vc))
    for number in range(len(part.nodes)):
        members = np.flatnonzero(vc == number)
        table = _timetable(part, number, jobs, ~look & (jobs.vc == number))
        scheduled = timetable.scheduled(intended[members], gpu_num[members], duration[members], table)
        result[members] = np.floor(scheduled)
    return result


def _timetable(part: Slice, number: int, jobs: Workload, others: Mask) -> timetable.Timetable:
    """The empty timetable of VC `number`, with room for the mean load of its `others`, the jobs not on it."""
    opens_s, nodes = int(part.opens_s[number]), int(part.nodes[number])
    load = float(jobs.gpu_num[others] @ jobs.duration_s[others]) / (PERIOD_S - opens_s)
    spare = round(load / GPUS_PER_NODE + SPARE * nodes)
    return timetable.Timetable(nodes, GPUS_PER_NODE, opens_s // timetable.SLOT_S, spare)
