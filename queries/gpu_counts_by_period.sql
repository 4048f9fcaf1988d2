-- Per local week or month: GPU jobs and their GPU time by the GPUs they ask for, in classes up to 1, 2, 4, 8, 16, 32 and more.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, period VARCHAR
-- returns: period DATE, gpus VARCHAR, jobs BIGINT, gpu_s DOUBLE, share_of_jobs DOUBLE, share_of_gpu_time DOUBLE
WITH sized AS (
    SELECT
        CAST(date_trunc($period, submit_date) AS DATE) AS period,
        CASE
            WHEN gpu_num <= 1 THEN '≤ 1' WHEN gpu_num <= 2 THEN '≤ 2' WHEN gpu_num <= 4 THEN '≤ 4' WHEN gpu_num <= 8 THEN '≤ 8'
            WHEN gpu_num <= 16 THEN '≤ 16' WHEN gpu_num <= 32 THEN '≤ 32' ELSE '> 32'
        END AS gpus,
        min(gpu_num) AS place, sum(jobs)::BIGINT AS jobs, sum(gpu_num * duration_s) AS gpu_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0
    GROUP BY ALL
)
SELECT
    period, gpus, jobs, gpu_s,
    jobs / sum(jobs) OVER (PARTITION BY period) AS share_of_jobs,
    CASE WHEN sum(gpu_s) OVER (PARTITION BY period) > 0 THEN gpu_s / sum(gpu_s) OVER (PARTITION BY period) END AS share_of_gpu_time
FROM sized
ORDER BY period, place
