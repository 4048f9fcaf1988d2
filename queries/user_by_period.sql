-- One user's GPU jobs of the window by local period of submission (day, week or month: its first day) and final status, and their GPU time.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, user VARCHAR, period VARCHAR
-- returns: period DATE, status VARCHAR, jobs BIGINT, timed_jobs BIGINT, gpu_s DOUBLE
-- status is null for jobs that have not ended or whose state is unknown. GPU time of jobs without a duration is not in the sum.
WITH own AS (
    SELECT epoch_us(submit_time) // 900_000_000 AS quarter, status_group(state) AS status, gpu_num * duration_s AS gpu_s
    FROM jobs
    WHERE "user" = $user::VARCHAR AND gpu_num > 0 AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
), periods AS (
    -- Local time is asked for once per quarter of an hour, of which every zone's days consist.
    SELECT quarter, CAST(date_trunc($period::VARCHAR, local_date(make_timestamp(quarter * 900_000_000))) AS DATE) AS period
    FROM (SELECT DISTINCT quarter FROM own)
)
SELECT period, status, count(*) AS jobs, count(gpu_s) AS timed_jobs, coalesce(sum(gpu_s), 0.0) AS gpu_s
FROM own JOIN periods USING (quarter)
GROUP BY ALL
ORDER BY period, status
