"""The one error type of this room."""

import re

LONGEST = 1500
"""Characters of a sentence; what a file holds may be quoted in it."""


class TraceError(ValueError):
    """A trace or a file that cannot be used; its text is one sentence: what is wrong, where, what to do.

    What it quotes stays on its line, may be written anywhere, and is cut in the middle where it is endless.
    """

    def __init__(self, sentence: str) -> None:
        plain = printable(re.sub(r"\s*[\r\n]+\s*", " ", sentence))
        if len(plain) > LONGEST:
            plain = f"{plain[: LONGEST // 2]} … {plain[-LONGEST // 2 :]}"
        super().__init__(plain)


def printable(text: str) -> str:
    """`text` with ? for what is no character: a file's name may hold bytes that are no text."""
    return text.encode("utf-8", errors="replace").decode("utf-8")
