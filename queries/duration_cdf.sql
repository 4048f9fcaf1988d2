-- Share of the jobs of the window that lasted at most so long, GPU jobs and CPU jobs apart, at eight durations per octave.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: kind VARCHAR, duration_s DOUBLE, jobs BIGINT, share DOUBLE
-- Counted on a fixed grid, so every share is exact at its duration; everything up to 1 s is the first point.
WITH lasted AS (
    SELECT
        CASE WHEN gpu_num > 0 THEN 'GPU jobs' ELSE 'CPU jobs' END AS kind,
        CASE WHEN duration_s <= 1 THEN 0 ELSE ceil(8 * log2(duration_s))::BIGINT END AS step
    FROM jobs
    WHERE gpu_num IS NOT NULL AND duration_s >= 0
        AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
), counted AS (
    SELECT kind, step, count(*) AS jobs FROM lasted GROUP BY ALL
)
SELECT
    kind,
    pow(2, step / 8.0) AS duration_s,
    (sum(jobs) OVER (PARTITION BY kind ORDER BY step))::BIGINT AS jobs,
    sum(jobs) OVER (PARTITION BY kind ORDER BY step) / sum(jobs) OVER (PARTITION BY kind) AS share
FROM counted
ORDER BY kind DESC, step
