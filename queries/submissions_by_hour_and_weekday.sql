-- GPU jobs submitted by local hour of day and weekday (Monday is 1), all chosen clusters together, and per such hour of the window.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: weekday BIGINT, hour BIGINT, gpu_jobs BIGINT, hours DOUBLE, gpu_jobs_per_hour DOUBLE
WITH by_time AS (
    SELECT time, sum(jobs) AS jobs
    FROM submissions_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE kind IN ('single', 'multi')
    GROUP BY time
), submitted AS (
    SELECT isodow(local_time(time)) AS weekday, hour(local_time(time)) AS hour, sum(jobs)::BIGINT AS gpu_jobs
    FROM by_time
    GROUP BY ALL
), half_hours AS (
    SELECT $start::TIMESTAMP + to_seconds(1800 * bin) AS time
    FROM range(ceil((epoch($end::TIMESTAMP) - epoch($start::TIMESTAMP)) / 1800)::BIGINT) AS bins(bin)
), calendar AS (
    SELECT
        isodow(local_time(time)) AS weekday, hour(local_time(time)) AS hour,
        sum(epoch(least(time + INTERVAL 30 MINUTE, $end::TIMESTAMP)) - epoch(time)) / 3600 AS hours
    FROM half_hours
    GROUP BY ALL
)
SELECT weekday, hour, coalesce(gpu_jobs, 0) AS gpu_jobs, hours, coalesce(gpu_jobs, 0) / hours AS gpu_jobs_per_hour
FROM calendar LEFT JOIN submitted USING (weekday, hour)
ORDER BY weekday, hour
