"""sacct's text as a table: columns never shift, whatever a job is called."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.sacct_extracts import FIELDS, extract, job
from traces import TraceError
from traces.cell_alignment import aligned
from traces.sacct_table import sacct_table_of

NAME_FIRST = ["JobName", *FIELDS[:-1]]
NAME_INSIDE = [*FIELDS[:7], "JobName", *FIELDS[7:-1]]


def rows(text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    read = sacct_table_of("jobs.txt", data, **options)
    return read.table.cells.to_pylist(), read


def expected(*jobs, fields=FIELDS):
    return [{field.lower(): each[field] for field in fields} for each in jobs]


@pytest.mark.parametrize("trailing", [False, True])
@pytest.mark.parametrize("delimiter", ["|", ";", "\t", "@@", "^"])
def test_every_delimiter_reads_the_same(trailing, delimiter):
    jobs = [job(1), job(2, JobName="other")]
    found, _ = rows(extract(*jobs, delimiter=delimiter, trailing=trailing))
    assert found == expected(*jobs)


@pytest.mark.parametrize("fields", [FIELDS, NAME_FIRST, NAME_INSIDE], ids=["last", "first", "inside"])
@pytest.mark.parametrize("name", ["a|b", "a||", "|", '"quoted', "x|2024-03-01T08:00:00|y", "it's|5\" disk"])
@pytest.mark.parametrize("trailing", [False, True])
def test_a_name_with_the_delimiter_shifts_nothing(fields, name, trailing):
    jobs = [job(1), job(2, JobName=name), job(3)]
    found, read = rows(extract(*jobs, fields=fields, trailing=trailing))
    assert found == expected(*jobs, fields=fields)
    assert list(read.repaired) == [False, "|" in name, False]


@pytest.mark.parametrize("fields", [FIELDS, NAME_INSIDE], ids=["last", "inside"])
@pytest.mark.parametrize("name", ["two\nlines", "two\n\nlines", "a|b\nc|d", "many\n" * 20 + "lines"])
def test_a_name_with_line_breaks_is_one_row_and_later_line_numbers_stay_right(fields, name):
    jobs = [job(1, JobName=name), job(2), job(3)]
    found, read = rows(extract(*jobs, fields=fields))
    assert found == expected(*jobs, fields=fields)
    breaks = name.count("\n")
    assert list(read.table.line) == [2, 3 + breaks, 4 + breaks]


def test_bytes_that_are_no_utf8_cost_nothing_but_themselves():
    found, read = rows(extract(job(1, JobName="Jos@"), job(2)).encode().replace(b"@", b"\xe9"))
    assert [row["jobname"] for row in found] == ["Jos�", "train"]
    assert "not all UTF-8" in read.table.notes[0]


def test_a_truncated_last_line_is_rejected_with_its_number():
    text = extract(job(1), job(2))
    for cut in (-8, -40, -100, len(text) - text.rindex("2|2|") - 1):
        found, read = rows(text[: cut or None] if cut < 0 else text[: text.rindex("2|2|") + 1])
        if len(found) == 2:
            continue  # cut inside the name: a shorter name cannot be told from a whole one
        assert found == expected(job(1))
        assert [(each.line, each.reason) for each in read.table.malformed] == [(3, "wrong_number_of_columns")]


def test_a_row_that_fits_in_several_ways_is_rejected_and_not_guessed():
    fields = ["JobIDRaw", "JobName", "Comment", "Submit", "AllocTRES"]
    row = {
        "JobIDRaw": "1",
        "JobName": "a|b",
        "Comment": "c",
        "Submit": "2024-03-01T08:00:00",
        "AllocTRES": "cpu=1",
    }
    found, read = rows(extract(row, row | {"JobName": "a"}, fields=fields))
    assert len(found) == 1
    assert read.table.malformed[0].reason == "shifted_columns"


def test_dressed_files_read_the_same():
    text = extract(job(1), job(2))
    plain, _ = rows(text)
    for data in (
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        ("\n\n" + text.replace("\n", "\n\n")).encode(),
        gzip.compress(text.encode()),
    ):
        assert rows(data)[0] == plain


def test_a_table_that_was_written_again_as_csv_reads_the_same():
    quoted = "\n".join(
        ",".join(f'"{cell}"' for cell in line.split("|")) for line in extract(job(1), job(2)).splitlines()
    )
    assert rows(quoted)[0] == expected(job(1), job(2))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("a,b,c\n1,2,3\n", "no sacct output"),
        (extract(job()).split("\n", 1)[1], "no header line: run sacct without --noheader"),
        ('{"jobs": []}', "is JSON"),
        ("JobID   JobName  State\n------ ------ -----\n1 a COMPLETED\n", "aligned columns"),
        (extract(), "a header and no rows"),
        (extract(job(), fields=[*FIELDS, "User"]), "there twice"),
    ],
)
def test_what_is_no_extract_is_refused_with_the_remedy(text, sentence):
    with pytest.raises(TraceError, match=sentence):
        rows(text)


def test_extracts_with_other_fields_put_together_are_refused_with_the_line():
    swapped = [*FIELDS[:5], "User", "Account", *FIELDS[7:]]
    with pytest.raises(TraceError, match="line 3: another header"):
        rows(extract(job(1)) + extract(job(2), fields=swapped))
    with pytest.raises(TraceError, match="line 3: another header"):
        rows(extract(job(1)) + extract(job(2), fields=FIELDS[:-1]))


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=30)


@settings(max_examples=150, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=5), st.sampled_from([FIELDS, NAME_INSIDE]))
def test_no_name_moves_a_cell_of_another_column(names, fields):
    jobs = [job(number, JobName=name) for number, name in enumerate(names)]
    found, read = rows(extract(*jobs, fields=fields))
    assert len(found) + len(read.table.malformed) >= len(jobs)
    honest = {each["JobIDRaw"]: {field.lower(): each[field] for field in fields} for each in jobs}
    for row in found:
        if row["jobidraw"] in honest:  # a name may hold a line that looks like a row of its own
            mine = honest[row["jobidraw"]]
            assert {**row, "jobname": ""} == {**mine, "jobname": ""}


@given(st.lists(st.sampled_from(["1", "a", "2024-03-01", "x y", ""]), max_size=8))
def test_an_alignment_loses_and_invents_nothing(pieces):
    cells = aligned(pieces, ("jobid", "jobname", "submit"), "|")
    if cells is not None:
        assert "|".join(cells) == "|".join(pieces)
