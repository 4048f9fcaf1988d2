-- How long jobs lasted, by the local month of their submission, VC, kind and state, counted at eight durations per octave.
-- Step k counts durations in (2^((k-1)/8), 2^(k/8)] seconds, step 0 everything up to one second.
SELECT
    cluster_name() AS cluster, vc, CAST(date_trunc('month', local_time(submit_time)) AS DATE) AS submit_month,
    CASE WHEN gpu_num > 0 THEN 'GPU jobs' ELSE 'CPU jobs' END AS kind, state,
    CASE WHEN duration_s <= 1 THEN 0 ELSE ceil(8 * log2(duration_s))::BIGINT END AS step,
    count(*) AS jobs
FROM jobs
WHERE gpu_num IS NOT NULL AND duration_s >= 0
GROUP BY ALL
ORDER BY submit_month, vc, kind, state, step
