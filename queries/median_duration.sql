-- The median duration of the GPU jobs submitted in the window that ran, linearly interpolated.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: timed_jobs BIGINT, median_duration_s DOUBLE
SELECT count(*) AS timed_jobs, median(duration_s) AS median_duration_s
FROM jobs
WHERE gpu_num > 0 AND duration_s >= 0 AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
    AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
