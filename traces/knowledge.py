"""Which of several rows about one job says the most, whatever the order in which they came.

An attempt of a job is (job_id, submit_time, start_time); a row without a start is about the attempt that has
one. Of the rows of an attempt the one that knows more wins: ended before running before pending, then the
later end, the longer duration, more known cells, and at last the text itself. That is a maximum in a total
order, so reading the same rows again, or in another order, gives the same table.
"""

import re

import numpy as np
import numpy.typing as npt
import pandas as pd

from traces import schema

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

IDENTITY = ["job_id", "submit_time"]
_STAGE = {"PENDING": 0, "RUNNING": 1, "SUSPENDED": 1, "OTHER": -1, "UNKNOWN": -1}
_ENDED = 2
_PENDING_ARRAY = re.compile(r"(\d+)_\[([^\]]*)\]?", re.ASCII)
_TASKS = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?", re.ASCII)
_LONGEST_LIST = 10_000
"""Arrays with more waiting tasks than this are kept as they are."""


def newest(jobs: pd.DataFrame) -> Mask:
    """True for each row that stays when every attempt keeps only the row that knows most about it.

    Needs job_id, submit_time and state; start_time, end_time, duration_s and the others are used where they
    are. A row such as ``123_[5-9]``, which stands for tasks that wait, goes when one of them has a row of its
    own or another row lists fewer of them.
    """
    stays = np.ones(len(jobs), dtype=bool)
    doubled = jobs.duplicated(IDENTITY, keep=False).to_numpy()
    if doubled.any():
        stays[np.flatnonzero(doubled)] = _newest_of_doubled(jobs[doubled].reset_index(drop=True))
    waiting = jobs["job_id"].str.contains("_[", regex=False).to_numpy(dtype=bool)
    if waiting.any():
        stays[_overtaken(jobs, waiting)] = False
    return stays


def requeued(jobs: pd.DataFrame) -> Mask:
    """True for each attempt after which the same user's job of the same id was submitted or started again."""
    keys = ["job_id", "user"] if "user" in jobs else ["job_id"]
    result = np.zeros(len(jobs), dtype=bool)
    doubled = np.flatnonzero(jobs.duplicated(keys, keep=False).to_numpy())
    if len(doubled):
        rows = _with_times(jobs.iloc[doubled].reset_index(drop=True))
        ordered = rows.sort_values(["submit_time", "start_time"], kind="stable", na_position="last")
        again = ordered.duplicated(keys, keep="last")
        result[doubled] = again.sort_index().to_numpy()
    return result


def _newest_of_doubled(jobs: pd.DataFrame) -> Mask:
    rows = _with_times(jobs)
    attempt = [*IDENTITY, "start_time"]
    stays = ~rows[attempt].assign(cells=fingerprints(rows)).duplicated(keep="last").to_numpy()
    rivals = np.flatnonzero(stays)
    rivals = rivals[rows.iloc[rivals].duplicated(attempt, keep=False).to_numpy()]
    if len(rivals):
        stays[rivals] = _best(rows.iloc[rivals].reset_index(drop=True), attempt)
    waits = (rows["start_time"].isna() & rows["end_time"].isna()).to_numpy() & (_stage(rows) < _ENDED)
    decided = rows.assign(further=~waits).groupby(IDENTITY, sort=False)["further"].transform("any")
    return np.asarray(stays & ~(waits & decided.to_numpy()), dtype=bool)


def _best(rows: pd.DataFrame, attempt: list[str]) -> Mask:
    """The row of each attempt that is the largest in the order of this module."""
    rank = pd.DataFrame(
        {
            "stage": _stage(rows),
            "end": rows["end_time"],
            "length": rows.get("duration_s", np.nan),
            "known": rows.drop(columns=["row", "flags"], errors="ignore").notna().sum(axis=1),
            "text": texts(rows),
        }
    )
    order = rank.sort_values(list(rank.columns), kind="stable", na_position="first").index
    best: Mask = ~rows.loc[order].duplicated(attempt, keep="last").sort_index().to_numpy()
    return best


