"""gunicorn and one worker under one parent that stops both."""

import contextlib
import ctypes
import ipaddress
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

import click

import settings

_CONFIGURATION = Path(__file__).with_name("gunicorn.conf.py")
_STOP_S = 8.0


class ServeError(ValueError):
    """The server cannot be started like this; the text is one sentence for the user."""


def check(knobs: settings.Settings) -> None:
    """Refuse what would be unsafe or cannot work. Raises ServeError."""
    if not _is_loopback(knobs.host) and knobs.auth == "none" and not knobs.allow_unauthenticated_network:
        raise ServeError(
            f"Listening on {knobs.host} would show the data to everyone on the network: set "
            "HELIOGRAPH_AUTH=basic and HELIOGRAPH_AUTH_FILE, or, behind a proxy that has its own check, "
            "HELIOGRAPH_ALLOW_UNAUTHENTICATED_NETWORK=true."
        )
    if knobs.auth == "basic" and not (knobs.auth_file and knobs.auth_file.is_file()):
        raise ServeError(
            "HELIOGRAPH_AUTH=basic needs HELIOGRAPH_AUTH_FILE, a file of `user:hash` lines "
            "(heliograph password makes them)."
        )
    if _is_taken(knobs.host, knobs.port):
        raise ServeError(
            f"Port {knobs.port} of {knobs.host} is taken; stop what uses it or set HELIOGRAPH_PORT."
        )


def serve(knobs: settings.Settings, *, with_worker: bool = True) -> int:
    """Run the web server and the worker until SIGINT or SIGTERM; returns the exit code.

    Where one of the two ends by itself the other is stopped too, so that a supervisor sees it.
    """
    check(knobs)
    knobs.data.mkdir(parents=True, exist_ok=True)
    with _stop_signals() as stopping:
        children = [_start([sys.executable, "-m", "gunicorn", "-c", str(_CONFIGURATION)])]
        if with_worker:
            children.append(_start([sys.executable, "-m", "cli", "worker"]))
        announced = False
        while not stopping and all(child.poll() is None for child in children):
            if not announced and _answers(knobs):
                announced = True
                click.echo(f"Heliograph is at {address(knobs)}  (Ctrl-C stops it)")
            time.sleep(0.1)
        ended = [child.returncode for child in children if child.poll() is not None]
        _stop(children)
    if stopping:
        return 0
    click.echo(f"heliograph: a process of the server ended by itself (exit code {ended[0]}).", err=True)
    return 1


def address(knobs: settings.Settings) -> str:
    """The address to open in a browser."""
    host = "127.0.0.1" if knobs.host in ("0.0.0.0", "::") else knobs.host
    return f"http://{f'[{host}]' if ':' in host else host}:{knobs.port}{knobs.prefix}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_taken(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False


def _answers(knobs: settings.Settings) -> bool:
    try:
        with urllib.request.urlopen(f"{address(knobs)}health", timeout=1):
            return True
    except urllib.error.HTTPError:
        return True  # it answers, if only to ask who we are
    except OSError:
        return False


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    """A child in a session of its own: Ctrl-C reaches the parent alone, which then stops both in order."""
    return subprocess.Popen(command, start_new_session=True, preexec_fn=_die_with_parent, cwd=Path.cwd())


def _die_with_parent() -> None:
    """On Linux, have the kernel end this process when its parent is gone, even by SIGKILL."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def _stop(children: list[subprocess.Popen[bytes]]) -> None:
    """Ask every child to stop, then end what is left of their sessions."""
    for child in children:
        if child.poll() is None:
            child.terminate()
    deadline = time.monotonic() + _STOP_S
    for child in children:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(0.1, deadline - time.monotonic()))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


@contextlib.contextmanager
def _stop_signals():  # type: ignore[no-untyped-def]
    """A list that gets the signal's number once SIGINT or SIGTERM has arrived."""
    stopping: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        stopping.append(number)

    before = {each: signal.signal(each, note) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
