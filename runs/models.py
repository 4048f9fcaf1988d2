"""Fitted estimates on disk, so that a what-if in a web process reads them and fits nothing.

``<data>/models/<trace>/<cluster>/<version>/`` holds ``manifest.json``, ``estimates.parquet`` (the beliefs of
all jobs submitted since ``trained_until``) and, where enough jobs had ended by then, ``model.json``. It is
written beside its place and renamed, so it is there whole or not at all. There is one version for the begin
of each local month, and one for the trace's begin, which has no model; all are of one version of the trace's
jobs, and an import that publishes another makes them stale.
"""

import json
import os
import secrets
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

import settings
from queries import manifests
from runs import beliefs
from runs.window import Window, window
from scheduling.estimates import Estimator, accuracy, boosted

MOST_MONTHS = 12
"""Months before the trace's end that get a model of their own."""


@dataclass(frozen=True)
class Fitted:
    """One stored version: its name, what its manifest says, and the folder that holds it."""

    version: str
    manifest: dict[str, Any]
    folder: Path

    def beliefs(self) -> pd.DataFrame:
        """The estimates that ``runs.beliefs.table`` made."""
        return _beliefs(self.folder)

    def model(self) -> boosted.Boosted | None:
        """The boosted model, None for a version without one."""
        file = self.folder / "model.json"
        return boosted.Boosted.from_json(file.read_text()) if file.is_file() else None


@lru_cache(maxsize=4)
def _beliefs(folder: Path) -> pd.DataFrame:
    """The stored estimates of a version, which never change."""
    return pd.read_parquet(folder / "estimates.parquet")


def stored(trace: str, cluster: str) -> list[Fitted]:
    """The versions fitted on the trace's current jobs, by the time until which they were trained."""
    of_jobs = _fingerprint(trace)
    versions = []
    for file in sorted(_home(trace, cluster).glob("*/manifest.json")):
        manifest = json.loads(file.read_text())
        if manifest["jobs_version"] == of_jobs:
            versions.append(Fitted(file.parent.name, manifest, file.parent))
    return sorted(versions, key=lambda each: str(each.manifest["trained_until"]))


def latest_before(trace: str, cluster: str, start_time: pd.Timestamp) -> Fitted | None:
    """The latest version trained on nothing but what precedes ``start_time``; None where there is none."""
    usable = [
        each for each in stored(trace, cluster) if pd.Timestamp(each.manifest["trained_until"]) <= start_time
    ]
    return usable[-1] if usable else None


@dataclass(frozen=True)
class Used:
    """The beliefs that a what-if uses, and how they are described in its result."""

    beliefs: pd.DataFrame
    described: dict[str, Any]


def used(trace: str, cluster: str, facts: dict[str, Any], span: Window, capacity: Mapping[str, int]) -> Used:
    """The beliefs for a what-if: of the latest version before it, else rolling means made on the spot.

    ``capacity`` (GPUs per VC) stands in where ends must be simulated and the trace has no capacity.
    """
    fitted = _usable(trace, cluster, facts, span)
    if fitted is not None:
        names = ("estimator", "trained_until", "ends", "jobs")
        described = {name: fitted.manifest[name] for name in names}
        return Used(fitted.beliefs(), described | {"version": fitted.version})
    before = beliefs.past(trace, cluster, facts, span, fallback=capacity)
    table = beliefs.table(before, before.known(Estimator(), with_statistics=False), None)
    described = {"estimator": "rolling", "trained_until": None, "ends": before.ends, "jobs": 0}
    return Used(table, described | {"version": None})


def are_fitted(trace: str, cluster: str, facts: Mapping[str, Any], span: Window) -> bool:
    """Whether :func:`used` only has to read."""
    return _usable(trace, cluster, facts, span) is not None


def _usable(trace: str, cluster: str, facts: Mapping[str, Any], span: Window) -> Fitted | None:
    """The stored version that serves a window; none where only a scenario's capacity tells simulated ends."""
    own_capacity = facts["has_end"] or facts["has_capacity"]
    return latest_before(trace, cluster, span.start_time) if own_capacity else None


def is_stale(trace: str) -> bool:
    """Whether a cluster lacks the last version to be written of its current jobs: that of its begin."""
    manifest = manifests.manifest(trace)
    for cluster, facts in manifest["clusters"].items():
        if _has_jobs(facts):
            begin = window(manifest, [cluster], "", "").start_time.isoformat()
            if begin not in {each.manifest["trained_until"] for each in stored(trace, cluster)}:
                return True
    return False


