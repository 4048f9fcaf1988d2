-- Utilization by local hour of day and weekday (Monday is 1), all chosen clusters together.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: weekday BIGINT, hour BIGINT, held_gpu_s DOUBLE, present_gpu_s DOUBLE, utilization DOUBLE
-- Half-hour bins: every time zone in use is a multiple of 30 minutes from local midnight, whatever its clocks do in spring.
WITH bins AS (
    SELECT local_time(time) AS local_time, held_gpu_s, present_gpu_s
    FROM gpu_time_in_bins(
        $clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, 1800, 'all'
    )
)
SELECT
    isodow(local_time) AS weekday,
    hour(local_time) AS hour,
    sum(held_gpu_s) AS held_gpu_s,
    sum(present_gpu_s) AS present_gpu_s,
    CASE WHEN sum(present_gpu_s) > 0 THEN sum(held_gpu_s) / sum(present_gpu_s) END AS utilization
FROM bins
GROUP BY ALL
ORDER BY weekday, hour
