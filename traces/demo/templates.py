"""Job templates: jobs of one user that are submitted again and again under similar names, with similar
durations."""

import numpy as np
import pyarrow as pa

from traces.demo.raking import Floats, Ints, sums
from traces.demo.streams import stream

LIKENESS = 0.85
"""Correlation of a job's (rank-normal) duration with the level by which its template was formed."""
MEAN_JOBS = 14.0
LOG_SPREAD = 1.1
"""Templates have log-normally many jobs."""
MOST_WORK = 0.05
"""Largest work of a template, as a share of the smallest VC's; a larger one is continued as another."""

FAMILIES = (
    "resnet50",
    "bert",
    "gpt2",
    "yolov3",
    "vit",
    "unet",
    "pointnet",
    "transformer",
    "mobilenet",
    "stylegan",
)
SHORT_TASKS = ("debug", "test", "eval", "profile", "smoke", "infer")
MIDDLE_TASKS = ("finetune", "train", "val", "search", "distill", "ablation")
LONG_TASKS = ("pretrain", "train", "nas", "selfsup", "largescale", "continual")
KNOBS = ("lr", "bs", "seed", "fold", "exp", "v", "aug", "wd")
CPU_TASKS = ("preprocess", "decode", "merge", "stats", "convert", "download", "sync", "label")


def grouped(group: Ints, level: Floats, work: Floats, most_work: float, rng: np.random.Generator) -> Ints:
    """A template number for each job: jobs of the same `group` whose `level` is alike.

    `level` is a standard normal score of the duration among comparable jobs; numbers count from 0. A template
    of more than `most_work` (but of several jobs) is cut.
    """
    count = len(group)
    noisy = LIKENESS * level + np.sqrt(1 - LIKENESS**2) * rng.normal(size=count)
    order = np.lexsort((noisy, group))
    lengths = np.ceil(rng.lognormal(np.log(MEAN_JOBS) - LOG_SPREAD**2 / 2, LOG_SPREAD, count)).astype(
        np.int64
    )
    run = np.repeat(np.arange(count), np.minimum(lengths, count))[:count]
    fresh = np.ones(count, bool)
    fresh[1:] = (np.diff(group[order]) != 0) | (np.diff(run) != 0)
    first = np.maximum.accumulate(np.where(fresh, np.arange(count), 0))
    before = np.concatenate([[0.0], np.cumsum(work[order])])
    lot = ((before[:-1] - before[first]) / most_work).astype(np.int64)
    fresh[1:] |= np.diff(lot) > 0
    template = np.empty(count, np.int64)
    template[order] = np.cumsum(fresh) - 1
    return template


def levels(values: Floats, cell: Ints, rng: np.random.Generator) -> Floats:
    """Normal scores of `values` by rank inside each `cell`, ties in random order."""
    count = len(values)
    order = np.lexsort((rng.random(count), values, cell))
    sizes = np.bincount(cell)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    share = (np.arange(count) - first + 0.5) / np.repeat(sizes, sizes)
    level = np.empty(count)
    level[order] = _normal_score(share)
    return level


def _normal_score(share: Floats) -> Floats:
    """Approximate inverse of the normal distribution (logistic, good to 0.1 within ±2.5)."""
    return np.asarray(np.log(share / (1 - share)) / 1.702)


def names(
    seed: int, cluster: str, template: Ints, duration_s: Floats, submit_s: Floats, cpu: bool
) -> pa.DictionaryArray:
    """Job names like `bert_pretrain_lr3`: the family and task of the template, and a value that changes as it
    is repeated.

    The task says how long the template's jobs tend to run; a template keeps its family, task and knob.
    """
    rng = stream(seed, cluster, "cpu job names" if cpu else "job names")
    count = int(template.max()) + 1 if len(template) else 0
    mean_log = sums(template, np.log(np.maximum(duration_s, 1))) / np.maximum(np.bincount(template), 1)
    kind = np.searchsorted([np.log(300), np.log(7200)], mean_log)
    tasks = np.array([CPU_TASKS[:6]] * 3 if cpu else [SHORT_TASKS, MIDDLE_TASKS, LONG_TASKS])
    task = tasks[kind, rng.integers(6, size=count)]
    stem = np.char.add(np.array(FAMILIES)[rng.integers(len(FAMILIES), size=count)], "_")
    stem = np.char.add(np.char.add(stem, task), "_")
    stem = np.char.add(stem, np.array(KNOBS)[rng.integers(len(KNOBS), size=count)])
    turn = _turns(template, submit_s) // 3
    pairs, code = np.unique(template * 1_000_000 + np.minimum(turn, 999_999), return_inverse=True)
    text = np.char.add(stem[pairs // 1_000_000], (pairs % 1_000_000 + 1).astype(str))
    return pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int32)), pa.array(text))


def _turns(template: Ints, submit_s: Floats) -> Ints:
    """How many jobs of the same template were submitted before each job."""
    order = np.lexsort((submit_s, template))
    sizes = np.bincount(template)
    turn = np.empty(len(template), np.int64)
    turn[order] = np.arange(len(template)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return turn
