"""A match that a test keeps in a store, fact by fact."""

from shutthebox.adapters.store.database import Store
from shutthebox.game.facts import Began, Finished
from shutthebox.rules.actions import Action, apply
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import Match


def keep_match(store: Store, match: Match, *actions: Action, conditions: Conditions | None = None) -> Match:
    """Keeps a match from its beginning to its result, and returns it as it has ended."""
    store.keep(Began(match) if conditions is None else Began(match, conditions))
    for action in actions:
        match = apply(match, action)
        store.keep(action)
    assert match.result is not None
    store.keep(Finished(match))
    return match
