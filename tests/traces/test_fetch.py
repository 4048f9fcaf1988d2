"""Downloading a release from a server of our own: progress, resuming, checking, and clear refusals."""

import hashlib
import http.server
import threading

import pytest

from traces import TraceError
from traces.fetch import Release, fetch

CONTENT = bytes(range(256)) * 4000


class Server(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT at /data.zip with ranges; /cut ends half-way; /plain knows no ranges."""

    asked: list[str]

    def do_GET(self):
        if self.path not in ("/data.zip", "/cut", "/plain"):
            self.send_error(404)
            return
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.path != "/plain" else 0
        self.server.asked.append(asked)
        if start >= len(CONTENT):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        end = len(CONTENT) // 2 if self.path == "/cut" else len(CONTENT)
        self.wfile.write(CONTENT[start:end])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    made.asked = []
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    made.address = f"http://127.0.0.1:{made.server_port}"
    yield made
    made.shutdown()
    made.server_close()


GOOD = hashlib.sha256(CONTENT).hexdigest()


def test_a_release_is_downloaded_with_its_progress_and_checked(server, tmp_path):
    heard = []
    release = Release(f"{server.address}/data.zip", len(CONTENT), GOOD)
    file = fetch(release, tmp_path / "d" / "data.zip", lambda done, total: heard.append((done, total)))
    assert file.read_bytes() == CONTENT
    assert heard[-1] == (len(CONTENT), len(CONTENT))
    assert not (tmp_path / "d" / "data.zip.part").exists()


def test_what_passes_the_check_is_not_downloaded_again(server, tmp_path):
    release = Release(f"{server.address}/data.zip", len(CONTENT), GOOD)
    fetch(release, tmp_path / "data.zip")
    fetch(release, tmp_path / "data.zip")
    assert len(server.asked) == 1


def test_an_interrupted_download_goes_on_where_it_stopped(server, tmp_path):
    with pytest.raises(TraceError, match="goes on from there"):
        fetch(Release(f"{server.address}/cut"), tmp_path / "data.zip")
    have = (tmp_path / "data.zip.part").stat().st_size
    assert 0 < have < len(CONTENT)
    assert not (tmp_path / "data.zip").exists()
    file = fetch(Release(f"{server.address}/data.zip", sha256=GOOD), tmp_path / "data.zip")
    assert server.asked[-1] == f"bytes={have}-"
    assert file.read_bytes() == CONTENT


def test_a_server_without_ranges_sends_all_of_it_again(server, tmp_path):
    (tmp_path / "data.zip.part").write_bytes(CONTENT[:1000])
    assert (
        fetch(Release(f"{server.address}/plain", sha256=GOOD), tmp_path / "data.zip").read_bytes() == CONTENT
    )


def test_a_part_that_is_longer_than_the_file_is_thrown_away(server, tmp_path):
    (tmp_path / "data.zip.part").write_bytes(CONTENT + b"more")
    assert (
        fetch(Release(f"{server.address}/data.zip", sha256=GOOD), tmp_path / "data.zip").read_bytes()
        == CONTENT
    )


def test_a_file_that_is_not_the_release_is_refused_and_nothing_is_left(server, tmp_path):
    with pytest.raises(TraceError, match="not the release: its SHA-256 is"):
        fetch(Release(f"{server.address}/data.zip", sha256="0" * 64), tmp_path / "data.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_address_and_no_network_are_said_in_one_sentence(server, tmp_path):
    with pytest.raises(TraceError, match="answers 404"):
        fetch(Release(f"{server.address}/nothing"), tmp_path / "data.zip")
    with pytest.raises(TraceError, match=r"cannot be reached .*HELIOGRAPH_HELIOS_URL"):
        fetch(Release("http://127.0.0.1:9/data.zip"), tmp_path / "data.zip")
    with pytest.raises(TraceError, match="cannot be reached"):
        fetch(Release("nonsense"), tmp_path / "data.zip")
