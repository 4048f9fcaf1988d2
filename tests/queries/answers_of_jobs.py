"""What questions about the jobs submitted in a window answer, computed with pandas alone.

One function per question, of its name. Each takes a window and gives the columns that it checks; a question's
parameters beside its window are keyword arguments.
"""

import numpy as np
import pandas as pd

from tests.queries.reference import edges, local
from tests.queries.windows import PLACE, Window


def submissions_by_hour_and_weekday(w: Window) -> pd.DataFrame:
    times = w.start + pd.to_timedelta(edges(w.start, w.end, 1800)[:-1], unit="s")
    hours = pd.DataFrame({"time": local(times, w.zone), "hours": np.diff(edges(w.start, w.end, 1800)) / 3600})
    by = [(hours["time"].dt.day_of_week + 1).rename("weekday"), hours["time"].dt.hour.rename("hour")]
    calendar = hours.groupby(by)["hours"].sum()
    jobs = w.gpu.groupby(["weekday", "hour"]).size().reindex(calendar.index, fill_value=0)
    return pd.DataFrame(
        {"gpu_jobs": jobs, "hours": calendar, "gpu_jobs_per_hour": jobs / calendar}
    ).reset_index()


def jobs_submitted(w: Window) -> pd.DataFrame:
    by_status = {
        f"{status}_gpu_{what}": [found]
        for status in ("completed", "cancelled", "failed")
        for what, found in (
            ("jobs", (w.gpu["status"] == status).sum()),
            ("s", w.gpu[w.gpu["status"] == status]["gpu_s"].sum()),
        )
    }
    counts = {"gpu_jobs": [len(w.gpu)], "cpu_jobs": [(w.inside["gpu_num"] == 0).sum()]}
    return pd.DataFrame(counts | {"started_gpu_jobs": [len(w.started)]} | by_status)


def days(w: Window) -> pd.DataFrame:
    jobs = w.inside.assign(on_gpus=w.inside["gpu_num"] > 0, on_cpus=w.inside["gpu_num"] == 0)
    ended = jobs["on_gpus"] & jobs["status"].notna()
    lost = jobs["on_gpus"] & jobs["status"].isin(["cancelled", "failed"])
    columns = {
        "gpu_jobs": jobs["on_gpus"],
        "cpu_jobs": jobs["on_cpus"],
        "ended_gpu_jobs": ended,
        "completed_gpu_jobs": jobs["on_gpus"] & (jobs["status"] == "completed"),
        "gpu_s": jobs["gpu_s"].where(ended, 0.0),
        "lost_gpu_s": jobs["gpu_s"].where(lost, 0.0),
    }
    return pd.DataFrame(columns).groupby(jobs["day"]).sum().reset_index()


def _curve(values: pd.Series, name: str) -> pd.DataFrame:
    """How many values are at most 2^(k/8), for each such step that one of them rounds up to."""
    steps = np.unique(np.ceil(8 * np.log2(values.clip(lower=1))))
    at = 2.0 ** (steps / 8)
    jobs = np.searchsorted(np.sort(values.to_numpy()), at * (1 + 1e-12), side="right")
    return pd.DataFrame({name: at, "jobs": jobs, "share": jobs / max(len(values), 1)})


def duration_cdf(w: Window) -> pd.DataFrame:
    timed = w.inside[w.inside["duration_s"] >= 0]
    kinds = {"GPU jobs": timed["gpu_num"] > 0, "CPU jobs": timed["gpu_num"] == 0}
    curves = [_curve(timed[of]["duration_s"], "duration_s").assign(kind=kind) for kind, of in kinds.items()]
    return pd.concat(curves, ignore_index=True)


def queueing_cdf(w: Window) -> pd.DataFrame:
    curves = []
    for cluster, part in w.started.groupby("cluster"):
        curve = _curve(part["delay_s"], "delay_s").assign(cluster=cluster)
        if curve["delay_s"].iloc[0] > 1:
            first = pd.DataFrame({"delay_s": [1.0], "jobs": [0], "share": [0.0], "cluster": [cluster]})
            curve = pd.concat([first, curve])
        curves.append(curve)
    return pd.concat(curves, ignore_index=True)


def queueing_delays(w: Window) -> pd.DataFrame:
    p50, p95 = w.started["delay_s"].quantile([0.5, 0.95])
    return pd.DataFrame(
        {"started_jobs": [len(w.started)], "p50_queueing_delay_s": [p50], "p95_queueing_delay_s": [p95]}
    )


