-- When did a cluster's GPU jobs run as recorded, and on how many nodes?
-- params: cluster VARCHAR, start TIMESTAMP, end TIMESTAMP
-- returns: gpu_num DOUBLE, node_num INTEGER, start_s DOUBLE, end_s DOUBLE
SELECT
    gpu_num,
    node_num,
    (epoch_us(start_time) - epoch_us($start)) / 1e6 AS start_s,
    (epoch_us(end_time) - epoch_us($start)) / 1e6 AS end_s
FROM jobs
WHERE cluster = $cluster
    AND gpu_num > 0
    AND start_time < $end
    AND end_time > $start
ORDER BY start_time
