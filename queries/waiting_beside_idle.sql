-- Per VC: GPU time that its jobs waited for, the part that idle GPUs of other VCs of the cluster could have given meanwhile, its own idle GPU time.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: cluster VARCHAR, vc VARCHAR, present_gpus DOUBLE, mean_utilization DOUBLE, full_share DOUBLE, waited_gpu_s DOUBLE, servable_gpu_s DOUBLE, idle_gpu_s DOUBLE, idle_elsewhere_gpus DOUBLE
-- Bin by bin: min(GPUs waiting on average, GPUs idle on average elsewhere); a lower bound, since a bin hides moments. Full: 95 % or more of a bin.
WITH bins AS (
    SELECT cluster, vc, time, held_gpu_s, present_gpu_s, greatest(present_gpu_s - held_gpu_s, 0) AS idle_gpu_s
    FROM gpu_time_in_bins($clusters::VARCHAR[], []::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, $bin_s::INTEGER, 'vc')
), beside AS (
    SELECT
        *, sum(idle_gpu_s) OVER (PARTITION BY cluster, time) - idle_gpu_s AS elsewhere_gpu_s
    FROM bins
), waited AS (
    SELECT cluster, vc, time, sum(waited_gpu_s) AS waited_gpu_s
    FROM waited_in_bins($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, $bin_s::INTEGER)
    GROUP BY ALL
)
SELECT
    cluster, vc,
    sum(present_gpu_s) / (epoch($end::TIMESTAMP) - epoch($start::TIMESTAMP)) AS present_gpus,
    CASE WHEN sum(present_gpu_s) > 0 THEN sum(held_gpu_s) / sum(present_gpu_s) END AS mean_utilization,
    avg((held_gpu_s >= 0.95 * present_gpu_s)::INTEGER) FILTER (WHERE present_gpu_s > 0) AS full_share,
    coalesce(sum(waited_gpu_s), 0.0) AS waited_gpu_s,
    coalesce(sum(least(waited_gpu_s, elsewhere_gpu_s)) FILTER (WHERE waited_gpu_s > 0), 0.0) AS servable_gpu_s,
    sum(idle_gpu_s) AS idle_gpu_s,
    sum(elsewhere_gpu_s) FILTER (WHERE waited_gpu_s > 0) / (count(*) FILTER (WHERE waited_gpu_s > 0) * $bin_s) AS idle_elsewhere_gpus
FROM beside LEFT JOIN waited USING (cluster, vc, time)
WHERE chosen(vc, $vcs::VARCHAR[])
GROUP BY ALL
ORDER BY servable_gpu_s DESC, waited_gpu_s DESC, cluster, vc
