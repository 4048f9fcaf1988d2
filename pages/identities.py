"""What pages may say about users: their names, pseudonyms, or nothing (``HELIOGRAPH_USERS``)."""

import pandas as pd

import settings
from queries import fetch

NAMES, PSEUDONYMS, OFF = "names", "pseudonyms", "off"
SWITCHED_OFF = "This server says nothing about users (HELIOGRAPH_USERS=off)."
NO_USERS = "This trace has no users."


def policy() -> str:
    """``names``, ``pseudonyms`` or ``off``."""
    return settings.current().users


def shown_users(names: pd.Series, trace: str) -> pd.Series:
    """The users of a column as visitors may see them; null stays null, with ``off`` everything is null.

    A pseudonym is the place of a user's first submission in the trace: stable while jobs are only added
    after it, the same on every page, and nothing that a list of names could be tried against.
    """
    if policy() == NAMES:
        return names
    if policy() == OFF:
        return pd.Series(None, index=names.index, dtype=object)
    pseudonyms = fetch("user_pseudonyms", trace=trace).set_index("user")["pseudonym"]
    return names.map(pseudonyms)


def real_name(shown: str, trace: str) -> str | None:
    """The user who is shown as exactly ``shown``; None where nobody is, or nobody is shown."""
    names = fetch("user_pseudonyms", trace=trace)["user"]
    visible = shown_users(names, trace).astype("string").fillna("")
    found = names[(visible == shown).to_numpy(dtype=bool)] if shown else names[:0]
    return None if found.empty else str(found.iloc[0])


def real_names(shown: str, trace: str) -> list[str]:
    """The user who is shown as ``shown``, else those whose shown name contains it in any case.

    None where users are not shown: nobody can find out by searching.
    """
    names = fetch("user_pseudonyms", trace=trace)["user"]
    visible = shown_users(names, trace).astype("string").fillna("")
    alike = visible == shown
    if not alike.any():
        alike = visible.str.contains(shown, case=False, regex=False)
    return names[alike.to_numpy(dtype=bool)].tolist()
