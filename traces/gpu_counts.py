"""GPUs in Slurm's resource texts: trackable resources (TRES) and generic resources (GRES).

``billing=16,cpu=16,gres/gpu=4,gres/gpu:a100=4,node=1`` are 4 GPUs: in TRES the count without a type is the
total. ``gpu:tesla:3(IDX:0,2-3)`` are 3: commas in parentheses do not split. Syntax:
https://slurm.schedmd.com/tres.html and https://slurm.schedmd.com/gres.html.
"""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

_COMMA_OUTSIDE_PARENTHESES = re.compile(r",(?![^()]*\))")
_PARENTHESES = re.compile(r"\([^()]*\)")
_GPU = re.compile(r"(?:gres[/:])?gpu(?![\w-])(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_COUNT = re.compile(r"(\d+(?:\.\d+)?)([KMG]?)", re.ASCII)
_FACTOR = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}
"""``sacct`` without ``--noconvert`` shortens counts that 1024 divides."""


@dataclass(frozen=True)
class Gpus:
    """GPUs that a text names, and their types, the most frequent first."""

    count: float
    types: tuple[str, ...] = ()


def gpus(text: str) -> Gpus | None:
    """The GPUs in a TRES or GRES text; None where it names none, which is not the same as 0.

    Raises ValueError for a GPU entry without a readable count.
    """
    total: float | None = None
    typed: dict[str, float] = {}
    for item in _COMMA_OUTSIDE_PARENTHESES.split(text):
        found = _GPU.fullmatch(_PARENTHESES.sub("", item).strip())
        if found is None:
            continue
        kind, number = _kind_and_number(found["rest"])
        if kind:
            typed[kind] = typed.get(kind, 0) + number
        else:
            total = (total or 0) + number
    if total is None and not typed:
        return None
    types = tuple(sorted(typed, key=lambda kind: (-typed[kind], kind)))
    return Gpus(sum(typed.values()) if total is None else total, types)


def count(text: str) -> float:
    """A count such as ``4`` or ``2K``; ValueError for anything else."""
    found = _COUNT.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    return float(found[1]) * _FACTOR[found[2]]


def amount(text: str, resource: str) -> str:
    """What a TRES text says about `resource`, e.g. ``cpu``; an empty string where it is silent."""
    for item in text.split(","):
        name, _, value = item.strip().partition("=")
        if name == resource:
            return value
    return ""


def gpu_columns(columns: list[pd.Series]) -> pd.DataFrame:
    """GPUs per row from TRES and GRES columns, the first of `columns` that names GPUs deciding.

    Columns of the result: `gpu_num` (text: a number, empty where every column is empty, the column's own text
    where its count cannot be read; "0" where something is there and no GPU in it), `gpu_type` (text, types
    joined by commas) and `source` (index of the deciding column, −1 where none names GPUs).
    """
    index = columns[0].index
    result = pd.DataFrame({"gpu_num": "", "gpu_type": "", "source": -1}, index=index)
    open_rows = np.ones(len(index), dtype=bool)
    for number, texts in enumerate(columns):
        codes, distinct = pd.factorize(texts)
        read = [_texts(str(text)) for text in distinct]
        nums = np.array([each[0] for each in read] or [""], dtype=object)[codes]
        types = np.array([each[1] for each in read] or [""], dtype=object)[codes]
        named = open_rows & (nums != "")
        result.loc[named, "gpu_num"] = nums[named]
        result.loc[named, "gpu_type"] = types[named]
        result.loc[named, "source"] = number
        open_rows &= ~named
        silent = open_rows & (texts != "").to_numpy()
        result.loc[silent, "gpu_num"] = "0"
    return result


def _texts(text: str) -> tuple[str, str]:
    try:
        found = gpus(text)
    except ValueError:
        return text, ""
    return ("", "") if found is None else (f"{found.count:g}", ",".join(found.types))


def _kind_and_number(rest: str) -> tuple[str, float]:
    """Type and count of what follows ``gpu``: ``=4``, ``:a100=4``, ``:4``, ``:a100:4``, ``:a100``."""
    rest = rest.replace(":no_consume", "")
    name, equals, number = rest.partition("=")
    if equals:
        return name.removeprefix(":"), count(number)
    if not name:
        return "", 1
    if not name.startswith(":"):
        raise ValueError(rest)
    kind, colon, number = name[1:].rpartition(":")
    if colon:
        return kind, count(number)
    return ("", count(number)) if _COUNT.fullmatch(number) else (number, 1)
