-- The virtual clusters of the trace, from its jobs and from its capacity.
-- params:
-- returns: cluster VARCHAR, vc VARCHAR
SELECT DISTINCT cluster, vc FROM jobs WHERE vc IS NOT NULL
UNION
SELECT DISTINCT cluster, vc FROM quota
ORDER BY cluster, vc
