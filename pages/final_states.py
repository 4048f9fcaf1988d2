"""What pages say about how jobs ended: the three groups, and that a trace may not know."""

from pages.scope import Scope

GROUPS = "Failed is every final state but completed and cancelled, such as timed out or node failure."


def no_states(scope: Scope) -> str | None:
    """Why there are no final states, if so."""
    return (
        None
        if scope.knows("has_state")
        else "This trace has no job states, so it is not known how its jobs ended."
    )
