-- What was submitted on each local day: GPU jobs by final status, their GPU time, and how long those that started had waited.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: day DATE, gpu_jobs BIGINT, cpu_jobs BIGINT, ended_gpu_jobs BIGINT, completed_gpu_jobs BIGINT, gpu_s DOUBLE, lost_gpu_s DOUBLE
WITH submitted AS (
    SELECT *, CASE WHEN gpu_num > 0 THEN status_group(state) END AS status, gpu_num * duration_s AS gpu_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
)
SELECT
    submit_date AS day,
    coalesce(sum(jobs) FILTER (WHERE gpu_num > 0), 0)::BIGINT AS gpu_jobs,
    coalesce(sum(jobs) FILTER (WHERE gpu_num = 0), 0)::BIGINT AS cpu_jobs,
    coalesce(sum(jobs) FILTER (WHERE status IS NOT NULL), 0)::BIGINT AS ended_gpu_jobs,
    coalesce(sum(jobs) FILTER (WHERE status = 'completed'), 0)::BIGINT AS completed_gpu_jobs,
    coalesce(sum(gpu_s) FILTER (WHERE status IS NOT NULL), 0.0) AS gpu_s,
    coalesce(sum(gpu_s) FILTER (WHERE status IN ('cancelled', 'failed')), 0.0) AS lost_gpu_s
FROM submitted
GROUP BY submit_date
ORDER BY day
