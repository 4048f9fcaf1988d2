-- Per cluster and local hour of day: utilization, and GPU jobs submitted per hour on average over the hours of the window.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, hour BIGINT, utilization DOUBLE, gpu_jobs BIGINT, hours DOUBLE, gpu_jobs_per_hour DOUBLE
WITH used AS (
    SELECT cluster, hour(local_time(time)) AS hour, sum(held_gpu_s) AS held_gpu_s, sum(present_gpu_s) AS present_gpu_s
    FROM gpu_time_in_bins($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, 1800, 'cluster')
    GROUP BY ALL
), by_time AS (
    SELECT cluster, time, sum(jobs) AS jobs
    FROM submissions_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE kind IN ('single', 'multi')
    GROUP BY ALL
), submitted AS (
    SELECT cluster, hour(local_time(time)) AS hour, sum(jobs)::BIGINT AS gpu_jobs
    FROM by_time
    GROUP BY ALL
), half_hours AS (
    SELECT $start::TIMESTAMP + to_seconds(1800 * bin) AS time
    FROM range(ceil((epoch($end::TIMESTAMP) - epoch($start::TIMESTAMP)) / 1800)::BIGINT) AS bins(bin)
), calendar AS (
    SELECT hour(local_time(time)) AS hour, sum(epoch(least(time + INTERVAL 30 MINUTE, $end::TIMESTAMP)) - epoch(time)) / 3600 AS hours
    FROM half_hours
    GROUP BY ALL
), places AS (
    SELECT cluster, hour, hours FROM (SELECT cluster FROM used UNION SELECT cluster FROM submitted) CROSS JOIN calendar
)
SELECT
    cluster, hour,
    CASE WHEN present_gpu_s > 0 THEN held_gpu_s / present_gpu_s END AS utilization,
    coalesce(gpu_jobs, 0) AS gpu_jobs, hours, coalesce(gpu_jobs, 0) / hours AS gpu_jobs_per_hour
FROM places LEFT JOIN used USING (cluster, hour) LEFT JOIN submitted USING (cluster, hour)
ORDER BY cluster, hour
