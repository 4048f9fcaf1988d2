-- Per VC: GPU time that jobs of several GPUs waited for through whole bins in which the VC had at least as many GPUs free on average.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: cluster VARCHAR, vc VARCHAR, gang_jobs BIGINT, waited_gpu_s DOUBLE, beside_free_gpu_s DOUBLE, beside_free_jobs BIGINT
-- Free GPUs that are scattered over nodes, or a job ahead in the queue: a source without placements cannot tell which.
WITH free AS (
    SELECT cluster, vc, time, (present_gpu_s - held_gpu_s) / $bin_s AS free_gpus
    FROM gpu_time_in_bins($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, $bin_s::INTEGER, 'vc')
), waited AS (
    SELECT cluster, vc, time, job, gpu_num, waited_gpu_s, waited_gpu_s >= gpu_num * $bin_s AS throughout
    FROM waited_in_bins($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP, $bin_s::INTEGER)
    WHERE gpu_num > 1
)
SELECT
    cluster, vc,
    count(DISTINCT job) AS gang_jobs,
    sum(waited_gpu_s) AS waited_gpu_s,
    coalesce(sum(waited_gpu_s) FILTER (WHERE throughout AND free_gpus >= gpu_num), 0.0) AS beside_free_gpu_s,
    count(DISTINCT job) FILTER (WHERE throughout AND free_gpus >= gpu_num) AS beside_free_jobs
FROM waited JOIN free USING (cluster, vc, time)
GROUP BY ALL
ORDER BY beside_free_gpu_s DESC, cluster, vc
