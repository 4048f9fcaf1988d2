"""Addresses of jobs."""

from urllib.parse import quote

from dash import get_relative_path


def job_address(trace: str, cluster: str, job_id: str) -> str:
    """Where a job's page is."""
    return get_relative_path("/jobs/" + "/".join(quote(part, safe="") for part in (trace, cluster, job_id)))
