-- What node counts were recorded for a cluster, as stored?
-- params: cluster VARCHAR
-- returns: time TIMESTAMP, used DOUBLE, total DOUBLE
SELECT
    time,
    used,
    total
FROM series
WHERE cluster = $cluster
ORDER BY time
