-- Every instant at which the GPUs in use or the GPUs present of a VC change, as differences; GPUs in use apart by the size of
-- the job that holds them: one GPU or less (single), or more (multi).
-- Jobs hold their GPUs over the half-open interval [start, end); a job without an end still runs.
-- A quota row holds from its local midnight; the first one also holds for the time before it.
-- VCs without a quota row have an unknown capacity: they and their jobs are not in here.
CREATE VIEW holding_jobs AS
SELECT cluster, vc, gpu_num, start_time, end_time
FROM jobs SEMI JOIN quota USING (cluster, vc)
WHERE gpu_num > 0 AND start_time IS NOT NULL AND (end_time IS NULL OR end_time > start_time);

CREATE VIEW capacity AS
SELECT
    cluster, vc, gpus,
    CASE WHEN row_number() OVER steps = 1 THEN TIMESTAMP '1900-01-01' ELSE midnight(date) END AS time,
    gpus - lag(gpus, 1, 0) OVER steps AS change
FROM quota
WINDOW steps AS (PARTITION BY cluster, vc ORDER BY date);

-- What lasts: capacity, and jobs that have no end. A few rows, kept in memory.
CREATE TABLE lasting_changes AS
SELECT
    cluster, vc, start_time AS time,
    CASE WHEN gpu_num > 1 THEN 0 ELSE gpu_num END AS single_gpus, CASE WHEN gpu_num > 1 THEN gpu_num ELSE 0 END AS multi_gpus,
    0::DOUBLE AS present_gpus
FROM holding_jobs WHERE end_time IS NULL
UNION ALL
SELECT cluster, vc, time, 0, 0, change FROM capacity WHERE change <> 0;

CREATE VIEW passing_changes AS
SELECT
    cluster, vc, start_time AS time,
    CASE WHEN gpu_num > 1 THEN 0 ELSE gpu_num END AS single_gpus, CASE WHEN gpu_num > 1 THEN gpu_num ELSE 0 END AS multi_gpus,
    0::DOUBLE AS present_gpus
FROM holding_jobs WHERE end_time IS NOT NULL
UNION ALL
SELECT cluster, vc, end_time, CASE WHEN gpu_num > 1 THEN 0 ELSE -gpu_num END, CASE WHEN gpu_num > 1 THEN -gpu_num ELSE 0 END, 0
FROM holding_jobs WHERE end_time IS NOT NULL;

-- GPU time in slots of 600 or 1800 s, of VCs of known capacity; of no other length.
CREATE MACRO usage_in_slots(slot_s) AS TABLE
FROM known_usage WHERE slot_s = 600
UNION ALL
FROM known_usage_half_hours WHERE slot_s = 1800;

CREATE TABLE no_holding_jobs AS FROM holding_jobs LIMIT 0;
CREATE TABLE no_changes AS FROM passing_changes LIMIT 0;
