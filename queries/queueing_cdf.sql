-- Share of the GPU jobs of the window, of those that started, that waited at most so long, by cluster, at eight delays per octave.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, delay_s DOUBLE, jobs BIGINT, share DOUBLE
-- Counted on a fixed grid, so every share is exact at its delay; everything up to 1 s is the first point.
WITH waits AS (
    SELECT cluster, CASE WHEN queueing_delay_s <= 1 THEN 0 ELSE ceil(8 * log2(queueing_delay_s))::BIGINT END AS step, count(*) AS jobs
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    GROUP BY ALL
), counted AS (
    FROM waits
    UNION ALL
    -- All others that started did so at once. A curve begins at one second even where everybody waited longer.
    SELECT cluster, 0, sum(started_jobs)
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0 AND started_jobs > 0
    GROUP BY cluster
    UNION ALL
    SELECT cluster, 0, -sum(jobs) FROM waits GROUP BY cluster
), summed AS (
    SELECT cluster, step, sum(jobs) AS jobs FROM counted GROUP BY ALL
)
SELECT
    cluster, pow(2, step / 8.0) AS delay_s,
    (sum(jobs) OVER (PARTITION BY cluster ORDER BY step))::BIGINT AS jobs,
    sum(jobs) OVER (PARTITION BY cluster ORDER BY step) / sum(jobs) OVER (PARTITION BY cluster) AS share
FROM summed
ORDER BY cluster, step
