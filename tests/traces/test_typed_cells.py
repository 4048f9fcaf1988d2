"""A log whose cells are read in their types becomes the same trace as one that is read over texts."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import clock, helios, schema, source_table, typed_cells
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.job_rows import job_rows

HEADER = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue"
TIMES = ["2020-04-01 00:00:00", "2020-04-01 00:00:09", "2020-07-03 23:59:59", "None", "", "nan", "2020-04-01"]
ODD_TIMES = [
    "2020-04-01T00:00:00Z",
    "soon",
    "1585670400",
    "0001-01-01 00:00:00",
    "2020-13-01 00:00:00",
    " Null",
]
NUMBERS = ["0", "1", "8", "0.5", "300", "None", "NaN", "", "-3", "1e3"]
ODD_NUMBERS = ["inf", "-nan", "+5", "0x1A", "1e999", " 7", "two", "1_000", "٣"]
WORDS = ["u1", "u2", "", " u1 ", "None", "ü"]
SUBMITS = [TIMES[0], TIMES[1], TIMES[2]]


def rows(times: list[str], numbers: list[str], submits: list[str]) -> st.SearchStrategy[list[str]]:
    time, number, word = st.sampled_from(times), st.sampled_from(numbers), st.sampled_from(WORDS)
    state = st.sampled_from(["COMPLETED", "FAILED", "", "Odd"])
    job = st.sampled_from(["1", "2", "3", "007", "x", ""])
    cells = st.tuples(
        *(job, word, word, number, number, number, state),
        *(st.sampled_from(submits), time, time, number, number),
    )
    return st.lists(cells.map(",".join), min_size=1, max_size=6)


LOGS = st.one_of(
    rows(TIMES, NUMBERS, SUBMITS),
    rows(TIMES, NUMBERS, TIMES),
    rows(TIMES + ODD_TIMES, NUMBERS + ODD_NUMBERS, TIMES + ODD_TIMES),
)


def brought_in(folder: Path) -> ClusterImport | str:
    try:
        return next(iter(helios.read(folder)))
    except TraceError as error:
        return str(error)


@given(lines=LOGS)
def test_types_change_nothing_of_what_a_log_becomes(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("helios") / "Venus"
    folder.mkdir()
    (folder / helios.LOG).write_text(
        "\n".join([HEADER, "9,u,v,1,1,1,FAILED,2020-04-01 00:00:00,,,1,1", *lines])
    )
    typed = brought_in(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(helios, "TYPES", {})
        texts = brought_in(folder)
    if isinstance(typed, str) or isinstance(texts, str):
        assert typed == texts
        return
    assert typed.report == texts.report
    assert typed.facts == texts.facts
    pd.testing.assert_frame_equal(typed.rejects, texts.rejects)
    assert schema.conformed(typed.jobs, schema.JOBS).equals(schema.conformed(texts.jobs, schema.JOBS))


def test_words_are_categories_where_the_reader_has_found_some_and_texts_elsewhere():
    log = f"{HEADER}\n" + "".join(
        f"{each},u{each % 2},v,1,1,1,FAILED,2020-04-01 00:00:00,,,1,1\n" for each in range(4)
    )
    table = source_table.table_of("log", log.encode(), helios.TYPES)
    words, texts = table.words("user"), source_table.table_of("log", log.encode()).words("user")
    assert isinstance(words.dtype, pd.CategoricalDtype)
    assert words.to_list() == texts.to_list() == ["u0", "u1", "u0", "u1"]
    blanks = source_table.table_of("log", log.replace(",u0,", ", u0,").encode(), helios.TYPES)
    assert blanks.words("user").to_list() == ["u0", "u1", "u0", "u1"]


def test_a_column_goes_when_all_that_is_made_of_it_is_read():
    text = "submit_time,gpu_num,seconds\n2024-03-01,1,60\n2024-03-02,2,30\n"
    table = source_table.table_of("jobs.csv", text.encode())
    columns = {"submit_time": "submit_time", "start_time": "submit_time", "gpu_num": "gpu_num"}
    rows = job_rows(table, columns, "UTC")
    assert table.columns == ["seconds"]
    assert rows.frame["start_time"].equals(rows.frame["submit_time"].rename("start_time"))
    assert table.rows_read == 2


def test_a_clean_log_is_read_in_its_types():
    log = f"{HEADER}\n1,u,v,2,4,1,FAILED,2020-04-01 00:00:00,None,None,0,5\n"
    table = source_table.table_of("log", log.encode(), helios.TYPES)
    assert table.cells.schema.field("submit_time").type == typed_cells.TIME
    assert table.cells["start_time"].null_count == 1
    assert table.cells.schema.field("gpu_num").type == pa.float64()
    assert replace(table, cells=table.cells.select(["user"])).text("user").to_list() == ["u"]


@pytest.mark.parametrize("cell", ["1e999", "-nan", "many"])
def test_one_cell_that_is_no_number_makes_all_cells_texts(cell):
    log = f"{HEADER}\n1,u,v,{cell},4,1,FAILED,2020-04-01 00:00:00,None,None,0,5\n"
    table = source_table.table_of("log", log.encode(), helios.TYPES)
    assert set(table.cells.schema.types) == {pa.string()}
    assert table.text("gpu_num").to_list() == [cell]


@given(
    minutes=st.lists(st.integers(0, 60 * 24 * 365), min_size=1, max_size=5),
    zone=st.sampled_from(
        ["Asia/Shanghai", "America/Los_Angeles", "UTC", "Asia/Kolkata", "Australia/Lord_Howe"]
    ),
)
def test_clocks_that_stand_still_are_converted_like_any_other(minutes, zone):
    local = pd.Series(pd.Timestamp("2017-01-01") + pd.to_timedelta(minutes, unit="min")).astype(
        "datetime64[us]"
    )
    quick = clock.to_utc(local, zone)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "_steady_offset", lambda *_: None)
        usual = clock.to_utc(local, zone)
    for one, other in zip(quick, usual, strict=True):
        pd.testing.assert_series_equal(one, other)
