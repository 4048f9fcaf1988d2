-- The load of one VC at consecutive instants: GPUs in use by running jobs, GPUs that waiting jobs ask for, GPUs present that day.
-- params: cluster VARCHAR, vc VARCHAR, start TIMESTAMP, end TIMESTAMP, bin_s INTEGER
-- returns: time TIMESTAMP, used_gpus DOUBLE, waiting_gpus DOUBLE, present_gpus INTEGER
WITH alive AS (
    SELECT
        gpu_num, submit_time, start_time, coalesce(end_time, 'infinity'::TIMESTAMP) AS end_time,
        coalesce(start_time, end_time, 'infinity'::TIMESTAMP) AS leave_time
    FROM jobs
    WHERE cluster = $cluster::VARCHAR AND vc IS NOT DISTINCT FROM $vc::VARCHAR AND gpu_num > 0
        AND submit_time <= $end::TIMESTAMP AND coalesce(end_time > $start::TIMESTAMP, true)
        -- Ended without any times: neither waited nor ran, as far as is known.
        AND (start_time IS NOT NULL OR end_time IS NOT NULL OR state IN ('PENDING', 'RUNNING', 'SUSPENDED'))
), instants AS (
    SELECT unnest(generate_series($start::TIMESTAMP, $end::TIMESTAMP, to_seconds($bin_s::INTEGER))) AS time
), loads AS (
    SELECT
        time,
        coalesce(sum(gpu_num) FILTER (WHERE start_time <= time), 0.0) AS used_gpus,
        coalesce(sum(gpu_num) FILTER (WHERE leave_time > time), 0.0) AS waiting_gpus
    FROM instants LEFT JOIN alive ON submit_time <= time AND end_time > time
    GROUP BY time
)
SELECT
    time, used_gpus, waiting_gpus,
    (
        SELECT arg_max(gpus, date) FROM quota
        WHERE cluster = $cluster::VARCHAR AND vc IS NOT DISTINCT FROM $vc::VARCHAR AND date <= local_date(time)
    ) AS present_gpus
FROM loads
ORDER BY time
