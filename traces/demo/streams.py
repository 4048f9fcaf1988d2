"""Named streams of random numbers: one per cluster and purpose, all from one seed."""

import zlib

import numpy as np


def stream(seed: int, *names: str) -> np.random.Generator:
    """The generator for `names` (e.g. a cluster and a purpose) under `seed`.

    Streams of different names are independent, and drawing from one never moves another, so a change in one
    part of the generator, or in the order in which parts run, leaves the others' numbers alone.
    """
    key = tuple(zlib.crc32(name.encode()) for name in names)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
