"""What each format asks of the operator, and where a sentence about a mistake belongs."""

import re
from collections.abc import Mapping
from zoneinfo import available_timezones

from runs.scenario import ImportScenario
from traces import TraceError
from traces.columns import NOWHERE, SERIES_COLUMNS
from traces.formats import FORMATS
from traces.names import checked_name
from traces.schema import SOURCE_COLUMNS

_PUBLIC = ("cluster", "capacity", "pseudonymize")
USES: dict[str, tuple[str, ...]] = {
    "helios": ("pseudonymize",),
    "slurm": (
        *("cluster", "timezone", "file_timezone", "vc_field", "capacity", "gpus_per_node"),
        *("adds", "pseudonymize"),
    ),
    **dict.fromkeys(("philly", "pai", "openb", "spot", "acme"), _PUBLIC),
    "swf": ("cluster", "timezone", "capacity", "gpus_per_node", "processors_are_gpus"),
    "nodes": ("cluster", "timezone", "series_map"),
    "csv": (
        *("cluster", "timezone", "jobs_map", "ids_follow_submission", "capacity", "gpus_per_node"),
        *("adds", "pseudonymize"),
    ),
}
"""Fields of an import by format, beside the file, the format and the trace."""

NEEDS_CLUSTER = ("csv", "nodes", "swf")
MAPS: dict[str, tuple[str, ...]] = {"jobs_map": SOURCE_COLUMNS, "series_map": SERIES_COLUMNS}
NEEDED_COLUMNS = {"jobs_map": ("submit_time", "gpu_num"), "series_map": SERIES_COLUMNS}

_TITLES = {
    "timezone": "Time zone of the site",
    "file_timezone": "Time zone of the times in the file",
    "cluster": "Cluster",
    "trace": "Trace",
    "capacity": "Capacity",
    "gpus_per_node": "GPUs per node",
    "map": "Columns",
    "vc_field": "Virtual cluster",
    "pseudonymize": "Hide users and job names",
    "adds": "Replace them",
}
_OPTIONS = {
    "--file-timezone": "file_timezone",
    "--timezone": "timezone",
    "--cluster": "cluster",
    "--trace": "trace",
    "--capacity": "capacity",
    "--gpus-per-node": "gpus_per_node",
    "--map": "map",
    "--vc": "vc_field",
    "--pseudonymize": "pseudonymize",
    "--replace": "adds",
}
_OPTION = re.compile(
    r"--(?:map \w+=COLUMN|"
    + "|".join(sorted((name[2:] for name in _OPTIONS), key=len, reverse=True))
    + r")\b"
)


def refusals(scenario: ImportScenario) -> dict[str, str]:
    """What is wrong with what an operator said, by field; nothing where the file can be read."""
    said: dict[str, str] = {}
    if scenario.format not in FORMATS:
        said["format"] = "Say which format the file is in."
        return said
    if not (scenario.trace or FORMATS[scenario.format].trace):
        said["trace"] = "Name the trace: a new name, or a trace to add the cluster to."
    if not scenario.cluster and scenario.format in NEEDS_CLUSTER:
        said["cluster"] = "The file does not say which cluster it is of: name it."
    for field, name in (("trace", scenario.trace), ("cluster", scenario.cluster)):
        if name:
            _refuse_name(said, field, name)
    for field in ("timezone", "file_timezone"):
        zone = getattr(scenario, field)
        if zone and zone not in available_timezones():
            said[field] = f"There is no time zone {zone!r}: choose one of the list."
    if scenario.gpus_per_node is not None and scenario.gpus_per_node < 1:
        said["gpus_per_node"] = "A node has at least 1 GPU."
    if wrong := _map_refusal(scenario):
        said["map"] = wrong
    return said


def placed(sentence: str) -> tuple[str, str]:
    """The field that a sentence of an import is about ("" for none), with options named as the form does."""
    found = _OPTION.search(sentence)
    field = _OPTIONS[found[0].split(" ")[0]] if found else ""
    return field, _OPTION.sub(lambda option: f"“{_TITLES[_OPTIONS[option[0].split(' ')[0]]]}”", sentence)


def title(field: str) -> str:
    """What the form calls a field."""
    return _TITLES[field]


def _refuse_name(said: dict[str, str], field: str, name: str) -> None:
    try:
        checked_name(name, field)
    except TraceError as error:
        said[field] = str(error)


def _map_refusal(scenario: ImportScenario) -> str:
    kind = next((each for each in MAPS if each in USES[scenario.format]), None)
    if kind is None:
        return ""
    mapped: Mapping[str, str] = scenario.mapped
    missing = [name for name in NEEDED_COLUMNS[kind] if not mapped.get(name)]
    if missing:
        return f"Say which column of the file is {' and which is '.join(missing)}."
    sources = [source for source in mapped.values() if source != NOWHERE]
    twice = [source for source in sources if sources.count(source) > 1]
    if twice:
        names = " and ".join(name for name, source in mapped.items() if source == twice[0])
        return f"The column {twice[0]} is taken for {names}: it can be one of them."
    if kind == "jobs_map" and not mapped.get("job_id"):
        if scenario.adds:
            return "To add jobs to those that are stored, say which column is job_id."
        if scenario.ids_follow_submission:
            return "To order jobs by their ids, say which column is job_id."
    return ""
