-- A pseudonym for every user of the trace: numbered by first submission, so that it says nothing about the name.
-- params:
-- returns: user VARCHAR, pseudonym VARCHAR
SELECT "user", 'user ' || row_number() OVER (ORDER BY min(submit_time), "user") AS pseudonym
FROM jobs
WHERE "user" IS NOT NULL
GROUP BY "user"
ORDER BY min(submit_time), "user"
