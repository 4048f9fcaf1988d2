"""What questions about GPUs in use and about waiting answer, computed with pandas alone.

One function per question, of its name. Each takes a window and gives the columns that it checks; a question's
parameters beside its window are keyword arguments.
"""

import pandas as pd

from tests.queries.reference import edges, local
from tests.queries.windows import FAR, PLACE, Window


def ratio(part: pd.Series, whole: pd.Series) -> pd.Series:
    return part / whole.where(whole > 0)


def utilization_by_cluster(w: Window, bin_s: int) -> pd.DataFrame:
    sums = w.bins(bin_s).groupby(["cluster", "time"])[["held", "present"]].sum().reset_index()
    return sums.assign(utilization=ratio(sums["held"], sums["present"])).rename(
        columns={"held": "held_gpu_s", "present": "present_gpu_s"}
    )


def use_over_time(w: Window, bin_s: int) -> pd.DataFrame:
    sums = (
        w.bins(bin_s)
        .groupby("time")
        .agg({"length_s": "first", "single": "sum", "multi": "sum", "present": "sum"})
    )
    for name in ("single", "multi", "present"):
        sums[f"{name}_gpus"] = sums.pop(name) / sums["length_s"]
    return sums.reset_index()


def utilization_by_hour_and_weekday(w: Window) -> pd.DataFrame:
    bins = w.bins(1800)
    time = local(bins["time"], w.zone)
    sums = bins.groupby([(time.dt.day_of_week + 1).rename("weekday"), time.dt.hour.rename("hour")])[
        ["held", "present"]
    ].sum()
    return sums.assign(utilization=ratio(sums["held"], sums["present"])).reset_index()[
        ["weekday", "hour", "utilization"]
    ]


def rhythm_by_hour(w: Window) -> pd.DataFrame:
    bins = w.bins(1800)
    hour = local(bins["time"], w.zone).dt.hour.rename("hour")
    sums = bins.groupby(["cluster", hour])[["held", "present"]].sum()
    jobs = w.gpu.groupby(["cluster", "hour"]).size().reindex(sums.index, fill_value=0)
    return sums.assign(utilization=ratio(sums["held"], sums["present"]), gpu_jobs=jobs).reset_index()[
        ["cluster", "hour", "utilization", "gpu_jobs"]
    ]


def growth_by_period(w: Window, period: str) -> pd.DataFrame:
    bins = w.bins(1800)
    day = local(bins["time"], w.zone).dt.normalize()
    back = day.dt.day_of_week if period == "week" else day.dt.day - 1
    sums = bins.groupby(["cluster", (day - pd.to_timedelta(back, unit="D")).rename("period")])[
        ["single", "multi", "present"]
    ].sum()
    jobs = w.gpu.rename(columns={period: "period"}).groupby(["cluster", "period"])["gpu_num"]
    return pd.DataFrame(
        {
            "single_jobs": jobs.agg(lambda sizes: (sizes <= 1).sum()),
            "multi_jobs": jobs.agg(lambda sizes: (sizes > 1).sum()),
            "single_utilization": ratio(sums["single"], sums["present"]),
            "multi_utilization": ratio(sums["multi"], sums["present"]),
        }
    ).reset_index()


def utilization_spread_by_vc(w: Window, bin_s: int) -> pd.DataFrame:
    bins = w.bins(bin_s)
    bins = bins[bins["present"] > 0].assign(utilization=bins["held"] / bins["present"])
    groups = bins.groupby(PLACE)
    found = groups["utilization"].describe()[["min", "25%", "50%", "75%", "max"]]
    found.columns = [f"{name}_utilization" for name in ("min", "q1", "median", "q3", "max")]
    return found.assign(mean_utilization=groups["held"].sum() / groups["present"].sum()).reset_index()


