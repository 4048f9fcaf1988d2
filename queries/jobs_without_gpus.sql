-- How many jobs submitted in the window ask for no GPU, by VC and user?
-- params: cluster VARCHAR, vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: user VARCHAR, vc VARCHAR, jobs BIGINT
SELECT
    "user",
    coalesce(vc, cluster) AS vc,
    count(*) AS jobs
FROM jobs
WHERE cluster = $cluster
    AND submit_time >= $start
    AND submit_time < $end
    AND (len($vcs) = 0 OR list_contains($vcs, coalesce(vc, cluster)))
    AND gpu_num = 0
GROUP BY ALL
