-- The same by VC alone, whoever's jobs they are.
SELECT
    cluster, vc, submit_date, gpu_num, state,
    sum(jobs)::BIGINT AS jobs,
    sum(timed_jobs)::BIGINT AS timed_jobs,
    sum(duration_s) AS duration_s,
    sum(started_jobs)::BIGINT AS started_jobs,
    sum(queueing_delay_s) AS queueing_delay_s
FROM user_cohorts
GROUP BY ALL
ORDER BY submit_date, vc, gpu_num, state
