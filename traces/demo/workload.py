"""The GPU jobs of a cluster before they have times: sizes, states, durations, templates, VCs and users."""

from dataclasses import dataclass, replace

import numpy as np

from traces.demo import durations, sizes, states, templates, users
from traces.demo.datacenter import GPUS_PER_NODE, Slice
from traces.demo.raking import Floats, Ints, filled, raked, sums
from traces.demo.streams import stream

GANG_SHARE = 0.5
"""Gangs go to VCs of which they take at most this share, where there is one."""
MIX_SHAPE = 1.2
"""Shape of the gamma weights that make VCs differ in the GPU counts of their jobs; smaller is more
different."""


@dataclass(frozen=True)
class Workload:
    """GPU jobs in no order: one element per job, and `capped`, the number of gangs cut to the largest VC.

    `vc` and `user` are positions in the slice's VCs and the cluster's users, `state` in `states.NAMES`.
    """

    gpu_num: Ints
    state: Ints
    duration_s: Floats
    template: Ints
    vc: Ints
    user: Ints
    capped: int

    def in_order(self, order: Ints) -> "Workload":
        """The same jobs in another order."""
        columns = ("gpu_num", "state", "duration_s", "template", "vc", "user")
        return replace(self, **{name: getattr(self, name)[order] for name in columns})


def workload(part: Slice, seed: int) -> Workload:
    """The GPU jobs of `part` of a cluster."""
    profile = part.profile
    rng = stream(seed, profile.name, "gpu jobs")
    drawn = sizes.gpu_numbers(profile, part.gpu_jobs, rng)
    gpu_num = np.minimum(drawn, part.gpus.max())
    bucket = sizes.buckets(gpu_num)
    cells = states.joint_shares()[profile.name]
    total = float(part.gpu_time_gpu_s.sum())
    group, duration = durations.gpu_durations(profile, cells, bucket, gpu_num, total, rng)
    work = gpu_num * duration
    level = templates.levels(duration, bucket * 3 + group, rng)
    most_work = templates.MOST_WORK * float(part.gpu_time_gpu_s.min())
    template = templates.grouped(gpu_num, level, work, most_work, rng)
    _, first = np.unique(template, return_index=True)
    template_work = sums(template, work)
    template_vc = _virtual_clusters(part, gpu_num[first], template_work, rng)
    share = users.shares(part.users, profile.top_gpu_time, rng)
    members = users.vc_members(share, sums(template_vc, template_work, len(part.nodes)))
    template_user = users.assigned(template_vc, template_work, members)
    return Workload(
        gpu_num=gpu_num,
        state=states.state_names(profile, group, rng),
        duration_s=duration,
        template=template,
        vc=template_vc[template],
        user=template_user[template],
        capped=int((drawn > gpu_num).sum()),
    )


def _virtual_clusters(part: Slice, gpu_num: Ints, work: Floats, rng: np.random.Generator) -> Ints:
    """The VC of each template, so that every VC gets its load and no gang exceeds its VC."""
    counts = np.unique(gpu_num)
    class_work = sums(np.searchsorted(counts, gpu_num), work)
    wanted = part.gpu_time_gpu_s / part.gpu_time_gpu_s.sum() * class_work.sum()
    room = np.maximum(GPUS_PER_NODE, GANG_SHARE * part.gpus)
    fits = (counts[:, None] <= room) | ((counts[:, None] > room.max()) & (counts[:, None] <= part.gpus))
    prior = rng.gamma(MIX_SHAPE, size=fits.shape) * wanted * fits
    table = raked(prior, class_work, wanted)
    vc = np.empty(len(gpu_num), np.int64)
    for row, count in enumerate(counts):
        members = rng.permutation(np.flatnonzero(gpu_num == count))
        vc[members] = filled(work[members], table[row])
    return vc
