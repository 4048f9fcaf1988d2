-- GPU time that each user's jobs of the window took, by local week of submission (its Monday).
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: user VARCHAR, week DATE, gpu_s DOUBLE
-- Jobs without a duration have no GPU time; weeks in which a user has none are left out.
SELECT "user", CAST(date_trunc('week', submit_date) AS DATE) AS week, sum(gpu_num * duration_s) AS gpu_s
FROM user_cohorts_in($clusters::VARCHAR[], $vcs::VARCHAR[], $start::TIMESTAMP, $end::TIMESTAMP)
WHERE "user" IS NOT NULL AND gpu_num > 0 AND duration_s > 0
GROUP BY ALL
ORDER BY "user", week
