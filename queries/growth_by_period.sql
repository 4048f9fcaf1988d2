-- Per cluster and local week or month: GPU jobs of one GPU or less and of more, and the utilization that each of the two makes.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, period VARCHAR
-- returns: cluster VARCHAR, period DATE, single_jobs BIGINT, multi_jobs BIGINT, single_utilization DOUBLE, multi_utilization DOUBLE, utilization DOUBLE
WITH counted AS (
    SELECT
        cluster, CAST(date_trunc($period, submit_date) AS DATE) AS period,
        coalesce(sum(jobs) FILTER (WHERE gpu_num <= 1), 0)::BIGINT AS single_jobs,
        coalesce(sum(jobs) FILTER (WHERE gpu_num > 1), 0)::BIGINT AS multi_jobs
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0
    GROUP BY ALL
), used AS (
    SELECT
        cluster, CAST(date_trunc($period, local_time(time)) AS DATE) AS period,
        sum(single_gpu_s) AS single_gpu_s, sum(multi_gpu_s) AS multi_gpu_s, sum(present_gpu_s) AS present_gpu_s
    FROM gpu_time_in_bins($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, 1800, 'cluster')
    GROUP BY ALL
)
SELECT
    cluster, period,
    coalesce(single_jobs, 0) AS single_jobs, coalesce(multi_jobs, 0) AS multi_jobs,
    CASE WHEN present_gpu_s > 0 THEN single_gpu_s / present_gpu_s END AS single_utilization,
    CASE WHEN present_gpu_s > 0 THEN multi_gpu_s / present_gpu_s END AS multi_utilization,
    CASE WHEN present_gpu_s > 0 THEN (single_gpu_s + multi_gpu_s) / present_gpu_s END AS utilization
FROM counted FULL JOIN used USING (cluster, period)
ORDER BY cluster, period
