"""The actions of a match: small immutable values, each with a one-line text.

A match is its beginning plus its actions. Records and journals keep both, and `apply` recreates every
position. The texts are

* ``throw 3+5``: the faces thrown, in order (``throw 8``: one die, or just a total);
* ``shut 1,7``: the tiles shut for the throw, or ``shut -`` if the throw is passed;
* ``open 4``: the tile that a blocked player opens again;
* ``time``: the player ran out of time;
* ``next``: the finished turn has been seen, play goes on.
"""

from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias, get_args

from shutthebox.errors import quoted
from shutthebox.marker import Marker
from shutthebox.rules.faces import faces_from_text, faces_to_text
from shutthebox.rules.match import Match, unless
from shutthebox.rules.moves import Throw
from shutthebox.rules.position import Stage
from shutthebox.rules.tiles import MAX_TILE, Tiles, from_text, to_numbers, to_text, to_tiles


@dataclass(frozen=True, slots=True)
class Thrown:
    """The player threw these faces."""

    WORD: ClassVar = "throw"
    PEER_MAY_SEND: ClassVar = True
    IS_RANKED: ClassVar = True
    JOINS_LINE: ClassVar = False
    shuts: ClassVar[Tiles] = 0
    opens: ClassVar[Tiles] = 0

    faces: Throw

    def apply(self, match: Match) -> Match:
        """The match after the throw."""
        return match.throw(self.faces)

    def why_not(self, match: Match) -> str | None:
        """Why the throw isn't allowed now; None if it is."""
        return match.why_not_throw(self.faces)

    def to_text(self) -> str:
        """For example ``throw 3+5``."""
        return f"{self.WORD} {faces_to_text(self.faces)}"

    def to_record(self, match: Match) -> str:
        """For example ``1 3+5``: the player of the match before it, and the faces."""
        return f"{match.player + 1} {faces_to_text(self.faces)}"

    @classmethod
    def from_text(cls, rest: str) -> Self:
        """Parses a throw from the text after its word."""
        return cls(faces_from_text(rest))


@dataclass(frozen=True, slots=True)
class Moved:
    """The player shut these tiles; no tiles means passing a throw without a move."""

    WORD: ClassVar = "shut"
    PEER_MAY_SEND: ClassVar = True
    IS_RANKED: ClassVar = True
    JOINS_LINE: ClassVar = True
    faces: ClassVar[Throw] = ()
    opens: ClassVar[Tiles] = 0

    shut: Tiles

    @property
    def shuts(self) -> Tiles:
        """The tiles that the player shuts."""
        return self.shut

    def apply(self, match: Match) -> Match:
        """The match after the move."""
        return match.move(self.shut)

    def why_not(self, match: Match) -> str | None:
        """Why the move isn't allowed now; None if it is."""
        return match.why_not_move(self.shut)

    def to_text(self) -> str:
        """For example ``shut 1,7``, or ``shut -``."""
        return f"{self.WORD} {to_text(self.shut)}"

    def to_record(self, match: Match) -> str:
        """For example ``1,7``, or ``-``."""
        return to_text(self.shut)

    @classmethod
    def from_text(cls, rest: str) -> Self:
        """Parses a move from the text after its word."""
        return cls(from_text(rest))


@dataclass(frozen=True, slots=True)
class Reopened:
    """The blocked player opened this tile."""

    WORD: ClassVar = "open"
    PEER_MAY_SEND: ClassVar = True
    IS_RANKED: ClassVar = True
    JOINS_LINE: ClassVar = True
    faces: ClassVar[Throw] = ()
    shuts: ClassVar[Tiles] = 0

    tile: int

    @property
    def opens(self) -> Tiles:
        """The tile that the player opens."""
        return to_tiles([self.tile])

    def apply(self, match: Match) -> Match:
        """The match after the tile is open again."""
        return match.reopen(self.tile)

    def why_not(self, match: Match) -> str | None:
        """Why that isn't allowed now; None if it is."""
        return match.why_not_reopen(self.tile)

    def to_text(self) -> str:
        """For example ``open 4``."""
        return f"{self.WORD} {self.tile}"

    def to_record(self, match: Match) -> str:
        """For example ``+4``."""
        return f"+{self.tile}"

    @classmethod
    def from_text(cls, rest: str) -> Self:
        """Parses the tile from the text after the word."""
        tiles = to_numbers(from_text(rest))
        if len(tiles) != 1 or tiles[0] > MAX_TILE:
            raise ValueError(f"{quoted(rest)} is not one tile")
        return cls(tiles[0])


