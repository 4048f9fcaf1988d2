"""The form of an import: what the operator says about a file before it is checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from components.file_picker import small_upload
from components.labels import labelled

FORMAT, TRACE, CLUSTER = "import-format", "import-trace", "import-cluster"
TIMEZONE, FILE_TIMEZONE = "import-timezone", "import-file-timezone"
CAPACITY, CAPACITY_UPLOAD, GPUS_PER_NODE = "import-capacity", "import-capacity-file", "import-gpus-per-node"
VC_FIELD, OUTCOME, PSEUDONYMIZE = "import-vc-field", "import-adds", "import-pseudonymize"
PROCESSORS, IDS_FOLLOW, CHECK, CHECK_ERROR = (
    "import-processors",
    "import-ids-follow",
    "import-check",
    "import-check-error",
)
MAP_ERROR, OUTCOME_ERROR, PSEUDONYMIZE_ERROR = (
    "import-map-error",
    "import-adds-error",
    "import-pseudonymize-error",
)
ADD, REPLACE = "add", "replace"

MEANINGS = {
    "submit_time": "when the job was submitted",
    "gpu_num": "GPUs of the whole job",
    "duration_s": "seconds running",
    "start_time": "when it started",
    "end_time": "when it ended",
    "state": "how it ended",
    "vc": "virtual cluster, partition or queue",
    "user": "who submitted it",
    "job_name": "helps QSSF to predict",
    "job_id": "needed to add later files",
    "node_num": "nodes of the job",
    "cpu_num": "CPUs of the job",
    "gpu_type": "model of its GPUs",
    "queueing_delay_s": "seconds waiting",
    "priority": "the site's own, smallest first",
    "time": "when it was counted",
    "used": "nodes in use",
    "total": "nodes present",
}
"""Canonical columns in the order in which they are asked for, with what each is."""
MAIN_COLUMNS = 5


@dataclass(frozen=True)
class FormFacts:
    """What the form offers and begins with.

    ``mapped`` and ``guessed`` are {canonical: source}; ``maps`` the canonical columns of each map;
    ``capacity_files`` are options of the import folder; ``usual_traces`` a format's usual trace.
    """

    format: str | None = None
    formats: Mapping[str, str] = field(default_factory=dict)
    columns: Sequence[str] = ()
    mapped: Mapping[str, str] = field(default_factory=dict)
    guessed: Mapping[str, str] = field(default_factory=dict)
    maps: Mapping[str, Sequence[str]] = field(default_factory=dict)
    needed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    traces: Sequence[str] = ()
    usual_traces: Mapping[str, str] = field(default_factory=dict)
    timezones: Sequence[str] = ()
    capacity_files: Sequence[Mapping[str, str]] = ()
    upload_url: str = ""
    upload_mb: int = 1
    another: str = ""


def column_id(column: str) -> dict[str, str]:
    """The id of the control that maps a canonical column."""
    return {"type": "import-column", "column": column}


def field_id(name: str) -> dict[str, str]:
    """The id of the place of a field, which is hidden where the format does not use it."""
    return {"type": "import-field", "field": name}


def field_class(shown: bool) -> str:
    """The class of a field's place."""
    return "field" if shown else "field hidden"


def import_form(facts: FormFacts, uses: Sequence[str]) -> html.Div:
    """The form; ``uses`` are the fields of the format it begins with."""
    return html.Div(
        [
            html.Div(
                [
                    html.H2("What it is"),
                    dcc.Link("Another file", href=facts.another, className="link action"),
                ],
                className="card-heading",
            ),
            _format(facts),
            _names(facts),
            *(_place(name, content, uses) for name, content in _fields(facts)),
            html.Div(id=MAP_ERROR, className="field-error", role="alert"),
            dmc.Button("Check", id=CHECK, className="start", fullWidth=True, mt=4),
            html.Div(id=CHECK_ERROR, className="field-error", role="alert"),
            html.Div("A check reads the whole file and publishes nothing.", className="muted"),
        ],
        className="card scenario import-form",
    )


def _format(facts: FormFacts) -> dmc.Select:
    options = [{"value": name, "label": f"{name} · {about}"} for name, about in facts.formats.items()]
    return dmc.Select(
        id=FORMAT,
        label="Format",
        data=options,
        value=facts.format,
        allowDeselect=False,
        maxDropdownHeight=320,
    )


def _names(facts: FormFacts) -> dmc.Autocomplete:
    usual = facts.usual_traces.get(facts.format or "", "")
    help_text = "A new name, or a stored trace: a cluster of the same name is then replaced or added to."
    return dmc.Autocomplete(
        id=TRACE,
        label=labelled("Trace", help_text),
        data=list(facts.traces),
        value=usual,
        placeholder="its name",
    )


