-- How long GPU jobs of the window waited to start, by user.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, label VARCHAR, place DOUBLE, jobs BIGINT, waiting_jobs BIGINT, queueing_delay_s DOUBLE, mean_delay_s DOUBLE, p50_wait_s DOUBLE, p95_wait_s DOUBLE
-- Of jobs that started; a job waited when its delay is more than zero. Sum and mean are over all of them, quantiles (linearly
-- interpolated) over those that waited. cluster is null where all clusters are added up.
-- What waited is counted once more, for its quantiles: rows that stand for no further job.
WITH started AS (
    SELECT "user", started_jobs, queueing_delay_s
    FROM user_cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND started_jobs > 0
    UNION ALL
    SELECT "user", 0, queueing_delay_s
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
)
SELECT
    NULL::VARCHAR AS cluster, "user" AS label, 0::DOUBLE AS place,
    sum(started_jobs)::BIGINT AS jobs,
    count(*) FILTER (WHERE started_jobs = 0) AS waiting_jobs,
    sum(queueing_delay_s) FILTER (WHERE started_jobs > 0) AS queueing_delay_s,
    sum(queueing_delay_s) FILTER (WHERE started_jobs > 0) / sum(started_jobs) AS mean_delay_s,
    quantile_cont(queueing_delay_s, 0.5) FILTER (WHERE started_jobs = 0) AS p50_wait_s,
    quantile_cont(queueing_delay_s, 0.95) FILTER (WHERE started_jobs = 0) AS p95_wait_s
FROM started
GROUP BY "user"
ORDER BY queueing_delay_s DESC, label
