-- Share of the GPU jobs of the window, and of their GPU time, that asks for at most so many GPUs.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: gpu_num DOUBLE, jobs BIGINT, gpu_s DOUBLE, share_of_jobs DOUBLE, share_of_gpu_time DOUBLE
WITH counted AS (
    SELECT gpu_num, sum(jobs)::BIGINT AS jobs, gpu_num * sum(duration_s) AS gpu_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0
    GROUP BY gpu_num
)
SELECT
    gpu_num, jobs, gpu_s,
    sum(jobs) OVER (ORDER BY gpu_num) / sum(jobs) OVER () AS share_of_jobs,
    CASE WHEN sum(gpu_s) OVER () > 0 THEN sum(gpu_s) OVER (ORDER BY gpu_num) / sum(gpu_s) OVER () END AS share_of_gpu_time
FROM counted
ORDER BY gpu_num
