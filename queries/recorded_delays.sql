-- How long did each GPU job of a cluster wait as recorded, of those submitted in the window that started after their submission?
-- params: cluster VARCHAR, start TIMESTAMP, end TIMESTAMP
-- returns: job_id VARCHAR, queueing_delay_s DOUBLE
SELECT
    job_id,
    (epoch_us(start_time) - epoch_us(submit_time)) / 1e6 AS queueing_delay_s
FROM jobs
WHERE cluster = $cluster
    AND submit_time >= $start
    AND submit_time < $end
    AND gpu_num > 0
    AND start_time >= submit_time
