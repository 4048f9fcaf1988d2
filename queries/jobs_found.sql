-- The jobs of the window that fit a search, a page of them in its order, with local times of the trace's zone.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, size BIGINT, skip BIGINT
-- returns: cluster VARCHAR, vc VARCHAR, job_id VARCHAR, row INTEGER, user VARCHAR, job_name VARCHAR, state VARCHAR, gpu_num DOUBLE, gpu_type VARCHAR, cpu_num INTEGER, node_num INTEGER, submit_time TIMESTAMP, start_time TIMESTAMP, end_time TIMESTAMP, duration_s DOUBLE, queueing_delay_s DOUBLE
-- search.py puts a search's conditions in place of (true) and its order in place of the one below. Only the keys of the page's
-- jobs are sorted; what else is shown of them is read afterwards.
WITH page AS (
    SELECT cluster, "row", submit_time
    FROM jobs
    WHERE submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
        AND (true)
    ORDER BY submit_time DESC NULLS LAST, cluster, "row"
    LIMIT $size::BIGINT OFFSET $skip::BIGINT
)
SELECT
    jobs.cluster, jobs.vc, jobs.job_id, jobs."row", jobs."user", jobs.job_name, jobs.state, jobs.gpu_num, jobs.gpu_type, jobs.cpu_num,
    jobs.node_num, local_time(jobs.submit_time) AS submit_time, local_time(jobs.start_time) AS start_time,
    local_time(jobs.end_time) AS end_time, jobs.duration_s, jobs.queueing_delay_s
FROM jobs SEMI JOIN page ON jobs.submit_time = page.submit_time AND jobs.cluster = page.cluster AND jobs."row" = page."row"
ORDER BY jobs.submit_time DESC NULLS LAST, jobs.cluster, jobs."row"
