-- The three status groups of the Helios paper (helios.md §2 of the reference material; Hu et al., SC'21): completed, cancelled,
-- and failed = every other terminal state. Null for a job that has not ended and for a source without states.
CREATE MACRO status_group(state) AS CASE
    WHEN state = 'COMPLETED' THEN 'completed'
    WHEN state = 'CANCELLED' THEN 'cancelled'
    WHEN state NOT IN ('RUNNING', 'PENDING', 'SUSPENDED', 'UNKNOWN') THEN 'failed'
END;
-- An empty list chooses everything.
CREATE MACRO chosen(name, names) AS len(names) = 0 OR coalesce(list_contains(names, name), false);
