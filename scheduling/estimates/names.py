"""Job names: what stays the same when a job is submitted again, and the nearest name that came before.

A name's *template* is the name without what changes from one submission to the next: case, numbers, hashes,
and which separator is used. ``Bert-Pretrain.lr3e-4`` and ``bert_pretrain_lr1e-5`` have one template.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scheduling.compilation import kernel

LONGEST_TEMPLATE = 64
"""Bytes of a template that count; what follows is cut, so that a pasted command line costs no more."""

MOST_EDITS = 0.3
"""Templates are similar up to this many edits per byte of the longer one."""

MOST_LOOKED_AT = 24
"""How many of the user's most recent other templates are compared with a new one."""

MOST_PAIRED = 1024
"""Distances between this many templates are remembered: users of a cluster run the same programs."""

REWRITES = (
    (r"[0-9a-f]*[0-9][0-9a-f]{7,}|[0-9a-f]{7,}[0-9][0-9a-f]*", "#"),  # hashes: 8 or more hex digits
    (r"[0-9]+", "#"),
    (r"[^a-z#\x80-\x{10ffff}]+", "_"),
    (r"#(?:_?e?_?#)+", "#"),  # 3e-4, 0.9, 2020-09-01
)


def templates(names: "pd.Series[str]") -> "pd.Series[str]":
    """The template of each name, null where the name is null or blank."""
    code, distinct = pd.factorize(names)
    text = pc.utf8_lower(pa.array(distinct, type=pa.large_string(), from_pandas=True))
    for pattern, replacement in REWRITES:
        text = pc.replace_substring_regex(text, pattern, replacement)
    text = pc.utf8_slice_codeunits(pc.utf8_trim(text, "_"), 0, LONGEST_TEMPLATE)
    values = pd.Series(text.to_pandas(), dtype=object).replace("", None)
    number, template = pd.factorize(values)
    number = np.append(number, -1)[code]
    return pd.Series(pd.Categorical.from_codes(number, categories=template), index=names.index)


def spelled(words: "list[str] | pd.Index[str]") -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All words as UTF-8 below each other, and where each begins (one more entry than words)."""
    encoded = [word.encode()[:LONGEST_TEMPLATE] for word in words]
    first = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), first


@kernel
def edits(
    letters: NDArray[np.uint8],
    first: NDArray[np.int64],
    one: int,
    other: int,
    most: int,
    distance: NDArray[np.int64],
) -> int:
    """Edit distance (Levenshtein) of two spelled words; some number above ``most`` where it is more.

    ``distance`` is room for a row of the table: one more element than the other word has bytes.
    """
    a, b = first[one], first[other]
    rows, columns = first[one + 1] - a, first[other + 1] - b
    if abs(rows - columns) > most:
        return most + 1
    for j in range(columns + 1):
        distance[j] = j
    for i in range(rows):
        diagonal, distance[0] = distance[0], i + 1
        least = i + 1
        for j in range(columns):
            replaced = diagonal + (letters[a + i] != letters[b + j])
            diagonal = distance[j + 1]
            distance[j + 1] = min(replaced, diagonal + 1, distance[j] + 1)
            least = min(least, distance[j + 1])
        if least > most:
            return most + 1
    return int(distance[columns])


@kernel
def nearest_before(
    letters: NDArray[np.uint8],
    first: NDArray[np.int64],
    owner: NDArray[np.int64],
    word: NDArray[np.int64],
    looked_at: int,
    edits_per_byte: float,
) -> NDArray[np.int64]:
    """For each entry the earlier entry of its owner with the most similar word, −1 where none is similar.

    Entries (an owner, 0 or more, and one of its words) are in order of first use. Of equally similar words
    the latest wins; only the owner's latest ``looked_at`` ones are compared.
    """
    nearest = np.full(owner.size, -1)
    latest = np.full(owner.max() + 1 if owner.size else 0, -1)
    before, row = np.empty(owner.size, np.int64), np.empty(LONGEST_TEMPLATE + 1, np.int64)
    known = np.full((MOST_PAIRED, MOST_PAIRED), -1, np.int8)
    for entry in range(owner.size):
        before[entry] = latest[owner[entry]]
        latest[owner[entry]] = entry
        length = first[word[entry] + 1] - first[word[entry]]
        best, other = np.inf, before[entry]
        for _ in range(looked_at):
            if other < 0:
                break
            longer = max(length, first[word[other] + 1] - first[word[other]])
            one, two = word[entry], word[other]
            paired = one < MOST_PAIRED and two < MOST_PAIRED
            found = known[one, two] if paired else -1
            if found < 0:
                found = edits(letters, first, one, two, int(edits_per_byte * longer), row)
                if paired:
                    known[one, two] = found
            share = found / longer
            if share <= edits_per_byte and share < best:
                best, nearest[entry] = share, other
            other = before[other]
    return nearest