def fingerprints(jobs: pd.DataFrame) -> npt.NDArray[np.uint64]:
    """A 64-bit hash of each row's canonical cells; equal rows have equal ones, whatever file they are from.

    Used only among the few rows of one attempt, where two different rows with one hash are no concern.
    """
    total = np.zeros(len(jobs), dtype=np.uint64)
    for name in _cells(jobs):
        values = jobs[name].astype(float) if name in schema.NUMBER_COLUMNS else jobs[name]
        known = values.notna().to_numpy()
        plain = values.astype(object).where(known, "") if name in schema.TEXT_COLUMNS else values
        hashed = pd.util.hash_array(plain.to_numpy())
        total = total * np.uint64(31) + np.where(known, hashed, np.uint64(7))
    return total


def _cells(jobs: pd.DataFrame) -> list[str]:
    return sorted(set(jobs.columns) & set(schema.SOURCE_COLUMNS))


def _with_times(jobs: pd.DataFrame) -> pd.DataFrame:
    absent = {name: pd.NaT for name in ("start_time", "end_time") if name not in jobs}
    return jobs.assign(**{name: pd.Series(pd.NaT, jobs.index, dtype="datetime64[us]") for name in absent})


def _stage(jobs: pd.DataFrame) -> Floats:
    """How far a job has come: 0 waiting, 1 running, 2 ended; by its times where the state does not say."""
    said = jobs["state"].astype(object).map(_STAGE).fillna(_ENDED).to_numpy(dtype=float)
    by_times = np.where(jobs["end_time"].notna(), _ENDED, np.where(jobs["start_time"].notna(), 1, 0))
    return np.where(said < 0, by_times, said)


def texts(jobs: pd.DataFrame) -> list[str]:
    """The canonical cells of each row as one text, the same for equal cells from whatever file."""
    cells = []
    for name in _cells(jobs):
        values = jobs[name].astype(float) if name in schema.NUMBER_COLUMNS else jobs[name]
        cells.append(values.astype(object).where(values.notna(), None))
    return [repr(row) for row in zip(*cells, strict=True)]


def _overtaken(jobs: pd.DataFrame, waiting: Mask) -> list[int]:
    """Positions of the rows for waiting tasks of which some have rows, or a shorter list, of their own."""
    ids = jobs["job_id"].to_numpy(dtype=object)
    submitted = jobs["submit_time"].to_numpy()
    own = set(ids[~waiting])
    lists: dict[tuple[str, object], list[tuple[int, frozenset[int]]]] = {}
    gone: set[int] = set()
    for at in np.flatnonzero(waiting & (jobs["state"] == "PENDING").to_numpy()):
        found = _PENDING_ARRAY.fullmatch(str(ids[at]))
        tasks = _tasks(found[2]) if found else None
        if found is None or tasks is None:
            continue
        if any(f"{found[1]}_{task}" in own for task in tasks):
            gone.add(int(at))
        lists.setdefault((found[1], submitted[at]), []).append((int(at), tasks))
    for group in lists.values():
        gone |= {at for at, tasks in group if any(other < tasks for _, other in group)}
    return sorted(gone)


def _tasks(listed: str) -> frozenset[int] | None:
    """The task numbers in ``1,3-9%2``; None where the list is cut off (``1-3,...``), or too long."""
    tasks: set[int] = set()
    for piece in listed.partition("%")[0].split(","):
        found = _TASKS.fullmatch(piece.strip())
        if found is None or len(found[0]) > 24:
            return None
        last = int(found[2] or found[1])
        if last - int(found[1]) > _LONGEST_LIST or len(tasks) > _LONGEST_LIST:
            return None
        tasks.update(range(int(found[1]), last + 1, max(1, int(found[3] or 1))))
    return frozenset(tasks)
