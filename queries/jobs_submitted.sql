-- The jobs submitted in the window: how many, how long GPU jobs waited, and the GPU time of each final status.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: gpu_jobs BIGINT, cpu_jobs BIGINT, unknown_gpu_jobs BIGINT, started_gpu_jobs BIGINT, p50_queueing_delay_s DOUBLE, p95_queueing_delay_s DOUBLE, completed_gpu_s DOUBLE, cancelled_gpu_s DOUBLE, failed_gpu_s DOUBLE, jobs_without_gpu_time BIGINT
WITH submitted AS (
    SELECT *, status_group(state) AS status, gpu_num * duration_s AS gpu_s
    FROM jobs
    WHERE submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
)
SELECT
    count(*) FILTER (WHERE gpu_num > 0) AS gpu_jobs,
    count(*) FILTER (WHERE gpu_num = 0) AS cpu_jobs,
    count(*) FILTER (WHERE gpu_num IS NULL) AS unknown_gpu_jobs,
    count(*) FILTER (WHERE gpu_num > 0 AND queueing_delay_s >= 0) AS started_gpu_jobs,
    quantile_cont(queueing_delay_s, 0.5) FILTER (WHERE gpu_num > 0 AND queueing_delay_s >= 0) AS p50_queueing_delay_s,
    quantile_cont(queueing_delay_s, 0.95) FILTER (WHERE gpu_num > 0 AND queueing_delay_s >= 0) AS p95_queueing_delay_s,
    coalesce(sum(gpu_s) FILTER (WHERE gpu_num > 0 AND status = 'completed'), 0) AS completed_gpu_s,
    coalesce(sum(gpu_s) FILTER (WHERE gpu_num > 0 AND status = 'cancelled'), 0) AS cancelled_gpu_s,
    coalesce(sum(gpu_s) FILTER (WHERE gpu_num > 0 AND status = 'failed'), 0) AS failed_gpu_s,
    count(*) FILTER (WHERE gpu_num > 0 AND (gpu_s IS NULL OR status IS NULL)) AS jobs_without_gpu_time
FROM submitted
