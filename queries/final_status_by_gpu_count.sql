-- Final status of the GPU jobs of the window by the GPUs they ask for: 1, 2, 4, 8, 16, 32, 64 and more, other counts together.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: gpus VARCHAR, status VARCHAR, jobs BIGINT, share DOUBLE
WITH ended AS (
    SELECT
        CASE WHEN gpu_num >= 64 THEN '≥ 64' WHEN gpu_num IN (1, 2, 4, 8, 16, 32) THEN gpu_num::INTEGER::VARCHAR ELSE 'other' END AS gpus,
        CASE WHEN gpu_num >= 64 THEN 64 WHEN gpu_num IN (1, 2, 4, 8, 16, 32) THEN gpu_num ELSE 65 END AS place,
        status_group(state) AS status,
        jobs
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND status_group(state) IS NOT NULL
)
SELECT gpus, status, sum(jobs)::BIGINT AS jobs, sum(jobs) / sum(sum(jobs)) OVER (PARTITION BY place) AS share
FROM ended
GROUP BY gpus, place, status
ORDER BY place, status