def queueing_delays_over_time(w: Window, bin_s: int) -> pd.DataFrame:
    bins = (w.started["submit_time"] - w.start).dt.total_seconds() // bin_s
    groups = w.started.groupby((w.start + pd.to_timedelta(bins * bin_s, unit="s")).rename("time"))["delay_s"]
    return pd.DataFrame(
        {"started_jobs": groups.size(), "p95_queueing_delay_s": groups.quantile(0.95)}
    ).reset_index()


def queueing_by(w: Window, dimension: str) -> pd.DataFrame:
    sizes = w.started["gpu_num"]
    power = sizes.isin([1, 2, 4, 8, 16, 32])
    labels = {
        "all": pd.Series("", w.started.index),
        "cluster": w.started["cluster"],
        "vc": w.started["vc"],
        "gpus": sizes.astype(int).astype(str).where(power, "other").where(sizes < 64, "≥ 64"),
        "hour": w.started["hour"].map("{:02d}".format),
        "user": w.started["user"],
    }
    groups = w.started.groupby(labels[dimension].rename("label"), dropna=False)["delay_s"]
    waits = w.started[w.started["delay_s"] > 0].groupby(labels[dimension].rename("label"), dropna=False)[
        "delay_s"
    ]
    return pd.DataFrame(
        {
            "jobs": groups.size(),
            "waiting_jobs": waits.size().reindex(groups.size().index, fill_value=0),
            "queueing_delay_s": groups.sum(),
            "mean_delay_s": groups.mean(),
            "p50_wait_s": waits.quantile(0.5),
            "p95_wait_s": waits.quantile(0.95),
        }
    ).reset_index()


def queueing_by_hour(w: Window) -> pd.DataFrame:
    return queueing_by(w, "hour")


def queueing_by_user(w: Window) -> pd.DataFrame:
    return queueing_by(w, "user")


def gpu_count_cdf(w: Window) -> pd.DataFrame:
    groups = w.gpu.groupby("gpu_num")
    jobs, gpu_s = groups.size(), groups["gpu_s"].sum()
    found = {"jobs": jobs, "gpu_s": gpu_s, "share_of_jobs": jobs.cumsum() / jobs.sum()}
    return pd.DataFrame(found | {"share_of_gpu_time": gpu_s.cumsum() / gpu_s.sum()}).reset_index()


def gpu_counts_by_period(w: Window, period: str) -> pd.DataFrame:
    names = ["≤ 1", "≤ 2", "≤ 4", "≤ 8", "≤ 16", "≤ 32", "> 32"]
    size = pd.cut(w.gpu["gpu_num"], [0, 1, 2, 4, 8, 16, 32, np.inf], labels=names).astype(str).rename("gpus")
    sums = w.gpu.groupby([w.gpu[period].rename("period"), size])["gpu_s"].agg(["size", "sum"])
    whole = sums.groupby("period").transform("sum")
    shares = {"share_of_jobs": sums["size"] / whole["size"], "share_of_gpu_time": sums["sum"] / whole["sum"]}
    return pd.DataFrame({"jobs": sums["size"], "gpu_s": sums["sum"], **shares}).reset_index()


def _statuses(jobs: pd.DataFrame, by: pd.Series) -> pd.DataFrame:
    counts = jobs[jobs["status"].notna()].groupby([by, "status"]).size().rename("jobs")
    return counts.to_frame().assign(share=counts / counts.groupby(level=0).transform("sum")).reset_index()


def final_status_by_kind(w: Window) -> pd.DataFrame:
    known = w.inside[w.inside["gpu_num"].notna()]
    return _statuses(known, (known["gpu_num"] > 0).map({True: "GPU jobs", False: "CPU jobs"}).rename("kind"))


def final_status_by_gpu_count(w: Window) -> pd.DataFrame:
    sizes = w.gpu["gpu_num"]
    labels = sizes.astype(int).astype(str).where(sizes.isin([1, 2, 4, 8, 16, 32]), "other")
    return _statuses(w.gpu, labels.where(sizes < 64, "≥ 64").rename("gpus"))


