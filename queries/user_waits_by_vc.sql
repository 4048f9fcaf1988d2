-- Per VC in which one user has GPU jobs of the window that started: how many, and how long they and everybody else's waited on average.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, user VARCHAR
-- returns: cluster VARCHAR, vc VARCHAR, jobs BIGINT, waiting_jobs BIGINT, mean_delay_s DOUBLE, others_jobs BIGINT, others_waiting_jobs BIGINT, others_mean_delay_s DOUBLE
-- A job waits when its delay is more than zero; means are over all jobs that started, null where nobody else's did.
WITH counted AS (
    SELECT cluster, vc, coalesce("user" = $user::VARCHAR, false) AS own, started_jobs AS jobs, 0 AS waiting_jobs, queueing_delay_s AS delay_s
    FROM user_cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND started_jobs > 0
    UNION ALL
    SELECT cluster, vc, coalesce("user" = $user::VARCHAR, false), 0, 1, 0
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
), started AS (
    SELECT cluster, vc, own, sum(jobs) AS jobs, sum(waiting_jobs) AS waiting_jobs, sum(delay_s) AS delay_s
    FROM counted
    GROUP BY ALL
)
SELECT
    cluster, vc,
    sum(jobs) FILTER (WHERE own)::BIGINT AS jobs,
    sum(waiting_jobs) FILTER (WHERE own)::BIGINT AS waiting_jobs,
    sum(delay_s) FILTER (WHERE own) / sum(jobs) FILTER (WHERE own) AS mean_delay_s,
    coalesce(sum(jobs) FILTER (WHERE NOT own), 0)::BIGINT AS others_jobs,
    coalesce(sum(waiting_jobs) FILTER (WHERE NOT own), 0)::BIGINT AS others_waiting_jobs,
    sum(delay_s) FILTER (WHERE NOT own) / sum(jobs) FILTER (WHERE NOT own) AS others_mean_delay_s
FROM started
GROUP BY cluster, vc
HAVING sum(jobs) FILTER (WHERE own) > 0
ORDER BY jobs DESC, cluster, vc
