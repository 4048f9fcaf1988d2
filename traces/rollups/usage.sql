-- GPU time held in each slot of ten minutes by jobs of one GPU or less and by larger ones, per VC; slots without any are left out.
-- Jobs hold their GPUs over [start, end). Jobs without an end are not in here: they hold for as long as anyone asks about.
WITH ended AS (
    SELECT vc, gpu_num, gpu_num > 1 AS is_multi, epoch_us(start_time) - phase_us() AS start_us, epoch_us(end_time) - phase_us() AS end_us
    FROM jobs
    WHERE gpu_num > 0 AND start_time IS NOT NULL AND end_time > start_time
), changes AS (
    SELECT vc, is_multi, gpu_num AS gpus, start_us AS at_us FROM ended
    UNION ALL
    SELECT vc, is_multi, -gpu_num, end_us FROM ended
), in_slots AS (
    SELECT
        vc, at_us // 600_000_000 AS slot,
        coalesce(sum(gpus) FILTER (WHERE NOT is_multi), 0.0) AS single_step,
        coalesce(sum(gpus) FILTER (WHERE is_multi), 0.0) AS multi_step,
        coalesce(sum(gpus * (600_000_000 - at_us % 600_000_000)) FILTER (WHERE NOT is_multi), 0.0) / 1e6 AS single_part,
        coalesce(sum(gpus * (600_000_000 - at_us % 600_000_000)) FILTER (WHERE is_multi), 0.0) / 1e6 AS multi_part
    FROM changes
    GROUP BY ALL
), levels AS (
    SELECT
        vc, slot, single_part, multi_part, single_step, multi_step,
        sum(single_step) OVER up_to AS single_after,
        sum(multi_step) OVER up_to AS multi_after,
        lead(slot, 1, slot + 1) OVER up_to AS next_slot
    FROM in_slots
    WINDOW up_to AS (PARTITION BY vc ORDER BY slot)
), slots AS (
    SELECT
        vc, slot,
        (single_after - single_step) * 600 + single_part AS single_gpu_s,
        (multi_after - multi_step) * 600 + multi_part AS multi_gpu_s
    FROM levels
    UNION ALL
    SELECT vc, unnest(range(slot + 1, next_slot)), single_after * 600, multi_after * 600
    FROM levels
    -- A millionth of a GPU is what fractions of GPUs leave when they are added and taken away again.
    WHERE single_after + multi_after > 1e-6
)
SELECT cluster_name() AS cluster, vc, make_timestamp(slot * 600_000_000 + phase_us()) AS time, single_gpu_s, multi_gpu_s
FROM slots
WHERE single_gpu_s + multi_gpu_s > 1e-3
ORDER BY time, vc
