"""The events of a match, as small frozen values with a one-line text each.

A match is its beginning and the actions since. A record or a journal keeps both, and `apply` gives every
position again. The texts are

* ``throw 3+5``: the faces thrown, in their order (``throw 8``: one die, or a bare total);
* ``shut 1,7``: the tiles shut for the throw, or ``shut -`` for a throw that is passed;
* ``open 4``: the tile that a blocked player opens again;
* ``time``: the time for the turn is over;
* ``next``: a finished turn has been looked at, play goes on.
"""

from dataclasses import dataclass
from typing import TypeAlias

from shutthebox.errors import quoted
from shutthebox.plain import Plain
from shutthebox.rules.faces import faces_from_text, faces_to_text
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.tiles import Tiles, from_text, to_numbers, to_text


@dataclass(frozen=True, slots=True)
class Thrown:
    """The player has thrown these faces."""

    faces: Throw

    def to_text(self) -> str:
        """For example ``throw 3+5``."""
        return f"throw {faces_to_text(self.faces)}"


@dataclass(frozen=True, slots=True)
class Moved:
    """The player has shut these tiles; none at all passes a throw without a move."""

    shut: Tiles

    def to_text(self) -> str:
        """For example ``shut 1,7``, or ``shut -``."""
        return f"shut {to_text(self.shut)}"


@dataclass(frozen=True, slots=True)
class Reopened:
    """The blocked player has opened this tile."""

    tile: int

    def to_text(self) -> str:
        """For example ``open 4``."""
        return f"open {self.tile}"


class OutOfTime(Plain):
    """The time for the turn is over."""

    __slots__ = ()

    def to_text(self) -> str:
        """Always ``time``."""
        return "time"


class Advanced(Plain):
    """The finished turn has been looked at."""

    __slots__ = ()

    def to_text(self) -> str:
        """Always ``next``."""
        return "next"


Action: TypeAlias = Thrown | Moved | Reopened | OutOfTime | Advanced
"""One thing that happens to a match."""


def apply(match: Match, action: Action) -> Match:
    """The position after an action.

    Raises:
        ValueError: if the rules do not allow it now.
    """
    match action:
        case Thrown(faces):
            return match.throw(faces)
        case Moved(shut):
            return match.move(shut)
        case Reopened(tile):
            return match.reopen(tile)
        case OutOfTime():
            return match.out_of_time()
        case Advanced():
            return match.advance()


def action_from_text(text: str) -> Action:
    """The action whose `to_text` is `text`.

    Raises:
        ValueError: for anything that no `to_text` writes; never anything else.
    """
    word, _, rest = text.partition(" ")
    action: Action
    match word:
        case "throw":
            action = Thrown(faces_from_text(rest))
        case "shut":
            action = Moved(from_text(rest))
        case "open":
            tiles = to_numbers(from_text(rest))
            if len(tiles) != 1:
                raise ValueError(f"{quoted(rest)} is not one tile")
            action = Reopened(tiles[0])
        case "time":
            action = OutOfTime()
        case "next":
            action = Advanced()
        case _:
            raise ValueError(f"{quoted(text)} is no action: actions are throw, shut, open, time and next")
    if action.to_text() != text:
        raise ValueError(f"{quoted(text)} is not how an action is written; {action.to_text()!r} is")
    return action
