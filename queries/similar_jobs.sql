-- The jobs of one user in a cluster that ask for as many GPUs and, where jobs have names, have the same name; the nearest in time.
-- params: cluster VARCHAR, user VARCHAR, gpu_num DOUBLE, job_name VARCHAR, near TIMESTAMP, size BIGINT
-- returns: job_id VARCHAR, row INTEGER, job_name VARCHAR, state VARCHAR, submit_time TIMESTAMP, queueing_delay_s DOUBLE, duration_s DOUBLE
WITH nearest AS (
    SELECT job_id, "row", job_name, state, submit_time, queueing_delay_s, duration_s
    FROM jobs
    WHERE cluster = $cluster::VARCHAR AND "user" = $user::VARCHAR AND gpu_num IS NOT DISTINCT FROM $gpu_num::DOUBLE
        AND ($job_name::VARCHAR IS NULL OR job_name = $job_name::VARCHAR)
    ORDER BY abs(epoch_us(submit_time) - epoch_us($near::TIMESTAMP)), "row"
    LIMIT $size::BIGINT
)
SELECT job_id, "row", job_name, state, local_time(submit_time) AS submit_time, queueing_delay_s, duration_s
FROM nearest
ORDER BY nearest.submit_time, "row"
