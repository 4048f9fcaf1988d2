"""The smallest number of nodes, or the largest load, under which a target is met, and how sure that is."""

import math
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from queries import manifests
from runs import load
from runs.apportionment import apportioned
from runs.bisection import Found, first_that_holds
from runs.errors import RunError
from runs.parts import chosen_clusters
from runs.scenario import SchedulingScenario, document
from runs.target import MEASURES, Target
from runs.weeks import full_weeks, resampled
from runs.window import Window, window
from runs.workload import Workload, check_changes, workload
from scheduling import Outcome, compile_kernels, metrics
from scheduling.jobs import exclusion

Progress = Callable[[float, str], None]
LOAD_STEP = 0.01
HEAVIEST = round(load.LARGEST_FACTOR / LOAD_STEP)
COVERAGE = 0.8
"""Share of the resampled answers that lies in the interval."""


@dataclass(frozen=True)
class Plan:
    """What to find: ``by`` nodes or load, for one cluster (or some of its VCs) under one policy."""

    base: SchedulingScenario
    target: Target
    by: str = "nodes"
    resamples: int = 20
    seed: int = 1


class Trial:
    """One set of jobs whose target is asked at sizes of the cluster, or at loads.

    A *position* counts nodes, or loads of 0.01 from the heaviest down, so that a target that is met at one is
    met at later ones.
    """

    def __init__(self, plan: Plan, work: Workload) -> None:
        self.plan, self.work = plan, work
        per_node = work.gpus_per_node
        self.present = {vc: math.ceil(quota.most / per_node) for vc, quota in work.quotas.items()}
        self.last = enough_nodes(work, self.present) if plan.by == "nodes" else HEAVIEST
        self.rejected = self.row(self.last)["rejected_jobs"] if plan.by == "nodes" else None

    @property
    def start(self) -> int:
        """The position of the cluster as it is."""
        return sum(self.present.values()) if self.plan.by == "nodes" else position_of(1.0)

    def holds(self, position: int) -> bool:
        """Whether the target is met there, and no job is rejected that more nodes would let run."""
        row = self.row(position)
        fits = self.rejected is None or row["rejected_jobs"] <= self.rejected
        return fits and self.plan.target.met(row)

    def row(self, position: int) -> dict[str, Any]:
        """The numbers of a replay there."""
        base, work, capacity = self.plan.base, self.work, None
        if self.plan.by == "nodes":
            nodes = apportioned(position, self.present)
            capacity = {vc: count * work.gpus_per_node for vc, count in nodes.items()}
        else:
            work = replace(work, jobs=load.scaled(work.jobs, load_at(position), self.plan.seed))
        outcome = work.replay(
            base.policies[0], placement=base.placement, backfill=base.backfill, capacity=capacity
        )
        return numbers(outcome)

    def found(self, start: int, step: int) -> Found:
        """Where the target is met first."""
        return first_that_holds(self.holds, 1, self.last, start, step)


def numbers(outcome: Outcome) -> dict[str, Any]:
    """What a target may be of, with rejected_jobs."""
    row = metrics.summary(outcome.jobs, None)
    delay_s = outcome.jobs["queueing_delay_s"].dropna().to_numpy(dtype=float)
    for name, share in (("median", 50), ("p90", 90), ("p99", 99)):
        row[f"{name}_queueing_delay_s"] = float(np.percentile(delay_s, share)) if delay_s.size else None
    return {name: row[name] for name in ("jobs", "rejected_jobs", *MEASURES)}


def load_at(position: int) -> float:
    """The load of a position: the heaviest first."""
    return round((HEAVIEST + 1 - position) * LOAD_STEP, 9)


def position_of(factor: float) -> int:
    """The position of a load."""
    return HEAVIEST + 1 - round(factor / LOAD_STEP)


def enough_nodes(work: Workload, present: Mapping[str, int]) -> int:
    """So many nodes, shared as they are, that every job could start at its submission on nodes of its own.

    If a target is not met then, no number of nodes meets it: nobody waits.
    """
    needed = {vc: _peak_nodes(work.jobs[work.jobs["vc"] == vc], work.gpus_per_node) for vc in present}
    short = {vc: needed[vc] for vc, own in present.items() if own > 0}
    total = max(1, *present.values(), *short.values()) if short else 1
    while any(apportioned(total, present)[vc] < nodes for vc, nodes in short.items()):
        total = math.ceil(total * 1.2) + 1
    return max(total, sum(present.values()))


def _peak_nodes(jobs: pd.DataFrame, gpus_per_node: int) -> int:
    """The most nodes in use if no job waits or shares one."""
    submit_s, duration_s, gpu_num = (
        jobs[column].to_numpy(dtype=float) for column in ("submit_s", "duration_s", "gpu_num")
    )
    nodes = np.ceil(gpu_num / gpus_per_node)
    # A job of no duration needs its nodes too: at its instant it comes before it goes.
    end_s = submit_s + np.maximum(duration_s, 1e-3)
    time_s = np.concatenate([submit_s, end_s])
    change = np.concatenate([nodes, -nodes])
    order = np.lexsort((change, time_s))
    return int(np.cumsum(change[order]).max(initial=0))


