-- GPU time held by small and by large jobs and GPU time present in consecutive bins of the window, exactly: a change in the
-- middle of a bin counts for the rest of that bin and for every later one, up to the next change. One group per VC, per cluster, or for
-- all together: level is vc, cluster or all. The
-- last bin ends with the window. Slots give what whole ones hold, jobs what the slot holds that the window's end cuts.
CREATE MACRO gpu_time_in_bins(clusters, vcs, window_start, window_end, bin_s, level) AS TABLE
WITH changes AS (
    SELECT
        CASE WHEN level <> 'all' THEN cluster END AS cluster, CASE WHEN level = 'vc' THEN vc END AS vc,
        epoch(greatest(time, window_start)) - epoch(window_start) AS at_s, single_gpus, multi_gpus, present_gpus
    FROM (
        FROM lasting_changes
        UNION ALL FROM query_table(CASE WHEN slot_s(window_start, bin_s) IS NOT NULL THEN 'no_changes' ELSE 'passing_changes' END)
    )
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
), steps AS (
    SELECT
        cluster, vc, bin,
        sum(single_step) AS single_step, sum(multi_step) AS multi_step, sum(present_step) AS present_step,
        sum(single_part) AS single_part, sum(multi_part) AS multi_part, sum(present_part) AS present_part
    FROM (FROM in_bins UNION ALL SELECT DISTINCT cluster, vc, 0, 0, 0, 0, 0, 0, 0 FROM in_bins)
    GROUP BY ALL
), levels AS (
    SELECT
        *, sum(single_step) OVER so_far AS single_level, sum(multi_step) OVER so_far AS multi_level, sum(present_step) OVER so_far AS present_level,
        coalesce(lead(bin) OVER so_far, ceil((epoch(window_end) - epoch(window_start)) / bin_s)::BIGINT) AS next_bin
    FROM steps
    WINDOW so_far AS (PARTITION BY cluster, vc ORDER BY bin)
), integrated AS (
    SELECT
        cluster, vc, bin,
        (single_level - single_step) * length_s + single_part AS single_gpu_s,
        (multi_level - multi_step) * length_s + multi_part AS multi_gpu_s,
        (present_level - present_step) * length_s + present_part AS present_gpu_s
    FROM (SELECT *, least(bin_s, epoch(window_end) - epoch(window_start) - bin * bin_s) AS length_s FROM levels)
    UNION ALL
    SELECT cluster, vc, bin, single_level * length_s, multi_level * length_s, present_level * length_s
    FROM (
        SELECT *, least(bin_s, epoch(window_end) - epoch(window_start) - bin * bin_s) AS length_s
        FROM (SELECT cluster, vc, single_level, multi_level, present_level, unnest(range(bin + 1, next_bin)) AS bin FROM levels)
    )
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
    FROM query_table(CASE WHEN end_of_slots(window_start, window_end, bin_s) < window_end THEN 'holding_jobs' ELSE 'no_holding_jobs' END)
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
