"""A gradient-boosted model of expected durations (LightGBM), fitted on jobs that ended before a window.

The trees add up on the scale of ln(duration) (a log link), and the Tweedie deviance that they minimize is
least at the *mean* duration, which is what the order by GPU time needs; a model of ln(duration) itself
predicts nearly a median. Trees that follow noise still end up below the mean, as a mean of logarithms is
below the logarithm of a mean. So the latest jobs are held out, and the ratio of their true to their predicted
time, by strata of the prediction, corrects that (a smearing factor as of Duan 1983).

LightGBM is loaded when a model is fitted or asked, never by importing this file: web processes do neither.
"""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.errors import ScenarioError
from scheduling.estimates.history import RUNGS, STATISTICS, Known
from scheduling.estimates.names import templates

FEWEST_JOBS = 1000
"""Fewer ended jobs give no model: rolling means know as much."""

MOST_JOBS = 100_000
"""A model is fitted on the latest jobs up to this many: half a year ago people ran other things."""

HELD_OUT = 0.2
"""Share of the jobs, the latest, that no tree is fitted to."""

STRATUM_JOBS, MOST_STRATA = 500, 10
MOST_SMEARING = 5.0

CATEGORIES = ("user", "vc", "template")
FEATURES = (
    *(f"{rung}_{name}" for rung in RUNGS for name in STATISTICS),
    *("user_name_last", "user_last", "gpus", "hour", "weekday", *CATEGORIES),
)
PARAMETERS: dict[str, Any] = {
    "objective": "tweedie",
    "tweedie_variance_power": 1.6,
    "learning_rate": 0.08,
    "num_leaves": 63,
    "min_data_in_leaf": 50,
    "cat_smooth": 20.0,
    "max_bin": 127,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,  # a worker shares its machine with the web processes
    "verbosity": -1,
}
TREES = 150

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Boosted:
    """A fitted model.

    ``trees`` is LightGBM's own text; ``categories`` holds the values that it knows, in the order of their
    numbers; ``edges`` (s) divide predictions into strata that are multiplied by ``smearing``; ``jobs`` is how
    many jobs it was fitted on, the held-out ones included.
    """

    trees: str
    categories: dict[str, tuple[str, ...]]
    edges: tuple[float, ...]
    smearing: tuple[float, ...]
    jobs: int

    def as_json(self) -> str:
        """The model as text, for storage."""
        return json.dumps(vars(self))

    @classmethod
    def from_json(cls, text: str) -> "Boosted":
        """The model that :meth:`as_json` wrote."""
        values = json.loads(text)
        known = {name: tuple(each) for name, each in values["categories"].items()}
        edges, smearing = (tuple(values[name]) for name in ("edges", "smearing"))
        return cls(values["trees"], known, edges, smearing, values["jobs"])


def features(jobs: pd.DataFrame, known: Known, midnight_s: float) -> pd.DataFrame:
    """What the model sees of each job at its submission, in the order of :data:`FEATURES`.

    ``known`` has statistics. ``midnight_s`` is a local Monday's midnight on the clock of submit_s, from which
    hours are counted (one off after a change to summer time). Categories are the text itself.
    """
    clock_h = (jobs["submit_s"].to_numpy(dtype=float) - midnight_s) / 3600
    columns: dict[str, Any] = dict(zip(FEATURES, known.statistics.T, strict=False))
    columns["user_name_last"] = np.log1p(known.last_s[:, RUNGS.index("user_name_gpus")])
    columns["user_last"] = np.log1p(known.last_s[:, RUNGS.index("user")])
    columns["gpus"] = np.log2(np.maximum(jobs["gpu_num"].to_numpy(dtype=float), 1e-3))
    columns["hour"], columns["weekday"] = np.floor(clock_h % 24), np.floor(clock_h / 24 % 7)
    named = templates(jobs["job_name"]) if "job_name" in jobs.columns else None
    for category, text in zip(CATEGORIES, (jobs.get("user"), jobs.get("vc"), named), strict=True):
        columns[category] = np.full(len(jobs), None) if text is None else np.asarray(text, dtype=object)
    return pd.DataFrame(columns, columns=list(FEATURES))


