-- How long GPU jobs of the window waited to start, by what they have in common: all, cluster, vc or gpus.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, dimension VARCHAR
-- returns: cluster VARCHAR, label VARCHAR, place DOUBLE, jobs BIGINT, waiting_jobs BIGINT, queueing_delay_s DOUBLE, mean_delay_s DOUBLE, p50_wait_s DOUBLE, p95_wait_s DOUBLE
-- Of jobs that started; a job waited when its delay is more than zero. Sum and mean are over all of them, quantiles (linearly
-- interpolated) over those that waited. cluster is null where all clusters are added up.
-- What waited is counted once more, for its quantiles: rows that stand for no further job.
WITH started AS (
    SELECT cluster, vc, gpu_num, started_jobs, queueing_delay_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND started_jobs > 0
    UNION ALL
    SELECT cluster, vc, gpu_num, 0, queueing_delay_s
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
), grouped AS (
    SELECT
        CASE WHEN $dimension::VARCHAR IN ('cluster', 'vc') THEN cluster END AS cluster,
        CASE $dimension::VARCHAR
            WHEN 'vc' THEN vc
            WHEN 'gpus' THEN CASE
                WHEN gpu_num >= 64 THEN '≥ 64' WHEN gpu_num IN (1, 2, 4, 8, 16, 32) THEN gpu_num::INTEGER::VARCHAR ELSE 'other'
            END
        END AS label,
        CASE
            WHEN $dimension::VARCHAR <> 'gpus' THEN 0
            WHEN gpu_num >= 64 THEN 64 WHEN gpu_num IN (1, 2, 4, 8, 16, 32) THEN gpu_num ELSE 65
        END::DOUBLE AS place,
        started_jobs, queueing_delay_s
    FROM started
)
SELECT
    cluster AS cluster, label AS label, place AS place,
    sum(started_jobs)::BIGINT AS jobs,
    count(*) FILTER (WHERE started_jobs = 0) AS waiting_jobs,
    sum(queueing_delay_s) FILTER (WHERE started_jobs > 0) AS queueing_delay_s,
    sum(queueing_delay_s) FILTER (WHERE started_jobs > 0) / sum(started_jobs) AS mean_delay_s,
    quantile_cont(queueing_delay_s, 0.5) FILTER (WHERE started_jobs = 0) AS p50_wait_s,
    quantile_cont(queueing_delay_s, 0.95) FILTER (WHERE started_jobs = 0) AS p95_wait_s
FROM grouped
GROUP BY ALL
ORDER BY place, queueing_delay_s DESC, cluster, label
