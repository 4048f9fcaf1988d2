-- How many jobs of the window lack what a chart needs: GPU count, duration, final status.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: jobs BIGINT, no_gpu_num BIGINT, no_duration BIGINT, no_gpu_job_duration BIGINT, no_final_status BIGINT
SELECT
    coalesce(sum(jobs), 0)::BIGINT AS jobs,
    coalesce(sum(jobs) FILTER (WHERE gpu_num IS NULL), 0)::BIGINT AS no_gpu_num,
    coalesce(sum(jobs - timed_jobs) FILTER (WHERE gpu_num IS NOT NULL), 0)::BIGINT AS no_duration,
    coalesce(sum(jobs - timed_jobs) FILTER (WHERE gpu_num > 0), 0)::BIGINT AS no_gpu_job_duration,
    coalesce(sum(jobs) FILTER (WHERE gpu_num IS NOT NULL AND status_group(state) IS NULL), 0)::BIGINT AS no_final_status
FROM cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
