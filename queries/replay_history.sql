-- What was known at the window's start: GPU jobs submitted earlier whose recorded end is known, in trace order.
-- params: cluster VARCHAR, start TIMESTAMP
-- returns: job_id VARCHAR, user VARCHAR, vc VARCHAR, job_name VARCHAR, gpu_num DOUBLE, duration_s DOUBLE, submit_s DOUBLE, end_s DOUBLE
SELECT
    job_id,
    "user",
    coalesce(vc, cluster) AS vc,
    job_name,
    gpu_num,
    duration_s,
    (epoch_us(submit_time) - epoch_us($start)) / 1e6 AS submit_s,
    (epoch_us(end_time) - epoch_us($start)) / 1e6 AS end_s
FROM jobs
WHERE cluster = $cluster
    AND submit_time < $start
    AND gpu_num > 0
    AND duration_s IS NOT NULL
    AND end_time IS NOT NULL
