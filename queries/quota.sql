-- How many GPUs does each VC of a cluster have, and from which local day on?
-- params: cluster VARCHAR
-- returns: vc VARCHAR, date DATE, gpus INTEGER
SELECT
    vc,
    date,
    gpus
FROM quota
WHERE cluster = $cluster
ORDER BY vc, date