def refit(trace: str, estimator: Estimator | None = None) -> list[Fitted]:
    """Fit and store every version of a trace's current jobs, and remove those of former ones.

    It takes up to some 20 s per month and imports LightGBM: a worker's work.
    """
    manifest, fitted = manifests.manifest(trace), []
    for cluster, facts in manifest["clusters"].items():
        if not _has_jobs(facts):
            continue
        whole = window(manifest, [cluster], "", "")
        fitted += [
            _fit(
                trace, cluster, facts, Window(begin, whole.end_time, whole.timezone), estimator or Estimator()
            )
            for begin in reversed(_begins(whole))
        ]
        _remove_former(trace, cluster)
    return fitted


def _has_jobs(facts: dict[str, Any]) -> bool:
    return facts["report"]["first_submit"] is not None


def _begins(whole: Window) -> list[pd.Timestamp]:
    """The trace's begin, and the later local month begins in it (the last ones, if they are many)."""
    first = whole.start_time.tz_localize("UTC").tz_convert(whole.timezone)
    last = whole.end_time.tz_localize("UTC").tz_convert(whole.timezone)
    months = pd.period_range(first.tz_localize(None), last.tz_localize(None), freq="M")[1:]
    starts = [month.start_time.tz_localize(whole.timezone, nonexistent="shift_forward") for month in months]
    return [whole.start_time, *(each.tz_convert("UTC").tz_localize(None) for each in starts[-MOST_MONTHS:])]


def _fit(trace: str, cluster: str, facts: dict[str, Any], span: Window, estimator: Estimator) -> Fitted:
    """Fit one version on what precedes ``span`` and estimate the jobs in it."""
    began = time.perf_counter()
    before = beliefs.past(trace, cluster, facts, span)
    known = before.known(estimator)
    model = beliefs.fitted(before, known)
    table = beliefs.table(before, known, model)
    manifest = {
        "trace": trace,
        "cluster": cluster,
        "jobs_version": _fingerprint(trace),
        "trained_until": span.start_time.isoformat(),
        "ends": before.ends,
        "estimator": "rolling + boosted" if model else "rolling",
        "jobs": model.jobs if model else 0,
        "features": list(boosted.FEATURES) if model else [],
        "metrics": _metrics(before, table, estimator),
        "created": pd.Timestamp.now("UTC").isoformat(),
        "fitted_in_s": round(time.perf_counter() - began, 3),
    }
    return _publish(trace, cluster, manifest, table, model)


def _metrics(before: beliefs.Past, table: pd.DataFrame, estimator: Estimator) -> dict[str, Any]:
    """How near the estimates of the jobs that followed came; of no job where none did."""
    jobs = before.jobs[before.in_window()]
    believed = beliefs.believed(jobs, table, estimator)
    true_s, gpus = (jobs[column].to_numpy(dtype=float) for column in ("duration_s", "gpu_num"))
    return accuracy.accuracy(believed["estimated_duration_s"].to_numpy(dtype=float), true_s, gpus)


def _publish(
    trace: str, cluster: str, manifest: dict[str, Any], table: pd.DataFrame, model: boosted.Boosted | None
) -> Fitted:
    until = pd.Timestamp(manifest["trained_until"])
    version = f"{manifest['jobs_version']}-until-{until:%Y%m%dT%H%M}"
    home = _home(trace, cluster)
    temporary, place = home / f".{secrets.token_hex(4)}", home / version
    temporary.mkdir(parents=True)
    table.to_parquet(temporary / "estimates.parquet", index=False)
    if model is not None:
        (temporary / "model.json").write_text(model.as_json())
    (temporary / "manifest.json").write_text(json.dumps(manifest, allow_nan=False, indent=1))
    if place.exists():
        os.replace(place, home / f".{secrets.token_hex(4)}")
    os.replace(temporary, place)
    return Fitted(version, manifest, place)


def _remove_former(trace: str, cluster: str) -> None:
    """Remove versions of former jobs and what an interrupted fit left behind."""
    current = {each.folder for each in stored(trace, cluster)}
    for folder in _home(trace, cluster).iterdir():
        if folder not in current:
            shutil.rmtree(folder, ignore_errors=True)


def _home(trace: str, cluster: str) -> Path:
    return settings.current().data / "models" / trace / cluster


def _fingerprint(trace: str) -> str:
    """Names the trace's current jobs: its version, and when that was published."""
    version = manifests.version(trace)
    return f"{version.folder.name}-{version.written_ns % 16**8:08x}"
