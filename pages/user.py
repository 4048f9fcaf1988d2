"""One user: their jobs, GPU time, failures and waits, and what their jobs repeat."""

from typing import Any
from urllib.parse import unquote

import dash
from dash import (
    ClientsideFunction,
    Input,
    Output,
    callback,
    clientside_callback,
    dcc,
    get_relative_path,
    html,
)

from components.cards import result_cards, waiting_cards
from components.filter_bar import FILTERS
from components.notices import way_back
from components.numbers import count, duration, is_unknown, percent, plural
from components.page_frame import card_grid
from pages import identities
from pages.frame import SENTENCES, scoped_page, there
from pages.frame import skeleton as page_skeleton
from pages.user_cards import cards
from pages.user_subject import UserSubject, mean_waits, standing, user_of_query, user_of_store
from pages.user_views import VIEWS
from pages.views import wire

USER, CHOICE, ANSWER, CARDS, TRAIL = "user", "user-choice", "user-answer", "user-cards", "user-trail"
CHANGED = Input(CHOICE, "data")


def body(shown: str = "") -> list[Any]:
    """The trail, the cards and the charts."""
    return [
        dcc.Store(id=USER, data=shown),
        dcc.Store(id=CHOICE),
        html.Div(id=TRAIL, className="trail"),
        result_cards(waiting_cards(5), id=CARDS),
        card_grid(*(view.card() for view in VIEWS)),
    ]


def layout(user: str = "", **query: Any) -> html.Div:
    """The page of the user whom the address names; it says where there is none."""
    if identities.policy() == identities.OFF:
        return way_back("There is no page about users", identities.SWITCHED_OFF)
    shown = unquote(user)
    try:
        user_of_query(shown, query)
    except SENTENCES as error:
        return way_back("This address shows nothing", str(error))
    return scoped_page(f"What does {shown} run, and how does it go?", ANSWER, lambda: body(shown), query)


def exists(user: str = "", **query: Any) -> bool:
    """Whether there is such a user and scope, and they may be spoken of; the server answers 404 otherwise."""
    return there(user_of_query, unquote(user), query)


dash.register_page(
    __name__,
    path_template="/users/<user>",
    title=lambda user="": f"User {unquote(user)} · Heliograph",
    layout=layout,
    skeleton=lambda: page_skeleton("What does this user run?", ANSWER, body),
    exists=exists,
)

clientside_callback(
    ClientsideFunction("heliograph", "nameTheUser"),
    Output(CHOICE, "data"),
    Input(FILTERS, "data"),
    Input(USER, "data"),
)


@callback(Output(ANSWER, "children"), Output(CARDS, "children"), Output(TRAIL, "children"), CHANGED)
def show_answer(data: dict) -> tuple[str, list[html.Div], list[Any]]:
    who = user_of_store(data)
    return answer(who), cards(who), trail(who)


def trail(who: UserSubject) -> list[Any]:
    """The way back to all users."""
    return [dcc.Link("All users", href=who.scope.address(get_relative_path("/users"))), f" › {who.shown}"]


def answer(who: UserSubject) -> str:
    """One sentence from the data: their part of the GPU time, what completes, how they wait beside others."""
    row = standing(who)
    if row is None:
        return f"{who.shown} has no job in this choice."
    parts = []
    if not is_unknown(row["gpu_time_share"]):
        place = f"place {count(row['place'])} of {plural(row['users'], 'user')}"
        parts.append(f"{percent(row['gpu_time_share'])} of all GPU time ({place})")
    if not is_unknown(row["completion"]):
        parts.append(f"{percent(row['completion'], 0)} of their ended GPU jobs completed")
    own, others = mean_waits(who) if who.scope.knows("has_start") else (None, None)
    if not (is_unknown(own) or is_unknown(others)):
        parts.append(f"they wait {duration(own)} on average, others in their place {duration(others)}")
    if not parts:
        return f"{plural(row['jobs'], 'job')}, of unknown GPU time and end."
    return f"{'; '.join(parts)}."


for _view in VIEWS:
    wire(_view, CHANGED, user_of_store)
