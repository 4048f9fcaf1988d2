"""Published figures of the four Helios clusters: what the demo is made from and compared with.

Source: Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU
Datacenters", SC'21 (arXiv 2109.01313), its public artifact's notebooks and vector figures, and third-party
counts over the full HeliosData trace (SenseTime and S-Lab, CC BY 4.0). Figure numbers are the paper's.
"""

from dataclasses import dataclass

GPU_NUM_BUCKETS = (1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64)
"""Upper ends (inclusive) of the GPU-count classes of figure 6; one more class holds everything beyond 64."""

DURATION_EDGES_S = tuple(2**power for power in range(22))
"""Durations, in s, at which the duration CDFs are given (figure 5); the last one bounds nearly every job."""

LONGEST_DURATION_S = 4_320_009
"""Longest duration of the published trace (table 2)."""

STATE_GROUPS = ("COMPLETED", "CANCELLED", "FAILED")
"""Order of every triple of shares; the third group is all other terminal states."""

STATE_SHARES_BY_GPU_NUM = {
    1: (0.6681, 0.1847, 0.1472),
    2: (0.4053, 0.3246, 0.2702),
    4: (0.5760, 0.1937, 0.2303),
    8: (0.5507, 0.2924, 0.1568),
    16: (0.4283, 0.4627, 0.1091),
    32: (0.4395, 0.4106, 0.1500),
    64: (0.2128, 0.6850, 0.1022),
}
"""Final states of GPU jobs of all clusters by GPU count (figure 7b); the last row is 64 GPUs and more."""

GPU_JOBS_BY_WEEKDAY = (218_365, 262_446, 258_472, 255_559, 229_479, 166_018, 190_125)
"""GPU jobs of all clusters submitted on Mondays … Sundays."""

VENUS_CPU_JOBS_BY_HOUR = (
    33.3, 36.9, 16.3, 18.6, 3.9, 6.5, 7.6, 7.9, 63.3, 22.0, 47.9, 22.5,
    31.1, 48.2, 47.1, 26.5, 49.6, 18.3, 21.3, 23.9, 21.8, 27.5, 49.1, 19.8,
)  # fmt: skip
"""CPU jobs of Venus per hour of day; no other cluster's is published, so the others' follow their GPU
jobs."""

RUNNING_GPUS_AUTOCORRELATION = {"Venus": {24: 0.716, 168: 0.605}}
"""Autocorrelation of Venus's running GPUs (10-minute samples) at lags of h hours."""


@dataclass(frozen=True)
class ClusterProfile:
    """One cluster, 1 April – 28 September 2020.

    `nodes` and `vcs` are those of 1 September, `mean_gpus` the mean of the daily totals; triples of shares
    follow STATE_GROUPS, `node_fail_share` and `timeout_share` are shares of the third group; the six months
    are April … September; CDFs are in % at DURATION_EDGES_S or GPU_NUM_BUCKETS; `mean_duration_s_by_gpu_num`
    was derived from the two CDFs of figure 6 (None: too few jobs). `gpu_jobs_waiting` is the share of
    completed GPU jobs that waited.
    """

    name: str
    nodes: int
    vcs: int
    mean_gpus: int
    gpu_jobs: int
    cpu_jobs: int
    users: int
    gpu_time_gpu_s: float
    gpu_states: tuple[float, ...]
    cpu_states: tuple[float, ...]
    node_fail_share: float
    timeout_share: float
    mean_gpu_duration_s: float
    median_gpu_duration_s: float
    mean_cpu_duration_s: float
    mean_cpu_wait_s: float
    mean_gpu_wait_s: float
    gpu_jobs_waiting: float
    mean_utilization: float
    top_gpu_time: float
    top_cpu_time: float
    gpu_time_by_state: tuple[float, ...]
    single_gpu_jobs_by_month: tuple[int, ...]
    multi_gpu_jobs_by_month: tuple[int, ...]
    gpu_jobs_by_hour: tuple[float, ...]
    utilization_pct_by_hour: tuple[float, ...]
    gpu_duration_cdf_pct: tuple[float, ...]
    cpu_duration_cdf_pct: tuple[float, ...]
    gpu_num_cdf_pct: tuple[float, ...]
    mean_duration_s_by_gpu_num: tuple[float | None, ...]
    mean_gpus_beyond_64: float


