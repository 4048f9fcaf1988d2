"""Fewer points of a line that look the same: for figures of at most ``SERIES_POINTS`` points a line."""

import numpy as np
import pandas as pd
from tsdownsample import MinMaxLTTBDownsampler

from components.figures.template import SERIES_POINTS


def thinned(line: pd.DataFrame, column: str, most: int = SERIES_POINTS) -> pd.DataFrame:
    """At most ``most`` rows of a regular series, chosen so that ``column`` keeps its shape, peaks and gaps.

    The rows of a gap (nulls) are represented by its first one, so that a line still breaks there.
    """
    values = line[column].to_numpy(dtype=float)
    if len(values) <= most:
        return line
    unknown = np.isnan(values)
    gaps = np.flatnonzero(unknown & ~np.r_[False, unknown[:-1]])[: most // 4]
    known = np.flatnonzero(~unknown)
    wanted = most - len(gaps)
    if len(known) > wanted:
        known = known[MinMaxLTTBDownsampler().downsample(values[known], n_out=wanted)]
    return line.iloc[np.union1d(known, gaps)]


def changes(line: pd.DataFrame, *columns: str, most: int = SERIES_POINTS) -> pd.DataFrame:
    """The rows of step functions at which one of ``columns`` changes, their neighbors of a gap, both ends.

    Exact, unless they are too many: then they are thinned by the first column.
    """
    values = line[list(columns)]
    differs = (values.ne(values.shift()) & ~(values.isna() & values.shift().isna())).any(axis=1)
    before_unknown = (values.notna() & values.shift(-1).isna()).any(
        axis=1
    )  # so that the step reaches the gap
    ends = np.isin(np.arange(len(line)), (0, len(line) - 1))
    kept = line[differs | before_unknown | ends]
    return thinned(kept, columns[0], most)
