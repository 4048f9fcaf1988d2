"""GPU types that jobs ask for, as classes of jobs that the same nodes suit."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class JobClasses:
    """``number`` is the class of each job, 0 for any type; ``types`` are the GPU types of class 1, 2, …"""

    number: NDArray[np.int64]
    types: tuple[frozenset[str], ...]


def job_classes(jobs: pd.DataFrame, present: frozenset[str]) -> JobClasses:
    """The classes of jobs where nodes of the types ``present`` exist.

    A job's ``gpu_type`` is one type or several with ``|`` between them; without one, and where no type of
    any node is known, a job runs on any node.
    """
    if not present or "gpu_type" not in jobs.columns:
        return JobClasses(np.zeros(len(jobs), dtype=np.int64), ())
    code, asked = pd.factorize(jobs["gpu_type"].astype(object))
    types = [frozenset(part for part in str(each).split("|") if part) for each in asked]
    classes = sorted({each for each in types if each}, key=sorted)
    numbers = np.array([classes.index(each) + 1 if each else 0 for each in types] + [0], dtype=np.int64)
    return JobClasses(numbers[code], tuple(classes))