def fit(seen: pd.DataFrame, duration_s: Values, seed: int = 1) -> Boosted:
    """A model of the jobs whose features are ``seen``, in order of submission; the same seed, the same model.

    Raises ScenarioError for fewer than :data:`FEWEST_JOBS`, and where LightGBM cannot be loaded.
    """
    if len(seen) < FEWEST_JOBS:
        raise ScenarioError(
            f"{len(seen):,} jobs ended before the window; a boosted model needs {FEWEST_JOBS:,} of them."
        )
    seen, duration_s = seen.iloc[-MOST_JOBS:], duration_s[-MOST_JOBS:]
    known = {name: tuple(sorted(map(str, seen[name].dropna().unique()))) for name in CATEGORIES}
    table, first_held_out = _table(seen, known), int(len(seen) * (1 - HELD_OUT))
    booster = _trained(table[:first_held_out], duration_s[:first_held_out], seed)
    predicted_s = np.asarray(booster.predict(table[first_held_out:], num_threads=1), dtype=float)
    edges, smearing = _smearing(predicted_s, duration_s[first_held_out:])
    return Boosted(booster.model_to_string(), known, edges, smearing, len(seen))


def _lightgbm() -> Any:
    """LightGBM, whose wheel expects the system to have the OpenMP library of GCC."""
    try:
        import lightgbm
    except OSError as error:
        raise ScenarioError(
            f"LightGBM cannot be loaded: {error}. Install GCC's OpenMP library with the system's package "
            "manager (libgomp1 on Debian and Ubuntu, libgomp on Fedora and RHEL)."
        ) from error
    return lightgbm


def _trained(table: Values, duration_s: Values, seed: int) -> Any:
    lightgbm = _lightgbm()
    categorical = [FEATURES.index(name) for name in CATEGORIES]
    data = lightgbm.Dataset(table, duration_s, categorical_feature=categorical)
    return lightgbm.train(PARAMETERS | {"seed": seed}, data, TREES)


def _smearing(predicted_s: Values, true_s: Values) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Edges of strata of about equally many predictions, and true ÷ predicted time in each."""
    strata = min(max(true_s.size // STRATUM_JOBS, 1), MOST_STRATA)
    edges = np.unique(np.quantile(predicted_s, np.arange(1, strata) / strata))
    stratum = np.searchsorted(edges, predicted_s)
    true_sum, predicted_sum = (
        np.bincount(stratum, values, edges.size + 1) for values in (true_s, predicted_s)
    )
    ratio = np.divide(true_sum, predicted_sum, out=np.ones(edges.size + 1), where=predicted_sum > 0)
    return tuple(edges.tolist()), tuple(np.clip(ratio, 1 / MOST_SMEARING, MOST_SMEARING).tolist())


def expected(model: Boosted, seen: pd.DataFrame) -> Values:
    """Expected duration in s of the jobs whose features are ``seen``.

    Raises ScenarioError where LightGBM cannot be loaded.
    """
    if seen.empty:
        return np.zeros(0)
    booster = _lightgbm().Booster(model_str=model.trees)
    predicted_s = np.asarray(booster.predict(_table(seen, model.categories), num_threads=1), dtype=float)
    mean_s: Values = predicted_s * np.array(model.smearing)[np.searchsorted(model.edges, predicted_s)]
    return mean_s


def _table(seen: pd.DataFrame, known: dict[str, tuple[str, ...]]) -> Values:
    """The features as numbers; a category that is unknown, or unknown to the model, is NaN."""
    columns = [seen[name].to_numpy(dtype=float) for name in FEATURES if name not in CATEGORIES]
    for name in CATEGORIES:
        code = pd.Index(known[name], dtype=object).get_indexer(pd.Index(seen[name], dtype=object))
        columns.append(np.where(code < 0, np.nan, code.astype(float)))
    return np.column_stack(columns)
