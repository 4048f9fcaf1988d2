-- Days of the window on which a cluster's GPUs became fewer, and by how many.
-- params: clusters VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, time TIMESTAMP, gpus_before BIGINT, gpus_after BIGINT
WITH steps AS (
    SELECT cluster, time, sum(change) AS change
    FROM capacity
    WHERE chosen(cluster, $clusters::VARCHAR[])
    GROUP BY ALL
), levels AS (
    SELECT cluster, time, change, sum(change) OVER (PARTITION BY cluster ORDER BY time) AS gpus
    FROM steps
)
SELECT cluster, time, (gpus - change)::BIGINT AS gpus_before, gpus::BIGINT AS gpus_after
FROM levels
WHERE change < 0 AND time >= $start::TIMESTAMP AND time < $end::TIMESTAMP
ORDER BY change, cluster, time
