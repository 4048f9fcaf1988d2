"""Who submits what: users hold very unequal shares of the work."""

import heapq

import numpy as np

from traces.demo.raking import Floats, Ints
from traces.demo.streams import stream

DISTINCT_USERS = 713
"""Users of all four clusters together; many use several."""


def user_names(seed: int, cluster: str, count: int) -> list[str]:
    """`count` distinct names out of the datacenter's 713; a user keeps the name in every cluster."""
    rng = stream(seed, "users")
    numbers = rng.choice(36**4, DISTINCT_USERS, replace=False)
    names = ["u" + np.base_repr(int(number), 36).lower().zfill(4) for number in numbers]
    chosen = stream(seed, cluster, "users").choice(DISTINCT_USERS, count, replace=False)
    return [names[i] for i in chosen]


def shares(count: int, top_share: float, rng: np.random.Generator) -> Floats:
    """Log-normal shares of `count` users in random order, the top 5 % of which hold `top_share` (0–1)."""
    middle = (np.arange(count) + 0.5) / count
    score = np.log(middle / (1 - middle)) / 1.702
    top = max(1, round(0.05 * count))
    low, high = 0.1, 6.0
    for _ in range(50):
        spread = (low + high) / 2
        weight = np.exp(spread * score)
        low, high = (spread, high) if weight[-top:].sum() / weight.sum() < top_share else (low, spread)
    return rng.permutation(weight / weight.sum())


def vc_members(share: Floats, vc_work: Floats) -> list[list[tuple[int, float]]]:
    """For each VC its members as (user, share of all work that the user does there).

    Heaviest user first, each goes to the VC with the most work left and spills over into the next where that
    is not enough. Every VC gets a member.
    """
    left = vc_work / vc_work.sum()
    members: list[list[tuple[int, float]]] = [[] for _ in left]
    for user in np.argsort(-share, kind="stable"):
        rest = float(share[user])
        for _ in range(len(left)):
            vc = int(np.argmax(left))
            part = min(rest, max(float(left[vc]), rest * 0.2))
            members[vc].append((int(user), part))
            left[vc] -= part
            rest -= part
            if rest <= 1e-12:
                break
    for vc, inside in enumerate(members):
        if not inside:
            inside.append((int(np.argmin(share)), 1e-9))
        members[vc] = inside
    return members


def assigned(vc: Ints, work: Floats, members: list[list[tuple[int, float]]]) -> Ints:
    """The user of each template: largest template first, to the member of its VC who is most short of work.

    `vc` and `work` have one element per template.
    """
    total = float(work.sum())
    queues = [[(-part * total, user) for user, part in inside] for inside in members]
    for queue in queues:
        heapq.heapify(queue)
    user = np.empty(len(vc), np.int64)
    for template in np.argsort(-work, kind="stable").tolist():
        queue = queues[vc[template]]
        short, who = queue[0]
        user[template] = who
        heapq.heapreplace(queue, (short + float(work[template]), who))
    return user
