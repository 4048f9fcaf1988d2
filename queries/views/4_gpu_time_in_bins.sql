-- Slots whose GPU time is written at import can be added up where bins consist of them: half hours, else ten minutes, else none.
CREATE MACRO slot_s(window_start, bin_s) AS CASE
    WHEN NOT rolled_up() THEN NULL
    WHEN bin_s % 1800 = 0 AND (epoch_us(window_start) - phase_us()) % 1_800_000_000 = 0 THEN 1800
    WHEN bin_s % 600 = 0 AND (epoch_us(window_start) - phase_us()) % 600_000_000 = 0 THEN 600
END;
CREATE MACRO has_slots(window_start, bin_s) AS slot_s(window_start, bin_s) IS NOT NULL;
CREATE MACRO end_of_slots(window_start, window_end, bin_s) AS list_transform(
    [slot_s(window_start, bin_s) * 1_000_000::BIGINT],
    lambda slot_us: make_timestamp((epoch_us(window_end) - phase_us()) // slot_us * slot_us + phase_us())
)[1];

-- GPU time held by small and by large jobs and GPU time present in consecutive bins of the window, exactly: a change in the
-- middle of a bin counts for the rest of that bin and for every later one. One group per VC, per cluster, or for
-- all together: level is vc, cluster or all. The
-- last bin ends with the window. Slots give what whole ones hold, jobs what the slot holds that the window's end cuts.
CREATE MACRO gpu_time_in_bins(clusters, vcs, window_start, window_end, bin_s, level) AS TABLE
WITH changes AS (
    SELECT
        CASE WHEN level <> 'all' THEN cluster END AS cluster, CASE WHEN level = 'vc' THEN vc END AS vc,
        epoch(greatest(time, window_start)) - epoch(window_start) AS at_s, single_gpus, multi_gpus, present_gpus
    FROM (FROM lasting_changes UNION ALL FROM passing_changes WHERE NOT has_slots(window_start, bin_s))
    WHERE time < window_end AND chosen(cluster, clusters) AND chosen(vc, vcs)
), placed AS (
    SELECT
        *, floor(at_s / bin_s)::BIGINT AS bin,
        least((floor(at_s / bin_s) + 1) * bin_s, epoch(window_end) - epoch(window_start)) - at_s AS left_s
    FROM changes
), in_bins AS (
    SELECT
        cluster, vc, bin,
        sum(single_gpus) AS single_step, sum(multi_gpus) AS multi_step, sum(present_gpus) AS present_step,
        sum(single_gpus * left_s) AS single_part, sum(multi_gpus * left_s) AS multi_part, sum(present_gpus * left_s) AS present_part
    FROM placed
    GROUP BY ALL
), grid AS (
    SELECT
        cluster, vc, bin,
        least(bin_s, epoch(window_end) - epoch(window_start) - bin * bin_s) AS length_s
    FROM (SELECT DISTINCT cluster, vc FROM in_bins)
    CROSS JOIN range(ceil((epoch(window_end) - epoch(window_start)) / bin_s)::BIGINT) AS bins(bin)
), integrated AS (
    SELECT
        grid.cluster, grid.vc, grid.bin,
        (sum(coalesce(single_step, 0)) OVER before - coalesce(single_step, 0)) * length_s + coalesce(single_part, 0) AS single_gpu_s,
        (sum(coalesce(multi_step, 0)) OVER before - coalesce(multi_step, 0)) * length_s + coalesce(multi_part, 0) AS multi_gpu_s,
        (sum(coalesce(present_step, 0)) OVER before - coalesce(present_step, 0)) * length_s + coalesce(present_part, 0) AS present_gpu_s
    FROM grid LEFT JOIN in_bins
        ON grid.cluster IS NOT DISTINCT FROM in_bins.cluster AND grid.vc IS NOT DISTINCT FROM in_bins.vc AND grid.bin = in_bins.bin
    WINDOW before AS (PARTITION BY grid.cluster, grid.vc ORDER BY grid.bin ROWS UNBOUNDED PRECEDING)
), slots AS (
    SELECT
        CASE WHEN level <> 'all' THEN cluster END AS cluster, CASE WHEN level = 'vc' THEN vc END AS vc,
        (epoch_us(time) - epoch_us(window_start)) // (bin_s * 1_000_000::BIGINT) AS bin,
        sum(single_gpu_s) AS single_gpu_s, sum(multi_gpu_s) AS multi_gpu_s
    FROM usage_in_slots(slot_s(window_start, bin_s))
    WHERE time >= window_start AND time < end_of_slots(window_start, window_end, bin_s)
        AND chosen(cluster, clusters) AND chosen(vc, vcs)
    GROUP BY ALL
), cut_slot AS (
    SELECT
        CASE WHEN level <> 'all' THEN cluster END AS cluster, CASE WHEN level = 'vc' THEN vc END AS vc,
        (epoch_us(end_of_slots(window_start, window_end, bin_s)) - epoch_us(window_start)) // (bin_s * 1_000_000::BIGINT) AS bin, gpu_num,
        gpu_num * (
            epoch_us(least(end_time, window_end)) - epoch_us(greatest(start_time, end_of_slots(window_start, window_end, bin_s)))
        ) / 1e6 AS gpu_s
    FROM holding_jobs
    WHERE end_of_slots(window_start, window_end, bin_s) < window_end
        AND start_time < window_end AND end_time > end_of_slots(window_start, window_end, bin_s)
        AND chosen(cluster, clusters) AND chosen(vc, vcs)
), summed AS (
    SELECT cluster, vc, bin, sum(single_gpu_s) AS single_gpu_s, sum(multi_gpu_s) AS multi_gpu_s, sum(present_gpu_s) AS present_gpu_s
    FROM (
        FROM integrated
        UNION ALL SELECT *, 0 FROM slots
        UNION ALL SELECT cluster, vc, bin, CASE WHEN gpu_num > 1 THEN 0 ELSE gpu_s END, CASE WHEN gpu_num > 1 THEN gpu_s ELSE 0 END, 0 FROM cut_slot
    )
    GROUP BY ALL
)
SELECT
    cluster, vc,
    window_start + to_microseconds((bin * bin_s * 1_000_000::BIGINT)::BIGINT) AS time,
    single_gpu_s, multi_gpu_s, single_gpu_s + multi_gpu_s AS held_gpu_s, present_gpu_s
FROM summed;
