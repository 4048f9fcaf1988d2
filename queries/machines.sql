-- How many nodes of each size and GPU type does a cluster have?
-- params: cluster VARCHAR
-- returns: gpus INTEGER, gpu_type VARCHAR, nodes BIGINT
SELECT
    gpus,
    coalesce(gpu_type, '') AS gpu_type,
    count(*) AS nodes
FROM nodes
WHERE cluster = $cluster
    AND gpus > 0
GROUP BY ALL
ORDER BY nodes DESC, gpus DESC, gpu_type
