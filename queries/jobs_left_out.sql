-- How many jobs of the window lack what a chart needs: GPU count, duration, final status.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: jobs BIGINT, no_gpu_num BIGINT, no_duration BIGINT, no_gpu_job_duration BIGINT, no_final_status BIGINT
SELECT
    count(*) AS jobs,
    count(*) FILTER (WHERE gpu_num IS NULL) AS no_gpu_num,
    count(*) FILTER (WHERE gpu_num IS NOT NULL AND NOT coalesce(duration_s >= 0, false)) AS no_duration,
    count(*) FILTER (WHERE gpu_num > 0 AND NOT coalesce(duration_s >= 0, false)) AS no_gpu_job_duration,
    count(*) FILTER (WHERE gpu_num IS NOT NULL AND status_group(state) IS NULL) AS no_final_status
FROM jobs
WHERE submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
    AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
