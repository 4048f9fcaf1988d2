-- Hours in which GPU jobs of one user (and one job name, where jobs have names) failed most often, at most one hour for each of them.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, user VARCHAR, job_name VARCHAR, vc VARCHAR, hour_time TIMESTAMP, failed_jobs BIGINT, gpu_s DOUBLE, median_duration_s DOUBLE
WITH failed AS (
    SELECT cluster, "user", job_name, vc, gpu_num, duration_s, date_trunc('hour', coalesce(end_time, submit_time)) AS hour_time
    FROM jobs
    WHERE gpu_num > 0 AND status_group(state) = 'failed' AND "user" IS NOT NULL
        AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
), hours AS (
    SELECT
        cluster, "user", job_name, hour_time, mode(vc) AS vc, count(*) AS failed_jobs,
        coalesce(sum(gpu_num * duration_s), 0.0) AS gpu_s, median(duration_s) AS median_duration_s
    FROM failed
    GROUP BY ALL
    HAVING count(*) > 1
)
SELECT cluster, "user", job_name, vc, hour_time, failed_jobs, gpu_s, median_duration_s
FROM hours
QUALIFY row_number() OVER (PARTITION BY cluster, "user", job_name ORDER BY failed_jobs DESC, hour_time) = 1
ORDER BY failed_jobs DESC, cluster, "user", hour_time
LIMIT 20
