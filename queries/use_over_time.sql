-- GPU time held by jobs of one GPU or less and by larger ones, and GPU time present, in bins of the window, all chosen VCs together.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: time TIMESTAMP, length_s DOUBLE, single_gpus DOUBLE, multi_gpus DOUBLE, present_gpus DOUBLE
WITH bins AS (
    SELECT *, least($bin_s, epoch($end::TIMESTAMP) - epoch(time)) AS length_s
    FROM gpu_time_in_bins($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, $bin_s::INTEGER, 'all')
)
SELECT
    time, length_s::DOUBLE AS length_s,
    single_gpu_s / length_s AS single_gpus, multi_gpu_s / length_s AS multi_gpus, present_gpu_s / length_s AS present_gpus
FROM bins
ORDER BY time