# fmt: off
CLUSTERS = (
    ClusterProfile(
        name="Venus",
        nodes=133,
        vcs=27,
        mean_gpus=1022,
        gpu_jobs=125303,
        cpu_jobs=121405,
        users=311,
        gpu_time_gpu_s=1.2346e+10,
        gpu_states=(0.526, 0.272, 0.202),
        cpu_states=(0.86, 0.097, 0.043),
        node_fail_share=0.0126,
        timeout_share=0.0015,
        mean_gpu_duration_s=13040.598,
        median_gpu_duration_s=204.0,
        mean_cpu_duration_s=1649.859,
        mean_cpu_wait_s=773.009,
        mean_gpu_wait_s=1253.288,
        gpu_jobs_waiting=0.1528,
        mean_utilization=0.759,
        top_gpu_time=0.596,
        top_cpu_time=0.911,
        gpu_time_by_state=(0.5162, 0.3985, 0.0852),
        single_gpu_jobs_by_month=(10311, 7635, 8593, 13114, 10611, 14676),
        multi_gpu_jobs_by_month=(10600, 9941, 7634, 9657, 11522, 10920),
        gpu_jobs_by_hour=(
            25.85, 18.97, 17.28, 11.08, 7.73, 5.92, 5.4, 6.45, 10.79, 22.94, 37.33, 42.49, 33.56, 37.43,
            44.94, 47.75, 49.98, 49.95, 36.96, 37.85, 38.76, 39.33, 33.12, 29.92,
        ),
        utilization_pct_by_hour=(
            77.7, 77.36, 77.02, 75.95, 75.05, 74.15, 73.33, 72.68, 72.28, 72.67, 73.93, 74.84, 75.57, 75.85,
            76.02, 76.33, 77.27, 77.7, 77.62, 77.79, 77.79, 77.78, 77.57, 77.61,
        ),
        gpu_duration_cdf_pct=(
            1.888, 2.776, 4.057, 6.373, 9.637, 14.763, 23.222, 37.642, 55.054, 65.144, 72.858, 78.53,
            83.668, 86.892, 89.646, 92.327, 95.416, 97.459, 98.902, 99.643, 99.939, 100.0,
        ),
        cpu_duration_cdf_pct=(
            45.065, 46.201, 47.221, 48.183, 49.218, 53.084, 57.824, 84.337, 88.542, 92.004, 94.831, 96.451,
            97.354, 98.093, 98.936, 99.175, 99.441, 99.626, 99.932, 99.963, 99.978, 100.0,
        ),
        gpu_num_cdf_pct=(
            51.838, 57.383, 64.802, 89.976, 89.979, 94.143, 95.042, 97.76, 98.046, 98.3, 98.476, 98.709,
            100.0,
        ),
        mean_duration_s_by_gpu_num=(
            8806, 29949, 15810, 14368, None, 23941, 8471, 26333, 11756, 8655, 21163, 19300, 5748,
        ),
        mean_gpus_beyond_64=120.8,
    ),
    ClusterProfile(
        name="Earth",
        nodes=143,
        vcs=25,
        mean_gpus=997,
        gpu_jobs=427148,
        cpu_jobs=445738,
        users=215,
        gpu_time_gpu_s=1.1439e+10,
        gpu_states=(0.735, 0.136, 0.129),
        cpu_states=(0.885, 0.005, 0.11),
        node_fail_share=0.0084,
        timeout_share=0.0027,
        mean_gpu_duration_s=5130.609,
        median_gpu_duration_s=234.0,
        mean_cpu_duration_s=162.73,
        mean_cpu_wait_s=3.281,
        mean_gpu_wait_s=319.483,
        gpu_jobs_waiting=0.2232,
        mean_utilization=0.722,
        top_gpu_time=0.459,
        top_cpu_time=0.960,
        gpu_time_by_state=(0.4994, 0.4191, 0.0815),
        single_gpu_jobs_by_month=(26141, 56206, 80786, 88450, 50550, 78738),
        multi_gpu_jobs_by_month=(5754, 7556, 5658, 9152, 9458, 8658),
        gpu_jobs_by_hour=(
            107.91, 96.06, 88.46, 84.41, 81.54, 79.19, 74.03, 74.24, 72.55, 81.49, 102.03, 112.32, 108.87,
            112.71, 105.69, 115.85, 113.46, 101.97, 93.73, 107.81, 122.61, 115.58, 105.63, 101.56,
        ),
        utilization_pct_by_hour=(
            74.69, 74.37, 73.74, 72.8, 71.78, 70.81, 69.91, 69.0, 68.26, 67.99, 68.66, 70.0, 70.8, 71.13,
            71.82, 72.42, 73.31, 73.86, 74.01, 74.3, 74.74, 74.84, 74.72, 74.89,
        ),
        gpu_duration_cdf_pct=(
            0.947, 1.27, 1.586, 2.072, 2.753, 4.055, 9.088, 17.766, 55.122, 71.593, 76.517, 87.593, 88.665,
            90.24, 95.731, 97.823, 98.632, 99.268, 99.658, 99.869, 99.955, 100.0,
        ),
        cpu_duration_cdf_pct=(
            88.326, 89.279, 92.214, 96.534, 97.516, 98.108, 98.663, 99.128, 99.438, 99.59, 99.687, 99.802,
            99.85, 99.875, 99.921, 99.941, 99.958, 99.979, 99.984, 99.991, 99.997, 100.0,
        ),
        gpu_num_cdf_pct=(
            89.167, 89.984, 92.075, 97.51, 97.521, 99.093, 99.271, 99.75, 99.776, 99.823, 99.842, 99.866,
            100.0,
        ),
        mean_duration_s_by_gpu_num=(
            3452, 17570, 20117, 17184, None, 21304, 19383, 24490, 13442, 26602, 47218, 45767, 14221,
        ),
        mean_gpus_beyond_64=124.4,
    ),
    ClusterProfile(
        name="Saturn",
        nodes=262,
        vcs=28,
        mean_gpus=2080,
        gpu_jobs=698896,
        cpu_jobs=1054182,
        users=364,
        gpu_time_gpu_s=2.7652e+10,
        gpu_states=(0.582, 0.272, 0.145),
        cpu_states=(0.943, 0.019, 0.037),
        node_fail_share=0.0161,
        timeout_share=0.0105,
        mean_gpu_duration_s=5252.927,
        median_gpu_duration_s=124.0,
        mean_cpu_duration_s=619.062,
        mean_cpu_wait_s=16.255,
        mean_gpu_wait_s=611.561,
        gpu_jobs_waiting=0.2076,
        mean_utilization=0.845,
        top_gpu_time=0.613,
        top_cpu_time=0.886,
        gpu_time_by_state=(0.5199, 0.3882, 0.092),
        single_gpu_jobs_by_month=(158692, 34464, 32295, 95299, 80248, 75939),
        multi_gpu_jobs_by_month=(40274, 35243, 35694, 39184, 38893, 32437),
        gpu_jobs_by_hour=(
            139.51, 142.9, 113.61, 104.65, 98.03, 90.82, 85.94, 85.1, 95.37, 138.28, 184.14, 198.57, 173.8,
            185.5, 206.5, 234.98, 241.71, 219.46, 180.34, 186.28, 203.53, 195.76, 175.42, 179.81,
        ),
        utilization_pct_by_hour=(
            86.48, 86.19, 85.73, 84.82, 83.98, 82.92, 81.82, 80.94, 80.42, 80.76, 82.21, 83.71, 83.85,
            83.97, 84.59, 85.37, 86.04, 86.36, 85.91, 86.1, 86.3, 86.29, 86.29, 86.36,
        ),
        gpu_duration_cdf_pct=(
            7.179, 8.496, 10.881, 12.703, 17.254, 25.076, 35.897, 50.789, 61.623, 69.608, 76.285, 84.886,
            88.746, 92.666, 95.623, 96.896, 98.127, 99.129, 99.684, 99.908, 99.979, 100.0,
        ),
        cpu_duration_cdf_pct=(
            27.599, 52.285, 69.155, 74.533, 79.726, 82.777, 85.894, 90.02, 92.973, 95.762, 97.402, 98.21,
            98.586, 98.993, 99.303, 99.533, 99.765, 99.911, 99.979, 99.994, 99.999, 100.0,
        ),
        gpu_num_cdf_pct=(
            68.252, 71.046, 79.358, 94.933, 94.949, 97.456, 97.855, 99.274, 99.405, 99.524, 99.604, 99.729,
            100.0,
        ),
        mean_duration_s_by_gpu_num=(
            3116, 12129, 6676, 8748, 55639, 16995, 8689, 21208, 14309, 20254, 830, 18809, 5547,
        ),
        mean_gpus_beyond_64=186.7,
    ),
    ClusterProfile(
        name="Uranus",
        nodes=264,
        vcs=25,
        mean_gpus=2119,
        gpu_jobs=329117,
        cpu_jobs=161192,
        users=337,
        gpu_time_gpu_s=2.6543e+10,
        gpu_states=(0.607, 0.201, 0.192),
        cpu_states=(0.791, 0.116, 0.092),
        node_fail_share=0.0188,
        timeout_share=0.0095,
        mean_gpu_duration_s=9163.725,
        median_gpu_duration_s=280.0,
        mean_cpu_duration_s=1211.799,
        mean_cpu_wait_s=119.704,
        mean_gpu_wait_s=1949.182,
        gpu_jobs_waiting=0.2724,
        mean_utilization=0.789,
        top_gpu_time=0.500,
        top_cpu_time=0.954,
        gpu_time_by_state=(0.5095, 0.3866, 0.104),
        single_gpu_jobs_by_month=(38073, 25107, 36035, 43148, 51618, 24046),
        multi_gpu_jobs_by_month=(22688, 21412, 16818, 17118, 14997, 17831),
        gpu_jobs_by_hour=(
            55.5, 48.71, 28.45, 16.86, 17.85, 25.98, 33.54, 19.96, 24.69, 53.87, 85.29, 96.67, 119.18,
            109.45, 125.41, 120.61, 138.1, 112.39, 88.01, 104.05, 111.32, 94.64, 100.15, 86.41,
        ),
        utilization_pct_by_hour=(
            80.87, 80.61, 79.87, 78.74, 77.57, 76.78, 76.11, 75.59, 75.03, 75.09, 76.08, 77.78, 78.13,
            78.45, 79.23, 80.16, 80.74, 81.09, 80.54, 80.49, 80.84, 81.06, 80.89, 80.6,
        ),
        gpu_duration_cdf_pct=(
            2.003, 2.948, 3.785, 4.882, 7.607, 13.423, 22.617, 36.331, 48.316, 58.986, 72.3, 80.017, 84.961,
            88.812, 91.713, 94.401, 96.788, 98.487, 99.37, 99.816, 99.948, 99.998,
        ),
        cpu_duration_cdf_pct=(
            14.253, 20.443, 33.441, 39.679, 44.905, 50.11, 63.598, 71.311, 77.65, 84.69, 90.088, 94.036,
            96.408, 98.061, 98.916, 99.542, 99.826, 99.917, 99.945, 99.966, 99.99, 99.999,
        ),
        gpu_num_cdf_pct=(
            66.264, 69.44, 73.742, 92.312, 92.32, 97.867, 98.147, 99.6, 99.649, 99.703, 99.738, 99.962,
            100.0,
        ),
        mean_duration_s_by_gpu_num=(
            3990, 15792, 18065, 17069, None, 22519, 13042, 45390, 30634, 35774, 3582, 28665, 34776,
        ),
        mean_gpus_beyond_64=65.9,
    ),
)
# fmt: on
