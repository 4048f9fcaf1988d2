-- Final status of the jobs of the window, GPU jobs and CPU jobs apart.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: kind VARCHAR, status VARCHAR, jobs BIGINT, share DOUBLE
WITH ended AS (
    SELECT CASE WHEN gpu_num > 0 THEN 'GPU jobs' ELSE 'CPU jobs' END AS kind, status_group(state) AS status, jobs
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num IS NOT NULL AND status_group(state) IS NOT NULL
)
SELECT kind, status, sum(jobs)::BIGINT AS jobs, sum(jobs) / sum(sum(jobs)) OVER (PARTITION BY kind) AS share
FROM ended
GROUP BY kind, status
ORDER BY kind DESC, status
