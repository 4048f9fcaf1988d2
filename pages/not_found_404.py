"""The page of an address that leads nowhere; the server answers it with status 404."""

import dash
from dash import html

from components.notices import way_back


def layout(**_: object) -> html.Div:
    """Says so, and leads back."""
    return way_back("There is nothing at this address", "The link may be old, or a letter of it was lost.")


dash.register_page(__name__, layout=layout, title="Not found · Heliograph")
