"""Clock hours that a series tells twice, as a log in local time does when daylight saving time ends."""

import pandas as pd

LEAST_SHARE = 0.5  # of the hour's times are told twice
MOST_SHARE_BEFORE = 0.1  # in the day before: a series that contradicts itself all day is not a clock's doing


def repeated_hours(rows: pd.DataFrame) -> pd.DatetimeIndex:
    """The beginnings of hours in which at least half the times stand twice with different values.

    ``rows``: ``time`` (naive UTC), ``used``, ``total``, in any order. Rows that repeat another one in every
    value say the same once more and count once. An hour is judged by itself and the day before it.
    """
    distinct = rows[["time", "used", "total"]].drop_duplicates()
    rows_of_time = distinct.groupby("time").size()
    if rows_of_time.empty or rows_of_time.max() == 1:
        return pd.DatetimeIndex([])
    hour = pd.DatetimeIndex(rows_of_time.index).floor("h")
    told_twice = (rows_of_time > 1).groupby(hour).agg(["sum", "size"]).astype(float)
    day_before = told_twice.rolling("24h", closed="left").sum().fillna(0.0)
    often_before = day_before["sum"] > MOST_SHARE_BEFORE * day_before["size"]
    repeated = (told_twice["sum"] >= LEAST_SHARE * told_twice["size"]) & ~often_before
    return pd.DatetimeIndex(told_twice.index[repeated])
