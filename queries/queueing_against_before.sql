-- Mean queueing delay of the GPU jobs of each VC, in the window and in an earlier one, for VCs with jobs that started in both.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, earlier_start TIMESTAMP, earlier_end TIMESTAMP
-- returns: cluster VARCHAR, vc VARCHAR, started_jobs BIGINT, avg_queueing_delay_s DOUBLE, earlier_started_jobs BIGINT, earlier_avg_queueing_delay_s DOUBLE
WITH now AS (
    SELECT cluster, vc, sum(started_jobs)::BIGINT AS started_jobs, sum(queueing_delay_s) / sum(started_jobs) AS avg_queueing_delay_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
    WHERE gpu_num > 0
    GROUP BY ALL
), earlier AS (
    SELECT cluster, vc, sum(started_jobs)::BIGINT AS started_jobs, sum(queueing_delay_s) / sum(started_jobs) AS avg_queueing_delay_s
    FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $earlier_start::TIMESTAMP, $earlier_end::TIMESTAMP)
    WHERE gpu_num > 0
    GROUP BY ALL
)
SELECT
    now.cluster, now.vc, now.started_jobs, now.avg_queueing_delay_s,
    earlier.started_jobs AS earlier_started_jobs, earlier.avg_queueing_delay_s AS earlier_avg_queueing_delay_s
FROM now JOIN earlier ON now.cluster = earlier.cluster AND now.vc IS NOT DISTINCT FROM earlier.vc
WHERE now.started_jobs > 0 AND earlier.started_jobs > 0
ORDER BY (now.avg_queueing_delay_s - earlier.avg_queueing_delay_s) * now.started_jobs DESC, now.cluster, now.vc
