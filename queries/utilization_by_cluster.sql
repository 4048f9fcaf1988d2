-- GPU time held by jobs and GPU time present, in consecutive bins of the window, by cluster. Utilization is their ratio.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: cluster VARCHAR, time TIMESTAMP, held_gpu_s DOUBLE, present_gpu_s DOUBLE, utilization DOUBLE
SELECT
    cluster, time, held_gpu_s, present_gpu_s,
    CASE WHEN present_gpu_s > 0 THEN held_gpu_s / present_gpu_s END AS utilization
FROM gpu_time_in_bins(
    $clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, $bin_s::INTEGER, 'cluster'
)
ORDER BY cluster, time
