-- GPU time of the window's failed and cancelled GPU jobs per VC, those that lost most first, beside all GPU time of their ended jobs.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, vc VARCHAR, failed_gpu_s DOUBLE, cancelled_gpu_s DOUBLE, lost_gpu_s DOUBLE, gpu_s DOUBLE, lost_share DOUBLE
WITH ended AS (
    SELECT cluster, vc, status_group(state) AS status, gpu_num * duration_s AS gpu_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND status_group(state) IS NOT NULL
), summed AS (
    SELECT
        cluster, vc,
        coalesce(sum(gpu_s) FILTER (WHERE status = 'failed'), 0) AS failed_gpu_s,
        coalesce(sum(gpu_s) FILTER (WHERE status = 'cancelled'), 0) AS cancelled_gpu_s,
        sum(gpu_s) AS gpu_s
    FROM ended
    GROUP BY ALL
)
SELECT
    cluster, vc, failed_gpu_s, cancelled_gpu_s, failed_gpu_s + cancelled_gpu_s AS lost_gpu_s, gpu_s,
    (failed_gpu_s + cancelled_gpu_s) / nullif(gpu_s, 0) AS lost_share
FROM summed
ORDER BY lost_gpu_s DESC, cluster, vc
