"""Who uses the datacenter, who waits, and whose jobs complete?"""

import dash
from dash import Output, callback, html

from components import numbers
from components.figures.users import completion_histogram, concentration_curves
from components.notices import way_back
from components.numbers import listing, percent, plural
from components.page_frame import card_grid
from components.tables import Column
from pages import frame, identities, user_league
from pages.final_states import GROUPS, no_states
from pages.frame import FILTERS_CHANGED, scoped_page, skeleton
from pages.scope import Scope, scope_of_store
from pages.user_league import LEAGUE_GRID, no_users, nobody
from pages.user_shares import completion_bins, concentration, known_users, league, top_share
from pages.views import View, wire

QUESTION = "Who uses the datacenter, who waits, and whose jobs complete?"
ANSWER = "users-answer"
CURVES = (
    ("gpu_s", "GPU time", "Does a handful of users hold the GPU time?", "GPUs × duration of GPU jobs"),
    ("cpu_s", "CPU time", "And the CPU time?", "CPU cores × duration of CPU jobs"),
    ("queueing_delay_s", "queueing time", "Do the same few wait?", "queueing delays of GPU jobs, added up"),
)


def no_queueing(scope: Scope) -> str | None:
    """Why it is not known who waited, if so."""
    why = no_users(scope)
    return why or (
        None if scope.knows("has_start") else "This trace has no start times, so nobody's wait is known."
    )


def curve_view(quantity: str, words: str, title: str, definition: str) -> View[Scope]:
    """The view of how concentrated a quantity is."""
    return View[Scope](
        name=f"users-{quantity.removesuffix('_s').replace('_', '-')}",
        title=title,
        rows=lambda scope: concentration(known_users(scope), quantity),
        figure=lambda rows, scope: concentration_curves(rows, scope.all_clusters, words),
        columns=(
            Column("cluster", "Cluster"),
            Column("users", "First users", "count"),
            Column("top", "Of all users", "percent"),
            Column("share", f"Share of {words}", "percent"),
        ),
        note=lambda rows, scope: (
            f"Share of {words} ({definition}) that the top x % of a cluster's users hold.{nobody(scope)}"
        ),
        method=f"Users with a job in the window, sorted by their {words}, apart for each cluster; users "
        "who hold none of it count as users. Hu et al., SC'21, figures 8 and 9.",
        opens=Scope.cluster_addresses,
        absent=no_queueing if quantity == "queueing_delay_s" else no_users,
        nothing=f"Nobody's {words} is known in this choice.",
    )


def bar_places(bars: int) -> list[str]:
    """What shows the users of each bar of completion ratios in the league: a range of its column, in %.

    The last bar also holds 100 %.
    """
    ends = [(round(100 * bar / bars), round(100 * (bar + 1) / bars)) for bar in range(bars)]
    return [f"#{LEAGUE_GRID}?completion={low}..{high if high < 100 else ''}" for low, high in ends]


COMPLETION = View[Scope](
    name="users-completion",
    title="How many of their jobs do users complete?",
    rows=lambda scope: completion_bins(known_users(scope)),
    figure=lambda rows, scope: completion_histogram(rows, bar_places(len(rows))),
    columns=(Column("completed", "GPU jobs that completed, %"), Column("users", "Users", "count")),
    note=lambda rows, scope: (
        f"{plural(rows['users'].sum(), 'user')} with GPU jobs that ended; completed ÷ ended GPU jobs of each."
    ),
    method="Each user counts once, over all chosen clusters; users without an ended GPU job do not. A bar "
    "holds its lower end, the last one also 100 %. A click on a bar shows its users alone in the league "
    f"below, once more all of them. {GROUPS} Hu et al., SC'21, figure 9.",
    absent=lambda scope: no_users(scope) or no_states(scope),
    nothing="No user of this choice has a GPU job that ended.",
)
VIEWS = (*(curve_view(*curve) for curve in CURVES), COMPLETION)


def body() -> list[html.Div]:
    """The charts, and the league."""
    return [card_grid(*(view.card() for view in VIEWS), user_league.card())]


def exists(**query: object) -> bool:
    """Whether this server has the page, and what the address chooses is there."""
    return identities.policy() != identities.OFF and frame.scope_exists(**query)


def layout(**query: object) -> html.Div:
    """The page about the scope that the address names."""
    if identities.policy() == identities.OFF:
        return way_back("There is no page about users", identities.SWITCHED_OFF)
    return scoped_page(QUESTION, ANSWER, body, query)


dash.register_page(
    __name__,
    path="/users",
    title="Users · Heliograph",
    label="Users",
    group=None if identities.policy() == identities.OFF else "What is going on",
    order=6,
    layout=layout,
    skeleton=lambda: skeleton(QUESTION, ANSWER, body),
    exists=exists,
)


@callback(Output(ANSWER, "children"), FILTERS_CHANGED)
def show_answer(data: dict) -> str:
    return answer(scope_of_store(data))


def answer(scope: Scope) -> str:
    """One sentence from the data: what the top 5 % of users hold, and what the typical user completes."""
    why = no_users(scope)
    if why:
        return why
    users = known_users(scope)
    curve = concentration(users, "gpu_s")
    shares = {
        str(cluster): found
        for cluster, part in curve.groupby("cluster", sort=False)
        if (found := top_share(part, 0.05))
    }
    held = [
        f"{percent(share, 0)}{'' if place else ' of the GPU time'} in {cluster} ({plural(number, 'user')})"
        for place, (cluster, (number, share)) in enumerate(shares.items())
    ]
    parts = [f"The top 5{numbers.NBSP}% of users hold {listing(held)}"] if held else []
    ratios = league(users)["completion"].dropna()
    if len(ratios):
        parts.append(f"half of the users complete {percent(ratios.median(), 0)} of their GPU jobs or more")
    return f"{'; '.join(parts)}." if parts else "There is no job of a user in this choice."


for _view in VIEWS:
    wire(_view, FILTERS_CHANGED, scope_of_store, of_stored_traces=True)
