"""Submit times of a cluster's GPU jobs."""

import numpy as np

from traces.demo import arrivals, patience, rehearsal, second_thoughts, timetable
from traces.demo.calendar import MONTH_OF_DAY, MONTHS, PERIOD_S
from traces.demo.clusters import GPU_JOBS_BY_WEEKDAY, ClusterProfile
from traces.demo.datacenter import GPUS_PER_NODE, Slice
from traces.demo.raking import Floats, Ints, Mask, raked, sums
from traces.demo.second_thoughts import Margins
from traces.demo.streams import stream
from traces.demo.workload import Workload

SPARE = 0.02
"""Share of a VC's nodes that the timetable leaves to short jobs beyond their mean load, rounded to whole
nodes."""
PATIENCE = {
    "Venus": patience.Patience(crowded=0.75, median_s=3600.0),
    "Earth": patience.Patience(crowded=1.0, median_s=900.0),
    "Saturn": patience.Patience(crowded=0.85, median_s=1000.0),
    "Uranus": patience.Patience(crowded=0.85, median_s=5400.0),
}
"""Tuned so that mean queueing comes out near the published one."""
SECOND_THOUGHTS = 3
"""How often short jobs that find no room move to other times."""
FILL_S = 6 * 3600.0
"""The cluster is not idle on 1 April: jobs that were likely to run then are submitted in the first hours."""


def submit_times(part: Slice, jobs: Workload, seed: int) -> tuple[Floats, Ints]:
    """Submit times in whole s after the begin, in the order of `jobs`, and the order of submission.

    Long and large jobs are put on the timetable first; short, small ones fill up the published months and
    hours of the day. The rehearsal then shows who finds no room, and short jobs among them move elsewhere.
    """
    look = timetable.on_timetable(jobs.gpu_num, jobs.duration_s, GPUS_PER_NODE)
    margins = _margins(part.profile)
    wish = np.empty(len(look))
    wish[look] = _with_a_look(part, jobs, look, margins.hours, seed)
    wish[~look] = _without_a_look(part, jobs, look, wish[look], margins, seed)
    submit, place = _rehearsed(part, jobs, wish, seed)
    rng = stream(seed, part.profile.name, "second thoughts")
    for _ in range(SECOND_THOUGHTS):
        wish = second_thoughts.moved(jobs.vc, wish, submit, ~look, margins, rng)
        submit, place = _rehearsed(part, jobs, wish, seed)
    return submit, np.lexsort((place, submit))


def _margins(profile: ClusterProfile) -> Margins:
    months = np.array(profile.single_gpu_jobs_by_month) + np.array(profile.multi_gpu_jobs_by_month)
    weekdays, hours = np.array(GPU_JOBS_BY_WEEKDAY), np.array(profile.gpu_jobs_by_hour)
    return Margins(months / months.sum(), weekdays / weekdays.sum(), hours / hours.sum())


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
    part: Slice, jobs: Workload, look: Mask, looked_s: Floats, margins: Margins, seed: int
) -> Floats:
    """Times of short, small jobs, which fill up the months and hours of the day to the published numbers."""
    month, _, hour = second_thoughts.keys(looked_s)
    by_month = _rest(margins.months * len(look), np.bincount(month, minlength=MONTHS))
    by_hour = _rest(margins.hours * len(look), np.bincount(hour, minlength=24))
    return _spread(part, jobs, ~look, by_month, by_hour, stream(seed, part.profile.name, "arrivals"))


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
    load = float((jobs.gpu_num[others] * jobs.duration_s[others]).sum()) / (PERIOD_S - opens_s)
    spare = round(load / GPUS_PER_NODE + SPARE * nodes)
    return timetable.Timetable(nodes, GPUS_PER_NODE, opens_s // timetable.SLOT_S, spare)
