-- Local time of the trace's zone. An instant is naive UTC; clocks change, so days have 23, 24 or 25 hours.
CREATE MACRO local_time(instant) AS timezone(site_timezone(), timezone('UTC', instant));
CREATE MACRO local_date(instant) AS CAST(local_time(instant) AS DATE);
-- The first instant of a local date: the earlier one where midnight comes twice, the end of the gap where it is skipped.
CREATE MACRO midnight(day) AS CASE
    WHEN local_date(timezone('UTC', timezone(site_timezone(), day::TIMESTAMP)) - INTERVAL 1 HOUR) = day
        THEN timezone('UTC', timezone(site_timezone(), day::TIMESTAMP)) - INTERVAL 1 HOUR
    ELSE timezone('UTC', timezone(site_timezone(), day::TIMESTAMP))
END;
