-- How long one user's GPU jobs of the window waited to start against everybody else's in the same VCs, at eight delays per octave.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, user VARCHAR
-- returns: own BOOLEAN, delay_s DOUBLE, jobs BIGINT, share DOUBLE
-- The same VCs are those in which the user has a GPU job of the window that started. jobs and share (0–1) are of jobs that waited
-- at most so long; counted on a fixed grid, so every share is exact at its delay, and everything up to 1 s is the first point.
WITH started AS (
    SELECT cluster, vc, coalesce("user" = $user::VARCHAR, false) AS own, 0 AS step, sum(started_jobs) AS jobs
    FROM user_cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND started_jobs > 0
    GROUP BY ALL
), waits AS (
    SELECT
        cluster, vc, coalesce("user" = $user::VARCHAR, false) AS own,
        CASE WHEN queueing_delay_s <= 1 THEN 0 ELSE ceil(8 * log2(queueing_delay_s))::BIGINT END AS step, count(*) AS jobs
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    GROUP BY ALL
), places AS (
    SELECT DISTINCT cluster, vc FROM started WHERE own
), counted AS (
    FROM started
    UNION ALL FROM waits
    -- Whoever waited is not among those who started at once; a curve begins at one second even where everybody waited longer.
    UNION ALL SELECT cluster, vc, own, 0, -jobs FROM waits
), summed AS (
    SELECT own, step, sum(jobs) AS jobs
    FROM counted SEMI JOIN places ON counted.cluster = places.cluster AND counted.vc IS NOT DISTINCT FROM places.vc
    GROUP BY ALL
)
SELECT
    own, pow(2, step / 8.0) AS delay_s,
    (sum(jobs) OVER (PARTITION BY own ORDER BY step))::BIGINT AS jobs,
    sum(jobs) OVER (PARTITION BY own ORDER BY step) / sum(jobs) OVER (PARTITION BY own) AS share
FROM summed
ORDER BY own DESC, step
