-- The 95th percentile of how long GPU jobs waited, by when they were submitted, in consecutive bins of the window.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: time TIMESTAMP, started_jobs BIGINT, p95_queueing_delay_s DOUBLE
WITH submitted AS (
    SELECT time, started_jobs
    FROM submissions_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE has_half_hours($start::TIMESTAMP, $bin_s::INTEGER) AND kind IN ('single', 'multi') AND started_jobs > 0
    UNION ALL
    SELECT submit_time, 1
    FROM jobs
    WHERE NOT has_half_hours($start::TIMESTAMP, $bin_s::INTEGER) AND gpu_num > 0 AND queueing_delay_s >= 0
        AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
), started AS (
    SELECT (epoch_us(time) - epoch_us($start::TIMESTAMP)) // 1_000_000 // $bin_s AS bin, sum(started_jobs)::BIGINT AS started_jobs
    FROM submitted
    GROUP BY bin
), waiting AS (
    SELECT (epoch_us(submit_time) - epoch_us($start::TIMESTAMP)) // 1_000_000 // $bin_s AS bin, list_sort(list(queueing_delay_s)) AS waits
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    GROUP BY bin
)
SELECT
    $start::TIMESTAMP + to_seconds(bin * $bin_s) AS time,
    started_jobs,
    delay_quantile(0.95, started_jobs, coalesce(waits, [])) AS p95_queueing_delay_s
FROM started LEFT JOIN waiting USING (bin)
ORDER BY time
