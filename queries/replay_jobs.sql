-- Which jobs of a cluster may take part in a replay: those submitted in the window except CPU jobs, in trace order.
-- params: cluster VARCHAR, vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: job_id VARCHAR, row INTEGER, user VARCHAR, vc VARCHAR, job_name VARCHAR, gpu_num DOUBLE, gpu_type VARCHAR, priority DOUBLE, duration_s DOUBLE, submit_s DOUBLE, end_s DOUBLE
SELECT
    job_id,
    "row",
    "user",
    coalesce(vc, cluster) AS vc,
    job_name,
    gpu_num,
    gpu_type,
    priority,
    duration_s,
    (epoch_us(submit_time) - epoch_us($start)) / 1e6 AS submit_s,
    (epoch_us(end_time) - epoch_us($start)) / 1e6 AS end_s
FROM jobs
WHERE cluster = $cluster
    AND submit_time >= $start
    AND submit_time < $end
    AND (len($vcs) = 0 OR list_contains($vcs, coalesce(vc, cluster)))
    AND gpu_num IS DISTINCT FROM 0
