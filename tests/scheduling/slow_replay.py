"""A second simulator, written from the rules alone: lists, sorting, a clock that ticks. Slow, and meant to
be obvious."""

import math


def choose_nodes(free, sizes, gpus, placement, usable=None):
    """[[node, gpus], …] for a request on the ``usable`` nodes (all unless said), or None."""
    nodes = range(len(sizes)) if usable is None else usable
    if sum(free[n] for n in nodes) < gpus:
        return None
    picked = None
    if placement.startswith("consolidate"):
        picked = consolidated(free, sizes, gpus, nodes)
    if picked is None and placement != "consolidate":
        picked, left = [], {n: free[n] for n in nodes}
        while missing := gpus - sum(g for _, g in picked):
            holding = [n for n in left if left[n] >= missing]
            some = [n for n in left if left[n] > 0]
            if placement == "bestFit" and holding:
                node = min(holding, key=lambda n: (left[n], n))
            elif placement == "firstFit":
                node = min(holding or some)
            else:
                node = min(some, key=lambda n: (-left[n], n))
            picked.append([node, min(left[node], missing)])
            left[node] = 0
    return picked


def consolidated(free, sizes, gpus, nodes):
    """A job that one node could hold on one node, another on whole nodes of one size and a rest."""
    if gpus <= max(sizes):
        fitting = [n for n in nodes if free[n] >= gpus]
        return [[min(fitting, key=lambda n: (free[n], n)), gpus]] if fitting else None
    for full in sorted(set(sizes), reverse=True):
        whole, rest = divmod(gpus, full)
        idle = [n for n in nodes if free[n] == sizes[n] == full][:whole]
        others = sorted((n for n in nodes if n not in idle), key=lambda n: (-free[n], n))
        if len(idle) == whole:
            if rest == 0:
                return [[n, full] for n in idle]
            if others and free[others[0]] >= rest:
                return [*[[n, full] for n in idle], [others[0], rest]]
    return None


class SlowNodes:
    """The nodes of a VC; ``groups``: (GPUs per node, [(time, nodes), …]) for each group."""

    def __init__(self, groups):
        self.groups = groups
        self.sizes = [size for size, steps in groups for _ in range(max(n for _, n in steps))]
        self.group = [g for g, (_, steps) in enumerate(groups) for _ in range(max(n for _, n in steps))]
        self.free, self.open = list(self.sizes), [False] * len(self.sizes)
        self.times = sorted({t for _, steps in groups for t, _ in steps[1:]})
        self.move_to(-math.inf)

    def wanted(self, group, now):
        steps = self.groups[group][1]
        return ([steps[0][1]] + [n for t, n in steps[1:] if t <= now])[-1]

    def move_to(self, now):
        """Let nodes come and go. Idle nodes come back only because their draining is over."""
        for g in range(len(self.groups)):
            own = [n for n in range(len(self.sizes)) if self.group[n] == g]
            idle = {n: self.free[n] == self.sizes[n] for n in own}
            while sum(self.open[n] for n in own) > self.wanted(g, now):
                self.open[max((n for n in own if self.open[n]), key=lambda n: (idle[n], n))] = False
            while sum(self.open[n] for n in own) < self.wanted(g, now):
                self.open[min((n for n in own if not self.open[n]), key=lambda n: (idle[n], n))] = True

    def usable(self):
        return [n for n in range(len(self.sizes)) if self.open[n]]

    def can_hold(self, gpus, placement, since):
        """Whether the idle VC can hold the request at some time after ``since``."""
        for start, end in zip([-math.inf, *self.times], [*self.times, math.inf], strict=True):
            if end > since:
                present = []
                for n in range(len(self.sizes)):
                    nth = sum(self.group[m] == self.group[n] for m in range(n))
                    if nth < self.wanted(self.group[n], start):
                        present.append(n)
                if choose_nodes(self.sizes, self.sizes, gpus, placement, present):
                    return True
        return False


def mean(values):
    return sum(values) / len(values)


def estimate(job, ended):
    """Mean duration of the ended jobs on the first rung that has any, and the rung."""
    rungs = {
        "user_gpus": [
            j
            for j in ended
            if job["user"] is not None and j["user"] == job["user"] and j["gpus"] == job["gpus"]
        ],
        "vc_gpus": [j for j in ended if j["vc"] == job["vc"] and j["gpus"] == job["gpus"]],
        "vc": [j for j in ended if j["vc"] == job["vc"]],
        "everyone": ended,
    }
    for rung, known in rungs.items():
        if known:
            return mean([j["duration"] for j in known]), rung
    return 1.0, "none"


def constant(sizes):
    """Groups of nodes that are always there."""
    return [(size, [(0, 1)]) for size in sizes]


RANKS = {
    "fifo": lambda j, now, jobs: j["submit"],
    "sjf": lambda j, now, jobs: j["duration"],
    "qssf": lambda j, now, jobs: j["gpus"] * j["estimate"],
    "smallest": lambda j, now, jobs: j["gpus"],
    "gputime": lambda j, now, jobs: j["gpus"] * j["duration"],
    "priority": lambda j, now, jobs: j["priority"],
    "fairshare": lambda j, now, jobs: sum(
        k["gpus"] * (min(now, k["end"]) - k["start"]) for k in jobs if "start" in k and k["user"] == j["user"]
    ),
}


