"""What a test keeps in a store, and what it does to one: a match, throws of forgotten ones, damage."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from shutthebox.adapters.store.chain import Checkpoint
from shutthebox.adapters.store.database import FILE_NAME, Store
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


def keep_throws(folder: Path, throws: Sequence[tuple[int, int, int, int, int]]) -> None:
    """Makes a store in which so many throws are counted: dice, sides, die (0: total), value, how often."""
    with closing(Store(folder, lambda: 0.0)) as store, store.connection as db:
        Checkpoint(sums=json.dumps({"throws": throws})).write(db)
        db.executemany("insert into throws values (?, ?, ?, ?, ?)", throws)


def alter(folder: Path, *statements: str) -> None:
    """Changes a store behind the box's back."""
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def broken(store: Store, *, on: bool) -> None:
    """Lets every write fail, as a full or a read-only card does."""
    store.connection.execute(f"pragma query_only = {int(on)}")
