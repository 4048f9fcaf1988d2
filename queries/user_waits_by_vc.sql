-- Per VC in which one user has GPU jobs of the window that started: how many, and how long they and everybody else's waited on average.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, user VARCHAR
-- returns: cluster VARCHAR, vc VARCHAR, jobs BIGINT, waiting_jobs BIGINT, mean_delay_s DOUBLE, others_jobs BIGINT, others_waiting_jobs BIGINT, others_mean_delay_s DOUBLE
-- A job waits when its delay is more than zero; means are over all jobs that started, null where nobody else's did.
WITH started AS (
    SELECT cluster, vc, coalesce("user" = $user::VARCHAR, false) AS own, queueing_delay_s AS delay_s
    FROM jobs
    WHERE gpu_num > 0 AND queueing_delay_s >= 0 AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
)
SELECT
    cluster, vc,
    count(*) FILTER (WHERE own) AS jobs,
    count(*) FILTER (WHERE own AND delay_s > 0) AS waiting_jobs,
    avg(delay_s) FILTER (WHERE own) AS mean_delay_s,
    count(*) FILTER (WHERE NOT own) AS others_jobs,
    count(*) FILTER (WHERE NOT own AND delay_s > 0) AS others_waiting_jobs,
    avg(delay_s) FILTER (WHERE NOT own) AS others_mean_delay_s
FROM started
GROUP BY cluster, vc
HAVING count(*) FILTER (WHERE own) > 0
ORDER BY jobs DESC, cluster, vc
