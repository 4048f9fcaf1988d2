"""The result cards of a user's page: GPU time, jobs, completion, loss and waiting, beside everybody's."""

from dash import html

from components.cards import result_card
from components.numbers import NBSP, UNKNOWN, count, duration, gpu_hours, is_unknown, percent, plural
from pages.user_subject import UserSubject, everybody, mean_waits, standing


def cards(who: UserSubject) -> list[html.Div]:
    """A card per number; none where the user has no job in the scope."""
    row = standing(who)
    if row is None:
        return []
    all_users = everybody(who.scope)
    place = f"{percent(row['gpu_time_share'])} of all, place {count(row['place'])} of {count(row['users'])}"
    lost = gpu_hours(row["lost_gpu_s"])
    return [
        _gpu_time(row["gpu_s"], place),
        result_card(
            "GPU jobs",
            count(row["gpu_jobs"]),
            detail=f"and {plural(row['jobs'] - row['gpu_jobs'], 'CPU job')}",
        ),
        _beside("GPU jobs completed", row["completion"], all_users["completion"], f"of {_ended(row)}"),
        _beside(
            "GPU time lost", row["lost_share"], all_users["lost_share"], f"{lost} in failed and cancelled"
        ),
        waiting_card(who),
    ]


def waiting_card(who: UserSubject) -> html.Div:
    """Mean queueing delay, and that of others in the same VCs."""
    label = "Mean queueing delay"
    if not who.scope.knows("has_start"):
        return result_card(label, UNKNOWN, detail="This trace has no start times.")
    own, others = mean_waits(who)
    if is_unknown(own):
        return result_card(label, UNKNOWN, detail="No GPU job of theirs has started.")
    told = (
        "nobody else has jobs there" if is_unknown(others) else f"others in the same VCs {duration(others)}"
    )
    return result_card(label, duration(own), detail=told)


def _gpu_time(gpu_s: float | None, place: str) -> html.Div:
    if is_unknown(gpu_s):
        return result_card("GPU time", UNKNOWN, detail="No GPU job of theirs has a known duration.")
    value, unit = gpu_hours(gpu_s).split(NBSP)
    return result_card("GPU time", value, unit, detail=place)


def _beside(label: str, ratio: float | None, everybodys: float | None, what: str) -> html.Div:
    if is_unknown(ratio):
        return result_card(label, UNKNOWN, detail="No GPU job of theirs with a known end and duration.")
    return result_card(label, f"{100 * ratio:.1f}", "%", detail=f"{what}; all users {percent(everybodys)}")


def _ended(row: object) -> str:
    return plural(row["ended_gpu_jobs"], "ended job")
