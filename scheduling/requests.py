"""What jobs ask for, and until when an idle VC can give it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.capacity import Fleet
from scheduling.cluster import WHOLE_MILLI, Nodes
from scheduling.jobs import numbered_counts
from scheduling.placement import room_for_placements, startable


@dataclass(frozen=True)
class Requests:
    """The distinct requests of the jobs, and which one each job makes (``which``).

    ``gpu_num`` as asked, ``gpus`` on which to run, ``share_milli`` of one GPU (0: whole GPUs), ``job_class``
    of nodes that suit.
    """

    gpu_num: NDArray[np.float64]
    gpus: NDArray[np.int64]
    share_milli: NDArray[np.int64]
    job_class: NDArray[np.int64]
    which: NDArray[np.int64]


def requests(gpu_num: NDArray[np.float64], job_class: NDArray[np.int64]) -> Requests:
    """What jobs ask for. Part of a GPU is rounded up to a thousandth; more than one GPU to whole ones."""
    classes = int(job_class.max(initial=0)) + 1
    code, values = numbered_counts(gpu_num)
    code, pairs = pd.factorize(code * classes + job_class) if classes > 1 else (code, np.arange(len(values)))
    asked, own = np.asarray(values, dtype=float)[pairs // classes], pairs % classes
    share_milli = np.where(asked < 1, np.ceil(asked * WHOLE_MILLI - 1e-9), 0).astype(np.int64)
    share_milli = np.where(share_milli == WHOLE_MILLI, 0, share_milli)
    # A request beyond any VC is cut only so that it fits the integer type: it is still beyond every VC.
    gpus = np.minimum(np.ceil(asked), 2.0**40).astype(np.int64)
    return Requests(asked, gpus, share_milli, own.astype(np.int64), code.astype(np.int64))


def last_chances_s(fleet: Fleet, placement: int, asked: Requests) -> NDArray[np.float64]:
    """The instant from which on the idle VC can hold each request never again: inf where it always can, −inf
    where it never can."""
    start_s, nodes = fleet.periods
    end_s = np.append(start_s[1:], np.inf)
    last_s = np.full(asked.gpus.size, -np.inf)
    kinds, until_s = nodes, end_s
    if len(nodes) > 1:
        kinds, kind = np.unique(nodes, axis=0, return_inverse=True)
        until_s = np.full(len(kinds), -np.inf)
        np.maximum.at(until_s, kind.reshape(-1), end_s)
    for count, end in zip(kinds, until_s, strict=True):
        possible = held_by(fleet.idle_nodes(count, 1), placement, asked)
        last_s[possible] = np.maximum(last_s[possible], end)
    return last_s


def held_by(idle: Nodes, placement: int, asked: Requests) -> NDArray[np.int64]:
    """The requests that idle nodes can hold, which they are tried on and leave as they were."""
    some = np.flatnonzero(asked.gpus <= idle.size.sum())
    room = room_for_placements(asked.gpus[some], idle.size.size, asked.share_milli[some])
    return some[startable(idle, room, placement, asked.gpus[some], asked.job_class[some])]


def last_gpus_s(fleet: Fleet) -> float:
    """The instant from which on the VC has no GPU ever again."""
    ends_s = np.append(fleet.periods[0][1:], np.inf)
    return float(ends_s[fleet.gpus > 0].max(initial=-np.inf))
