"""The words in which facts are kept. An action of a match is kept in its own words.

Any other fact is a word and its values as JSON, for example ``sign [7,0,"ANN"]``. All that does not follow
from the facts before it stands in it, and a fact about a match names it:

* ``begin``: the match, the time of day in seconds, its profile, players, rounds, conditions, and the sides of
  the dice whose throws are counted, or 0;
* ``resume``: the match, its conditions from now on;
* ``lost``: the match, how many of its facts were lost to damage, its conditions from now on;
* ``finish``: the match, its results: player from 0, score (null without a turn), stakes owed, won and captain
  (0 or 1);
* ``sign``: the match, the player from 0, three letters;
* ``leave``: the match;
* ``choose``: a key, its value;
* ``wear``: per switch (0 is the button) its number, presses and chatter since the last such fact;
* ``fault``: the time of day in seconds, the part, what is wrong.

Profile and conditions are lines of a record.
"""

import json
import re
from fractions import Fraction
from typing import Any

from shutthebox.errors import quoted
from shutthebox.rules.conditions import Conditions

_WORDS = ("begin", "resume", "lost", "finish", "sign", "leave", "choose", "fault", "wear")

_encode = json.JSONEncoder(separators=(",", ":")).encode


def text_of(word: str, *values: object) -> str:
    """A fact in words; `values_of` reads its values back."""
    return f"{word} {_encode(values)}"


def values_of(text: str) -> list[Any]:
    """The values of a fact that `text_of` made.

    Raises:
        ValueError: it is no such fact.
    """
    found = json.loads(text.partition(" ")[2])
    if not isinstance(found, list):
        raise ValueError(f"{quoted(text)} is no fact")
    return found


def word_of(text: str) -> str:
    """The word that says what kind of fact this is."""
    return text.partition(" ")[0]


def is_action(text: str) -> bool:
    """Whether the fact is an action of its match; one that makes no sense is taken for one."""
    return word_of(text) not in (*_WORDS, "clock")


def of_play(text: str) -> bool:
    """Whether the fact makes sense only behind those before it: an action, or what the clock showed."""
    return word_of(text) not in _WORDS


def clock(text: str) -> int | None:
    """The seconds in a fact of the clock; None for another fact."""
    return int(text.split()[1]) if word_of(text) == "clock" else None


def stakes(text: str) -> Fraction:
    """Stakes as they are kept: a whole number or a fraction.

    Raises:
        ValueError: for anything else; a number like 1e99999999 would take for ever to read.
    """
    if not re.fullmatch("-?[0-9]{1,12}(/[1-9][0-9]{0,3})?", text):
        raise ValueError(f"{quoted(text)} are no stakes")
    return Fraction(text)


def conditions_text(conditions: Conditions | None) -> str:
    """The conditions as they are kept; empty if they are not known."""
    return "\n".join(conditions.to_lines()) if conditions else ""