class BareAction(Marker):
    """An action without data. In a record, its line is the player and its word."""

    __slots__ = ()

    WORD: ClassVar[str]
    JOINS_LINE: ClassVar = False
    faces: ClassVar[Throw] = ()
    shuts: ClassVar[Tiles] = 0
    opens: ClassVar[Tiles] = 0

    def to_text(self) -> str:
        """The action's word; nothing follows it."""
        return self.WORD

    def to_record(self, match: Match) -> str:
        """For example ``1 time``."""
        return f"{match.player + 1} {self.WORD}"

    @classmethod
    def from_text(cls, rest: str) -> Self:
        """The action; nothing follows its word."""
        return cls()


class OutOfTime(BareAction):
    """The player ran out of time."""

    __slots__ = ()

    WORD = "time"
    PEER_MAY_SEND: ClassVar = True
    IS_RANKED: ClassVar = True

    def apply(self, match: Match) -> Match:
        """The match after the player's time is over."""
        return match.out_of_time()

    def why_not(self, match: Match) -> str | None:
        """Why time can't run out now."""
        return match.why_not_out_of_time()


class Advanced(BareAction):
    """The finished turn has been seen."""

    __slots__ = ()

    WORD = "next"
    PEER_MAY_SEND: ClassVar = True
    IS_RANKED: ClassVar = True

    def apply(self, match: Match) -> Match:
        """The match after the finished turn."""
        return match.advance()

    def why_not(self, match: Match) -> str | None:
        """What has to come first."""
        return unless(match, Stage.ADVANCE)

    def to_record(self, match: Match) -> str:
        """How the turn has ended, for example ``1 blocked 25``."""
        return f"{match.player + 1} {match.turn.outcome} {match.turn.score}"


Action: TypeAlias = Thrown | Moved | Reopened | OutOfTime | Advanced
"""One thing that happens to a match.

An action is one class: it applies itself, says why it is forbidden (`why_not`; None if it is not), and has
its line in a record and in the store. `WORD` begins its text, `JOINS_LINE` says that it's on the line of
the throw that it answers; `faces`, `shuts` and `opens` are what it does to dice and tiles.

Two answers have no default, so that nobody gives them by accident: `PEER_MAY_SEND`, whether players at
another box may do it in a match on two boxes; and `IS_RANKED`, whether a match with it counts in a league.
"""

ACTIONS: tuple[type[Action], ...] = get_args(Action)
_BY_WORD: dict[str, type[Action]] = {kind.WORD: kind for kind in ACTIONS}


def apply(match: Match, action: Action) -> Match:
    """Returns the position after an action.

    Raises:
        ValueError: if the rules don't allow it now.
    """
    return action.apply(match)


def action_from_text(text: str) -> Action:
    """Parses an action from its `to_text`.

    Raises:
        ValueError: for anything that `to_text` never writes; no other exception.
    """
    word, _, rest = text.partition(" ")
    kind = _BY_WORD.get(word)
    if kind is None:
        *most, last = _BY_WORD
        raise ValueError(f"{quoted(text)} is not an action: actions are {', '.join(most)} and {last}")
    action = kind.from_text(rest)
    if action.to_text() != text:
        raise ValueError(f"{quoted(text)} is not how an action is written; {action.to_text()!r} is")
    return action
