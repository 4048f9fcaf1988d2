-- What each user of a cluster asked for and got with the jobs of the window; jobs without a user are in one row whose user is null.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, user VARCHAR, jobs BIGINT, gpu_jobs BIGINT, ended_gpu_jobs BIGINT, completed_gpu_jobs BIGINT, gpu_s DOUBLE, lost_gpu_s DOUBLE, cpu_s DOUBLE, queueing_delay_s DOUBLE
-- A sum of nothing is zero, a sum of which no part is known is null. CPU time is that of CPU jobs, queueing that of GPU jobs.
WITH submitted AS (
    SELECT
        cluster, "user", status_group(state) AS status, gpu_num > 0 AS on_gpus, gpu_num = 0 AS on_cpus,
        gpu_num * duration_s AS gpu_s, cpu_num * duration_s AS cpu_s, CASE WHEN queueing_delay_s >= 0 THEN queueing_delay_s END AS delay_s
    FROM jobs
    WHERE submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
)
SELECT
    cluster, "user",
    count(*) AS jobs,
    count(*) FILTER (WHERE on_gpus) AS gpu_jobs,
    count(*) FILTER (WHERE on_gpus AND status IS NOT NULL) AS ended_gpu_jobs,
    count(*) FILTER (WHERE on_gpus AND status = 'completed') AS completed_gpu_jobs,
    CASE WHEN count(*) FILTER (WHERE on_gpus) = 0 THEN 0 ELSE sum(gpu_s) FILTER (WHERE on_gpus) END AS gpu_s,
    CASE
        WHEN count(*) FILTER (WHERE on_gpus AND status IN ('cancelled', 'failed')) = 0 THEN 0
        ELSE sum(gpu_s) FILTER (WHERE on_gpus AND status IN ('cancelled', 'failed'))
    END AS lost_gpu_s,
    CASE WHEN count(*) FILTER (WHERE on_cpus) = 0 THEN 0 ELSE sum(cpu_s) FILTER (WHERE on_cpus) END AS cpu_s,
    CASE WHEN count(*) FILTER (WHERE on_gpus) = 0 THEN 0 ELSE sum(delay_s) FILTER (WHERE on_gpus) END AS queueing_delay_s
FROM submitted
GROUP BY cluster, "user"
ORDER BY cluster, gpu_s DESC NULLS LAST, "user"
