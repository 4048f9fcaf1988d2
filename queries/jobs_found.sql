-- The jobs of the window that fit a search, a page of them in its order, with local times of the trace's zone.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, size BIGINT, skip BIGINT
-- returns: cluster VARCHAR, vc VARCHAR, job_id VARCHAR, row INTEGER, user VARCHAR, job_name VARCHAR, state VARCHAR, gpu_num DOUBLE, gpu_type VARCHAR, cpu_num INTEGER, node_num INTEGER, submit_time TIMESTAMP, start_time TIMESTAMP, end_time TIMESTAMP, duration_s DOUBLE, queueing_delay_s DOUBLE, submit_hour BIGINT, submit_weekday BIGINT
-- search.py puts a search's conditions in place of (true) and its order in place of the one below. Of a page of up to 50 jobs
-- DuckDB sorts the keys alone and then reads those jobs' rows (its late_materialization_max_rows).
SELECT
    cluster, vc, job_id, "row", "user", job_name, state, gpu_num, gpu_type, cpu_num, node_num,
    local_time(submit_time) AS submit_time, local_time(start_time) AS start_time, local_time(end_time) AS end_time,
    duration_s, queueing_delay_s, hour(local_time(submit_time)) AS submit_hour, isodow(local_time(submit_time)) AS submit_weekday
FROM jobs
WHERE submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
    AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
    AND (true)
ORDER BY jobs.submit_time DESC NULLS LAST, cluster, "row"
LIMIT $size::BIGINT OFFSET $skip::BIGINT
