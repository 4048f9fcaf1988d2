-- The GPU jobs that wait and that run at one instant, and their GPUs.
-- params: clusters VARCHAR[], vcs VARCHAR[], instant TIMESTAMP
-- returns: waiting_jobs BIGINT, waiting_gpus DOUBLE, running_jobs BIGINT, running_gpus DOUBLE
WITH alive AS (
    SELECT gpu_num, start_time IS NULL OR start_time > $instant::TIMESTAMP AS waits
    FROM jobs
    WHERE gpu_num > 0 AND submit_time <= $instant::TIMESTAMP
        AND (end_time IS NULL OR end_time > $instant::TIMESTAMP)
        -- Ended without ever starting (cancelled in the queue, no times at all): neither waits nor runs.
        AND NOT (start_time IS NULL AND end_time IS NULL AND state NOT IN ('PENDING', 'RUNNING', 'SUSPENDED'))
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
)
SELECT
    count(*) FILTER (WHERE waits) AS waiting_jobs,
    coalesce(sum(gpu_num) FILTER (WHERE waits), 0.0) AS waiting_gpus,
    count(*) FILTER (WHERE NOT waits) AS running_jobs,
    coalesce(sum(gpu_num) FILTER (WHERE NOT waits), 0.0) AS running_gpus
FROM alive
