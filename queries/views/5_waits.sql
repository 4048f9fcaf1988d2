-- GPU jobs and the interval in which they wait: from their submission until they start, or leave without having started.
-- Kept in memory: few jobs of all wait at all.
-- A job that ended without any times is in here no more than one of which nothing but its submission is known.
CREATE TABLE waits AS
SELECT cluster, vc, "row" AS job, gpu_num, submit_time, coalesce(start_time, end_time) AS leave_time
FROM jobs
WHERE gpu_num > 0 AND coalesce(start_time > submit_time, true)
    AND (start_time IS NOT NULL OR end_time IS NOT NULL OR state IN ('PENDING', 'RUNNING', 'SUSPENDED'));

-- GPU time waited for (GPUs asked for times the part of the bin spent waiting) in consecutive bins of the window, per job.
CREATE MACRO waited_in_bins(clusters, vcs, window_start, window_end, bin_s) AS TABLE
WITH inside AS (
    SELECT
        cluster, vc, job, gpu_num,
        (epoch_us(greatest(submit_time, window_start)) - epoch_us(window_start)) / 1e6 AS from_s,
        (epoch_us(least(coalesce(leave_time, window_end), window_end)) - epoch_us(window_start)) / 1e6 AS to_s
    FROM waits
    WHERE submit_time < window_end AND coalesce(leave_time > window_start, true)
        AND chosen(cluster, clusters) AND chosen(vc, vcs)
), spread AS (
    SELECT *, unnest(range(floor(from_s / bin_s)::BIGINT, ceil(to_s / bin_s)::BIGINT)) AS bin
    FROM inside
)
SELECT
    cluster, vc, job, gpu_num, window_start + to_seconds(bin * bin_s) AS time,
    gpu_num * (least(to_s, (bin + 1) * bin_s) - greatest(from_s, bin * bin_s)) AS waited_gpu_s
FROM spread;
