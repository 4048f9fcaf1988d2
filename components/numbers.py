"""Numbers as people read them: 2 h 14 min, 263,245, 83.6 %. Unknown is “unknown”, never zero."""

import math

import pandas as pd

UNKNOWN = "unknown"
#: A number and its unit stay on one line.
NBSP = "\u00a0"
#: GPU-hours; no line ends behind the hyphen, where a word joiner stands.
GPU_H = "GPU-\u2060h"
MINUTE_S, HOUR_S, DAY_S = 60.0, 3600.0, 86400.0


def is_unknown(value: object) -> bool:
    """Whether a value is null: None, NaN or NaT."""
    return value is None or bool(pd.isna(value))


def count(value: float | None) -> str:
    """A whole number with thousands separators, or one decimal where there is a fraction: 263,245; 0.2."""
    if is_unknown(value):
        return UNKNOWN
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:,.2g}"


def signed_count(number: float | None) -> str:
    """A change of a count: +3, −2, 0."""
    sign = "" if is_unknown(number) or not number else "+" if number > 0 else "−"
    return f"{sign}{count(None if is_unknown(number) else abs(number))}"


def percent(ratio: float | None, digits: int = 1) -> str:
    """A ratio of 0–1 as per cent: 83.6 %; below zero with a minus sign."""
    return UNKNOWN if is_unknown(ratio) else f"{100 * ratio:z,.{digits}f}{NBSP}%".replace("-", "−")


def signed_percent(ratio: float | None, digits: int = 1) -> str:
    """A relative change: +12.0 %, −3.0 %."""
    if is_unknown(ratio):
        return UNKNOWN
    return f"{'−' if ratio < 0 else '+'}{percent(abs(ratio), digits)}"


def duration(seconds: float | None) -> str:
    """Seconds in the two largest units that say enough: 0 s, 9.5 s, 4 min 10 s, 2 h 14 min, 3 d 4 h."""
    if is_unknown(seconds):
        return UNKNOWN
    if seconds < 0:
        return f"−{duration(-seconds)}"
    if seconds < 10 and not float(seconds).is_integer():
        return f"{seconds:.1f}{NBSP}s"
    whole = math.floor(seconds + 0.5)
    if whole < MINUTE_S:
        return f"{whole}{NBSP}s"
    if whole < HOUR_S:
        return _two(whole, 60, "min", 1, "s")
    if whole < DAY_S - MINUTE_S / 2:
        return _two(round(whole / 60) * 60, 3600, "h", 60, "min")
    return _two(round(whole / 3600) * 3600, 86400, "d", 3600, "h")


def signed_duration(seconds: float | None) -> str:
    """A change of a duration: + 4 min, − 2 h 10 min, 0 s."""
    if is_unknown(seconds) or abs(seconds) < 0.05:
        return UNKNOWN if is_unknown(seconds) else duration(0)
    return f"{'+' if seconds > 0 else '−'}{NBSP}{duration(abs(seconds))}"


def times(ratio: float | None) -> str:
    """A ratio above or below 1: 1.52 ×, 214 ×."""
    return UNKNOWN if is_unknown(ratio) else f"{ratio:,.{0 if ratio >= 100 else 2}f}{NBSP}×"


def factor(number: float) -> str:
    """What something is multiplied by: × 1.5."""
    return f"×{NBSP}{number:g}"


def gpu_hours(gpu_s: float | None) -> str:
    """GPU time in GPU-hours: 1,204 GPU-h."""
    return (
        UNKNOWN
        if is_unknown(gpu_s)
        else f"{gpu_s / HOUR_S:,.{0 if gpu_s >= 100 * HOUR_S else 1}f}{NBSP}{GPU_H}"
    )


def size(count_bytes: float | None) -> str:
    """A file size: 36.4 MB (powers of ten)."""
    if is_unknown(count_bytes):
        return UNKNOWN
    value, unit = float(count_bytes), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:,.0f}{NBSP}B" if unit == "B" else f"{value:,.1f}{NBSP}{unit}"


def day(time: pd.Timestamp | None) -> str:
    """A local date: 1 Sep 2020."""
    return UNKNOWN if is_unknown(time) else f"{time.day} {time:%b %Y}"


def minute(time: pd.Timestamp | None) -> str:
    """A local date and time of day: 28 Sep 2020, 23:50."""
    return UNKNOWN if is_unknown(time) else f"{time.day} {time:%b %Y, %H:%M}"


def plural(number: float, noun: str, many: str | None = None) -> str:
    """A count with its noun: 1 job, 2 jobs, 3 GPUs."""
    return f"{count(number)} {inflected(number, noun, many)}"


def inflected(number: float | None, one: str, many: str | None = None) -> str:
    """The form of a word that goes with a number which is written otherwise: node, nodes; is, are."""
    return one if number == 1 else many or one + "s"


def uncapitalized(title: str) -> str:
    """A title within a sentence: average JCT, buffer σ."""
    return title[:1].lower() + title[1:]


def listing(words: list[str]) -> str:
    """Words as a sentence holds them: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def _two(whole: float, large: int, large_name: str, small: int, small_name: str) -> str:
    first, rest = divmod(int(whole), large)
    second = rest // small
    text = f"{first:,}{NBSP}{large_name}"
    return f"{text}{NBSP}{second}{NBSP}{small_name}" if second else text
