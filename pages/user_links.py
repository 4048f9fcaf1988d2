"""Where pages about users are: addresses by the name that visitors see, never by another one."""

from urllib.parse import quote, urlencode

from dash import get_relative_path

from components.filters import Filters


def user_address(shown: str, filters: Filters) -> str:
    """The page of the user who is shown as ``shown``."""
    return get_relative_path("/users/" + quote(shown, safe="")) + filters.query_string()


def finder_address(filters: Filters, **search: str) -> str:
    """The job finder with a search, such as ``user="ann"`` or ``gpu_num="8..8"``."""
    query = filters.query_string()
    return (
        get_relative_path("/jobs/find") + query + ("&" if query else "?") + urlencode(search, quote_via=quote)
    )
