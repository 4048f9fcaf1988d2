"""Sentences in place of something: demo banner, error, nothing to show, unknown page, first start."""

import dash_mantine_components as dmc
from dash import dcc, get_relative_path, html


def demo_banner() -> html.Div:
    """What stands above every page of a generated trace."""
    return html.Div(
        "Generated demo data, shaped like the published Helios clusters — not a real datacenter.",
        className="banner",
    )


def notice(sentence: str) -> html.Div:
    """An error as the sentence that says what to do."""
    return html.Div(sentence, className="notice", role="alert")


def empty(sentence: str) -> html.Div:
    """Why there is nothing to draw."""
    return html.Div(sentence, className="empty")


def way_back(title: str, sentence: str) -> html.Div:
    """A whole page that says what is wrong and leads back."""
    return html.Div(
        [
            html.H1(title),
            html.P(sentence, className="answer"),
            html.P(
                [
                    dcc.Link("Open the overview", href=get_relative_path("/"), className="link"),
                    " · ",
                    dcc.Link(
                        "See which traces are stored", href=get_relative_path("/traces"), className="link"
                    ),
                ]
            ),
        ],
        className="page",
    )


def import_link(text: str) -> dcc.Link:
    """Leads to the import of a file."""
    return dcc.Link(text, href=get_relative_path("/traces/import"), className="primary-link")


def welcome() -> html.Div:
    """The page of an empty data folder: how to bring in a trace, or make the demo."""
    steps = [
        (
            "Make a demo datacenter",
            "heliograph demo",
            "Four clusters, six months, about 70,000 jobs, in a few seconds.",
        ),
        (
            "Import your own jobs",
            "heliograph import csv jobs.csv --trace mine --cluster gpu --timezone Europe/Berlin",
            "Any CSV with submission times, durations and GPU counts; --map names your columns.",
        ),
        (
            "Import the Helios traces",
            "heliograph import helios data.zip",
            "The published traces of four clusters, 3.4 million jobs.",
        ),
    ]
    return html.Div(
        [
            html.H1("There is no trace here yet"),
            html.P("Bring one in here or with the command line; the pages then show it.", className="answer"),
            html.Div(
                [
                    html.H2("Import your own file in the browser"),
                    html.P(
                        "sacct output, any table of jobs, a published trace: look at it, check it, publish.",
                        className="muted",
                    ),
                    import_link("Import a file"),
                ],
                className="card first-step",
            ),
            dmc.Stack(
                [
                    html.Div(
                        [
                            html.H2(title),
                            html.Pre(command, className="command"),
                            html.P(text, className="muted"),
                        ],
                        className="card",
                    )
                    for title, command, text in steps
                ],
                gap=12,
            ),
        ],
        className="page",
    )
