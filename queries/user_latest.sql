-- The last jobs of the window that one user submitted, newest first, with local times of the trace's zone.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, user VARCHAR, size BIGINT
-- returns: cluster VARCHAR, vc VARCHAR, job_id VARCHAR, row INTEGER, job_name VARCHAR, state VARCHAR, gpu_num DOUBLE, submit_time TIMESTAMP, queueing_delay_s DOUBLE, duration_s DOUBLE
-- Only the keys of those jobs are sorted; what else is shown of them is read afterwards.
WITH latest AS (
    SELECT cluster, "row", submit_time
    FROM jobs
    WHERE "user" = $user::VARCHAR AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
    ORDER BY submit_time DESC, cluster, "row"
    LIMIT $size::BIGINT
)
SELECT
    jobs.cluster, jobs.vc, jobs.job_id, jobs."row", jobs.job_name, jobs.state, jobs.gpu_num,
    local_time(jobs.submit_time) AS submit_time, jobs.queueing_delay_s, jobs.duration_s
FROM jobs SEMI JOIN latest ON jobs.submit_time = latest.submit_time AND jobs.cluster = latest.cluster AND jobs."row" = latest."row"
ORDER BY jobs.submit_time DESC, jobs.cluster, jobs."row"
