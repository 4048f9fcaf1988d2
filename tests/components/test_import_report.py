"""The report of an import, its preview and its form as people read them."""

import dash_mantine_components as dmc

from components import import_form as form
from components.import_preview import import_preview
from components.import_report import effects_table, import_report
from components.import_status import failed, published, to_publish
from tests.components.text import text_of

REPORT = {
    "cluster": "Venus",
    "rows_read": 1000,
    "rows_kept": 990,
    "rows_flagged": {"end_before_start": 5},
    "rows_rejected": {"unparsable_submit_time": 10},
    "rejected_examples": [{"line": 41, "reason": "unparsable_submit_time", "text": "yesterday"}],
    "first_submit": "2020-09-01T00:00:00Z",
    "last_submit": "2020-09-14T12:30:00Z",
    "timezone": "Europe/Berlin",
    "gaps": {
        "rule": "",
        "count": 1,
        "longest": [{"from": "2020-09-03T00:00:00Z", "to": "2020-09-05T00:00:00Z", "duration_s": 172800.0}],
    },
    "headline": {"jobs": 990, "gpu_jobs": 700, "gpu_hours": 12345.6, "jobs_without_gpu_hours": 0},
    "effects": [
        {"outcome": "flagged", "reason": "end_before_start", "rows": 5, "gpu_hours": 2.5},
        {"outcome": "rejected", "reason": "unparsable_submit_time", "rows": 10, "gpu_hours": None},
    ],
    "notes": ["VCs with jobs and without capacity (unknown): vcX."],
}
PREVIEW = {
    "format": "csv",
    "why": "it is a table with the columns when, gpus",
    "columns": ["when", "gpus"],
    "rows": [["2020-09-01", "2"]],
    "mapped": {},
    "guessed": {"gpu_num": "gpus"},
}


def components(tree, kind):
    """Every component of a kind inside a tree."""
    if isinstance(tree, (list, tuple)):
        return [found for each in tree for found in components(each, kind)]
    inside = components(getattr(tree, "children", None), kind) if hasattr(tree, "children") else []
    return ([tree] if isinstance(tree, kind) else []) + inside


def test_the_report_tells_counts_reasons_lines_gaps_and_notes():
    shown = text_of(import_report(REPORT))
    for part in (
        "990",
        "99.0 % of 1,000 rows",
        "12,346",
        "700 jobs with GPUs",
        "Europe/Berlin",
        "41",
        "yesterday",
    ):
        assert part in shown, part
    for part in ("1 Sep 2020, 00:00 – 14 Sep 2020, 12:30 UTC", "2 d", "VCs with jobs and without capacity"):
        assert part in shown, part


def test_what_a_rule_costs_is_unknown_rather_than_zero():
    table = components(import_report(REPORT), dmc.Table)[0].data
    assert table["body"][0][-2:] == ["2.5", "0.02\u00a0%"]  # of 12,345.6 GPU-hours
    assert table["body"][1][-2:] == ["unknown", "unknown"]


def test_a_report_without_a_row_or_a_job_still_reads():
    empty = REPORT | {
        "rows_read": 0,
        "rows_kept": 0,
        "rows_rejected": {},
        "rejected_examples": [],
        "effects": [],
    }
    empty |= {"first_submit": None, "last_submit": None, "timezone": None, "headline": None, "notes": []}
    shown = text_of(import_report(empty | {"gaps": {"rule": "", "count": 0, "longest": []}}))
    assert "every row could be used" in shown
    assert "nan" not in shown


def test_an_addition_says_what_it_changed():
    shown = text_of(
        import_report(REPORT | {"changes": {"added": 2, "updated": 1, "unchanged": 4, "older": 0}})
    )
    assert "2 new, 1 updated, 4 there already, 0 older than what is stored" in shown


def test_the_preview_says_the_format_why_and_what_a_column_is_taken_for():
    shown = text_of(import_preview(PREVIEW, "jobs.csv", {"csv": "a table of jobs"}))
    assert "jobs.csv looks like a table of jobs" in shown
    assert "It is a table with the columns when, gpus." in shown
    assert "→ gpu_num (guess)" in shown


def test_an_unknown_format_is_said_and_shows_no_table():
    unknown = PREVIEW | {"format": None, "why": "x is in no format that is known.", "columns": [], "rows": []}
    shown = text_of(import_preview(unknown, "x", {}))
    assert "not recognized" in shown
    assert "no format that is known" in shown


def test_a_form_shows_the_fields_of_its_format_and_hides_the_others():
    facts = form.FormFacts(
        format="csv",
        columns=("when", "gpus"),
        guessed={"gpu_num": "gpus"},
        maps={"jobs_map": ("submit_time", "gpu_num"), "series_map": ("time", "used", "total")},
        needed={"jobs_map": ("submit_time", "gpu_num")},
    )
    whole = form.import_form(facts, ("cluster", "jobs_map"))
    places = {
        each.id["field"]: each.className
        for each in components(whole, object)
        if isinstance(getattr(each, "id", None), dict) and each.id["type"] == "import-field"
    }
    assert places["jobs_map"] == places["cluster"] == "field"
    assert places["series_map"] == places["vc_field"] == "field hidden"
    chosen = {
        each.id["column"]: each.value for each in components(whole, dmc.Select) if isinstance(each.id, dict)
    }
    assert chosen["gpu_num"] == "gpus"
    assert chosen["submit_time"] is None


def test_what_a_publication_replaces_is_said_before():
    assert "replaces what is stored there of Venus" in text_of(
        to_publish("mine", ["Venus", "Earth"], ["Venus"])
    )
    assert "replaces" not in text_of(to_publish("mine", ["Venus"]))


def test_a_publication_leads_to_the_overview_and_to_the_rejected_rows():
    shown = text_of(published("mine", "/?trace=mine", "/traces", {"Venus": "/x.csv"}))
    assert "mine is published" in shown
    assert "rejected rows of Venus (CSV)" in shown


def test_a_failure_says_that_nothing_was_changed():
    assert "Nothing was changed" in text_of(failed("publish", "The file is gone."))


def test_what_a_rule_did_stands_left_and_how_much_right():
    classes = {table.className for table in components(effects_table(REPORT), dmc.Table)}
    assert classes == {"data-table text-1 text-2"}
