-- The virtual clusters of the trace, from its jobs and from its capacity.
-- params:
-- returns: cluster VARCHAR, vc VARCHAR
SELECT DISTINCT cluster, vc FROM cohorts WHERE vc IS NOT NULL
UNION
SELECT DISTINCT cluster, vc FROM jobs WHERE NOT rolled_up() AND vc IS NOT NULL
UNION
SELECT DISTINCT cluster, vc FROM quota
ORDER BY cluster, vc
