"""Winners and losers of a replay, in words and as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
import pandas as pd
from dash import html

from components.numbers import count, inflected, plural, signed_duration
from components.policies import policy_label
from components.tables import Column

POLICY, AGAINST, SAID = "gains-policy", "gains-against", "gains-said"

#: Stands for the schedule that the trace recorded.
RECORDED = "recorded"
#: A change below this is none.
NOTICED_S = 1.0
CHANGES = (
    Column("baseline_delay_s", "Waited before", "duration"),
    Column("delay_s", "Waits now", "duration"),
    Column("change_s", "Change", "longer"),
)
COUNTS = (Column("losers", "Jobs longer", "count"), Column("winners", "Jobs shorter", "count"))
VC_COLUMNS = (Column("label", "Virtual cluster"), Column("jobs", "Jobs", "count"), *CHANGES, *COUNTS)
USER_COLUMNS = (Column("shown_user", "User"), Column("jobs", "Jobs", "count"), *CHANGES)
JOB_COLUMNS = (
    Column("job_id", "Job"),
    Column("label", "Virtual cluster"),
    Column("shown_user", "User"),
    *CHANGES,
)


def choice(policies: Sequence[str], bases: Sequence[str], policy: str, against: str) -> html.Div:
    """Which policy is held against which of ``bases``, and the sentence that says what came of it."""
    return html.Div(
        [
            html.H2("Winners and losers"),
            html.Div(
                [
                    _select(POLICY, "Policy", policies, policy),
                    _select(AGAINST, "Against", bases, against),
                    html.P(id=SAID, className="muted", role="status"),
                ],
                className="gains-choice",
            ),
        ],
        className="section-heading",
    )


def title(schedule: str) -> str:
    """What a policy, or the recorded schedule, is called."""
    return "As recorded" if schedule == RECORDED else policy_label(schedule)


def _select(id: str, label: str, schedules: Sequence[str], value: str) -> dmc.Select:
    options = [{"value": each, "label": title(each)} for each in schedules]
    return dmc.Select(id=id, label=label, data=options, value=value, allowDeselect=False, size="xs", w=170)


def sentence(totals: Mapping[str, Any], policy: str, against: str) -> str:
    """How many jobs, VCs and users wait less or longer under ``policy`` than under ``against``."""
    if policy == against:
        return "Choose two different policies to see who wins and who loses."
    if not totals["jobs"]:
        return "No job ended in both schedules, so nobody can be compared."
    base = "as recorded" if against == RECORDED else f"under {policy_label(against)}"
    waits = inflected(totals["winners"], "waits", "wait")
    parts = [
        f"{count(totals['winners'])} of {plural(totals['jobs'], 'job')} {waits} less under "
        f"{policy_label(policy)} than {base}, {count(totals['losers'])} longer",
        f"the mean delay changes by {signed_duration(totals['avg_change_s'])}",
    ]
    groups = [(totals["losing_vcs"], "VC"), (totals["losing_users"], "user")]
    grew = [plural(number, noun) for number, noun in groups if number is not None]
    return f"{'; '.join(parts)}; it grows for {' and '.join(grew)}."


def labelled(rows: pd.DataFrame, several: bool) -> pd.DataFrame:
    """The rows with ``label``: the VC, and its cluster where there are several."""
    vc = rows["vc"].astype(str)
    return rows.assign(label=vc + " · " + rows["cluster"] if several else vc)


def ends_of(table: pd.DataFrame, most: int) -> pd.DataFrame:
    """The rows that lose most, then those that gain most, the greatest gain last; at most ``most`` of each.

    Rows whose ``change_s`` is below a second are neither.
    """
    ordered = table.sort_values("change_s", ascending=False, kind="stable")
    change_s = ordered["change_s"]
    parts: Sequence[pd.DataFrame] = (
        ordered[change_s >= NOTICED_S].head(most),
        ordered[change_s <= -NOTICED_S].tail(most),
    )
    return pd.concat(parts, ignore_index=True)
