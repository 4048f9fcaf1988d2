"""The smallest number of nodes, or the largest load, under which a target is met, and how sure that is."""

import math
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from queries import manifests
from runs.apportionment import apportioned
from runs.bisection import Found
from runs.errors import RunError
from runs.parts import chosen_clusters
from runs.plan_limits import checked
from runs.scenario import PlanScenario, document
from runs.target import target
from runs.trial import Trial, position_of, size_of
from runs.weeks import full_weeks, resampled
from runs.window import Window, window
from runs.words import percent, plural
from runs.workload import Workload, check_changes, workload
from scheduling import compile_kernels
from scheduling.jobs import exclusion

Progress = Callable[[float, str], None]
COVERAGE = 0.8
"""Share of the resampled answers that lies in the interval."""
CURVE_POINTS = 16
"""Sizes that are asked beside those of the search, so that the curve shows how the number falls."""


def plan_of(plan: PlanScenario, progress: Progress = lambda done, step: None) -> dict[str, Any]:
    """The document of ``heliograph plan``. Raises RunError, QueryError, TraceError or ScenarioError."""
    began = time.perf_counter()
    manifest = manifests.manifest(plan.trace)
    clusters = chosen_clusters(manifest, plan.clusters)
    goal = checked(plan, clusters)
    progress(0.0, "Reading the jobs")
    span = window(manifest, clusters, plan.from_, plan.to)
    work = _read(plan, manifest, clusters[0], span)
    compile_kernels()
    trial = Trial(plan, work)
    now = {plan_key(plan): trial.size(trial.start), "vcs": trial.present if plan.by == "nodes" else None}
    now |= {"met": trial.holds(trial.start), "numbers": trial.row(trial.start)}
    found = trial.found(trial.start, _step(plan, trial.start))
    progress(0.1, "Asking resampled weeks")
    interval = _interval(plan, work, span, found, progress)
    shown = document(plan.base) | {"from": str(span.start_time), "to": str(span.end_time)}
    shown |= {"timezone": span.timezone, "clusters": clusters, "trace_version": manifest["version"]}
    made = {
        "scenario": shown,
        "target": str(goal),
        "measure": goal.measure,
        "limit": goal.limit,
        "by": plan.by,
        "now": now,
        "found": None,
        "monotone": found.monotone,
        "asked": [_asked(trial, at) for at in sorted(found.asked)],
        "curve": _curve(trial, found, interval),
        "interval": interval,
    }
    if found.position is not None:
        vcs = apportioned(found.position, trial.present) if plan.by == "nodes" else None
        size = {plan_key(plan): trial.size(found.position)}
        made["found"] = size | {"vcs": vcs, "numbers": trial.row(found.position)}
    return made | {"sentence": sentence(made), "elapsed_s": time.perf_counter() - began}


def plan_key(plan: PlanScenario) -> str:
    """What the size of an answer is called: ``nodes`` or ``load_factor``."""
    return "nodes" if plan.by == "nodes" else "load_factor"


def _read(plan: PlanScenario, manifest: dict[str, Any], cluster: str, span: Window) -> Workload:
    work = workload(plan.base, manifest, cluster, span)
    check_changes(plan.base, [work])
    jobs = work.jobs[exclusion(work.jobs) < 0].reset_index(drop=True)
    if jobs.empty or not any(quota.most for quota in work.quotas.values()):
        raise RunError(f"{cluster} has no GPU jobs or no known capacity in this window: nothing to plan.")
    return replace(work, jobs=jobs)


