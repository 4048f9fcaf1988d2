-- What node counts were recorded for a cluster, as stored?
-- params: cluster VARCHAR, end TIMESTAMP
-- returns: time TIMESTAMP, used DOUBLE, total DOUBLE
SELECT
    time,
    used,
    total
FROM series
WHERE cluster = $cluster
    AND time < $end
ORDER BY time
