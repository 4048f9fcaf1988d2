-- When did the jobs of a window start as recorded? Those of unknown start are left out; in trace order.
-- params: cluster VARCHAR, start TIMESTAMP, end TIMESTAMP
-- returns: row INTEGER, start_s DOUBLE
SELECT
    "row",
    (epoch_us(start_time) - epoch_us($start)) / 1e6 AS start_s
FROM jobs
WHERE cluster = $cluster
    AND submit_time >= $start
    AND submit_time < $end
    AND start_time IS NOT NULL
