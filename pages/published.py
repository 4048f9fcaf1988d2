"""Published figures of Helios and Philly that a trace can be held against.

Source: Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU
Datacenters", SC'21, figure 1, read off the vector figures of its public artifact.
"""

import pandas as pd

#: Share of GPU jobs, in per cent, that lasted at most 1, 2, 4, … 2²¹ seconds.
DURATION_CDF = {
    "Helios": (
        *(3.997, 4.934, 6.35, 7.699, 10.722, 16.15, 24.881, 37.811, 56.574, 67.579, 75.246),
        *(84.1, 87.534, 90.75, 94.364, 96.265, 97.77, 98.9, 99.55, 99.857, 99.963, 100),
    ),
    "Philly": (
        *(0.034, 0.103, 0.229, 0.562, 1.694, 4.667, 13.291, 23.125, 27.984, 33.517, 44.214),
        *(57.831, 71.739, 79.772, 86.708, 90.381, 93.021, 95.488, 97.477, 98.777, 99.583, 99.888),
    ),
}
#: Share of GPU time, in per cent, of completed, cancelled and failed jobs.
GPU_TIME_BY_STATUS = {
    "Helios": {"completed": 51.3, "cancelled": 39.4, "failed": 9.3},
    "Philly": {"completed": 31.3, "cancelled": 32.6, "failed": 36.1},
}


def duration_curves() -> pd.DataFrame:
    """The published curves: side, duration_s, share (0–1)."""
    rows = [
        (published(name), 2.0**place, share / 100)
        for name, shares in DURATION_CDF.items()
        for place, share in enumerate(shares)
    ]
    return pd.DataFrame(rows, columns=["side", "duration_s", "share"])


def gpu_time_by_status() -> pd.DataFrame:
    """The published shares: side, status, share (0–1)."""
    rows = [
        (published(name), status, share / 100)
        for name, shares in GPU_TIME_BY_STATUS.items()
        for status, share in shares.items()
    ]
    return pd.DataFrame(rows, columns=["side", "status", "share"])


def published(name: str) -> str:
    """What a legend calls the published figures of a datacenter."""
    return f"{name}, published"
