"""Whether ids are all different, in less memory than a hash table of millions of texts would take."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

CHUNK_ROWS = 50_000
LONGEST_ID = 200
"""Bytes of an id up to which fingerprints are made; longer ones are compared as they are."""

Words = npt.NDArray[np.uint64]


def are_distinct(ids: pa.Array | pa.ChunkedArray) -> bool:
    """Whether no text is there twice: different fingerprints prove it, else the texts are compared."""
    texts = pa.chunked_array([ids]) if isinstance(ids, pa.Array) else ids
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    if texts.null_count == 0 and longest <= LONGEST_ID:
        found = np.sort(_fingerprints(texts, longest))
        if (found[1:] != found[:-1]).all():
            return True
    return bool(pc.count_distinct(texts).as_py() == len(texts))


def _fingerprints(texts: pa.ChunkedArray, longest: int) -> Words:
    """Multilinear hashes: the sum over an id's bytes, each times the weight of its place, modulo 2^64."""
    weights = np.random.default_rng(0).integers(1, 2**63, size=longest + 1, dtype=np.uint64) | np.uint64(1)
    parts = [
        _of_chunk(chunk.slice(start, CHUNK_ROWS), weights)
        for chunk in texts.chunks
        for start in range(0, len(chunk), CHUNK_ROWS)
    ]
    return np.concatenate(parts) if parts else np.array([], dtype=np.uint64)


def _of_chunk(chunk: pa.Array, weights: Words) -> Words:
    lengths = pc.binary_length(chunk).to_numpy().astype(np.int64)
    closed = pc.binary_join_element_wise(chunk.cast(pa.string()), "\1", "")  # no id is without bytes
    ends = np.cumsum(lengths + 1)
    starts = ends - lengths - 1
    data = np.frombuffer(closed.buffers()[2], dtype=np.uint8, count=int(ends[-1]))
    place = np.arange(len(data)) - np.repeat(starts, lengths + 1)
    hashed: Words = np.add.reduceat(data.astype(np.uint64) * weights[place], starts)
    return hashed
