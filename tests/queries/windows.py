"""A window of a trace's jobs as pandas sees it: nothing here reads SQL or what was written at import."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from tests.queries.reference import GROUPS, edges, local, overlap_s

PLACE = ["cluster", "vc"]
FAR = pd.Timestamp("2100-01-01")


@dataclass(frozen=True)
class Window:
    """A trace's jobs and quota, its zone, and a half-open window of it. Times are naive UTC."""

    jobs: pd.DataFrame
    quota: pd.DataFrame
    zone: str
    start: pd.Timestamp
    end: pd.Timestamp

    @cached_property
    def inside(self) -> pd.DataFrame:
        """The jobs submitted in the window, with their local calendar and what is added up."""
        jobs = self.jobs
        jobs = jobs[(jobs["submit_time"] >= self.start) & (jobs["submit_time"] < self.end)].reset_index(
            drop=True
        )
        time = local(jobs["submit_time"], self.zone)
        return jobs.assign(
            day=time.dt.normalize(),
            hour=time.dt.hour,
            weekday=time.dt.day_of_week + 1,
            week=time.dt.normalize() - pd.to_timedelta(time.dt.day_of_week, unit="D"),
            month=time.dt.normalize() - pd.to_timedelta(time.dt.day - 1, unit="D"),
            status=jobs["state"].map(GROUPS),
            gpu_s=jobs["gpu_num"] * jobs["duration_s"],
            cpu_s=jobs["cpu_num"] * jobs["duration_s"],
            delay_s=jobs["queueing_delay_s"],
        )

    @cached_property
    def gpu(self) -> pd.DataFrame:
        """Its GPU jobs."""
        return self.inside[self.inside["gpu_num"] > 0]

    @cached_property
    def started(self) -> pd.DataFrame:
        """Those of them that started."""
        return self.gpu[self.gpu["delay_s"] >= 0]

    def bins(self, bin_s: int) -> pd.DataFrame:
        """Per VC of known capacity and bin: GPU time held by small and by large jobs, and present."""
        cuts = edges(self.start, self.end, bin_s)
        times = self.start + pd.to_timedelta(cuts[:-1], unit="s")
        parts = []
        for (cluster, vc), quota in self.quota.groupby(PLACE):
            jobs = self.jobs[
                (self.jobs["cluster"] == cluster) & (self.jobs["vc"] == vc) & (self.jobs["gpu_num"] > 0)
            ]
            jobs = jobs[jobs["start_time"].notna()]
            ends = jobs["end_time"].fillna(FAR)
            jobs, ends = (
                each[(jobs["start_time"] < self.end) & (ends > self.start)] for each in (jobs, ends)
            )
            held = jobs["gpu_num"].to_numpy()[:, None] * overlap_s(jobs["start_time"], ends, self.start, cuts)
            small = (jobs["gpu_num"] <= 1).to_numpy()
            quota = quota.sort_values("date")
            days = pd.DatetimeIndex(quota["date"]).tz_localize(self.zone).tz_convert("UTC").tz_localize(None)
            begins = pd.Series([pd.Timestamp("1900-01-01"), *days[1:]])
            until = pd.Series([*days[1:], FAR])
            present = quota["gpus"].to_numpy() @ overlap_s(begins, until, self.start, cuts)
            sums = {"single": held[small].sum(axis=0), "multi": held[~small].sum(axis=0), "present": present}
            parts.append(
                pd.DataFrame({"cluster": cluster, "vc": vc, "time": times, "length_s": np.diff(cuts), **sums})
            )
        bins = pd.concat(parts, ignore_index=True)
        return bins.assign(held=bins["single"] + bins["multi"])

    def waited(self, bin_s: int) -> pd.DataFrame:
        """Per waiting GPU job and bin: GPU time waited for."""
        cuts = edges(self.start, self.end, bin_s)
        jobs = self.jobs[(self.jobs["gpu_num"] > 0) & (self.jobs["start_time"] > self.jobs["submit_time"])]
        jobs = jobs[(jobs["submit_time"] < self.end) & (jobs["start_time"] > self.start)]
        spent = overlap_s(jobs["submit_time"], jobs["start_time"], self.start, cuts)
        job, place = np.nonzero(spent)
        return jobs.iloc[job][["cluster", "vc", "gpu_num"]].assign(
            job=job,
            time=(self.start + pd.to_timedelta(cuts[:-1], unit="s"))[place],
            spent_s=spent[job, place],
            waited=jobs["gpu_num"].to_numpy()[job] * spent[job, place],
        )
