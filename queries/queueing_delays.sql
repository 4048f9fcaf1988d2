-- How long the GPU jobs of the window waited to start: median and 95th percentile, linearly interpolated, of those that started.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: started_jobs BIGINT, p50_queueing_delay_s DOUBLE, p95_queueing_delay_s DOUBLE
SELECT
    count(*) AS started_jobs,
    quantile_cont(queueing_delay_s, 0.5) AS p50_queueing_delay_s,
    quantile_cont(queueing_delay_s, 0.95) AS p95_queueing_delay_s
FROM jobs
WHERE gpu_num > 0 AND queueing_delay_s >= 0 AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
    AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
