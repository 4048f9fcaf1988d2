-- How long one user's GPU jobs of the window waited to start against everybody else's in the same VCs, at eight delays per octave.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, user VARCHAR
-- returns: own BOOLEAN, delay_s DOUBLE, jobs BIGINT, share DOUBLE
-- The same VCs are those in which the user has a GPU job of the window that started. jobs and share (0–1) are of jobs that waited
-- at most so long; counted on a fixed grid, so every share is exact at its delay, and everything up to 1 s is the first point.
WITH started AS (
    SELECT cluster, vc, coalesce("user" = $user::VARCHAR, false) AS own, queueing_delay_s AS delay_s
    FROM jobs
    WHERE gpu_num > 0 AND queueing_delay_s >= 0 AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
), places AS (
    SELECT DISTINCT cluster, vc FROM started WHERE own
), beside AS (
    SELECT started.*
    FROM started SEMI JOIN places ON started.cluster = places.cluster AND started.vc IS NOT DISTINCT FROM places.vc
), counted AS (
    SELECT own, CASE WHEN delay_s <= 1 THEN 0 ELSE ceil(8 * log2(delay_s))::BIGINT END AS step, count(*) AS jobs
    FROM beside
    GROUP BY ALL
    UNION ALL
    -- A curve begins at one second even where everybody waited longer.
    SELECT DISTINCT own, 0, 0 FROM beside
), summed AS (
    SELECT own, step, sum(jobs) AS jobs FROM counted GROUP BY ALL
)
SELECT
    own, pow(2, step / 8.0) AS delay_s,
    (sum(jobs) OVER (PARTITION BY own ORDER BY step))::BIGINT AS jobs,
    sum(jobs) OVER (PARTITION BY own ORDER BY step) / sum(jobs) OVER (PARTITION BY own) AS share
FROM summed
ORDER BY own DESC, step
