"""What needs attention in the last days of a scope: findings, each with the view that shows it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import pandas as pd
from dash import get_relative_path

from components import numbers
from components.numbers import count, duration, gpu_hours, inflected, is_unknown, percent, plural
from pages.identities import shown_users
from pages.scope import Scope, local
from pages.user_links import user_address

DAYS = 7
#: A VC is a finding when full for this share of the hours and so many GPU-hours waited beside idle GPUs.
FULL_SHARE, SERVABLE_GPU_H = 0.25, 24
#: Queueing has grown when the mean is so many times the earlier one and at least so long, for so many jobs.
GROWTH, GROWN_DELAY_S, GROWN_JOBS = 2.0, 600, 20
BURST_JOBS = 20
GANG_GPU_H = 24
EACH = 2
METHOD = (
    f"The last {DAYS} days of the window, hour by hour. Full beside idle: a VC at 95 % or more for a quarter "
    "of the hours, whose jobs waited for GPU time that idle GPUs of other VCs of its cluster could have "
    "given. Grown queueing: a mean delay of 10 minutes or more, twice that of the equally long period "
    "before. "
    "Burst: 20 or more failed GPU jobs of one user (and job name) in an hour. Gangs beside free GPUs: jobs "
    "of several GPUs that waited through hours in which their VC had as many GPUs free."
)


@dataclass(frozen=True)
class Finding:
    """One line of the list; ``weight`` sorts findings of one tone, in GPU-hours."""

    tone: str
    title: str
    text: str
    href: str
    weight: float = 0.0


def findings(scope: Scope) -> pd.DataFrame:
    """The findings about the end of the window: tone, title, text, href, weight."""
    recent = scope.recent(DAYS)
    found = [*_bursts(recent)]
    if scope.knows("has_start"):
        found += _grown(recent)
        if scope.knows("has_capacity"):
            found += [*_full_beside_idle(recent), *_gangs(recent), *_capacity_lost(recent)]
    order = {"bad": 0, "warn": 1, "muted": 2}
    found.sort(key=lambda finding: (order[finding.tone], -finding.weight))
    return pd.DataFrame([asdict(finding) for finding in found], columns=list(Finding.__dataclass_fields__))


def _vc_address(scope: Scope, row: object) -> str:
    chosen = {"clusters": (row.cluster,), "vcs": () if is_unknown(row.vc) else (row.vc,)}
    return scope.address(get_relative_path("/vcs"), **chosen)


def _name(row: object) -> str:
    return f"{'Jobs without a VC' if is_unknown(row.vc) else row.vc} ({row.cluster})"


def _full_beside_idle(scope: Scope) -> Iterator[Finding]:
    rows = scope.ask("waiting_beside_idle", bin_s=3600)
    rows = rows[(rows["full_share"] >= FULL_SHARE) & (rows["servable_gpu_s"] >= 3600 * SERVABLE_GPU_H)]
    for row in rows.head(EACH).itertuples():
        idle = round(row.idle_elsewhere_gpus)
        others = f"{plural(idle, 'GPU')} of other VCs of {row.cluster} {inflected(idle, 'was', 'were')} idle"
        text = (
            f"Full {percent(row.full_share, 0)} of the hours; {gpu_hours(row.waited_gpu_s)} were waited for "
            f"while {others}."
        )
        title = f"{_name(row)} waits while others idle"
        yield Finding("bad", title, text, _vc_address(scope, row), row.servable_gpu_s / 3600)


def _grown(scope: Scope) -> Iterator[Finding]:
    if scope.earlier is None:
        return
    before = {f"earlier_{key}": time for key, time in scope.earlier.items()}
    rows = scope.ask("queueing_against_before", **before)
    enough = rows[["started_jobs", "earlier_started_jobs"]].min(axis=1) >= GROWN_JOBS
    times = rows["avg_queueing_delay_s"] / rows["earlier_avg_queueing_delay_s"].clip(lower=1)
    rows = rows[enough & (times >= GROWTH) & (rows["avg_queueing_delay_s"] >= GROWN_DELAY_S)]
    for row in rows.head(EACH).itertuples():
        now, earlier = row.avg_queueing_delay_s, row.earlier_avg_queueing_delay_s
        text = (
            f"{duration(now)} on average over {plural(row.started_jobs, 'job')}, {duration(earlier)} in the "
            "period before."
        )
        much = f"{now / earlier:.1f}-fold" if earlier >= 60 else "from almost nothing"
        yield Finding(
            "bad",
            f"Queueing in {_name(row)} grew {much}",
            text,
            _vc_address(scope, row),
            now * row.started_jobs / 3600,
        )


def _bursts(scope: Scope) -> Iterator[Finding]:
    rows = scope.ask("failure_bursts")
    for row in rows[rows["failed_jobs"] >= BURST_JOBS].head(EACH).itertuples():
        hour = local(row.hour_time, scope.timezone)
        name = "" if is_unknown(row.job_name) else f" “{row.job_name}”"
        text = (
            f"{row.cluster}, {numbers.minute(hour)}: median duration {duration(row.median_duration_s)}, "
            f"{gpu_hours(row.gpu_s)} lost."
        )
        user = shown_users(pd.Series([row.user]), scope.trace).iloc[0]
        who = "One user" if is_unknown(user) else str(user)
        title = f"{who}{name}: {plural(row.failed_jobs, 'failure')} in one hour"
        yield Finding("warn", title, text, _burst_address(scope, row, user), row.gpu_s / 3600)


def _burst_address(scope: Scope, row: object, user: str | None) -> str:
    """The user's page of that cluster; where users are not shown, the jobs of the VC."""
    if not is_unknown(user):
        return user_address(user, replace(scope.filters, clusters=(row.cluster,), vcs=()))
    chosen = {"clusters": (row.cluster,), "vcs": () if is_unknown(row.vc) else (row.vc,)}
    return scope.address(get_relative_path("/jobs"), **chosen)


def _gangs(scope: Scope) -> Iterator[Finding]:
    rows = scope.ask("gangs_beside_free_gpus", bin_s=3600)
    for row in rows[rows["beside_free_gpu_s"] >= 3600 * GANG_GPU_H].head(EACH).itertuples():
        share = row.beside_free_gpu_s / row.waited_gpu_s
        text = (
            f"{plural(row.beside_free_jobs, 'job')} of several GPUs: {percent(share, 0)} of their waiting "
            f"({gpu_hours(row.beside_free_gpu_s)}) beside enough free GPUs, scattered or behind another job."
        )
        title = f"Gangs wait beside free GPUs in {_name(row)}"
        yield Finding("warn", title, text, _vc_address(scope, row), row.beside_free_gpu_s / 3600)


def _capacity_lost(scope: Scope) -> Iterator[Finding]:
    for row in scope.ask("capacity_lost").head(EACH).itertuples():
        when = numbers.day(local(row.time, scope.timezone))
        lost = row.gpus_before - row.gpus_after
        text = f"The quota fell from {count(row.gpus_before)} to {count(row.gpus_after)}."
        address = scope.address(get_relative_path("/vcs"), clusters=(row.cluster,), vcs=())
        yield Finding("muted", f"{row.cluster} lost {plural(lost, 'GPU')} on {when}", text, address, lost)
