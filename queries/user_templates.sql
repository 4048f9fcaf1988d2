-- What one user's GPU jobs of the window repeat: jobs of the same GPU count whose names differ in their numbers at most.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP, user VARCHAR
-- returns: template VARCHAR, gpu_num DOUBLE, jobs BIGINT, ended_jobs BIGINT, completed_jobs BIGINT, median_duration_s DOUBLE, gpu_s DOUBLE, lost_gpu_s DOUBLE
-- A template is the name with # for every run of digits, null for jobs without a name. Lost is the GPU time of failed and cancelled
-- jobs. A sum is null where no part of it is known.
WITH own AS (
    SELECT
        regexp_replace(job_name, '[0-9]+', '#', 'g') AS template, gpu_num, duration_s, status_group(state) AS status,
        gpu_num * duration_s AS gpu_s
    FROM jobs
    WHERE "user" = $user::VARCHAR AND gpu_num > 0 AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
)
SELECT
    template, gpu_num,
    count(*) AS jobs,
    count(status) AS ended_jobs,
    count(*) FILTER (WHERE status = 'completed') AS completed_jobs,
    median(duration_s) AS median_duration_s,
    sum(gpu_s) AS gpu_s,
    CASE
        WHEN count(*) FILTER (WHERE status IN ('cancelled', 'failed')) = 0 THEN 0
        ELSE sum(gpu_s) FILTER (WHERE status IN ('cancelled', 'failed'))
    END AS lost_gpu_s
FROM own
GROUP BY template, gpu_num
ORDER BY gpu_s DESC NULLS LAST, jobs DESC, template, gpu_num
