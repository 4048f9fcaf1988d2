"""What stands between the pages and the network: security policy, headers, HTTP basic authentication."""

from functools import lru_cache
from pathlib import Path

from flask import Flask, Response, request
from werkzeug.security import check_password_hash, generate_password_hash

#: Marks the app's own first request in its WSGI environment, where no HTTP request can write.
WARMING = "heliograph.warming"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityError(ValueError):
    """Authentication that cannot work as it is set; the text is one sentence for the operator."""


def content_security_policy(script_hashes: list[str]) -> str:
    """The policy: everything from this server; of inline scripts, only those with these hashes."""
    scripts = " ".join(["'self'", *script_hashes])
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def add_headers(server: Flask) -> dict[str, str]:
    """Send the returned headers with every response; the app adds the policy once its scripts are known."""
    headers = dict(HEADERS)

    @server.after_request
    def add(response: Response) -> Response:
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        return response

    return headers


def require_password(server: Flask, file: Path | None, open_paths: tuple[str, ...]) -> None:
    """Ask for a name and a password that ``file`` knows on every path except ``open_paths``.

    Raises:
        SecurityError: there is no such file, or a line of it is not ``user:hash``.
    """
    users = read_users(file)
    nobody = generate_password_hash("nobody")
    # A page makes dozens of requests and a hash takes tens of ms by design: remember what was right.
    passes = lru_cache(maxsize=256)(
        lambda user, password: check_password_hash(users.get(user, nobody), password)
    )

    @server.before_request
    def ask() -> Response | None:
        if request.path in open_paths or WARMING in request.environ:
            return None
        given = request.authorization
        if (
            given
            and given.type == "basic"
            and given.username in users
            and passes(given.username, given.password or "")
        ):
            return None
        return Response(
            "A name and a password are needed.",
            401,
            {"WWW-Authenticate": 'Basic realm="Heliograph", charset="UTF-8"'},
        )


def read_users(file: Path | None) -> dict[str, str]:
    """User → password hash of a file of ``user:hash`` lines; blank lines and ``#`` comments are skipped.

    Raises:
        SecurityError: there is no such file, it names nobody, or a line is not ``user:hash``.
    """
    if file is None or not file.is_file():
        raise SecurityError("HELIOGRAPH_AUTH=basic needs HELIOGRAPH_AUTH_FILE, a file of user:hash lines.")
    users: dict[str, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        user, colon, password_hash = line.strip().partition(":")
        if not (user and colon and "$" in password_hash):
            raise SecurityError(
                f"{file}, line {number}: not user:hash; `heliograph password` prints such lines."
            )
        users[user] = password_hash
    if not users:
        raise SecurityError(f"{file} names no user; `heliograph password` prints lines for it.")
    return users
