"""Published curves of the Helios clusters, April to September 2020, drawn beside a trace of such clusters.

Hu et al., “Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters”, SC'21
(arXiv 2109.01313): figure 2 (``by_hour_of_day.csv``) and figure 3 (``by_month.csv``), read from the vector
figures of the authors' artifact. They count a job in its first and last minute as a whole one, so their
utilization is 0.2 to 0.5 points higher than a half-open integral.
"""

from functools import cache
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parent
CLUSTERS = ("Venus", "Earth", "Saturn", "Uranus")
SOURCE = "Helios, SC'21"


def fits(clusters: list[str]) -> bool:
    """Whether any of ``clusters`` has published curves."""
    return bool(set(clusters) & set(CLUSTERS))


def scaled(published: pd.DataFrame, counts: list[str], jobs: pd.Series) -> pd.DataFrame:
    """The rows with their ``counts`` scaled, so that each cluster's sum up to its ``jobs``.

    A trace of the same clusters is left as it is: only where the sums differ by more than a quarter.
    """
    own = published.groupby("cluster")[counts].sum().sum(axis=1)
    factor = (jobs.reindex(own.index) / own).where(lambda ratio: ~ratio.between(0.8, 1.25), 1.0)
    return published.assign(**{name: published[name] * published["cluster"].map(factor) for name in counts})


@cache
def by_hour_of_day() -> pd.DataFrame:
    """cluster, hour, utilization (0–1), gpu_jobs_per_hour."""
    table = pd.read_csv(FOLDER / "by_hour_of_day.csv")
    return pd.DataFrame(
        {
            "cluster": table["cluster"],
            "hour": table["hour"],
            "utilization": table["avg_utilization_pct"] / 100,
            "gpu_jobs_per_hour": table["avg_submitted_gpu_jobs_per_hour"],
        }
    )


@cache
def by_month() -> pd.DataFrame:
    """cluster, period (first day), single_jobs, multi_jobs, single_utilization, multi_utilization (0–1)."""
    table = pd.read_csv(FOLDER / "by_month.csv")
    return pd.DataFrame(
        {
            "cluster": table["cluster"],
            "period": pd.to_datetime(table["month"]),
            "single_jobs": table["gpu_jobs_single"],
            "multi_jobs": table["gpu_jobs_multi"],
            "single_utilization": table["util_single_gpu_pct"] / 100,
            "multi_utilization": table["util_multi_gpu_pct"] / 100,
            "utilization": table["avg_utilization_pct"] / 100,
        }
    )
