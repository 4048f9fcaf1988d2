-- How long GPU jobs of the window waited to start, by what they have in common: all, cluster, vc, gpus, hour (local, of submission) or user.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, dimension VARCHAR
-- returns: cluster VARCHAR, label VARCHAR, place DOUBLE, jobs BIGINT, waiting_jobs BIGINT, queueing_delay_s DOUBLE, mean_delay_s DOUBLE, p50_wait_s DOUBLE, p95_wait_s DOUBLE
-- Of jobs that started; a job waited when its delay is more than zero. Sum and mean are over all of them, quantiles (linearly
-- interpolated) over those that waited. cluster is null where all clusters are added up.
WITH started AS (
    SELECT
        CASE WHEN $dimension::VARCHAR IN ('cluster', 'vc') THEN cluster END AS cluster,
        CASE $dimension::VARCHAR
            WHEN 'vc' THEN vc
            WHEN 'gpus' THEN CASE
                WHEN gpu_num >= 64 THEN '≥ 64' WHEN gpu_num IN (1, 2, 4, 8, 16, 32) THEN gpu_num::INTEGER::VARCHAR ELSE 'other'
            END
            WHEN 'user' THEN "user"
        END AS label,
        CASE
            WHEN $dimension::VARCHAR <> 'gpus' THEN 0
            WHEN gpu_num >= 64 THEN 64 WHEN gpu_num IN (1, 2, 4, 8, 16, 32) THEN gpu_num ELSE 65
        END AS place,
        -- Local time is asked for once per quarter of an hour, of which every zone's hours consist.
        CASE WHEN $dimension::VARCHAR = 'hour' THEN epoch_us(submit_time) // 900_000_000 END AS quarter,
        queueing_delay_s AS delay_s
    FROM jobs
    WHERE gpu_num > 0 AND queueing_delay_s >= 0 AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
), hours AS (
    SELECT quarter, hour(local_time(make_timestamp(quarter * 900_000_000))) AS hour FROM (SELECT DISTINCT quarter FROM started)
), grouped AS (
    SELECT cluster, coalesce(lpad(hour::VARCHAR, 2, '0'), label) AS label, coalesce(hour, place)::DOUBLE AS place, delay_s
    FROM started LEFT JOIN hours USING (quarter)
)
SELECT
    cluster, label, place,
    count(*) AS jobs,
    count(*) FILTER (WHERE delay_s > 0) AS waiting_jobs,
    sum(delay_s) AS queueing_delay_s,
    avg(delay_s) AS mean_delay_s,
    quantile_cont(delay_s, 0.5) FILTER (WHERE delay_s > 0) AS p50_wait_s,
    quantile_cont(delay_s, 0.95) FILTER (WHERE delay_s > 0) AS p95_wait_s
FROM grouped
GROUP BY cluster, label, place
ORDER BY place, queueing_delay_s DESC, cluster, label