def waiting_beside_idle(w: Window, bin_s: int) -> pd.DataFrame:
    bins = w.bins(bin_s)
    idle = (bins["present"] - bins["held"]).clip(lower=0)
    bins = bins.assign(
        idle=idle, elsewhere=idle.groupby([bins["cluster"], bins["time"]]).transform("sum") - idle
    )
    waited = w.waited(bin_s).groupby([*PLACE, "time"])["waited"].sum().reset_index()
    bins = bins.merge(waited, how="left", on=[*PLACE, "time"]).fillna({"waited": 0.0})
    bins = bins.assign(servable_gpu_s=bins[["waited", "elsewhere"]].min(axis=1))
    sums = bins.groupby(PLACE)[["waited", "servable_gpu_s", "idle", "held", "present"]].sum()
    full = bins[bins["present"] > 0].assign(full=lambda each: each["held"] >= 0.95 * each["present"])
    return (
        sums.assign(
            mean_utilization=ratio(sums["held"], sums["present"]),
            full_share=full.groupby(PLACE)["full"].mean(),
        )
        .rename(columns={"waited": "waited_gpu_s", "idle": "idle_gpu_s"})
        .reset_index()
        .drop(columns=["held", "present"])
    )


def gangs_beside_free_gpus(w: Window, bin_s: int) -> pd.DataFrame:
    bins = w.bins(bin_s).assign(free=lambda each: (each["present"] - each["held"]) / bin_s)
    waited = w.waited(bin_s)
    both = waited[waited["gpu_num"] > 1].merge(bins[[*PLACE, "time", "free"]], on=[*PLACE, "time"])
    beside = both[(both["spent_s"] >= bin_s) & (both["free"] >= both["gpu_num"])].groupby(PLACE)
    groups = both.groupby(PLACE)
    return (
        pd.DataFrame(
            {
                "gang_jobs": groups["job"].nunique(),
                "waited_gpu_s": groups["waited"].sum(),
                "beside_free_gpu_s": beside["waited"].sum(),
                "beside_free_jobs": beside["job"].nunique(),
            }
        )
        .fillna(0)
        .reset_index()
    )


def vcs_under_pressure(w: Window) -> pd.DataFrame:
    span_s = int((w.end - w.start).total_seconds())
    sums = w.bins(span_s).groupby(PLACE)[["held", "present"]].sum()
    started, gpu = w.started.assign(waited=w.started["gpu_num"] * w.started["delay_s"]), w.gpu
    return (
        pd.DataFrame(
            {
                "utilization": ratio(sums["held"], sums["present"]),
                "waited_gpu_s": started.groupby(PLACE)["waited"].sum(),
                "p95_queueing_delay_s": started.groupby(PLACE)["delay_s"].quantile(0.95),
                "jobs": gpu.groupby(PLACE).size(),
            }
        )
        .fillna({"jobs": 0})
        .reset_index()
    )


def waiting_over_time(w: Window, bin_s: int) -> pd.DataFrame:
    times = w.start + pd.to_timedelta(edges(w.start, w.end, bin_s)[:-1], unit="s")
    return pd.concat([_waiting(w, time).assign(time=time) for time in times], ignore_index=True)


def waiting_and_running(w: Window, instant: pd.Timestamp) -> pd.DataFrame:
    gpu = w.jobs[(w.jobs["gpu_num"] > 0) & (w.jobs["start_time"] <= instant)]
    running = gpu[gpu["end_time"].fillna(FAR) > instant]["gpu_num"]
    return _waiting(w, instant).assign(running_jobs=len(running), running_gpus=running.sum())


def _waiting(w: Window, time: pd.Timestamp) -> pd.DataFrame:
    gpu = w.jobs[w.jobs["gpu_num"] > 0]
    waiting = gpu[(gpu["submit_time"] <= time) & (gpu["start_time"] > time)]["gpu_num"]
    return pd.DataFrame({"waiting_jobs": [len(waiting)], "waiting_gpus": [waiting.sum()]})


def vcs(w: Window) -> pd.DataFrame:
    return pd.concat([w.jobs[PLACE].dropna(), w.quota[PLACE]]).drop_duplicates()


def quota(w: Window, cluster: str) -> pd.DataFrame:
    own = w.quota[w.quota["cluster"] == cluster]
    return own.assign(date=pd.to_datetime(own["date"]))[["vc", "date", "gpus"]]
