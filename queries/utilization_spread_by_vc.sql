-- Per VC: quartiles, extremes and time-weighted mean of its utilization in the bins of the window, its capacity, and the bins counted.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: cluster VARCHAR, vc VARCHAR, present_gpus DOUBLE, bins BIGINT, min_utilization DOUBLE, q1_utilization DOUBLE, median_utilization DOUBLE, q3_utilization DOUBLE, max_utilization DOUBLE, mean_utilization DOUBLE
WITH bins AS (
    SELECT cluster, vc, held_gpu_s, present_gpu_s, held_gpu_s / present_gpu_s AS utilization
    FROM gpu_time_in_bins($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, $bin_s::INTEGER, 'vc')
    WHERE present_gpu_s > 0
), quartiles AS (
    SELECT
        cluster, vc, count(*) AS bins, quantile_cont(utilization, [0, 0.25, 0.5, 0.75, 1]) AS cuts,
        sum(held_gpu_s) / sum(present_gpu_s) AS mean_utilization,
        sum(present_gpu_s) / (epoch($end::TIMESTAMP) - epoch($start::TIMESTAMP)) AS present_gpus
    FROM bins
    GROUP BY ALL
)
SELECT
    cluster, vc, present_gpus, bins,
    cuts[1] AS min_utilization, cuts[2] AS q1_utilization, cuts[3] AS median_utilization, cuts[4] AS q3_utilization, cuts[5] AS max_utilization,
    mean_utilization
FROM quartiles
ORDER BY present_gpus DESC, cluster, vc
