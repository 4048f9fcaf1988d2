"""The Overview's result cards: one number each, against the period before, with its course."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from dash import html

from components import change, numbers
from components.cards import result_card
from components.numbers import count, duration, gpu_hours, percent, plural
from components.sparkline import sparkline
from pages.scope import SECOND, Scope, local
from pages.utilization import NO_STARTS, NO_STARTS_HERE, mean_utilization, no_utilization, timeline

#: Points of a sparkline.
SPARK_POINTS = 60
NO_STATES_HERE = "This trace has no job states."


@dataclass(frozen=True)
class Course:
    """What stands beside a card's number: the line against the period before, and the small line."""

    change: html.Div | None
    spark: html.Img | None


def utilization_card(scope: Scope) -> html.Div:
    """Utilization over the window and in its last bin, and the capacity."""
    why = no_utilization(scope)
    if why:
        return result_card("GPU utilization", "unknown", detail=NO_STARTS_HERE if why == NO_STARTS else why)
    series = timeline(scope)
    use = scope.ask("use_over_time", bin_s=scope.bin_s(SPARK_POINTS))
    shares = (use["single_gpus"] + use["multi_gpus"]) / use["present_gpus"].where(use["present_gpus"] > 0)
    value = mean_utilization(series)
    before = scope.earlier and mean_utilization(
        scope.ask("utilization_by_cluster", bin_s=86400, **scope.earlier)
    )
    course = _course(scope, change.points(value, before, "up"), shares, "Utilization")
    now = scope.ask("use_over_time", start=scope.end_time - pd.Timedelta(hours=1), bin_s=3600).iloc[0]
    held, present = now["single_gpus"] + now["multi_gpus"], now["present_gpus"]
    last_hour = (
        f"{percent(held / present)} of {count(round(present))} GPUs in the last hour" if present else ""
    )
    return _card("GPU utilization", value, course, last_hour)


def jobs_card(scope: Scope) -> html.Div:
    """Jobs submitted in the window."""
    submitted, before = _submitted(scope)
    rest = f"and {plural(submitted['cpu_jobs'], 'CPU job')}"
    unknown = submitted["unknown_gpu_jobs"]
    changed = change.relative(submitted["gpu_jobs"], None if before is None else before["gpu_jobs"])
    course = _course(scope, changed, scope.ask("days")["gpu_jobs"], "GPU jobs by day")
    return result_card(
        "GPU jobs submitted",
        count(submitted["gpu_jobs"]),
        detail=f"{rest}; {plural(unknown, 'job')} of unknown GPU count" if unknown else rest,
        **vars(course),
    )


def queueing_card(scope: Scope) -> html.Div:
    """How long the GPU jobs of the window waited to start."""
    label = "Queueing delay, p95"
    if not scope.knows("has_start"):
        return result_card(label, "unknown", detail=NO_STARTS_HERE)
    waits = scope.ask("queueing_delays").iloc[0]
    before = scope.earlier and scope.ask("queueing_delays", **scope.earlier).iloc[0]
    submitted, _ = _submitted(scope)
    unstarted = submitted["gpu_jobs"] - submitted["started_gpu_jobs"]
    left_out = f"; left out: {plural(unstarted, 'GPU job')} without a start" if unstarted else ""
    bins = scope.ask("queueing_delays_over_time", bin_s=scope.bin_s(SPARK_POINTS))
    value = waits["p95_queueing_delay_s"]
    changed = change.seconds(value, None if before is None else before["p95_queueing_delay_s"], "down")
    return result_card(
        label,
        duration(value),
        detail=f"median {duration(waits['p50_queueing_delay_s'])}{left_out}",
        **vars(_course(scope, changed, bins["p95_queueing_delay_s"], "Queueing delay, p95")),
    )


def waiting_card(scope: Scope) -> html.Div:
    """Who waits and who runs at the window's last instant."""
    if not scope.knows("has_start"):
        return result_card("GPU jobs waiting", "unknown", detail=NO_STARTS_HERE)
    instant = scope.end_time - SECOND
    now = scope.ask("waiting_and_running", instant=instant).iloc[0]
    before = scope.earlier and scope.ask("waiting_and_running", instant=scope.start_time - SECOND).iloc[0]
    changed = change.number(
        now["waiting_jobs"], None if before is None else before["waiting_jobs"], "job", "down"
    )
    bins = scope.ask("waiting_over_time", bin_s=scope.bin_s(SPARK_POINTS))
    when = numbers.minute(local(instant, scope.timezone))
    return result_card(
        "GPU jobs waiting",
        count(now["waiting_jobs"]),
        detail=f"for {plural(now['waiting_gpus'], 'GPU')} on {when}; "
        f"{count(now['running_jobs'])} running on {plural(now['running_gpus'], 'GPU')}",
        **vars(_course(scope, changed, bins["waiting_jobs"], "Jobs waiting")),
    )


