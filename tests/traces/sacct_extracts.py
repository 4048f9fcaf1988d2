"""Made-up extracts of sacct for tests."""

FIELDS = (  # noqa: SIM905
    "JobIDRaw|JobID|Cluster|Partition|QOS|Account|User|Submit|Eligible|Start|End|ElapsedRaw|State|NNodes|NCPUS|"
    "ReqTRES|AllocTRES|TimelimitRaw|NodeList|JobName"
).split("|")
DEFAULTS = {
    "JobIDRaw": "101",
    "JobID": "101",
    "Cluster": "alpha",
    "Partition": "gpu",
    "QOS": "normal",
    "Account": "physics",
    "User": "ann",
    "Submit": "2024-03-01T08:00:00",
    "Eligible": "2024-03-01T08:00:00",
    "Start": "2024-03-01T08:01:00",
    "End": "2024-03-01T09:01:00",
    "ElapsedRaw": "3600",
    "State": "COMPLETED",
    "NNodes": "1",
    "NCPUS": "8",
    "ReqTRES": "billing=8,cpu=8,gres/gpu=4,mem=64G,node=1",
    "AllocTRES": "billing=8,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=64G,node=1",
    "TimelimitRaw": "1440",
    "NodeList": "a01",
    "JobName": "train",
}
PENDING = {"Start": "Unknown", "End": "Unknown", "ElapsedRaw": "0", "State": "PENDING", "AllocTRES": ""}
RUNNING = {"End": "Unknown", "ElapsedRaw": "600", "State": "RUNNING"}


def job(number=101, **cells):
    """One row; `number` is its id unless the cells say otherwise."""
    return DEFAULTS | {"JobIDRaw": str(number), "JobID": str(number)} | cells


def extract(*rows, fields=FIELDS, delimiter="|", trailing=False):
    """The text that sacct prints for these rows."""
    end = delimiter if trailing else ""
    lines = [delimiter.join(fields) + end]
    lines += [delimiter.join(row[field] for field in fields) + end for row in rows]
    return "\n".join(lines) + "\n"
