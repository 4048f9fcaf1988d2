"""Why jobs waited and behind whom, from the definitions alone: every waiting job looked at between any two
instants, in exact fractions."""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

from slow_replay import RANKS, SlowNodes, choose_nodes


def slow_waiting(jobs, groups, policy, placement):
    """``jobs``: what ``replay_one_vc`` returned. Of each job the seconds of (capacity, fragmentation, head of
    line); waits by (waiting user, blocking user), and by blocking job: all of them, and behind the head."""
    queued = [job for job in jobs if "believed" in job]
    for job in queued:
        job["until"] = job["start"] if "start" in job else job["left"]
    ran = [job for job in queued if "start" in job]
    instants = {job["submit"] for job in queued} | {j["until"] for j in queued} | {j["end"] for j in ran}
    nodes = SlowNodes(groups)
    instants = sorted(instants | set(nodes.times))
    causes = {job["index"]: [0, 0, 0] for job in ran}
    users, blocking, heads = defaultdict(Fraction), defaultdict(Fraction), defaultdict(Fraction)
    for now, then in pairwise(instants):
        change_nodes(nodes, [j for j in ran if j["start"] < j["end"]], now)
        waiting = [j for j in queued if j["submit"] <= now < j["until"]]
        begun = [j for j in ran if j["start"] <= now]
        holding = [j for j in begun if now < j["end"]]
        held = sum(j["gpus"] for j in holding)
        head = min(waiting, key=lambda j: (RANKS[policy](j, now, begun), j["index"]), default=None)
        for job in waiting:
            if "start" not in job:
                continue
            cause = obstacle(nodes, job["gpus"], placement)
            causes[job["index"]][cause] += then - now
            behind = (
                [(head, Fraction(1))] if cause == 2 else [(j, Fraction(j["gpus"], held)) for j in holding]
            )
            for other, share in behind:
                users[job["user"], other["user"]] += share * (then - now)
                blocking[other["index"]] += share * (then - now)
                heads[other["index"]] += (cause == 2) * (then - now)
    return causes, users, blocking, heads


def obstacle(nodes, gpus, placement):
    """0 too few GPUs are free, 1 they are on the wrong nodes, 2 nothing but the head of the queue."""
    if sum(nodes.free[n] for n in nodes.usable()) < gpus:
        return 0
    return 2 if choose_nodes(nodes.free, nodes.sizes, gpus, placement, nodes.usable()) else 1


def change_nodes(nodes, ran, now):
    """Ends, then nodes that come and go, then starts."""
    for job in ran:
        if job["end"] == now:
            for node, gpus in job["nodes"]:
                nodes.free[node] += gpus
    if now in nodes.times:
        nodes.move_to(now)
    for job in ran:
        if job["start"] == now:
            for node, gpus in job["nodes"]:
                nodes.free[node] -= gpus