def completion_card(scope: Scope) -> html.Div:
    """How many of the GPU jobs that ended completed."""
    label = "GPU jobs completed"
    if not scope.knows("has_state"):
        return result_card(label, "unknown", detail=NO_STATES_HERE)
    submitted, before = _submitted(scope)
    ended, completed = _ended(submitted), submitted["completed_gpu_jobs"]
    if not ended:
        return result_card(label, "unknown", detail="No GPU job of this choice has ended.")
    rate_before = (
        before["completed_gpu_jobs"] / _ended(before) if before is not None and _ended(before) else None
    )
    days = scope.ask("days")
    rates = days["completed_gpu_jobs"] / days["ended_gpu_jobs"].where(days["ended_gpu_jobs"] > 0)
    failed, cancelled = submitted["failed_gpu_jobs"] / ended, submitted["cancelled_gpu_jobs"] / ended
    course = _course(scope, change.points(completed / ended, rate_before, "up"), rates, "Completed by day")
    return _card(
        label, completed / ended, course, f"{percent(failed)} failed, {percent(cancelled)} cancelled"
    )


def lost_card(scope: Scope) -> html.Div:
    """GPU time of the window's jobs that ended failed or cancelled."""
    label = "GPU time lost"
    if not scope.knows("has_state"):
        return result_card(label, "unknown", detail=NO_STATES_HERE)
    submitted, before = _submitted(scope)
    total = _gpu_s(submitted)
    if not total > 0:
        return result_card(label, "unknown", detail="No ended job of this choice has a known GPU time.")
    days = scope.ask("days")
    shares = days["lost_gpu_s"] / days["gpu_s"].where(days["gpu_s"] > 0)
    lost_before = _lost_share(before) if before is not None and _gpu_s(before) > 0 else None
    failed, cancelled = submitted["failed_gpu_s"], submitted["cancelled_gpu_s"]
    detail = f"{gpu_hours(failed)} in failed, {gpu_hours(cancelled)} in cancelled jobs"
    changed = change.points(_lost_share(submitted), lost_before, "down")
    return _card(label, _lost_share(submitted), _course(scope, changed, shares, "Lost by day"), detail)


CARDS: dict[str, Callable[[Scope], html.Div]] = {
    "overview-card-utilization": utilization_card,
    "overview-card-jobs": jobs_card,
    "overview-card-queueing": queueing_card,
    "overview-card-waiting": waiting_card,
    "overview-card-completion": completion_card,
    "overview-card-lost": lost_card,
}


def _card(label: str, ratio: float | None, course: Course, detail: str) -> html.Div:
    value, unit = ("unknown", "") if numbers.is_unknown(ratio) else (f"{100 * ratio:.1f}", "%")
    return result_card(label, value, unit, detail=detail, **vars(course))


def _course(scope: Scope, changed: change.Change | None, values: pd.Series, what: str) -> Course:
    line = (
        change.change_line(changed, f"the equally long period before {scope.window_text()}")
        if changed
        else None
    )
    return Course(line, sparkline(values.tolist(), f"{what}, {scope.window_text()}"))


def _submitted(scope: Scope) -> tuple[pd.Series, Any]:
    """The counts of the window, and those of the period before it or None."""
    now = scope.ask("jobs_submitted").iloc[0]
    return now, scope.ask("jobs_submitted", **scope.earlier).iloc[0] if scope.earlier else None


def _ended(submitted: pd.Series) -> int:
    return int(submitted[["completed_gpu_jobs", "cancelled_gpu_jobs", "failed_gpu_jobs"]].sum())


def _gpu_s(submitted: pd.Series) -> float:
    return float(submitted[["completed_gpu_s", "cancelled_gpu_s", "failed_gpu_s"]].sum())


def _lost_share(submitted: pd.Series) -> float:
    return float(submitted["failed_gpu_s"] + submitted["cancelled_gpu_s"]) / _gpu_s(submitted)