def jobs_left_out(w: Window) -> pd.DataFrame:
    untimed = ~(w.inside["duration_s"] >= 0)
    return pd.DataFrame(
        {
            "jobs": [len(w.inside)],
            "no_gpu_num": [w.inside["gpu_num"].isna().sum()],
            "no_duration": [(untimed & w.inside["gpu_num"].notna()).sum()],
            "no_gpu_job_duration": [(untimed & (w.inside["gpu_num"] > 0)).sum()],
            "no_final_status": [(w.inside["status"].isna() & w.inside["gpu_num"].notna()).sum()],
        }
    )


def median_duration(w: Window) -> pd.DataFrame:
    timed = w.gpu[w.gpu["duration_s"] >= 0]["duration_s"]
    return pd.DataFrame({"timed_jobs": [len(timed)], "median_duration_s": [timed.median()]})


def failures_by_period(w: Window, period: str) -> pd.DataFrame:
    ended = w.gpu[w.gpu["status"].notna()]
    groups = ended.groupby(["cluster", ended[period].rename("period")])["status"]
    found = {name: groups.agg(lambda each, n=name: (each == n).sum()) for name in ("failed", "cancelled")}
    columns = {"ended_jobs": groups.size()} | {f"{name}_jobs": jobs for name, jobs in found.items()}
    return pd.DataFrame(columns).reset_index()


def lost_by_period(w: Window, period: str) -> pd.DataFrame:
    ended = w.gpu[w.gpu["status"].notna()]
    sums = ended.groupby([ended[period].rename("period"), "status"])["gpu_s"].agg(["size", "sum"])
    sums = sums.rename(columns={"size": "jobs", "sum": "gpu_s"})
    return sums.assign(share=sums["gpu_s"] / sums.groupby("period")["gpu_s"].transform("sum")).reset_index()


def lost_by_vc(w: Window) -> pd.DataFrame:
    ended = w.gpu[w.gpu["status"].notna()]
    sums = ended.pivot_table(index=PLACE, columns="status", values="gpu_s", aggfunc="sum").reindex(
        columns=["failed", "cancelled", "completed"], fill_value=0.0
    )
    sums = sums.fillna(0.0)
    lost = sums["failed"] + sums["cancelled"]
    found = {"failed_gpu_s": sums["failed"], "cancelled_gpu_s": sums["cancelled"], "lost_gpu_s": lost}
    return pd.DataFrame(
        found | {"gpu_s": sums.sum(axis=1), "lost_share": lost / sums.sum(axis=1)}
    ).reset_index()


def waits_and_durations_by_vc(w: Window) -> pd.DataFrame:
    timed, started = w.gpu[w.gpu["duration_s"] >= 0], w.started
    return pd.DataFrame(
        {
            "gpu_jobs": w.gpu.groupby(PLACE).size(),
            "started_jobs": started.groupby(PLACE).size(),
            "avg_queueing_delay_s": started.groupby(PLACE)["delay_s"].mean(),
            "waited_gpu_s": (started["gpu_num"] * started["delay_s"])
            .groupby([started[name] for name in PLACE])
            .sum(),
            "avg_duration_s": timed.groupby(PLACE)["duration_s"].mean(),
            "gpu_s": timed.groupby(PLACE)["gpu_s"].sum(),
        }
    ).reset_index()


def users(w: Window) -> pd.DataFrame:
    jobs, keys = w.inside, [w.inside["cluster"], w.inside["user"]]
    on_gpus = jobs["gpu_num"] > 0
    columns = {
        "jobs": pd.Series(1, jobs.index),
        "gpu_jobs": on_gpus,
        "ended_gpu_jobs": on_gpus & jobs["status"].notna(),
        "completed_gpu_jobs": on_gpus & (jobs["status"] == "completed"),
        "gpu_s": jobs["gpu_s"].where(on_gpus, 0.0),
        "lost_gpu_s": jobs["gpu_s"].where(on_gpus & jobs["status"].isin(["cancelled", "failed"]), 0.0),
        "cpu_s": jobs["cpu_s"].where(jobs["gpu_num"] == 0, 0.0),
        "queueing_delay_s": jobs["delay_s"].where(on_gpus, 0.0),
    }
    return pd.DataFrame(columns).groupby(keys, dropna=False).sum().reset_index()


def user_weeks(w: Window) -> pd.DataFrame:
    return w.gpu[w.gpu["gpu_s"] > 0].groupby(["user", "week"])["gpu_s"].sum().reset_index()
