"""A match that has been kept, as a record."""

import sqlite3
from typing import TYPE_CHECKING

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.rules.actions import action_from_text
from shutthebox.rules.conditions import conditions_from_lines
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import parse_keys, to_profile

if TYPE_CHECKING:
    from shutthebox.rules.record import Record


def kept_match(db: sqlite3.Connection, number: int, where: str) -> "Record":
    """A match that has been kept, as far as it got. Whether the rules allow it is not checked.

    Args:
        db: the store.
        number: the match's id.
        where: the file, for complaints.

    Raises:
        StoreError: if there is none, or its facts make no sense.
        sqlite3.Error: if it cannot be read.
    """
    # Not above: the box is ready without it.
    from shutthebox.rules.record import Record

    row = db.execute(
        "select first, (select min(later.first) from match as later where later.id > match.id)"
        " from match where id = ?",
        (number,),
    ).fetchone()
    if row is None:
        raise StoreError(f"{where}: no match {number} is kept there")
    rows = db.execute(
        "select text from fact where number >= ? and number < ifnull(?, 9e18) order by number", row
    )
    begin, *texts = [text for (text,) in rows] or [""]
    try:
        first, _, profile, players, rounds, conditions, _ = fact_text.values_of(begin)
        if first != number:
            raise ValueError(f"its first fact is that of match {first}")
        words = {fact_text.word_of(text) for text in texts}
        for text in texts:
            if fact_text.word_of(text) in ("resume", "lost"):
                *_, conditions = fact_text.values_of(text)
        return Record(
            profile=kept_profile(profile, where),
            players=players,
            rounds=rounds,
            actions=tuple(action_from_text(text) for text in texts if fact_text.is_action(text)),
            conditions=conditions_from_lines(conditions.splitlines()),
            # A match that has lost facts may have a result all the same.
            given_up="leave" in words and "finish" not in words,
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
