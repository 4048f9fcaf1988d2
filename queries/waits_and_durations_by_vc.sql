-- Per VC: GPU jobs submitted in the window, the mean queueing delay of those that started and the mean duration of those that ran.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, vc VARCHAR, gpu_jobs BIGINT, started_jobs BIGINT, avg_queueing_delay_s DOUBLE, waited_gpu_s DOUBLE, timed_jobs BIGINT, avg_duration_s DOUBLE, gpu_s DOUBLE
SELECT
    cluster, vc,
    sum(jobs)::BIGINT AS gpu_jobs,
    sum(started_jobs)::BIGINT AS started_jobs,
    CASE WHEN sum(started_jobs) > 0 THEN sum(queueing_delay_s) / sum(started_jobs) END AS avg_queueing_delay_s,
    sum(gpu_num * queueing_delay_s) AS waited_gpu_s,
    sum(timed_jobs)::BIGINT AS timed_jobs,
    CASE WHEN sum(timed_jobs) > 0 THEN sum(duration_s) / sum(timed_jobs) END AS avg_duration_s,
    sum(gpu_num * duration_s) AS gpu_s
FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
WHERE gpu_num > 0
GROUP BY ALL
ORDER BY gpu_s DESC, cluster, vc
