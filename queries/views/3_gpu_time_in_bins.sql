-- GPU time held and GPU time present in consecutive bins of the window, exactly: a change in the middle of a bin counts for
-- the rest of that bin and for every later one. One group per cluster, or per VC with by_vc. The last bin ends with the window.
CREATE MACRO gpu_time_in_bins(clusters, vcs, window_start, window_end, bin_s, by_vc) AS TABLE
WITH changes AS (
    SELECT
        cluster,
        CASE WHEN by_vc THEN vc END AS vc,
        epoch(greatest(time, window_start)) - epoch(window_start) AS at_s,
        held_gpus,
        present_gpus
    FROM gpu_changes
    WHERE time < window_end AND chosen(cluster, clusters) AND chosen(vc, vcs)
), in_bins AS (
    SELECT
        cluster, vc, floor(at_s / bin_s)::BIGINT AS bin,
        sum(held_gpus) AS held_step,
        sum(present_gpus) AS present_step,
        sum(held_gpus * (least((floor(at_s / bin_s) + 1) * bin_s, epoch(window_end) - epoch(window_start)) - at_s)) AS held_part,
        sum(present_gpus * (least((floor(at_s / bin_s) + 1) * bin_s, epoch(window_end) - epoch(window_start)) - at_s)) AS present_part
    FROM changes
    GROUP BY ALL
), grid AS (
    SELECT
        cluster, vc, bin,
        least(bin_s, epoch(window_end) - epoch(window_start) - bin * bin_s) AS length_s
    FROM (SELECT DISTINCT cluster, vc FROM in_bins)
    CROSS JOIN (SELECT unnest(range(ceil((epoch(window_end) - epoch(window_start)) / bin_s)::BIGINT)) AS bin)
), levels AS (
    SELECT
        grid.cluster, grid.vc, grid.bin, grid.length_s,
        coalesce(held_part, 0) AS held_part,
        coalesce(present_part, 0) AS present_part,
        sum(coalesce(held_step, 0)) OVER before - coalesce(held_step, 0) AS held_before,
        sum(coalesce(present_step, 0)) OVER before - coalesce(present_step, 0) AS present_before
    FROM grid LEFT JOIN in_bins
        ON grid.cluster = in_bins.cluster AND grid.vc IS NOT DISTINCT FROM in_bins.vc AND grid.bin = in_bins.bin
    WINDOW before AS (PARTITION BY grid.cluster, grid.vc ORDER BY grid.bin ROWS UNBOUNDED PRECEDING)
)
SELECT
    cluster, vc,
    window_start + to_microseconds((bin * bin_s * 1000000)::BIGINT) AS time,
    held_before * length_s + held_part AS held_gpu_s,
    present_before * length_s + present_part AS present_gpu_s
FROM levels;
