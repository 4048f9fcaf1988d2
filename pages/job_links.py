"""Addresses of jobs: of one, and of those that a search finds.

The value of a search may leave places that a chart's point fills, such as ``duration_s="..{x}"``
(``assets/heliograph.js``, ``filled``).
"""

from urllib.parse import quote, urlencode

from dash import get_relative_path

from components.filters import Filters
from pages.scope import Scope


def job_address(trace: str, cluster: str, job_id: str) -> str:
    """Where a job's page is."""
    return get_relative_path("/jobs/" + "/".join(quote(part, safe="") for part in (trace, cluster, job_id)))


def finder_address(filters: Filters, **search: str) -> str:
    """The job finder with a search, such as ``user="ann"`` or ``gpu_num="8..8"``."""
    query = filters.query_string()
    wanted = urlencode(search, quote_via=quote, safe="{}")
    return f"{get_relative_path('/jobs/find')}{query}{'&' if query else '?'}{wanted}"


def any_gpus(scope: Scope) -> str:
    """The range of GPU counts that is every GPU job of a scope: from the least that one asks for on."""
    counts = scope.ask("gpu_count_cdf")["gpu_num"]
    return f"{counts.min():.15g}.." if len(counts) else "1.."


def gpus_address(filters: Filters, label: str, **search: str) -> str | None:
    """The jobs of a bar of GPU counts (``8``, ``≥ 64``) in the job finder; None for mixed counts."""
    least = label.removeprefix("≥ ")
    if not least.isdigit():
        return None
    return finder_address(filters, gpu_num=f"{least}.." if least != label else f"{least}..{least}", **search)
