"""Words for a job's state, as schedulers write them, in the vocabulary of `traces.schema.STATES`."""

import re

import pandas as pd

from traces.schema import STATES

_WORDS = {
    "COMPLETED": "COMPLETED COMPLETE COMPLETING PASS PASSED SUCCESS SUCCEEDED SUCCESSFUL DONE FINISHED",
    "CANCELLED": "CANCELLED CANCELED CANCEL KILLED KILL ABORTED STOPPED REVOKED",
    "FAILED": "FAILED FAIL FAILURE ERROR CRASHED",
    "TIMEOUT": "TIMEOUT TIMEDOUT TIMED_OUT TIME_OUT DEADLINE",
    "NODE_FAIL": "NODE_FAIL NODE_FAILED NODEFAIL NODE_FAILURE BOOT_FAIL",
    "OUT_OF_MEMORY": "OUT_OF_MEMORY OOM OUT_OF_ME OUTOFMEMORY OOMKILLED",
    "PREEMPTED": "PREEMPTED EVICTED",
    "RUNNING": "RUNNING",
    "PENDING": "PENDING QUEUED WAITING CONFIGURING",
    "SUSPENDED": "SUSPENDED",
    "OTHER": "OTHER",
    "UNKNOWN": "UNKNOWN NONE NULL NAN N/A NA",
}
_STATE = {word: state for state, words in _WORDS.items() for word in words.split()}


def state(word: str) -> str:
    """The state that `word` stands for: UNKNOWN for nothing, OTHER for a word we do not know.

    ``CANCELLED by 1001`` and the cut-off ``CANCELLED+`` are CANCELLED.
    """
    text = word.strip().upper()
    if not text:
        return "UNKNOWN"
    text = re.sub(r"^(CANCELL?ED) BY .*$", r"\1", text).rstrip("+")
    return _STATE.get(re.sub(r"[\s-]+", "_", text), "OTHER")


def normalized(words: pd.Series) -> tuple[pd.Series, tuple[str, ...]]:
    """The state of each row, as categories, and a note that names the unknown words once."""
    codes, distinct = pd.factorize(words)
    states = pd.Categorical([state(str(word)) for word in distinct], categories=STATES)
    unknown = [
        (str(word), int((codes == code).sum()))
        for code, word in enumerate(distinct)
        if states[code] == "OTHER" and str(word).strip().upper() != "OTHER"
    ]
    return pd.Series(states.take(codes), index=words.index), _note(unknown)


def _note(unknown: list[tuple[str, int]]) -> tuple[str, ...]:
    if not unknown:
        return ()
    listed = ", ".join(f"{word[:40]!r} ({rows} rows)" for word, rows in unknown[:10])
    rest = f" and {len(unknown) - 10} more" if len(unknown) > 10 else ""
    return (f"States that are not known are kept as OTHER: {listed}{rest}.",)
