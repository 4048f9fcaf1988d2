-- GPU time of the ended GPU jobs of the window by local period of submission (day, week or month: its first day) and final status.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, period VARCHAR
-- returns: period DATE, status VARCHAR, jobs BIGINT, gpu_s DOUBLE, share DOUBLE
-- share is of the GPU time of all ended jobs of the period, null where there is none.
WITH ended AS (
    SELECT CAST(date_trunc($period::VARCHAR, submit_date) AS DATE) AS period, status_group(state) AS status, jobs, gpu_num * duration_s AS gpu_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND status_group(state) IS NOT NULL
)
SELECT
    period, status, sum(jobs)::BIGINT AS jobs, sum(gpu_s) AS gpu_s,
    sum(gpu_s) / nullif(sum(sum(gpu_s)) OVER (PARTITION BY period), 0) AS share
FROM ended
GROUP BY period, status
ORDER BY period, status