def _fields(facts: FormFacts) -> list[tuple[str, Any]]:
    zones = {"data": list(facts.timezones), "searchable": True, "clearable": True, "limit": 60}
    zones |= {"nothingFoundMessage": "no such time zone"}
    cluster_help = "Needed where the file does not say it. One file is one cluster, unless it names several."
    zone_help = "Of hours and weekdays in charts, and of times without an offset. Daylight saving is known."
    file_help = "Where the file's times are in another zone, such as UTC by TZ=UTC sacct."
    vc_help = "The field of sacct whose values are the virtual clusters."
    return [
        (
            "cluster",
            dmc.TextInput(id=CLUSTER, label=labelled("Cluster", cluster_help), placeholder="its name"),
        ),
        (
            "timezone",
            dmc.Select(
                id=TIMEZONE,
                label=labelled("Time zone of the site", zone_help),
                placeholder="such as Asia/Shanghai",
                **zones,
            ),
        ),
        (
            "file_timezone",
            dmc.Select(
                id=FILE_TIMEZONE,
                label=labelled("Time zone of the times in the file", file_help),
                placeholder="that of the site",
                **zones,
            ),
        ),
        (
            "vc_field",
            dmc.Select(
                id=VC_FIELD,
                label=labelled("Virtual cluster", vc_help),
                data=["Partition", "QOS", "Account"],
                value="Partition",
                allowDeselect=False,
            ),
        ),
        ("jobs_map", _map("jobs_map", facts)),
        ("series_map", _map("series_map", facts)),
        ("ids_follow_submission", _order()),
        (
            "processors_are_gpus",
            dmc.Switch(id=PROCESSORS, label="The processors of the file are GPUs", checked=False, size="sm"),
        ),
        ("capacity", _capacity(facts)),
        (
            "gpus_per_node",
            dmc.NumberInput(
                id=GPUS_PER_NODE, label="GPUs per node", placeholder="8", min=1, max=1024, allowDecimal=False
            ),
        ),
        ("adds", _outcome(facts.format)),
        ("pseudonymize", _pseudonymize()),
    ]


def _place(name: str, content: Any, uses: Sequence[str]) -> html.Div:
    return html.Div(content, id=field_id(name), className=field_class(name in uses))


def _map(kind: str, facts: FormFacts) -> html.Div:
    columns = sorted(facts.maps.get(kind, ()), key=list(MEANINGS).index)
    needed = facts.needed.get(kind, ())
    controls = [_column(column, facts, column in needed) for column in columns]
    first, more = controls[:MAIN_COLUMNS], controls[MAIN_COLUMNS:]
    folded = [html.Details([html.Summary(f"{len(more)} more columns"), *more], className="more-columns")]
    return html.Div(
        [
            html.Div("Columns", className="field-label"),
            html.Div(
                "What each column of ours is called in the file. A column that is cleared is not taken.",
                className="muted",
            ),
            *first,
            *(folded if more else []),
            *([html.Div(id=MAP_ERROR, className="field-error", role="alert")] if kind == "jobs_map" else []),
            *(
                [html.Div(id=f"{MAP_ERROR}-series", className="field-error", role="alert")]
                if kind != "jobs_map"
                else []
            ),
        ],
        className="column-map",
    )


def _column(column: str, facts: FormFacts, needed: bool) -> html.Div:
    value = facts.mapped.get(column) or facts.guessed.get(column)
    guess = " · guess" if column in facts.guessed else ""
    return html.Div(
        [
            html.Div(
                [
                    html.Code(column),
                    html.Span(" *" if needed else "", className="needed", title="needed"),
                    html.Div(f"{MEANINGS[column]}{guess}", className="muted"),
                ],
                className="column-name",
            ),
            dmc.Select(
                id=column_id(column),
                data=list(dict.fromkeys(name for name in facts.columns if name)),
                value=value,
                clearable=True,
                searchable=True,
                placeholder="not in this file",
                size="xs",
                **{"aria-label": f"Column of the file that is {column}"},
            ),
        ],
        className="column-row",
    )


def _order() -> html.Div:
    sentence = (
        "Of jobs submitted at the same moment, the one with the smaller number in job_id was first; else the "
        "order of the file holds."
    )
    return html.Div(
        [
            dmc.Switch(id=IDS_FOLLOW, label="Job ids follow submission", checked=False, size="sm"),
            html.Div(sentence, className="muted"),
        ]
    )


def _capacity(facts: FormFacts) -> html.Div:
    help_text = (
        "vc,nodes or vc,gpus, GPUs by date and VC, or the output of sinfo or scontrol show nodes. "
        "Without it, utilization is unknown."
    )
    return html.Div(
        [
            dmc.Select(
                id=CAPACITY,
                label=labelled("Capacity", help_text),
                data=list(facts.capacity_files),
                placeholder="not known",
                clearable=True,
                searchable=True,
            ),
            small_upload(CAPACITY_UPLOAD, facts.upload_url, facts.upload_mb),
        ]
    )


def usual_outcome(form: str | None) -> str:
    """What becomes of stored jobs where nothing is said: daily files of Slurm are added."""
    return ADD if form == "slurm" else REPLACE


def _outcome(form: str | None) -> html.Div:
    help_text = "Adding the same file twice, or overlapping files, gives the same table."
    return html.Div(
        [
            html.Div(labelled("Jobs of this cluster that are stored", help_text), className="field-label"),
            dmc.SegmentedControl(
                id=OUTCOME,
                data=[{"value": ADD, "label": "Add to them"}, {"value": REPLACE, "label": "Replace them"}],
                value=usual_outcome(form),
                fullWidth=True,
                size="xs",
            ),
            html.Div(id=OUTCOME_ERROR, className="field-error", role="alert"),
        ]
    )


def _pseudonymize() -> html.Div:
    help_text = "Replaces them by stable hashes; the salt stays in the data folder."
    label = labelled("Hide users and job names", help_text)
    return html.Div(
        [
            dmc.Switch(id=PSEUDONYMIZE, label=label, checked=False, size="sm"),
            html.Div(id=PSEUDONYMIZE_ERROR, className="field-error", role="alert"),
        ]
    )
