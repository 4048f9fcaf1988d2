"""Users in what a run stored as visitors may see them (``HELIOGRAPH_USERS``), its trace gone or not."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pages import identities
from queries import QueryError


def shown(names: pd.Series, trace: str) -> pd.Series:
    """The users of a column; all null where a pseudonym cannot be looked up since the trace is gone."""
    try:
        return identities.shown_users(names, trace)
    except QueryError:
        return pd.Series(None, index=names.index, dtype=object)


def shown_settings(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
    """A scenario whose moves name users as visitors may see them."""
    moves = scenario.get("moves")
    if not moves or identities.policy() == identities.NAMES:
        return scenario
    return {**scenario, "moves": {_move(source, scenario["trace"]): vc for source, vc in moves.items()}}


def _move(source: str, trace: str) -> str:
    kind, _, name = source.partition(":")
    if kind != "user":
        return source
    user = shown(pd.Series([name]), trace).iloc[0]
    return f"user:{'whose name is not shown' if pd.isna(user) else user}"
