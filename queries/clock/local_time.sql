-- Local time of the trace's zone. An instant is naive UTC; clocks change, so days have 23, 24 or 25 hours.
CREATE MACRO local_time(instant) AS timezone(site_timezone(), timezone('UTC', instant));
CREATE MACRO local_date(instant) AS CAST(local_time(instant) AS DATE);
-- The half hour of an instant, counted from where the slots of the rollups begin; local hours and days consist of them.
CREATE MACRO half_hour_of(instant) AS make_timestamp((epoch_us(instant) - phase_us()) // 1_800_000_000 * 1_800_000_000 + phase_us());
