-- Jobs submitted in each local half hour, per VC, by kind: CPU, single (one GPU or less), multi, unknown; with the delays of those
-- that started.
SELECT
    cluster_name() AS cluster, vc,
    make_timestamp(((epoch_us(submit_time) - phase_us()) // 1_800_000_000) * 1_800_000_000 + phase_us()) AS time,
    CASE WHEN gpu_num > 1 THEN 'multi' WHEN gpu_num > 0 THEN 'single' WHEN gpu_num = 0 THEN 'CPU' ELSE 'unknown' END AS kind,
    count(*) AS jobs,
    count(*) FILTER (WHERE queueing_delay_s >= 0) AS started_jobs,
    coalesce(sum(queueing_delay_s) FILTER (WHERE queueing_delay_s >= 0), 0.0) AS queueing_delay_s
FROM jobs
GROUP BY ALL
ORDER BY time, vc, kind