def _step(plan: PlanScenario, start: int) -> int:
    return max(1, start // 8) if plan.by == "nodes" else 10


def _asked(trial: Trial, position: int) -> dict[str, Any]:
    """What was asked at a size: whether the target is met there, its number, and the jobs rejected."""
    row = trial.row(position)
    return {
        plan_key(trial.plan): trial.size(position),
        "met": trial.holds(position),
        "value": row[trial.target.measure],
        "rejected_jobs": row["rejected_jobs"],
    }


def _curve(trial: Trial, found: Found, interval: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Every size that was asked, the ends of the interval and some between, the smallest first."""
    ends = [interval[end] for end in ("low", "high") if interval[end] is not None] if interval else []
    ends = [int(end) if trial.plan.by == "nodes" else position_of(end) for end in ends]
    asked = sorted({*found.asked, *(min(max(end, 1), trial.last) for end in ends)})
    between = np.linspace(asked[0], asked[-1], CURVE_POINTS).round().astype(int).tolist()
    rows = [_asked(trial, at) for at in sorted({*asked, *between})]
    return rows if trial.plan.by == "nodes" else rows[::-1]


def _interval(
    plan: PlanScenario, work: Workload, span: Window, found: Found, progress: Progress
) -> dict[str, Any] | None:
    """The answers of resampled weeks: the interval that holds the middle 80 % of them, null at an end beyond
    which the target is not met; None where the window has not two whole weeks or none are asked for."""
    weeks = full_weeks(span)
    if weeks < 2 or plan.resamples < 1:
        return None
    seeds = np.random.SeedSequence([plan.seed, 0xB007]).spawn(plan.resamples)

    def answer(seed: np.random.SeedSequence) -> int | None:
        jobs = resampled(work.jobs, weeks, np.random.default_rng(seed))
        if jobs.empty:
            return None
        trial = Trial(plan, replace(work, jobs=jobs))
        start = found.position or trial.start
        return trial.found(start, 2 if plan.by == "nodes" else 5).position

    answers: list[int | None] = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for each in pool.map(answer, seeds):
            answers.append(each)
            progress(
                0.1 + 0.9 * len(answers) / plan.resamples,
                f"{len(answers)} of {plural(plan.resamples, 'draw')}",
            )
    return interval_of(plan, answers, weeks)


def interval_of(plan: PlanScenario, answers: list[int | None], weeks: int) -> dict[str, Any]:
    """The middle of the answers; one without a position lies beyond all others."""
    ordered = sorted(math.inf if each is None else each for each in answers)
    outside = math.floor(len(ordered) * (1 - COVERAGE) / 2 + 1e-9)
    ends = ordered[outside], ordered[len(ordered) - 1 - outside]
    sizes = [None if end == math.inf else size_of(plan, int(end)) for end in ends]
    low, high = sizes if plan.by == "nodes" else sizes[::-1]
    unmet = sum(each is None for each in answers)
    facts = {"coverage": COVERAGE, "resamples": len(answers), "weeks": weeks, "unmet": unmet}
    return {"low": low, "high": high} | facts


def sentence(made: Mapping[str, Any]) -> str:
    """The answer for people."""
    by_nodes = made["by"] == "nodes"
    key = "nodes" if by_nodes else "load_factor"
    if made["found"] is None:
        nobody = "No number of nodes meets", ", although nobody waits with enough of them."
        start, end = nobody if by_nodes else ("No load meets", ".")
        return f"{start} {target(made['target']).words}{end}"
    answer, interval = made["found"][key], made["interval"]
    few = "meets" if answer == 1 else "meet"
    size = f"{plural(answer, 'node')} {few}" if by_nodes else f"{answer:g} times the load meets"
    text = f"{size} {target(made['target']).words}; today it is {made['now'][key]:g}."
    if not made["monotone"]:
        text += " More room once made it worse, so ask around the answer."
    if interval is None:
        return f"{text} There is no interval: that takes draws of at least two whole weeks."
    low, high = interval["low"], interval["high"]
    ends = ("none" if end is None else f"{end:g}" for end in (low, high))
    draws = f"{plural(interval['resamples'], 'draw')} of {plural(interval['weeks'], 'week')}"
    text += f" In {percent(COVERAGE)} of {draws} it is from {' to '.join(ends)}."
    if (low is not None and answer < low) or (high is not None and answer > high):
        text += " So the window's own order of weeks is no typical one."
    return text
