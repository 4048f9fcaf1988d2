"""The demo's period, 1 April – 28 September 2020, as days, hours and months of local time.

Seconds count from local midnight of 1 April. Asia/Shanghai has no daylight saving time, so every day has 24
hours.
"""

import numpy as np
import pandas as pd

TIMEZONE = "Asia/Shanghai"
BEGIN = pd.Timestamp("2020-04-01")
DAYS = 181
HOURS = 24 * DAYS
PERIOD_S = 86_400 * DAYS
BEGIN_UTC = BEGIN - pd.Timedelta(hours=8)

_dates = pd.date_range(BEGIN, periods=DAYS)
MONTH_OF_DAY = np.asarray(_dates.month) - 4
"""0 (April) … 5 (September), per day."""
WEEKDAY_OF_DAY = np.asarray(_dates.day_of_week)
"""0 (Monday) … 6 (Sunday), per day."""
MONTHS, WEEKDAYS = 6, 7


def day_number(date: str) -> int:
    """Days from 1 April to `date` (ISO)."""
    return (pd.Timestamp(date) - BEGIN).days
