-- The first instant of a local date: the earlier one where midnight comes twice, the end of the gap where it is skipped.
-- A macro repeats its argument wherever it is named, and nested ones multiply; a lambda computes it once.
CREATE MACRO midnight(day) AS list_transform(
    [timezone('UTC', timezone(site_timezone(), day::TIMESTAMP))],
    lambda first: first - CASE WHEN local_date(first - INTERVAL 1 HOUR) = local_date(first) THEN INTERVAL 1 HOUR ELSE INTERVAL 0 HOUR END
)[1];

-- What a window has of whole local days and months. One that reaches beyond the last submission has no edge at its end.
CREATE MACRO beyond_all(window_end) AS coalesce(window_end > last_submit(), false);

CREATE MACRO first_whole_day(window_start) AS list_transform(
    [local_date(window_start)], lambda day: day + CASE WHEN midnight(day) = window_start THEN 0 ELSE 1 END
)[1];
CREATE MACRO end_of_whole_days(window_start, window_end) AS list_transform(
    [first_whole_day(window_start)],
    lambda day: CASE WHEN rolled_up() THEN greatest(day, local_date(window_end) + beyond_all(window_end)::INTEGER) ELSE day END
)[1];

CREATE MACRO month_of(instant) AS CAST(date_trunc('month', local_date(instant)) AS DATE);
CREATE MACRO first_whole_month(window_start) AS list_transform(
    [month_of(window_start)],
    lambda month: CASE WHEN midnight(month) = window_start THEN month ELSE CAST(month + INTERVAL 1 MONTH AS DATE) END
)[1];
CREATE MACRO end_of_whole_months(window_start, window_end) AS list_transform(
    [first_whole_month(window_start)],
    lambda month: CASE
        WHEN rolled_up() THEN greatest(month, CAST(month_of(window_end) + beyond_all(window_end)::INTEGER * INTERVAL 1 MONTH AS DATE))
        ELSE month
    END
)[1];
