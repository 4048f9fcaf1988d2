-- Virtual clusters by the GPU time that their jobs of the window waited: capacity at the window's end, utilization, queueing.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: cluster VARCHAR, vc VARCHAR, present_gpus DOUBLE, utilization DOUBLE, waited_gpu_s DOUBLE, p95_queueing_delay_s DOUBLE, jobs BIGINT
WITH use AS (
    SELECT cluster, vc, sum(held_gpu_s) AS held_gpu_s, sum(present_gpu_s) AS present_gpu_s
    FROM gpu_time_in_bins(
        $clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP,
        1800 * (1 + (epoch($end::TIMESTAMP) - epoch($start::TIMESTAMP))::INTEGER // 1800), 'vc'
    )
    GROUP BY ALL
), capacity AS (
    SELECT cluster, vc, sum(present_gpus) AS present_gpus
    FROM lasting_changes
    WHERE time < $end::TIMESTAMP AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
    GROUP BY ALL
), submitted AS (
    SELECT
        cluster, vc, sum(jobs)::BIGINT AS jobs, sum(started_jobs)::BIGINT AS started_jobs,
        sum(gpu_num * queueing_delay_s) FILTER (WHERE started_jobs > 0) AS waited_gpu_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0
    GROUP BY ALL
), waiting AS (
    SELECT cluster, vc, list_sort(list(queueing_delay_s)) AS waits
    FROM delays_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    GROUP BY ALL
), demand AS (
    SELECT
        submitted.cluster, submitted.vc, jobs, waited_gpu_s,
        delay_quantile(0.95, started_jobs, coalesce(waits, [])) AS p95_queueing_delay_s
    FROM submitted LEFT JOIN waiting
        ON submitted.cluster = waiting.cluster AND submitted.vc IS NOT DISTINCT FROM waiting.vc
)
SELECT
    cluster, vc, present_gpus,
    CASE WHEN present_gpu_s > 0 THEN held_gpu_s / present_gpu_s END AS utilization,
    waited_gpu_s, p95_queueing_delay_s, coalesce(jobs, 0) AS jobs
FROM demand
FULL JOIN use USING (cluster, vc)
FULL JOIN capacity USING (cluster, vc)
ORDER BY waited_gpu_s DESC NULLS LAST, jobs DESC, cluster, vc
