"""A match that has been kept, as a record."""

import sqlite3
from typing import TYPE_CHECKING

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.schema import UNREADABLE
from shutthebox.rules.actions import action_from_text, apply
from shutthebox.rules.conditions import conditions_from_lines
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import parse_keys, to_profile

if TYPE_CHECKING:
    from shutthebox.rules.record import Record


def kept_match(db: sqlite3.Connection, number: int, where: str) -> "Record":
    """A match that has been kept, as far as it got.

    Args:
        db: the store.
        number: the match's id.
        where: the file, for complaints.

    Raises:
        StoreError: if there is none, or the kept facts make no match.
        sqlite3.Error: if it cannot be read.
    """
    # Not above: the box is ready without it.
    from shutthebox.rules.record import Record

    row = db.execute(
        'select profile, players, rounds, conditions, "left", first,'
        " (select min(later.first) from match as later where later.id > match.id) from match where id = ?",
        (number,),
    ).fetchone()
    if row is None:
        raise StoreError(f"{where}: no match {number} is kept there")
    profile, players, rounds, conditions, left, first, end = row
    rows = db.execute(
        "select text from fact where number > ? and number < ifnull(?, 9e18) order by number", (first, end)
    )
    texts = [text for (text,) in rows]
    try:
        known = conditions_from_lines(conditions.splitlines())
        first = known.first - 1 if known else 0
        match = begin(kept_profile(profile, where), players, rounds, first)
        actions = tuple(action_from_text(text) for text in texts if fact_text.is_action(text))
        for action in actions:
            match = apply(match, action)
        return Record(
            profile=match.game,
            players=players,
            rounds=rounds,
            actions=actions,
            conditions=known,
            # A match that has lost facts may have a result all the same.
            given_up=bool(left) and not any(fact_text.word_of(text) == "finish" for text in texts),
        )
    except UNREADABLE as error:
        raise StoreError(f"{where}: match {number}: {error}") from error


def kept_profile(text: str, where: str) -> Profile:
    """A profile from the text that the store has of it.

    Raises:
        ProfileError: if it cannot be played.
    """
    return to_profile(parse_keys(text, where, _no_model), where, "house")


def _no_model(name: str) -> dict[str, object]:
    raise KeyError("a kept profile stands alone")
