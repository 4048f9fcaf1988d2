-- The same in slots of half an hour, for windows that are long enough not to need shorter ones.
SELECT
    cluster, vc,
    make_timestamp((epoch_us(time) - phase_us()) // 1_800_000_000 * 1_800_000_000 + phase_us()) AS time,
    sum(single_gpu_s) AS single_gpu_s, sum(multi_gpu_s) AS multi_gpu_s
FROM usage
GROUP BY ALL
ORDER BY time, vc
