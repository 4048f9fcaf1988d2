"""Users and job names as stable pseudonyms: the same text gives the same one, under a salt that stays here.

A user becomes ``u`` and ten letters or digits. A job name is replaced token by token: words and numbers each
get their own pseudonym and what stands between them stays, so that ``train_resnet_3`` and ``train_resnet_4``
still look alike. Frequencies and the number of tokens stay visible; that is the price of names that carry
information. Hashes are HMAC-SHA256 (RFC 2104) under the salt.
"""

import base64
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from traces.cluster_import import ClusterImport
from traces.errors import TraceError

SALT_BYTES = 32
USER_CHARACTERS, WORD_CHARACTERS, NUMBER_DIGITS = 10, 8, 6
WITHHELD = "(withheld)"
"""Stands for the texts of rejected rows, which may name people."""

_TOKEN = re.compile(r"[^\W\d_]+|\d+")


def salt(root: Path) -> bytes:
    """The salt of the data folder `root`, made at the first call; only its owner may read the file.

    Raises TraceError for a file that is no salt: with another salt old and new pseudonyms would not match.
    """
    path = Path(root) / "salt"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        _create(path)
    text = path.read_text(encoding="ascii", errors="replace").strip()
    if not re.fullmatch(rf"[0-9a-f]{{{2 * SALT_BYTES}}}", text):
        raise TraceError(
            f"{path} is no salt: restore it, or remove it and import pseudonymized traces again."
        )
    return bytes.fromhex(text)


def pseudonymized(item: ClusterImport, key: bytes) -> ClusterImport:
    """The import without the source's users and job names, and without the texts of rejected rows."""
    jobs = item.jobs
    if jobs is not None:
        changed = {
            name: _each(jobs[name], rule)
            for name, rule in (
                ("user", lambda text: user(text, key)),
                ("job_name", lambda text: job_name(text, key)),
            )
            if name in jobs
        }
        jobs = jobs.assign(**changed)
    examples = tuple(replace(each, text=WITHHELD) for each in item.report.rejected_examples)
    return replace(
        item,
        facts=replace(item.facts, pseudonymized=True),
        report=replace(item.report, rejected_examples=examples),
        jobs=jobs,
        rejects=None if item.rejects is None else item.rejects.assign(text=WITHHELD),
    )


def user(name: str, key: bytes) -> str:
    """The pseudonym of a user."""
    return "u" + _letters("user", name, key, USER_CHARACTERS)


def job_name(name: str, key: bytes) -> str:
    """The pseudonym of a job name, token by token; case does not matter."""
    return _TOKEN.sub(lambda token: _token(token[0], key), name)


def _token(token: str, key: bytes) -> str:
    if token.isdigit():
        number = int.from_bytes(_digest("number", token, key)[:8], "big")
        return f"{number % 10**NUMBER_DIGITS:0{NUMBER_DIGITS}d}"
    return _letters("word", token.lower(), key, WORD_CHARACTERS)


def _letters(kind: str, text: str, key: bytes, characters: int) -> str:
    return base64.b32encode(_digest(kind, text, key)).decode("ascii").lower()[:characters]


def _digest(kind: str, text: str, key: bytes) -> bytes:
    return hmac.new(key, f"{kind}\0{text}".encode("utf-8", errors="replace"), hashlib.sha256).digest()


def _each(texts: pd.Series, rule: Callable[[str], str]) -> pd.Series:
    """`rule` of every text, called once for each distinct one; missing texts stay missing."""
    codes, distinct = pd.factorize(texts)
    values = np.array([*(rule(str(text)) for text in distinct), None], dtype=object)
    return pd.Series(values[codes], index=texts.index, dtype="str")


def _create(path: Path) -> None:
    """Write a new salt beside and link it to its place, so that of two writers one wins and none is half."""
    temporary = path.with_name(f".salt-{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(SALT_BYTES) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass  # another writer was faster: its salt holds
    finally:
        temporary.unlink()
