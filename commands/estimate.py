"""``estimate``: what QSSF's estimates are worth."""

from typing import Any

import click

from commands.options import json_option, window_options
from commands.terminal import print_json, say


@click.command()
@click.option("--trace", required=True, help="Trace whose jobs to estimate.")
@click.option("--cluster", "clusters", multiple=True, help="Cluster to estimate; all where none is given.")
@window_options
@click.option(
    "--ends",
    type=click.Choice(["recorded", "simulated"]),
    help="Which ends tell that a job is over: the trace's, or those of a FIFO replay; recorded where known.",
)
@json_option
def estimate(
    trace: str, clusters: tuple[str, ...], from_: str, to: str, ends: Any, as_document: bool
) -> None:
    """Estimate jobs as of their submission, beside plain controls and on replay."""
    from runs import estimation

    document = estimation.study(estimation.EstimateScenario(trace, clusters, from_, to, ends), say)
    say(1.0, "Done")
    print_json(document) if as_document else _say_document(document)


def _say_document(document: dict[str, Any]) -> None:
    for part in document["clusters"]:
        model = part["model"]
        fitted = f"a model of {model['jobs']:,} jobs" if model else "no model (too few jobs ended before)"
        click.echo(f"{part['cluster']}: {part['jobs']:,} jobs, {part['ends']} ends, {fitted}")
        _say_table(
            ["estimator", "≤10 %", "≤50 %", "≤100 %", "≤1000 %", "rank", "within GPUs"],
            [[name, *_accuracy(row)] for name, row in part["estimators"].items()],
        )
        _say_table(
            ["rung", "≤10 %", "≤50 %", "≤100 %", "≤1000 %", "rank", "within GPUs", "share"],
            [[row["rung"], *_accuracy(row), _share(row["share"])] for row in part["rungs"]],
        )
        _say_table(
            ["order", "mean wait s", "mean JCT s", "gap closed"],
            [
                [
                    row["order"],
                    *(_seconds(row[key]) for key in ("avg_queueing_delay_s", "avg_jct_s")),
                    _share(row["closed_gap"]),
                ]
                for row in part["schedules"]
            ],
        )
        for note in part["notes"]:
            click.echo(f"  {note}")


def _accuracy(row: dict[str, Any]) -> list[str]:
    ranks = [row["rank_correlation"], row["rank_correlation_within_gpus"]]
    return [_share(each) for each in row["within"].values()] + [
        "unknown" if each is None else f"{each:.2f}" for each in ranks
    ]


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"


def _seconds(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}"


def _say_table(header: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(len(header))]
    for row in [header, *rows]:
        first, *rest = [f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(["", row[0].ljust(len(first)), *rest]))
