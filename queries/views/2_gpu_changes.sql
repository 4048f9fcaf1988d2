-- Every instant at which the GPUs in use or the GPUs present of a VC change, as differences.
-- Jobs hold their GPUs over the half-open interval [start, end); a job without an end still runs.
-- A quota row holds from its local midnight; the first one also holds for the time before it.
-- VCs without a quota row have an unknown capacity: they and their jobs are not in here.
CREATE VIEW gpu_changes AS
WITH held AS (
    SELECT cluster, vc, gpu_num, start_time, end_time
    FROM jobs SEMI JOIN quota USING (cluster, vc)
    WHERE gpu_num > 0 AND start_time IS NOT NULL AND (end_time IS NULL OR end_time > start_time)
), capacity AS (
    SELECT
        cluster, vc,
        CASE WHEN row_number() OVER steps = 1 THEN TIMESTAMP '1900-01-01'
             ELSE timezone('UTC', timezone(site.timezone, date::TIMESTAMP)) END AS time,
        gpus - lag(gpus, 1, 0) OVER steps AS gpus
    FROM quota CROSS JOIN site
    WINDOW steps AS (PARTITION BY cluster, vc ORDER BY date)
)
SELECT cluster, vc, start_time AS time, gpu_num AS held_gpus, 0::DOUBLE AS present_gpus FROM held
UNION ALL
SELECT cluster, vc, end_time, -gpu_num, 0 FROM held WHERE end_time IS NOT NULL
UNION ALL
SELECT cluster, vc, time, 0, gpus FROM capacity WHERE gpus <> 0;
