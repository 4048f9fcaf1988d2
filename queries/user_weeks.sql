-- GPU time that each user's jobs of the window took, by local week of submission (its Monday).
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: user VARCHAR, week DATE, gpu_s DOUBLE
-- Jobs without a duration have no GPU time; weeks in which a user has none are left out.
WITH submitted AS (
    SELECT "user", epoch_us(submit_time) // 900_000_000 AS quarter, sum(gpu_num * duration_s) AS gpu_s
    FROM jobs
    WHERE "user" IS NOT NULL AND gpu_num > 0 AND duration_s > 0
        AND submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
        AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
    GROUP BY ALL
), weeks AS (
    SELECT quarter, CAST(date_trunc('week', local_date(make_timestamp(quarter * 900_000_000))) AS DATE) AS week
    FROM (SELECT DISTINCT quarter FROM submitted)
)
SELECT "user", week, sum(gpu_s) AS gpu_s
FROM submitted JOIN weeks USING (quarter)
GROUP BY ALL
ORDER BY "user", week
