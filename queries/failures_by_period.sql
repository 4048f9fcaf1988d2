-- GPU jobs of the window by cluster and local period of submission (day, week or month: its first day): how many ended, failed and were cancelled.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, period VARCHAR
-- returns: cluster VARCHAR, period DATE, ended_jobs BIGINT, failed_jobs BIGINT, cancelled_jobs BIGINT, failed_share DOUBLE, cancelled_share DOUBLE
WITH ended AS (
    SELECT cluster, CAST(date_trunc($period::VARCHAR, submit_date) AS DATE) AS period, status_group(state) AS status, jobs
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND status_group(state) IS NOT NULL
), counted AS (
    SELECT
        cluster, period,
        sum(jobs)::BIGINT AS ended_jobs,
        coalesce(sum(jobs) FILTER (WHERE status = 'failed'), 0)::BIGINT AS failed_jobs,
        coalesce(sum(jobs) FILTER (WHERE status = 'cancelled'), 0)::BIGINT AS cancelled_jobs
    FROM ended
    GROUP BY ALL
)
SELECT *, failed_jobs / ended_jobs AS failed_share, cancelled_jobs / ended_jobs AS cancelled_share
FROM counted
ORDER BY cluster, period
