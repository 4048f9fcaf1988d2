-- How many GPUs does each VC have at most in a window of local days? A row holds until the VC's next one; the first also before it.
-- params: cluster VARCHAR, first_day DATE, last_day DATE
-- returns: vc VARCHAR, gpus INTEGER
WITH held AS (
    SELECT
        vc,
        gpus,
        CASE WHEN row_number() OVER by_day = 1 THEN DATE '0001-01-01' ELSE date END AS from_day,
        lead(date) OVER by_day AS until_day
    FROM quota
    WHERE cluster = $cluster
    WINDOW by_day AS (PARTITION BY vc ORDER BY date)
)

SELECT
    vc,
    max(gpus) AS gpus
FROM held
WHERE from_day <= $last_day
    AND (until_day IS NULL OR until_day > $first_day)
GROUP BY vc
ORDER BY vc
