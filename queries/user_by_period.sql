-- One user's GPU jobs of the window by local period of submission (day, week or month: its first day) and final status, and their GPU time.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, user VARCHAR, period VARCHAR
-- returns: period DATE, status VARCHAR, jobs BIGINT, timed_jobs BIGINT, gpu_s DOUBLE
-- status is null for jobs that have not ended or whose state is unknown. GPU time of jobs without a duration is not in the sum.
SELECT
    CAST(date_trunc($period::VARCHAR, submit_date) AS DATE) AS period, status_group(state) AS status,
    sum(jobs)::BIGINT AS jobs, sum(timed_jobs)::BIGINT AS timed_jobs, sum(gpu_num * duration_s) AS gpu_s
FROM user_cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
WHERE "user" = $user::VARCHAR AND gpu_num > 0
GROUP BY ALL
ORDER BY period, status
