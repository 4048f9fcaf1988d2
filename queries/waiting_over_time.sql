-- GPU jobs that wait at the start of each bin of the window, and their GPUs.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: time TIMESTAMP, waiting_jobs BIGINT, waiting_gpus DOUBLE
WITH steps AS (
    SELECT submit_time AS time, 1 AS jobs, gpu_num AS gpus FROM waits WHERE chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
    UNION ALL
    SELECT leave_time, -1, -gpu_num FROM waits
    WHERE leave_time IS NOT NULL AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
), in_bins AS (
    -- A step at the very start of a bin is part of what holds there; one inside it shows at the next start.
    SELECT
        greatest(0, ceil((epoch_us(time) - epoch_us($start::TIMESTAMP)) / ($bin_s * 1e6)))::BIGINT AS bin,
        sum(jobs) AS jobs, sum(gpus) AS gpus
    FROM steps
    WHERE time < $end::TIMESTAMP
    GROUP BY bin
), grid AS (
    SELECT bin FROM range(ceil((epoch($end::TIMESTAMP) - epoch($start::TIMESTAMP)) / $bin_s)::BIGINT) AS bins(bin)
)
SELECT
    $start::TIMESTAMP + to_seconds(bin * $bin_s) AS time,
    coalesce(sum(jobs) OVER up_to, 0)::BIGINT AS waiting_jobs,
    coalesce(sum(gpus) OVER up_to, 0.0) AS waiting_gpus
FROM grid LEFT JOIN in_bins USING (bin)
WINDOW up_to AS (ORDER BY bin)
ORDER BY time
