-- Which GPU jobs were running or waiting at the window's start, by their recorded start? In trace order.
-- params: cluster VARCHAR, start TIMESTAMP
-- returns: job_id VARCHAR, row INTEGER, user VARCHAR, vc VARCHAR, job_name VARCHAR, gpu_num DOUBLE, gpu_type VARCHAR, priority DOUBLE, duration_s DOUBLE, submit_s DOUBLE, end_s DOUBLE, start_s DOUBLE
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
    (epoch_us(end_time) - epoch_us($start)) / 1e6 AS end_s,
    (epoch_us(start_time) - epoch_us($start)) / 1e6 AS start_s
FROM jobs
WHERE cluster = $cluster
    AND submit_time < $start
    AND gpu_num > 0
    AND start_time IS NOT NULL
    AND duration_s IS NOT NULL
    AND start_time + to_microseconds(round(duration_s * 1e6)::BIGINT) > $start
