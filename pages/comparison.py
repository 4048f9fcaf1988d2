"""Two scopes side by side: which they are, what they are called, and the rows of both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from dash import get_relative_path

from components.filters import Filters, from_query
from components.numbers import listing
from components.second_bar import PREFIX
from pages.scope import Scope, scope_of_query, scope_of_store
from queries import manifests

STATUSES = ("completed", "cancelled", "failed")


@dataclass(frozen=True)
class Comparison:
    """Scope A, scope B, and whether published figures are shown beside them."""

    one: Scope
    other: Scope
    references: bool = True

    @property
    def sides(self) -> tuple[str, str]:
        """What legends call the two: what tells them apart, behind A and B."""
        same_trace = self.one.trace == self.other.trace
        same_window = self.one.window_text() == self.other.window_text()
        names = (_name(scope, same_trace, same_window) for scope in (self.one, self.other))
        first, second = names
        return f"A · {first}", f"B · {second}"

    def addresses(self) -> dict[str, str]:
        """Side → the Jobs page about it."""
        path = get_relative_path("/jobs")
        return {
            side: scope.address(path) for side, scope in zip(self.sides, (self.one, self.other), strict=True)
        }

    def both(self, rows: Callable[[Scope], pd.DataFrame]) -> pd.DataFrame:
        """The rows about A, then those about B, with a first column ``side``."""
        parts = [
            rows(scope).assign(side=name)
            for name, scope in zip(self.sides, (self.one, self.other), strict=True)
        ]
        frame = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
        return frame[["side", *(column for column in frame if column != "side")]]


def comparison_of_query(query: Mapping[str, Any]) -> Comparison:
    """What an address compares; raises what :func:`pages.scope.scope_of_query` raises for either side."""
    one = scope_of_query(query)
    second = {key.removeprefix(PREFIX): value for key, value in query.items() if key.startswith(PREFIX)}
    filters = from_query(second)
    chosen = filters if filters.trace else default_other(one)
    return Comparison(one, scope_of_store(chosen.to_json()), query.get("references") != "0")


def comparison_of_store(data: Mapping[str, Any]) -> Comparison:
    """What a page's store compares."""
    return Comparison(scope_of_store(data["one"]), scope_of_store(data["other"]), bool(data["references"]))


def default_other(one: Scope) -> Filters:
    """What a scope is compared with until someone chooses: a cluster of its trace, else another trace.

    A trace of one cluster that is alone is compared with itself.
    """
    apart = [cluster for cluster in one.all_clusters if [cluster] != one.clusters]
    if len(one.all_clusters) > 1:
        days = Filters(trace=one.trace, first_day=one.filters.first_day, last_day=one.filters.last_day)
        return replace(days, clusters=(apart[0],))
    others = [name for name in manifests.names() if name != one.trace]
    return Filters(trace=others[0] if others else one.trace)


def gpu_jobs_curve(scope: Scope) -> pd.DataFrame:
    """Duration curve of the GPU jobs: duration_s, jobs, share."""
    curve = scope.ask("duration_cdf")
    return curve[curve["kind"] == "GPU jobs"].drop(columns="kind").reset_index(drop=True)


def gpu_time_by_status(scope: Scope) -> pd.DataFrame:
    """GPU time of the GPU jobs of each final status: status, gpu_s, share of their sum (0–1)."""
    submitted = scope.ask("jobs_submitted").iloc[0]
    amounts = pd.Series({status: float(submitted[f"{status}_gpu_s"]) for status in STATUSES})
    if not amounts.sum() > 0:
        return pd.DataFrame(columns=["status", "gpu_s", "share"])
    return pd.DataFrame(
        {"status": amounts.index, "gpu_s": amounts.to_numpy(), "share": (amounts / amounts.sum()).to_numpy()}
    )


def in_numbers(scope: Scope) -> pd.DataFrame:
    """One row of what people compare first; unknown is null."""
    submitted = scope.ask("jobs_submitted").iloc[0]
    sizes, durations = scope.ask("gpu_count_cdf"), scope.ask("median_duration").iloc[0]
    waits = scope.ask("queueing_delays").iloc[0]
    ended = sum(submitted[f"{status}_gpu_jobs"] for status in STATUSES)
    jobs = sizes["jobs"].sum()
    return pd.DataFrame(
        {
            "gpu_jobs": [submitted["gpu_jobs"]],
            "gpu_s": [sizes["gpu_s"].sum(min_count=1)],
            "mean_gpus": [(sizes["gpu_num"] * sizes["jobs"]).sum() / jobs if jobs else None],
            "median_duration_s": [durations["median_duration_s"]],
            "completion": [submitted["completed_gpu_jobs"] / ended if ended else None],
            "p50_queueing_delay_s": [waits["p50_queueing_delay_s"]],
            "p95_queueing_delay_s": [waits["p95_queueing_delay_s"]],
        }
    )


def _name(scope: Scope, same_trace: bool, same_window: bool) -> str:
    chosen = list(scope.filters.clusters)
    parts = [] if same_trace else [scope.trace]
    parts += (
        [listing(chosen)]
        if chosen
        else (["all clusters"] if len(scope.all_clusters) > 1 else scope.all_clusters)
    )
    parts += [listing(list(scope.filters.vcs))] if scope.filters.vcs else []
    parts += [] if same_window else [scope.window_text()]
    return ", ".join(parts)
