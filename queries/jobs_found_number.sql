-- How many jobs of the window fit a search.
-- params: clusters VARCHAR[], vcs VARCHAR[], start TIMESTAMP, end TIMESTAMP
-- returns: jobs BIGINT
-- search.py puts a search's conditions in place of (true).
SELECT count(*) AS jobs
FROM jobs
WHERE submit_time >= $start::TIMESTAMP AND submit_time < $end::TIMESTAMP
    AND chosen(cluster, $clusters::VARCHAR[]) AND chosen(vc, $vcs::VARCHAR[])
    AND (true)
