"""Where pages about users are: addresses by the name that visitors see, never by another one."""

from urllib.parse import quote

from dash import get_relative_path

from components.filters import Filters


def user_template(filters: Filters) -> str:
    """The page of the user whom the point of a chart names, which fills the address in."""
    return get_relative_path("/users/{x}") + filters.query_string()


def user_address(shown: str, filters: Filters) -> str:
    """The page of the user who is shown as ``shown``."""
    return get_relative_path("/users/" + quote(shown, safe="")) + filters.query_string()
