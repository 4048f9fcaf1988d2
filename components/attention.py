"""What needs attention: one finding under the other, each with a link to the view that shows it."""

import pandas as pd
from dash import dcc, html

#: How urgent a finding is → what is read aloud for its dot.
TONES = {"bad": "urgent", "warn": "worth a look", "muted": "for information"}


def attention_list(findings: pd.DataFrame) -> html.Ul:
    """Rows of tone (a key of ``TONES``), title, text, href."""
    return html.Ul([_finding(row) for row in findings.itertuples()], className="attention")


def _finding(row: object) -> html.Li:
    return html.Li(
        [
            html.Span(className=f"attention-dot {row.tone}", role="img", **{"aria-label": TONES[row.tone]}),
            html.Div([dcc.Link(row.title, href=row.href, className="attention-title"), html.Div(row.text)]),
        ]
    )
