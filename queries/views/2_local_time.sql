-- Local time of the trace's zone. An instant is naive UTC; clocks change, so days have 23, 24 or 25 hours.
CREATE MACRO local_time(instant) AS timezone(site_timezone(), timezone('UTC', instant));
CREATE MACRO local_date(instant) AS CAST(local_time(instant) AS DATE);
-- The first instant of a local date: the earlier one where midnight comes twice, the end of the gap where it is skipped.
-- A macro repeats its argument wherever it is named, and nested ones multiply; a lambda computes it once, which is most of the
-- time that planning takes.
CREATE MACRO midnight(day) AS list_transform(
    [timezone('UTC', timezone(site_timezone(), day::TIMESTAMP))],
    lambda first: first - CASE WHEN local_date(first - INTERVAL 1 HOUR) = local_date(first) THEN INTERVAL 1 HOUR ELSE INTERVAL 0 HOUR END
)[1];
