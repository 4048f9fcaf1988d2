-- The 95th percentile of how long GPU jobs waited, by when they were submitted, in consecutive bins of the window.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: time TIMESTAMP, started_jobs BIGINT, p95_queueing_delay_s DOUBLE
SELECT
    $start::TIMESTAMP + to_seconds(((epoch_us(submit_time) - epoch_us($start::TIMESTAMP)) // 1_000_000 // $bin_s) * $bin_s) AS time,
    count(*) AS started_jobs,
    quantile_cont(queueing_delay_s, 0.95) AS p95_queueing_delay_s
FROM jobs
WHERE gpu_num > 0 AND queueing_delay_s >= 0 AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
    AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
GROUP BY time
ORDER BY time
