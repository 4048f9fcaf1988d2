"""What the operator knows of a demand: marks to lift, slots to leave out, and the site's holidays."""

import datetime as dt
from pathlib import Path

import pandas as pd

import energy
from runs.errors import RunError
from runs.scenario import EnergyScenario
from traces import clock


def overrule(settings: EnergyScenario, timezone: str) -> energy.Overrule:
    """The scenario's ``keep`` and ``drop`` as spans of naive UTC. Raises RunError or TraceError."""
    keep, drop = (
        tuple(_span(text, option, timezone) for text in texts)
        for option, texts in (("keep", settings.keep), ("drop", settings.drop))
    )
    return energy.Overrule(keep, drop)


def holidays(settings: EnergyScenario, timezone: str) -> tuple[energy.Span, ...]:
    """The scenario's holidays, each from local midnight to local midnight, as spans of naive UTC."""
    return tuple(_day(text, timezone) for text in settings.holidays)


def holiday_dates(path: Path) -> tuple[str, ...]:
    """The dates of a holidays file, one per line (``2020-10-01``); what follows a comma or # is a remark.

    A first line ``date`` is a header. Raises RunError, with the line, for anything else.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"The holidays file {path} cannot be read: {error}.") from error
    dates = []
    for number, line in enumerate(lines, start=1):
        text = line.split("#")[0].split(",")[0].strip()
        if text and not (number == 1 and text.lower() == "date"):
            dates.append(_date(text, f"{path.name}, line {number}:").isoformat())
    return tuple(dates)


def _span(text: str, option: str, timezone: str) -> energy.Span:
    start, slash, end = text.partition("/")
    if not slash:
        raise RunError(
            f"--{option} is {text!r}; give a span as FROM/TO, such as 2017-10-26/2017-10-26T18:00."
        )
    span = energy.Span(clock.instant(start, timezone), clock.instant(end, timezone))
    if span.end_time <= span.start_time:
        raise RunError(f"--{option} is {text!r}, a span that does not end after it begins.")
    return span


def _day(text: str, timezone: str) -> energy.Span:
    day = _date(text, "The holiday")
    next_day = day + dt.timedelta(days=1)
    start, end = (clock.instant(each.isoformat(), timezone) for each in (day, next_day))
    return energy.Span(pd.Timestamp(start), pd.Timestamp(end))


def _date(text: str, where: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise RunError(f"{where} {text!r} is no date such as 2020-10-01.") from None
