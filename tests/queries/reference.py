"""What the queries answer, computed with pandas and numpy alone: job by job, bin by bin, no SQL."""

import numpy as np
import pandas as pd

GROUPS = {
    "COMPLETED": "completed",
    "CANCELLED": "cancelled",
    **dict.fromkeys(["FAILED", "TIMEOUT", "NODE_FAIL"], "failed"),
}


def edges(start: pd.Timestamp, end: pd.Timestamp, bin_s: int) -> np.ndarray:
    """The edges of the window's bins, in s since its start; the last bin ends with the window."""
    length = (end - start).total_seconds()
    return np.append(np.arange(0, length, bin_s), length)


def overlap_s(begin: pd.Series, stop: pd.Series, start: pd.Timestamp, cuts: np.ndarray) -> np.ndarray:
    """Seconds of each interval [begin, stop) in each bin: intervals × bins."""
    first = (begin - start).dt.total_seconds().to_numpy()[:, None]
    last = (stop - start).dt.total_seconds().to_numpy()[:, None]
    return np.clip(np.minimum(last, cuts[1:]) - np.maximum(first, cuts[:-1]), 0, None)


def gpu_s_in_bins(jobs: pd.DataFrame, start: pd.Timestamp, cuts: np.ndarray) -> np.ndarray:
    """GPU time that the jobs hold in each bin."""
    gpu = jobs[(jobs["gpu_num"] > 0) & jobs["start_time"].notna()]
    stops = gpu["end_time"].fillna(pd.Timestamp("2100-01-01"))
    return gpu["gpu_num"].to_numpy() @ overlap_s(gpu["start_time"], stops, start, cuts)


def local(times: pd.Series | pd.DatetimeIndex, timezone: str) -> pd.Series:
    """Naive UTC as naive local times."""
    return pd.Series(pd.DatetimeIndex(times).tz_localize("UTC").tz_convert(timezone).tz_localize(None))
