"""Fields of ``sacct``: their names, and what a value of each may look like.

Names and forms are those of the manual page (https://slurm.schedmd.com/sacct.html). The shapes serve to put a
row's cells into the right columns when a free text holds the delimiter or a line break.
"""

import re

NAMES = frozenset(
    """
    account admincomment alloccpus allocgres allocnodes alloctres associd avecpu avecpufreq avediskread
    avediskwrite avepages averss avevmsize blockid cluster comment constraints consumedenergy
    consumedenergyraw container cputime cputimeraw dbindex derivedexitcode elapsed elapsedraw eligible end
    exitcode extra failednode flags gid group jobid jobidraw jobname layout licenses maxdiskread
    maxdiskreadnode maxdiskreadtask maxdiskwrite maxdiskwritenode maxdiskwritetask maxpages maxpagesnode
    maxpagestask maxrss maxrssnode maxrsstask maxvmsize maxvmsizenode maxvmsizetask mcslabel mincpu mincpunode
    mincputask ncpus nnodes nodelist ntasks partition planned plannedcpu plannedcpuraw priority qos qosraw
    qosreq reason reqcpufreq reqcpufreqgov reqcpufreqmax reqcpufreqmin reqcpus reqgres reqmem reqnodes
    reqtres reservation reservationid reserved resvcpu resvcpuraw restarts sluid start state stderr stdin
    stdout stdouterr steps stepid submit submitline suspended systemcomment systemcpu timelimit timelimitraw
    totalcpu tresusageinave tresusageinmax tresusageinmaxnode tresusageinmaxtask tresusageinmin
    tresusageinminnode tresusageinmintask tresusageintot tresusageoutave tresusageoutmax
    tresusageoutmaxnode tresusageoutmaxtask tresusageoutmin tresusageoutminnode tresusageoutmintask
    tresusageouttot uid user usercpu wckey wckeyid workdir
    """.split()  # noqa: SIM905
)
"""Names of fields in lower case; Slurm adds some with every release, so an unknown one is no error."""

FREE = frozenset(
    (
        *("jobname", "comment", "admincomment", "systemcomment", "workdir", "submitline", "extra", "reason"),
        *("constraints", "container", "reservation", "stdin", "stdout", "stderr", "wckey"),
    )
)
"""Fields that people fill: they may hold the delimiter, quotes and line breaks."""

LISTS = frozenset(("alloctres", "reqtres", "allocgres", "reqgres", "nodelist", "partition", "licenses"))
"""Fields whose values hold commas: they span cells where the comma is the delimiter."""

ID = r"\d+(?:_(?:\d+|\[[^\]|]*\]?\.*))?(?:\+\d+)?"
_TIME = r"(?:Unknown|None|N/A|[\d/][\d:T/. Z+-]*)?"
_ELAPSED = r"(?:UNLIMITED|Partition_Limit|INVALID|Unknown|None|[\d:.-]*)"
_NUMBER = r"(?:UNLIMITED|Partition_Limit|INVALID|Unknown|None|N/A|\d*(?:\.\d+)?[KMGTP]?(?:[nc])?)"
_TRES = r"(?:[^=,\s|]+=[^=,\s|]*(?:,[^=,\s|]+=[^=,\s|]*)*)?"
_SHAPES = {
    ID + r"(?:\.\S+)?": "jobid jobidraw",
    _TIME: "submit start end eligible",
    r"(?:[A-Za-z][A-Za-z0-9_-]*(?:\+| by \S+)?)?": "state",
    _ELAPSED: "elapsed timelimit suspended reserved planned",
    _NUMBER: "elapsedraw timelimitraw nnodes ncpus alloccpus allocnodes reqcpus reqnodes priority",
    _TRES: "alloctres reqtres",
    r"\S*": "user account partition qos cluster group uid gid allocgres reqgres",
    r"(?:None assigned|\S*)": "nodelist",
}
_SHAPE = {name: shape for shape, names in _SHAPES.items() for name in names.split()}
_COMPILED = {name: re.compile(shape, re.ASCII) for name, shape in _SHAPE.items()}

STRICT = frozenset(
    ("jobid", "jobidraw", "submit", "start", "end", "state", "elapsed", "elapsedraw", "alloctres", "reqtres")
)
"""Fields whose shape says something: a row that begins with one can be told from the rest of a job name."""


def fits(field: str, value: str) -> bool:
    """Whether `value` can be a value of `field` (a name in lower case)."""
    shape = _COMPILED.get(field)
    return shape is None or shape.fullmatch(value.strip()) is not None


def shape(field: str) -> str | None:
    """The regular expression that all values of `field` match entirely, None where anything goes."""
    return _SHAPE.get(field)


def is_header(cells: list[str]) -> bool:
    """Whether these cells are names of fields: an id among them, and nearly all of them known."""
    names = [cell.strip().lower() for cell in cells if cell.strip()]
    known = sum(name in NAMES for name in names)
    return bool({"jobid", "jobidraw"} & set(names)) and known >= max(2, 0.5 * len(names))
