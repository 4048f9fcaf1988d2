"""The list of runs, and what a scenario says in one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from components.controllers import controller_title, reads_preset
from components.forecast_models import MODEL_TITLES
from components.numbers import duration, factor, listing, plural
from components.plan_form import goal_text
from components.policies import policy_label
from components.replay_settings import differences
from components.run_status import OPEN_STATES, state_badge
from components.sweep_summary import step_text

KIND_TITLES = {
    "scheduling": "Scheduling what-if",
    "sweep": "Sweep",
    "plan": "Plan",
    "energy": "Energy what-if",
}
HEAD = ("Run", "State", "Trace", "Window", "Started", "Took", "")


@dataclass(frozen=True)
class RunRow:
    """One run as the list shows it. Times are seconds since the epoch; ``path`` and ``csv`` are addresses."""

    id: str
    kind: str
    name: str
    scenario: Mapping[str, Any]
    state: str
    progress: float
    created: float
    started: float | None
    finished: float | None
    sentence: str
    path: str
    csv: str
    trace_is_there: bool


def action(kind: str, run_id: Any) -> dict[str, Any]:
    """The id of a button in the list: ``rename``, ``delete`` or ``cancel``, of a run."""
    return {"type": "run-action", "action": kind, "run": run_id}


def run_table(rows: Sequence[RunRow]) -> html.Div:
    """The runs, newest first."""
    head = dmc.TableThead(
        dmc.TableTr([dmc.TableTh(title, className="right" if title == "Took" else "") for title in HEAD])
    )
    body = dmc.TableTbody([_row(row) for row in rows])
    return html.Div(
        dmc.Table([head, body], className="run-table", verticalSpacing=8),
        className="table-scroll runs-scroll",
    )


def _row(row: RunRow) -> dmc.TableTr:
    title = row.name or KIND_TITLES[row.kind]
    kind = [KIND_TITLES[row.kind], " · "] if row.name else []
    sentence = row.sentence or scenario_sentence(row.kind, row.scenario)
    return dmc.TableTr(
        [
            dmc.TableTd(
                [
                    dcc.Link(title, href=row.path, className="run-title"),
                    html.Div([*kind, sentence], className="muted run-says"),
                ],
                className="run-cell",
            ),
            dmc.TableTd(_state(row)),
            dmc.TableTd(
                [
                    row.scenario["trace"],
                    html.Div(_clusters(row.scenario), className="detail muted"),
                    html.Div("" if row.trace_is_there else "gone", className="detail bad"),
                ]
            ),
            dmc.TableTd(window_text(row.scenario)),
            dmc.TableTd([_word("started" if row.started else "created"), moment(row.started or row.created)]),
            dmc.TableTd(_took(row), className="right"),
            dmc.TableTd(_actions(row), className="run-actions"),
        ]
    )


def _clusters(scenario: Mapping[str, Any]) -> str:
    return listing(list(scenario.get("clusters", ()))) or str(scenario.get("cluster", ""))


def _took(row: RunRow) -> Any:
    known = row.started and row.finished
    return [_word("took"), duration(row.finished - row.started)] if known else "—"


def _word(text: str) -> html.Span:
    """What a number is, where the table has no header: on a phone."""
    return html.Span(f"{text} ", className="narrow-only")


def _state(row: RunRow) -> Any:
    if row.state == "running":
        return html.Div([state_badge(row.state), dmc.Progress(value=100 * row.progress, size="xs", mt=5)])
    return state_badge(row.state)


def _actions(row: RunRow) -> dmc.Group:
    small = {"size": "compact-xs", "variant": "subtle", "color": "gray"}
    buttons: list[Any] = []
    if row.state in OPEN_STATES:
        buttons.append(dmc.Button("Cancel", id=action("cancel", row.id), **small))
    else:
        buttons.append(dmc.Button("Rename", id=action("rename", row.id), **small))
    if row.state == "done":
        buttons.append(
            html.A("CSV", href=row.csv, download=f"heliograph-{row.id}-results.csv", className="csv-link")
        )
    buttons.append(dmc.Button("Delete", id=action("delete", row.id), **small))
    return dmc.Group(buttons, gap=2, wrap="nowrap", justify="flex-end")


def scenario_sentence(kind: str, scenario: Mapping[str, Any]) -> str:
    """A scenario in one line."""
    if kind == "energy":
        parts = [f"{scenario['trace']} · {scenario['cluster']}", window_text(scenario)]
        parts.append(f"forecast: {MODEL_TITLES.get(scenario['model'], scenario['model'])}")
        parts.append(_controller(scenario))
        if scenario["boot_time_s"]:
            parts.append(f"boot time {duration(scenario['boot_time_s'])}")
        return " · ".join(parts)
    told = {"sweep": _grid, "plan": _target}.get(kind, _replay)(scenario)
    return " · ".join([*_whose(scenario), *told])


def _whose(scenario: Mapping[str, Any]) -> list[str]:
    """Whose jobs a replay is of."""
    clusters = ", ".join(scenario["clusters"]) or "all clusters"
    vcs = [listing(list(scenario["vcs"]))] if scenario["vcs"] else []
    return [f"{scenario['trace']} · {clusters}", *vcs, window_text(scenario)]


def _replay(scenario: Mapping[str, Any]) -> list[str]:
    policies = ", ".join(policy_label(policy) for policy in scenario["policies"])
    return [policies, *differences(scenario)]


def _grid(scenario: Mapping[str, Any]) -> list[str]:
    loads = ", ".join(map(factor, scenario["load_factors"]))
    axes = [f"nodes {', '.join(step_text(step) for step in scenario['nodes'])}", f"load {loads}"]
    draws = [plural(len(scenario["seeds"]), "draw")] if len(scenario["seeds"]) > 1 else []
    return [", ".join(policy_label(each) for each in scenario["policies"]), *axes, *draws, *_rules(scenario)]


def _target(scenario: Mapping[str, Any]) -> list[str]:
    wanted = "fewest nodes" if scenario["by"] == "nodes" else "largest load"
    return [
        policy_label(scenario["policy"]),
        f"{wanted} for {goal_text(scenario['target'])}",
        *_rules(scenario),
    ]


def _rules(scenario: Mapping[str, Any]) -> list[str]:
    return differences({**scenario, "load_factor": 1})


def _controller(scenario: Mapping[str, Any]) -> str:
    name = scenario.get("controller", "ces")
    changed = ", changed" if scenario["parameters"] else ""
    if not reads_preset(name):
        return f"{controller_title(name)}{changed}"
    return f"{controller_title(name)}, preset {scenario['preset'] or 'of the cluster'}{changed}"


def window_text(scenario: Mapping[str, Any]) -> str:
    """The window of a scenario, with its last included day: 1 Sep 2020 – 26 Sep 2020; whole trace."""
    first, end = scenario["from"], scenario["to"]
    if not first and not end:
        return "whole trace"
    if not end:
        return f"{_day_text(first)} to the end"
    return f"{_day_text(first) if first else 'the beginning'} – {_day_text(end, before=True)}"


def moment(epoch_s: float) -> html.Time:
    """An instant as text in UTC: 30 Nov, 12:04 UTC."""
    instant = datetime.fromtimestamp(epoch_s, UTC)
    return html.Time(
        f"{instant.day} {instant:%b %Y, %H:%M} UTC", dateTime=instant.isoformat(timespec="seconds")
    )


def _day_text(text: str, *, before: bool = False) -> str:
    try:
        local_day = date.fromisoformat(text)
    except ValueError:
        return text.replace("T", " ")
    shown = local_day - timedelta(days=1) if before else local_day
    return f"{shown.day} {shown:%b %Y}"
