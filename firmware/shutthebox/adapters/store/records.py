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


_FACTS = """
select text from fact where number >= (select first from match where id = ?1)
    and number < ifnull((select min(first) from match where id > ?1), 9e18) order by number
"""


def facts_of(db: sqlite3.Connection, number: int) -> list[str]:
    """The facts of a match, its beginning first; none if it is not kept.

    Raises:
        sqlite3.Error: if it cannot be read.
    """
    return [text for (text,) in db.execute(_FACTS, (number,))]


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

    texts = facts_of(db, number)
    if not texts:
        raise StoreError(f"{where}: no match {number} is kept there")
    begin, *texts = texts
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
