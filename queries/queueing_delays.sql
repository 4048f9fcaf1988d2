-- How long the GPU jobs of the window waited to start: median and 95th percentile, linearly interpolated, of those that started.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: started_jobs BIGINT, p50_queueing_delay_s DOUBLE, p95_queueing_delay_s DOUBLE
WITH started AS (
    SELECT coalesce(sum(started_jobs), 0)::BIGINT AS started_jobs
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0
), waiting AS (
    SELECT coalesce(list_sort(list(queueing_delay_s)), []) AS waits
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
)
SELECT
    started_jobs,
    delay_quantile(0.5, started_jobs, waits) AS p50_queueing_delay_s,
    delay_quantile(0.95, started_jobs, waits) AS p95_queueing_delay_s
FROM started CROSS JOIN waiting
