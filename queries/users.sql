-- What each user of a cluster asked for and got with the jobs of the window; jobs without a user are in one row whose user is null.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, user VARCHAR, jobs BIGINT, gpu_jobs BIGINT, ended_gpu_jobs BIGINT, completed_gpu_jobs BIGINT, gpu_s DOUBLE, lost_gpu_s DOUBLE, cpu_s DOUBLE, queueing_delay_s DOUBLE
-- A sum of nothing is zero, a sum of which no part is known is null. CPU time is that of CPU jobs, queueing that of GPU jobs.
WITH submitted AS (
    SELECT
        *, gpu_num > 0 AS on_gpus, gpu_num = 0 AS on_cpus, gpu_num * duration_s AS gpu_s,
        CASE WHEN gpu_num > 0 THEN status_group(state) END AS status
    FROM user_cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
), summed AS (
    SELECT
        cluster, "user",
        sum(jobs) AS jobs,
        sum(jobs) FILTER (WHERE on_gpus) AS gpu_jobs,
        sum(jobs) FILTER (WHERE on_cpus) AS cpu_jobs,
        sum(jobs) FILTER (WHERE status IS NOT NULL) AS ended_gpu_jobs,
        sum(jobs) FILTER (WHERE status = 'completed') AS completed_gpu_jobs,
        sum(jobs) FILTER (WHERE status IN ('cancelled', 'failed')) AS lost_gpu_jobs,
        sum(gpu_s) FILTER (WHERE on_gpus AND timed_jobs > 0) AS gpu_s,
        sum(gpu_s) FILTER (WHERE status IN ('cancelled', 'failed') AND timed_jobs > 0) AS lost_gpu_s,
        sum(cpu_s) FILTER (WHERE on_cpus AND cpu_timed_jobs > 0) AS cpu_s,
        sum(queueing_delay_s) FILTER (WHERE on_gpus AND started_jobs > 0) AS queueing_delay_s
    FROM submitted
    GROUP BY cluster, "user"
)
SELECT
    cluster, "user",
    jobs::BIGINT AS jobs,
    coalesce(gpu_jobs, 0)::BIGINT AS gpu_jobs,
    coalesce(ended_gpu_jobs, 0)::BIGINT AS ended_gpu_jobs,
    coalesce(completed_gpu_jobs, 0)::BIGINT AS completed_gpu_jobs,
    CASE WHEN gpu_jobs > 0 THEN gpu_s ELSE 0 END AS gpu_s,
    CASE WHEN lost_gpu_jobs > 0 THEN lost_gpu_s ELSE 0 END AS lost_gpu_s,
    CASE WHEN cpu_jobs > 0 THEN cpu_s ELSE 0 END AS cpu_s,
    CASE WHEN gpu_jobs > 0 THEN queueing_delay_s ELSE 0 END AS queueing_delay_s
FROM summed
ORDER BY cluster, gpu_s DESC NULLS LAST, "user"
