"""A real server and a real worker over an empty data folder, with an import folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.server import serving
from tests.browser.what_ifs.conftest import working


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the server and the worker."""
    return tmp_path_factory.mktemp("imports")


@pytest.fixture(scope="package")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The import folder."""
    home = tmp_path_factory.mktemp("inbox")
    (home / "nodes.csv").write_text("vc,nodes\nvcA,4\nvcB,2\n")
    (home / "words.txt").write_text("nothing that could be a table of jobs")
    extract = "JobIDRaw|Partition|User|Submit|Start|End|State|AllocTRES\n"
    for day in (1, 2):
        times = f"2020-09-0{day}T10:00:00|2020-09-0{day}T10:05:00|2020-09-0{day}T12:00:00"
        extract += f"{day}|gpu|ada|{times}|COMPLETED|cpu=4,gres/gpu=2\n"
    (home / "sacct.txt").write_text(extract)
    return home


@pytest.fixture(scope="package")
def address(folder: Path, inbox: Path) -> Iterator[str]:
    """The address of a running server beside which a worker works."""
    with working(folder, IMPORT_FOLDER=str(inbox)), serving(folder, IMPORT_FOLDER=str(inbox)) as served:
        yield served
