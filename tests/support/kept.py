"""What a test keeps in a store, and what it does to one: a match, throws of forgotten ones, damage."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from shutthebox.adapters.store.chain import Checkpoint
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.open_store import StoreFault, open_or_set_aside
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen, Faulted, Finished, PlayersLeft, Signed
from shutthebox.rules.actions import Action, Moved, Thrown, apply
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import Match, begin
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import parse_keys, to_profile
from shutthebox.rules.tiles import to_tiles

NOON = 1_795_262_400
"""2026-11-21T12:00:00, in UTC."""

SHUT = (Thrown((1, 1)), Moved(to_tiles([2])), Thrown((2, 2)), Moved(to_tiles([1, 3])))
LEFT_4 = (Thrown((1, 1)), Moved(to_tiles([2])), Thrown((6, 6)))
LEFT_6 = (Thrown((6, 6)),)


def house(name: str, text: str = "") -> Profile:
    """A game of three tiles, with these keys besides."""
    keys = parse_keys(f'name = "{name}"\ntiles = 3\n{text}', "test", lambda name: {})
    return to_profile(keys, "test", name)


PLAIN = house("plain")
HIGH = house("high", 'win = "highest"\nshut_wins = "no"')
CAPTAIN = house("captain", 'captain = true\nshut_wins = "match"')


def keep_match(store: Store, match: Match, *actions: Action, conditions: Conditions | None = None) -> Match:
    """Keeps a match from its beginning to its result, and returns it as it has ended."""
    store.keep(Began(match) if conditions is None else Began(match, conditions))
    for action in actions:
        match = apply(match, action)
        store.keep(action)
    assert match.result is not None
    store.keep(Finished(match))
    return match


class Matches:
    """A store on which matches are played, one a minute or at the time that is told; the winner may sign."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 0
        self.store = Store(folder, lambda: self.now_s)
        self.db, self.close = self.store.connection, self.store.close

    def play(
        self,
        profile: Profile,
        *actions: Action,
        seats: int = 1,
        rounds: int = 1,
        conditions: Conditions | None = None,
        sign: str = "",
        at_s: int | None = None,
    ) -> None:
        self.now_s = self.now_s + 60 if at_s is None else at_s
        match = keep_match(self.store, begin(profile, seats, rounds), *actions, conditions=conditions)
        if sign and match.result is not None:
            self.store.keep(Signed(match.result.winners[0], sign))


def keep_throws(folder: Path, throws: Sequence[tuple[int, int, int, int, int]]) -> None:
    """Makes a store in which so many throws are counted: dice, sides, die (0: total), value, how often."""
    with closing(Store(folder, lambda: 0.0)) as store, store.connection as db:
        Checkpoint(sums=json.dumps({"throws": throws})).write(db)
        db.executemany("insert into throws values (?, ?, ?, ?, ?)", throws)


def alter(folder: Path, *statements: str) -> None:
    """Changes a store behind the box's back."""
    with closing(sqlite3.connect(folder / STORE_FILE, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def broken(store: Store, *, on: bool) -> None:
    """Lets every write fail, as a full or a read-only card does."""
    store.connection.execute(f"pragma query_only = {int(on)}")


def sound(folder: Path, facts: int | None = None) -> Store:
    """The store there, as a box opens it at its start and finds nothing wrong."""
    store, store_fault = open_or_set_aside(folder, lambda: NOON, facts=facts)
    assert store_fault is None, store_fault.text
    assert store is not None
    return store


def mended(folder: Path, facts: int | None = None) -> tuple[Store, StoreFault]:
    """The new store in place of one with which something is wrong, and what that is."""
    store, store_fault = open_or_set_aside(folder, lambda: NOON, facts=facts)
    assert store_fault is not None
    assert store is not None
    return store, store_fault


def keep_an_evening(folder: Path, matches: int = 1) -> None:
    """Keeps so many matches that were won and signed, and one on the table."""
    with closing(Store(folder, lambda: 1_700_000_000.0)) as store:
        store.keep(Chosen("box.language", "fr"))
        for _ in range(matches):
            keep_match(store, begin(PLAIN, 1), *LEFT_4)
            store.keep(Signed(0, "ABC"))
            store.keep(PlayersLeft())
        store.keep(Faulted("lever", "lever 3 chatters"))
        store.keep_health({3: 5}, {3: 17})
        store.keep(Began(begin(builtin("pub"), 2)))
        store.keep(Thrown((3, 5)))


def play_a_little(folder: Path, name: str = "pub") -> None:
    with closing(Store(folder, lambda: 0.0)) as store:
        store.keep(Chosen("game.profile", name))
        store.keep(Began(begin(builtin(name), 2)))
        store.keep(Thrown((3, 5)))
