"""The server and its worker under one parent."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import serving
import settings
from tests.browser.server import START_S, STOP_S, free_port


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def server(small_trace, port, monkeypatch):
    monkeypatch.setenv("HELIOGRAPH_PORT", str(port))
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def wait_for_page(port, path="/", timeout_s=START_S):
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.1)
    return None


def descendants(pid):
    """Processes that come from ``pid``, found by parent and by session."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True)
    parents = {}
    for line in listing.stdout.splitlines():
        child, parent, state = line.split()
        if not state.startswith("Z"):
            parents[int(child)] = int(parent)
    found, grew = {pid}, True
    while grew:
        new = {child for child, parent in parents.items() if parent in found} - found
        grew = bool(new)
        found |= new
    return found - {pid}


def whole_family(pid, timeout_s=START_S):
    """Descendants of a server that is up: gunicorn, its two workers, and the worker for runs."""
    deadline = time.monotonic() + timeout_s
    while len(family := descendants(pid)) < 4 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(family) >= 4
    return family


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def all_gone(pids):
    deadline = time.monotonic() + STOP_S
    while time.monotonic() < deadline and any(alive(pid) for pid in pids):
        time.sleep(0.1)
    return not [pid for pid in pids if alive(pid)]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_signal_ends_the_server_and_leaves_no_process_behind(server, port, end):
    assert wait_for_page(port) == 200
    family = whole_family(server.pid)
    assert f"http://127.0.0.1:{port}/" in server.stdout.readline()
    server.send_signal(end)
    assert server.wait(STOP_S) == 0
    assert all_gone(family)


def test_a_parent_that_is_killed_takes_its_children_with_it(server, port):
    assert wait_for_page(port) == 200
    family = whole_family(server.pid)
    server.kill()
    assert all_gone(family)


def test_when_one_process_ends_by_itself_the_other_is_stopped_too(server, port):
    assert wait_for_page(port) == 200
    family = whole_family(server.pid)
    worker = next(pid for pid in family if "worker" in Path(f"/proc/{pid}/cmdline").read_text())
    os.kill(worker, signal.SIGKILL)
    assert server.wait(STOP_S) == 1
    assert all_gone(family)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.test"])
def test_listening_beyond_loopback_without_a_password_is_refused(host):
    with pytest.raises(serving.ServeError, match="HELIOGRAPH_AUTH=basic"):
        serving.check(settings.Settings(host=host))


def test_a_network_without_authentication_has_to_be_asked_for_by_name(port):
    serving.check(settings.Settings(host="0.0.0.0", port=port, allow_unauthenticated_network=True))


def test_basic_authentication_needs_its_file(tmp_path, port):
    with pytest.raises(serving.ServeError, match="HELIOGRAPH_AUTH_FILE"):
        serving.check(settings.Settings(auth="basic", auth_file=tmp_path / "none"))
    (tmp_path / "users").write_text("a:b\n")
    serving.check(settings.Settings(host="0.0.0.0", port=port, auth="basic", auth_file=tmp_path / "users"))


def test_a_port_that_is_taken_is_named():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(serving.ServeError, match=str(port)):
            serving.check(settings.Settings(port=port))
