-- Share of the jobs of the window that lasted at most so long, GPU jobs and CPU jobs apart, at eight durations per octave.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: kind VARCHAR, duration_s DOUBLE, jobs BIGINT, share DOUBLE
-- Counted on a fixed grid, so every share is exact at its duration; everything up to 1 s is the first point.
WITH counted AS (
    SELECT kind, step, sum(jobs) AS jobs
    FROM durations_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    GROUP BY ALL
)
SELECT
    kind,
    pow(2, step / 8.0) AS duration_s,
    (sum(jobs) OVER (PARTITION BY kind ORDER BY step))::BIGINT AS jobs,
    sum(jobs) OVER (PARTITION BY kind ORDER BY step) / sum(jobs) OVER (PARTITION BY kind) AS share
FROM counted
ORDER BY kind DESC, step