def plan_of(plan: Plan, progress: Progress = lambda done, step: None) -> dict[str, Any]:
    """The document of ``heliograph plan``. Raises RunError, QueryError, TraceError or ScenarioError."""
    began = time.perf_counter()
    if plan.by not in ("nodes", "load"):
        raise RunError(f"A plan is by nodes or by load, not by {plan.by!r}.")
    progress(0.0, "Reading the jobs")
    span, work = _read(plan)
    compile_kernels()
    trial = Trial(plan, work)
    now = trial.row(trial.start)
    found = trial.found(trial.start, _step(plan, trial.start))
    progress(0.1, "Asking resampled weeks")
    interval = _interval(plan, work, span, found, progress)
    shown = document(plan.base) | {"from": str(span.start_time), "to": str(span.end_time)}
    made = {
        "scenario": shown | {"timezone": span.timezone},
        "target": str(plan.target),
        "by": plan.by,
        "now": _size(plan, trial.start) | {"met": trial.holds(trial.start), "numbers": now},
        "found": None,
        "monotone": found.monotone,
        "asked": [_size(plan, at) | {"met": met} for at, met in sorted(found.asked.items())],
        "interval": interval,
    }
    if found.position is not None:
        vcs = apportioned(found.position, trial.present) if plan.by == "nodes" else None
        made["found"] = _size(plan, found.position) | {"vcs": vcs, "numbers": trial.row(found.position)}
    return made | {"sentence": sentence(made), "elapsed_s": time.perf_counter() - began}


def _read(plan: Plan) -> tuple[Window, Workload]:
    manifest = manifests.manifest(plan.base.trace)
    clusters = chosen_clusters(manifest, plan.base.clusters)
    if len(clusters) > 1 or len(plan.base.policies) != 1:
        raise RunError(f"A plan is for one cluster under one policy; choose one of {', '.join(clusters)}.")
    span = window(manifest, clusters, plan.base.from_, plan.base.to)
    work = workload(plan.base, manifest, clusters[0], span)
    check_changes(plan.base, [work])
    jobs = work.jobs[exclusion(work.jobs) < 0].reset_index(drop=True)
    if jobs.empty or not any(quota.most for quota in work.quotas.values()):
        raise RunError(f"{clusters[0]} has no GPU jobs or no known capacity in this window: nothing to plan.")
    return span, replace(work, jobs=jobs)


def _step(plan: Plan, start: int) -> int:
    return max(1, start // 8) if plan.by == "nodes" else 10


def _size(plan: Plan, position: int) -> dict[str, Any]:
    return {"nodes": position} if plan.by == "nodes" else {"load_factor": load_at(position)}


def _interval(
    plan: Plan, work: Workload, span: Window, found: Found, progress: Progress
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
            progress(0.1 + 0.9 * len(answers) / plan.resamples, f"{len(answers)} of {plan.resamples} draws")
    return interval_of(plan, answers, weeks)


def interval_of(plan: Plan, answers: list[int | None], weeks: int) -> dict[str, Any]:
    """The middle of the answers; one without a position lies beyond all others."""
    ordered = sorted(math.inf if each is None else each for each in answers)
    outside = math.floor(len(ordered) * (1 - COVERAGE) / 2 + 1e-9)
    ends = ordered[outside], ordered[len(ordered) - 1 - outside]
    sizes = [None if end == math.inf else next(iter(_size(plan, int(end)).values())) for end in ends]
    low, high = sizes if plan.by == "nodes" else sizes[::-1]
    unmet = sum(each is None for each in answers)
    facts = {"coverage": COVERAGE, "resamples": len(answers), "weeks": weeks, "unmet": unmet}
    return {"low": low, "high": high} | facts


def sentence(made: Mapping[str, Any]) -> str:
    """The answer for people."""
    by_nodes = made["by"] == "nodes"
    key, unit = ("nodes", "nodes meet") if by_nodes else ("load_factor", "times the load meets")
    if made["found"] is None:
        nobody = "No number of nodes meets", ", although nobody waits with enough of them."
        start, end = nobody if by_nodes else ("No load meets", ".")
        return f"{start} {made['target']}{end}"
    answer, interval = made["found"][key], made["interval"]
    text = f"{answer:g} {unit} {made['target']}; today it is {made['now'][key]:g}."
    if not made["monotone"]:
        text += " More room once made it worse, so ask around the answer."
    if interval is None:
        return f"{text} There is no interval: that takes draws of at least two whole weeks."
    low, high = interval["low"], interval["high"]
    ends = ("none" if end is None else f"{end:g}" for end in (low, high))
    draws = f"{interval['resamples']} draws of {interval['weeks']} weeks"
    text += f" In {COVERAGE:.0%} of {draws} it is from {' to '.join(ends)}."
    if (low is not None and answer < low) or (high is not None and answer > high):
        text += " So the window's own order of weeks is no typical one."
    return text
