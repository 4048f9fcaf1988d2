-- Jobs by the local day of their submission, VC, user, GPU count and state, with the sums that pages add up.
-- A sum leaves out jobs that lack what it adds; the count before it says how many it holds.
SELECT
    cluster_name() AS cluster, vc, "user", CAST(local_time(submit_time) AS DATE) AS submit_date, gpu_num, state,
    count(*) AS jobs,
    count(*) FILTER (WHERE duration_s >= 0) AS timed_jobs,
    coalesce(sum(duration_s) FILTER (WHERE duration_s >= 0), 0.0) AS duration_s,
    count(cpu_num) FILTER (WHERE duration_s >= 0) AS cpu_timed_jobs,
    coalesce(sum(cpu_num * duration_s) FILTER (WHERE duration_s >= 0), 0.0) AS cpu_s,
    count(*) FILTER (WHERE queueing_delay_s >= 0) AS started_jobs,
    coalesce(sum(queueing_delay_s) FILTER (WHERE queueing_delay_s >= 0), 0.0) AS queueing_delay_s
FROM jobs
GROUP BY ALL
ORDER BY submit_date, vc, "user", gpu_num, state
