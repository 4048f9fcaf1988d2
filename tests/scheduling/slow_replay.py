"""A second simulator, written from the rules alone: lists, sorting, a clock that ticks. Slow, and meant to
be obvious."""

import math


def choose_nodes(free, sizes, gpus, full, placement):
    """[[node, gpus], …] for a request, or None."""
    if sum(free) < gpus:
        return None
    nodes = range(len(free))
    picked = None
    if gpus <= full:
        fitting = [n for n in nodes if free[n] >= gpus]
        if fitting:
            picked = [[min(fitting, key=lambda n: (free[n], n)), gpus]]
    else:
        whole, rest = divmod(gpus, full)
        idle = [n for n in nodes if free[n] == sizes[n] == full][:whole]
        others = sorted((n for n in nodes if n not in idle), key=lambda n: (-free[n], n))
        if len(idle) == whole:
            if rest == 0:
                picked = [[n, full] for n in idle]
            elif others and free[others[0]] >= rest:
                picked = [*[[n, full] for n in idle], [others[0], rest]]
    if picked is None and placement == "consolidateFirst":
        picked = []
        for n in sorted(nodes, key=lambda n: (-free[n], n)):
            share = min(free[n], gpus - sum(g for _, g in picked))
            if share > 0:
                picked.append([n, share])
    return picked


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


def replay_one_vc(jobs, sizes, policy, placement, full=8):
    """Non-preemptive replay. ``jobs``: dicts with submit, duration, gpus, user, vc, in trace order; all can
    start."""
    jobs = [dict(job, index=i) for i, job in enumerate(jobs)]
    free, queue, running, ended, coming = list(sizes), [], [], [], list(jobs)
    while coming or running:
        now = min([j["submit"] for j in coming[:1]] + [j["end"] for j in running])
        for job in [j for j in running if j["end"] <= now]:
            running.remove(job)
            ended.append(job)
            for node, gpus in job["nodes"]:
                free[node] += gpus
        while coming and coming[0]["submit"] <= now:
            job = coming.pop(0)
            job["estimate"], job["rung"] = estimate(job, ended)
            queue.append(job)
        rank = {
            "fifo": lambda j: j["submit"],
            "sjf": lambda j: j["duration"],
            "qssf": lambda j: j["gpus"] * j["estimate"],
        }[policy]
        queue.sort(key=lambda j: (rank(j), j["index"]))
        while queue and (nodes := choose_nodes(free, sizes, queue[0]["gpus"], full, placement)):
            job = queue.pop(0)
            job.update(start=now, end=now + job["duration"], nodes=nodes)
            for node, gpus in nodes:
                free[node] -= gpus
            running.append(job)
    return jobs


def replay_one_vc_preempting(jobs, sizes, placement, extra=0, full=8):
    """SRTF, second by second; whole seconds only."""
    new = {"preemptions": 0, "waited": 0}
    jobs = [{**job, **new, "index": i, "remaining": job["duration"]} for i, job in enumerate(jobs)]
    free, queue, running, coming, now = list(sizes), [], [], list(jobs), 0

    def remaining(job):
        return job["placed"] + job["remaining"] - now if job in running else job["remaining"]

    def vacate(job):
        running.remove(job)
        for node, gpus in job["nodes"]:
            free[node] += gpus

    while coming or queue or running:
        for job in [j for j in running if remaining(j) + extra <= 0]:
            vacate(job)
            job["end"] = now
        while coming and coming[0]["submit"] <= now:
            queue.append(coming.pop(0) | {})
            jobs[queue[-1]["index"]] = queue[-1]
            queue[-1]["since"] = now
        quota, chosen, out = sum(sizes), [], []
        for job in sorted(queue + running, key=remaining):
            if job["gpus"] <= quota:
                quota -= job["gpus"]
                if job in queue:
                    chosen.append(job)
            elif job in running:
                out.append(job)
        for job in out:
            left = remaining(job)
            vacate(job)
            cost = 7 if job["gpus"] == 1 else 30 if job["gpus"] <= 8 else 60
            job.update(remaining=left + cost, preemptions=job["preemptions"] + 1, since=now)
            queue.append(job)
        for job in chosen:
            nodes = choose_nodes(free, sizes, job["gpus"], full, placement)
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