def replay_one_vc(jobs, groups, policy, placement, backfill=False, oracle=False):
    """Non-preemptive replay. ``jobs``: dicts with submit, duration, gpus, user, vc, priority, in trace order.
    A job that cannot start gets no start. Fair share fades nothing. Backfill believes true durations
    (``oracle``) or the estimates learned so far."""
    nodes = SlowNodes(groups)
    jobs = [dict(job, index=i, nodes=[]) for i, job in enumerate(jobs)]
    coming = [job for job in jobs if nodes.can_hold(job["gpus"], placement, job["submit"])]
    queue, running, ended, changes = [], [], [], list(nodes.times)

    def start(job, chosen):
        queue.remove(job)
        job.update(start=now, end=now + job["duration"], nodes=chosen)
        for node, gpus in chosen:
            nodes.free[node] -= gpus
        running.append(job)

    while coming or running or queue:
        now = min([j["submit"] for j in coming[:1]] + [j["end"] for j in running] + changes[:1])
        for job in [j for j in running if j["end"] <= now]:
            running.remove(job)
            ended.append(job)
            for node, gpus in job["nodes"]:
                nodes.free[node] += gpus
        while changes and changes[0] <= now:
            nodes.move_to(changes.pop(0))
        while coming and coming[0]["submit"] <= now:
            job = coming.pop(0)
            job["estimate"], job["rung"] = estimate(job, ended)
            job["believed"] = 86_400.0 if job["rung"] == "none" else job["estimate"]
            if oracle:
                job["believed"] = job["duration"]
            queue.append(job)
        queue.sort(key=lambda j: (RANKS[policy](j, now, jobs), j["index"]))
        while queue:
            if not nodes.can_hold(queue[0]["gpus"], placement, now):
                queue.pop(0)["left"] = now
                continue
            chosen = choose_nodes(nodes.free, nodes.sizes, queue[0]["gpus"], placement, nodes.usable())
            if not chosen:
                break
            start(queue[0], chosen)
        if backfill and queue:
            head = queue[0]
            shadow, later = slow_reservation(nodes, running, head, placement, now)
            head.setdefault("reserved", shadow if shadow < math.inf and len(queue) > 1 else None)
            for job in queue[1:]:
                chosen = choose_nodes(nodes.free, nodes.sizes, job["gpus"], placement, nodes.usable())
                if not chosen or not nodes.can_hold(job["gpus"], placement, now):
                    continue
                if now + max(job["believed"], 1) > shadow:
                    if any(later[node] < gpus for node, gpus in chosen):
                        continue
                    for node, gpus in chosen:
                        later[node] -= gpus
                start(job, chosen)
    return jobs


def slow_reservation(nodes, running, head, placement, now):
    """When the head can be placed if jobs end when they are believed to, and what is free beside it then."""
    free, usable = list(nodes.free), nodes.usable()

    def believed_end(job):
        span = max(job["believed"], 1)
        while job["start"] + span <= now:
            span *= 2
        return job["start"] + span

    for end in sorted({believed_end(j) for j in running}):
        for job in running:
            if believed_end(job) == end:
                for node, gpus in job["nodes"]:
                    free[node] += gpus
        chosen = choose_nodes(free, nodes.sizes, head["gpus"], placement, usable)
        if chosen:
            for node, gpus in chosen:
                free[node] -= gpus
            return end, free
    return math.inf, free


def replay_one_vc_preempting(jobs, sizes, policy, placement, extra=0, levels=()):
    """SRTF, SRSF or least attained service, second by second; whole seconds only."""
    new = {"preemptions": 0, "waited": 0, "attained": 0}
    jobs = [{**job, **new, "index": i, "remaining": job["duration"]} for i, job in enumerate(jobs)]
    free, queue, running, coming, now = list(sizes), [], [], list(jobs), 0

    def remaining(job):
        return job["placed"] + job["remaining"] - now if job in running else job["remaining"]

    def attained(job):
        return job["attained"] + (job["gpus"] * (now - job["placed"]) if job in running else 0)

    def rank(job):
        if policy == "las":
            return sum(attained(job) >= level for level in levels), job["index"]
        return remaining(job) * (job["gpus"] if policy == "srsf" else 1)

    def vacate(job):
        running.remove(job)
        for node, gpus in job["nodes"]:
            free[node] += gpus

    while coming or queue or running:
        for job in [j for j in running if remaining(j) + extra <= 0]:
            vacate(job)
            job["end"] = now
        while coming and coming[0]["submit"] <= now:
            queue.append(coming.pop(0))
            queue[-1]["since"] = now
        quota, chosen, out = sum(sizes), [], []
        for job in sorted(queue + running, key=rank):
            if job["gpus"] <= quota:
                quota -= job["gpus"]
                if job in queue:
                    chosen.append(job)
            elif job in running:
                out.append(job)
        for job in out:
            left, had = remaining(job), attained(job)
            vacate(job)
            cost = 7 if job["gpus"] == 1 else 30 if job["gpus"] <= 8 else 60
            job.update(remaining=left + cost, preemptions=job["preemptions"] + 1, since=now, attained=had)
            queue.append(job)
        for job in chosen:
            nodes = choose_nodes(free, sizes, job["gpus"], placement)
            if nodes:
                queue.remove(job)
                job.update(nodes=nodes, placed=now, waited=job["waited"] + now - job["since"])
                job.setdefault("start", now)
                for node, gpus in nodes:
                    free[node] -= gpus
                running.append(job)
        if not any(remaining(j) + extra <= 0 for j in running):  # what lasts no time ends within this second
            now += 1
    return jobs


def split(gpus, full=8):
    """Node sizes of a VC."""
    return [full] * (gpus // full) + [gpus % full] * (gpus % full > 0)


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
