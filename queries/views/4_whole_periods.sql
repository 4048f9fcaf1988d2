-- Jobs by when they were submitted. Whole local days, months and half hours of the window come from what was written at import,
-- what is left at the window's edges from the jobs; a trace without rollups is all edge. A window that reaches beyond the last
-- submission has no edge at its end.
-- Where there is no edge, the files are not even opened: preparing a question takes as long as answering it.
CREATE TABLE no_jobs AS FROM jobs LIMIT 0;
CREATE MACRO jobs_if(asked) AS TABLE FROM query_table(CASE WHEN asked THEN 'jobs' ELSE 'no_jobs' END);
CREATE MACRO submitted_outside(window_start, window_end, whole_start, whole_end) AS TABLE
FROM jobs_if(window_start < least(whole_start, window_end))
WHERE submit_time >= window_start AND submit_time < least(whole_start, window_end)
UNION ALL
FROM jobs_if(whole_end < window_end)
WHERE submit_time >= whole_end AND submit_time < window_end;

-- One row per cluster, vc, submit_date, gpu_num and state: the columns of the table cohorts.
CREATE MACRO cohorts_in(clusters, vcs, window_start, window_end) AS TABLE
SELECT *
FROM cohorts
WHERE submit_date >= first_whole_day(window_start) AND submit_date < end_of_whole_days(window_start, window_end)
    AND chosen(cluster, clusters) AND chosen(vc, vcs)
UNION ALL
SELECT
    cluster, vc, local_date(submit_time) AS submit_date, gpu_num, state,
    count(*) AS jobs,
    count(*) FILTER (WHERE duration_s >= 0) AS timed_jobs,
    coalesce(sum(duration_s) FILTER (WHERE duration_s >= 0), 0.0) AS duration_s,
    count(*) FILTER (WHERE queueing_delay_s >= 0) AS started_jobs,
    coalesce(sum(queueing_delay_s) FILTER (WHERE queueing_delay_s >= 0), 0.0) AS queueing_delay_s
FROM submitted_outside(
    window_start, window_end, midnight(first_whole_day(window_start)), midnight(end_of_whole_days(window_start, window_end))
)
WHERE chosen(cluster, clusters) AND chosen(vc, vcs)
GROUP BY ALL;

-- The same by user as well: the columns of the table user_cohorts.
CREATE MACRO user_cohorts_in(clusters, vcs, window_start, window_end) AS TABLE
SELECT *
FROM user_cohorts
WHERE submit_date >= first_whole_day(window_start) AND submit_date < end_of_whole_days(window_start, window_end)
    AND chosen(cluster, clusters) AND chosen(vc, vcs)
UNION ALL
SELECT
    cluster, vc, "user", local_date(submit_time) AS submit_date, gpu_num, state,
    count(*) AS jobs,
    count(*) FILTER (WHERE duration_s >= 0) AS timed_jobs,
    coalesce(sum(duration_s) FILTER (WHERE duration_s >= 0), 0.0) AS duration_s,
    count(cpu_num) FILTER (WHERE duration_s >= 0) AS cpu_timed_jobs,
    coalesce(sum(cpu_num * duration_s) FILTER (WHERE duration_s >= 0), 0.0) AS cpu_s,
    count(*) FILTER (WHERE queueing_delay_s >= 0) AS started_jobs,
    coalesce(sum(queueing_delay_s) FILTER (WHERE queueing_delay_s >= 0), 0.0) AS queueing_delay_s
FROM submitted_outside(
    window_start, window_end, midnight(first_whole_day(window_start)), midnight(end_of_whole_days(window_start, window_end))
)
WHERE chosen(cluster, clusters) AND chosen(vc, vcs)
GROUP BY ALL;

-- Jobs of known duration by kind, state and step of an eighth of an octave; step 0 is everything up to one second.
CREATE MACRO durations_in(clusters, vcs, window_start, window_end) AS TABLE
SELECT kind, state, step, sum(jobs)::BIGINT AS jobs
FROM (
    SELECT kind, state, step, jobs
    FROM durations
    WHERE submit_month >= first_whole_month(window_start) AND submit_month < end_of_whole_months(window_start, window_end)
        AND chosen(cluster, clusters) AND chosen(vc, vcs)
    UNION ALL
    SELECT
        CASE WHEN gpu_num > 0 THEN 'GPU jobs' ELSE 'CPU jobs' END, state,
        CASE WHEN duration_s <= 1 THEN 0 ELSE ceil(8 * log2(duration_s))::BIGINT END, count(*)
    FROM submitted_outside(
        window_start, window_end,
        midnight(first_whole_month(window_start)), midnight(end_of_whole_months(window_start, window_end))
    )
    WHERE gpu_num IS NOT NULL AND duration_s >= 0 AND chosen(cluster, clusters) AND chosen(vc, vcs)
    GROUP BY ALL
)
GROUP BY ALL;

-- Jobs submitted in local half hours, by kind: CPU, single (one GPU or less), multi, unknown; an edge is its own, shorter period.
-- With how many of them started, and their queueing delays added up.
CREATE MACRO submissions_in(clusters, vcs, window_start, window_end) AS TABLE
SELECT *
FROM submissions
WHERE time >= first_whole_half_hour(window_start) AND time < end_of_whole_half_hours(window_start, window_end)
    AND chosen(cluster, clusters) AND chosen(vc, vcs)
UNION ALL
SELECT
    cluster, vc, greatest(half_hour_of(submit_time), window_start) AS time,
    CASE WHEN gpu_num > 1 THEN 'multi' WHEN gpu_num > 0 THEN 'single' WHEN gpu_num = 0 THEN 'CPU' ELSE 'unknown' END AS kind,
    count(*) AS jobs,
    count(*) FILTER (WHERE queueing_delay_s >= 0) AS started_jobs,
    coalesce(sum(queueing_delay_s) FILTER (WHERE queueing_delay_s >= 0), 0.0) AS queueing_delay_s
FROM submitted_outside(
    window_start, window_end, first_whole_half_hour(window_start), end_of_whole_half_hours(window_start, window_end)
)
WHERE chosen(cluster, clusters) AND chosen(vc, vcs)
GROUP BY ALL;
