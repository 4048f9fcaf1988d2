-- The queueing delay of every GPU job that waited, with what delays are told apart by. Exact quantiles need each of them.
SELECT cluster_name() AS cluster, vc, "user", gpu_num, submit_time, queueing_delay_s
FROM jobs
WHERE gpu_num > 0 AND queueing_delay_s > 0
ORDER BY submit_time
