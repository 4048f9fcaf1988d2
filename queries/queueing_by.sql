-- How long GPU jobs of the window waited to start, by what they have in common: all, cluster, vc, gpus, hour (local, of submission) or user.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, dimension VARCHAR
-- returns: cluster VARCHAR, label VARCHAR, place DOUBLE, jobs BIGINT, waiting_jobs BIGINT, queueing_delay_s DOUBLE, mean_delay_s DOUBLE, p50_wait_s DOUBLE, p95_wait_s DOUBLE
-- Of jobs that started; a job waited when its delay is more than zero. Sum and mean are over all of them, quantiles (linearly
-- interpolated) over those that waited. cluster is null where all clusters are added up.
WITH started AS (
    SELECT cluster, vc, NULL::VARCHAR AS "user", gpu_num, NULL::TIMESTAMP AS time, started_jobs, queueing_delay_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE $dimension::VARCHAR IN ('all', 'cluster', 'vc', 'gpus') AND gpu_num > 0 AND started_jobs > 0
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, time, started_jobs, queueing_delay_s
    FROM submissions_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE $dimension::VARCHAR = 'hour' AND kind IN ('single', 'multi') AND started_jobs > 0
    UNION ALL
    SELECT NULL, NULL, "user", NULL, NULL, started_jobs, queueing_delay_s
    FROM user_cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE $dimension::VARCHAR = 'user' AND gpu_num > 0 AND started_jobs > 0
    UNION ALL
    -- What waited is counted once more, for its quantiles: rows that stand for no further job.
    SELECT cluster, vc, "user", gpu_num, submit_time, 0, queueing_delay_s
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
), quarters AS (
    -- Local time is asked for once per quarter of an hour, of which every zone's hours consist.
    SELECT *, CASE WHEN $dimension::VARCHAR = 'hour' THEN epoch_us(time) // 900_000_000 END AS quarter FROM started
), hours AS (
    SELECT quarter, hour(local_time(make_timestamp(quarter * 900_000_000))) AS hour FROM (SELECT DISTINCT quarter FROM quarters)
), grouped AS (
    SELECT
        CASE WHEN $dimension::VARCHAR IN ('cluster', 'vc') THEN cluster END AS cluster,
        CASE $dimension::VARCHAR
            WHEN 'vc' THEN vc
            WHEN 'gpus' THEN CASE
                WHEN gpu_num >= 64 THEN '≥ 64' WHEN gpu_num IN (1, 2, 4, 8, 16, 32) THEN gpu_num::INTEGER::VARCHAR ELSE 'other'
            END
            WHEN 'hour' THEN lpad(hour::VARCHAR, 2, '0')
            WHEN 'user' THEN "user"
        END AS label,
        CASE $dimension::VARCHAR
            WHEN 'gpus' THEN CASE WHEN gpu_num >= 64 THEN 64 WHEN gpu_num IN (1, 2, 4, 8, 16, 32) THEN gpu_num ELSE 65 END
            WHEN 'hour' THEN hour
            ELSE 0
        END::DOUBLE AS place,
        started_jobs, queueing_delay_s AS delay_s
    FROM quarters LEFT JOIN hours USING (quarter)
)
SELECT
    cluster, label, place,
    sum(started_jobs)::BIGINT AS jobs,
    count(*) FILTER (WHERE started_jobs = 0) AS waiting_jobs,
    sum(delay_s) FILTER (WHERE started_jobs > 0) AS queueing_delay_s,
    sum(delay_s) FILTER (WHERE started_jobs > 0) / sum(started_jobs) AS mean_delay_s,
    quantile_cont(delay_s, 0.5) FILTER (WHERE started_jobs = 0) AS p50_wait_s,
    quantile_cont(delay_s, 0.95) FILTER (WHERE started_jobs = 0) AS p95_wait_s
FROM grouped
GROUP BY cluster, label, place
ORDER BY place, queueing_delay_s DESC, cluster, label
