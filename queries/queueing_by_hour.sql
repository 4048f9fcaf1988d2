-- How long GPU jobs of the window waited to start, by the local hour of their submission.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, label VARCHAR, place DOUBLE, jobs BIGINT, waiting_jobs BIGINT, queueing_delay_s DOUBLE, mean_delay_s DOUBLE, p50_wait_s DOUBLE, p95_wait_s DOUBLE
-- Of jobs that started; a job waited when its delay is more than zero. Sum and mean are over all of them, quantiles (linearly
-- interpolated) over those that waited. cluster is null where all clusters are added up.
-- What waited is counted once more, for its quantiles: rows that stand for no further job.
WITH started AS (
    SELECT time, started_jobs, queueing_delay_s
    FROM submissions_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE kind IN ('single', 'multi') AND started_jobs > 0
    UNION ALL
    SELECT submit_time, 0, queueing_delay_s
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
), quarters AS (
    -- Local time is asked for once per quarter of an hour, of which every zone's hours consist.
    SELECT *, epoch_us(time) // 900_000_000 AS quarter FROM started
), hours AS (
    SELECT quarter, hour(local_time(make_timestamp(quarter * 900_000_000))) AS hour FROM (SELECT DISTINCT quarter FROM quarters)
)
SELECT
    NULL::VARCHAR AS cluster, lpad(hour::VARCHAR, 2, '0') AS label, hour::DOUBLE AS place,
    sum(started_jobs)::BIGINT AS jobs,
    count(*) FILTER (WHERE started_jobs = 0) AS waiting_jobs,
    sum(queueing_delay_s) FILTER (WHERE started_jobs > 0) AS queueing_delay_s,
    sum(queueing_delay_s) FILTER (WHERE started_jobs > 0) / sum(started_jobs) AS mean_delay_s,
    quantile_cont(queueing_delay_s, 0.5) FILTER (WHERE started_jobs = 0) AS p50_wait_s,
    quantile_cont(queueing_delay_s, 0.95) FILTER (WHERE started_jobs = 0) AS p95_wait_s
FROM quarters JOIN hours USING (quarter)
GROUP BY hour
ORDER BY hour
