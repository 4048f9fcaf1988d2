"""Where a file for an import comes from: the visitor's machine, or the server's import folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from components.numbers import count, size


@dataclass(frozen=True)
class OfferedFile:
    """A file of the import folder, or a folder there (``bytes`` None): its path in it and its link."""

    path: str
    bytes: int | None
    modified: str
    href: str


def upload_ids(name: str) -> dict[str, str]:
    """The ids of an upload called ``name``: what came of it, its progress, what went wrong, its place."""
    return {part: f"{name}-{part}" for part in ("uploaded", "bar", "error", "place")}


def drop_zone(name: str, url: str, most_mb: int) -> html.Div:
    """Takes a file by drop or choice and sends it to ``url`` (``assets/importing.js``).

    The store ``<name>-uploaded`` then holds ``{"source", "name"}``.
    """
    ids = upload_ids(name)
    return html.Div(
        [
            html.Div("Drop a file here", className="drop-title"),
            html.Div(
                "sacct output, CSV, parquet, JSON, SWF or node counts; plain, .gz or .zip; "
                f"at most {count(most_mb)} MB",
                className="muted",
            ),
            choose_button(name, "Choose a file"),
            *upload_parts(ids),
        ],
        className="drop-zone",
        id=ids["place"],
        **upload_data(name, url, most_mb),
    )


def small_upload(name: str, url: str, most_mb: int) -> html.Div:
    """The same as one line, for a file that is not always there."""
    ids = upload_ids(name)
    return html.Div(
        [choose_button(name, "Upload one", size="compact-xs", variant="subtle"), *upload_parts(ids)],
        className="small-upload",
        id=ids["place"],
        **upload_data(name, url, most_mb),
    )


def choose_button(name: str, label: str, **look: Any) -> html.Div:
    """Opens the browser's file dialog."""
    style = {"size": "xs", "variant": "default"} | look
    return html.Div(dmc.Button(label, id=f"{name}-choose", **style), **{"data-choose": name})


def upload_parts(ids: dict[str, str]) -> list[Any]:
    """What the browser fills while it sends a file."""
    return [
        dmc.Progress(id=ids["bar"], value=0, size="sm", className="upload-bar", **{"aria-label": "Upload"}),
        html.Div(id=ids["error"], className="field-error", role="alert"),
        dcc.Store(id=ids["uploaded"]),
    ]


def upload_data(name: str, url: str, most_mb: int) -> dict[str, str]:
    """What ``assets/importing.js`` reads from the element."""
    return {"data-upload": name, "data-url": url, "data-most-mb": str(most_mb)}


def folder_list(files: Sequence[OfferedFile], setting: str) -> html.Div:
    """The files of the import folder; where none is set, how to set one."""
    if not files:
        return html.Div(
            [
                "Files on the server can be imported without an upload: mount them into the container "
                "and name their folder in ",
                html.Code(setting),
                ".",
            ],
            className="muted",
        )
    rows = [
        html.Tr(
            [
                html.Td(dcc.Link(file.path, href=file.href, className="link")),
                html.Td("folder" if file.bytes is None else size(file.bytes), className="right"),
                html.Td(file.modified, className="right muted"),
            ]
        )
        for file in files
    ]
    return html.Div(html.Table(html.Tbody(rows), className="folder-list"), className="table-scroll")
