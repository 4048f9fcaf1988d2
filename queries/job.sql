-- The rows of one job of a cluster, first submission first: several where it was queued again.
-- params: cluster VARCHAR, job_id VARCHAR
-- returns: cluster VARCHAR, vc VARCHAR, job_id VARCHAR, row INTEGER, user VARCHAR, job_name VARCHAR, state VARCHAR, gpu_num DOUBLE, gpu_type VARCHAR, cpu_num INTEGER, node_num INTEGER, submit_time TIMESTAMP, start_time TIMESTAMP, end_time TIMESTAMP, duration_s DOUBLE, queueing_delay_s DOUBLE, flags VARCHAR
SELECT
    cluster, vc, job_id, "row", "user", job_name, state, gpu_num, gpu_type, cpu_num, node_num, submit_time, start_time, end_time,
    duration_s, queueing_delay_s, array_to_string(flags, ', ') AS flags
FROM jobs
WHERE cluster = $cluster::VARCHAR AND job_id = $job_id::VARCHAR
ORDER BY submit_time, "row"
