-- The jobs submitted in the window: how many, the GPU jobs of each final status and their GPU time, and who lacks one.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: gpu_jobs BIGINT, cpu_jobs BIGINT, unknown_gpu_jobs BIGINT, started_gpu_jobs BIGINT, completed_gpu_jobs BIGINT, cancelled_gpu_jobs BIGINT, failed_gpu_jobs BIGINT, completed_gpu_s DOUBLE, cancelled_gpu_s DOUBLE, failed_gpu_s DOUBLE, jobs_without_gpu_time BIGINT
WITH submitted AS (
    SELECT *, CASE WHEN gpu_num > 0 THEN status_group(state) END AS status, gpu_num * duration_s AS gpu_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
)
SELECT
    coalesce(sum(jobs) FILTER (WHERE gpu_num > 0), 0)::BIGINT AS gpu_jobs,
    coalesce(sum(jobs) FILTER (WHERE gpu_num = 0), 0)::BIGINT AS cpu_jobs,
    coalesce(sum(jobs) FILTER (WHERE gpu_num IS NULL), 0)::BIGINT AS unknown_gpu_jobs,
    coalesce(sum(started_jobs) FILTER (WHERE gpu_num > 0), 0)::BIGINT AS started_gpu_jobs,
    coalesce(sum(jobs) FILTER (WHERE status = 'completed'), 0)::BIGINT AS completed_gpu_jobs,
    coalesce(sum(jobs) FILTER (WHERE status = 'cancelled'), 0)::BIGINT AS cancelled_gpu_jobs,
    coalesce(sum(jobs) FILTER (WHERE status = 'failed'), 0)::BIGINT AS failed_gpu_jobs,
    coalesce(sum(gpu_s) FILTER (WHERE status = 'completed'), 0) AS completed_gpu_s,
    coalesce(sum(gpu_s) FILTER (WHERE status = 'cancelled'), 0) AS cancelled_gpu_s,
    coalesce(sum(gpu_s) FILTER (WHERE status = 'failed'), 0) AS failed_gpu_s,
    coalesce(sum(CASE WHEN status IS NULL THEN jobs ELSE jobs - timed_jobs END) FILTER (WHERE gpu_num > 0), 0)::BIGINT AS jobs_without_gpu_time
FROM submitted
