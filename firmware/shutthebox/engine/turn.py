"""One turn: an immutable position, what may be done in it, and what follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from random import Random
from typing import overload

from shutthebox.engine.game import Game
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.profile import Draw
from shutthebox.rules.rows import by_row
from shutthebox.rules.tiles import MAX_TILE, to_numbers, to_tiles
from shutthebox.rules.turn import Outcome


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """A position within a player's turn: it awaits a throw, or a move for the throw made, or it's over.

    `throw` and `move` return the next position, and leave this one as it is. A move is a tuple of tiles:
    those to shut, rising. In games where blocked players open a tile again, that one is negative: `(-4,)`. An
    empty move passes a throw for which nothing can be done. In games with two rows, moves name a tile by the
    column it's in; the tile behind, if it goes in the same move, is its column plus the box's highest number.

    Example:
        >>> turn = Turn.start(Game.from_name("traditional")).throw(3, 5)
        >>> turn.legal_moves
        ((8,), (1, 7), (2, 6), (3, 5), (1, 2, 5), (1, 3, 4))
        >>> turn.move(3, 5).open
        (1, 2, 4, 6, 7, 8, 9)

    Attributes:
        game: what's played.
        state: the position as the rest of this package has it; no part of the API.
        dice: how many dice may be thrown, if the others have a say in it; likewise.
    """

    game: Game
    state: turns.Turn
    dice: tuple[int, ...] | None = field(default=None, compare=False)

    @classmethod
    def start(cls, game: Game) -> Turn:
        """A turn before its first throw."""
        return cls(game, turns.start(game.profile))

    @classmethod
    def at(cls, game: Game, open_tiles: Iterable[int]) -> Turn:
        """A turn that awaits a throw, with these tiles open.

        It isn't the first throw, unless turns start with these tiles.

        >>> Turn.at(Game.from_name("traditional"), [1, 2]).legal_dice
        (2, 1)

        Raises:
            ValueError: no tiles, tiles that aren't in play, or a game with two rows.
        """
        wanted = tuple(open_tiles)
        if game.profile.rows > 1:
            raise ValueError(f"{game.name} has two rows; play a turn to get to a position")
        strange = [tile for tile in wanted if tile not in to_numbers(game.profile.starting)]
        if strange or not wanted:
            wrong = f"tile {strange[0]} is not in play" if strange else "no tile is open"
            raise ValueError(
                f"{wrong}; use tiles from {', '.join(map(str, to_numbers(game.profile.starting)))}"
            )
        mask = to_tiles(wanted)
        if mask == game.profile.starting:
            return cls.start(game)
        return cls(game, turns.Turn(mask, moves=1, misses_left=game.profile.spare_throws))

    @property
    def open(self) -> tuple[int, ...]:
        """The numbers of the open tiles; with two rows, those of the front row first."""
        return sum(by_row(self.game.profile, self.state.open, self.state.behind), ())

    @property
    def thrown(self) -> tuple[int, ...] | None:
        """The faces on the table; after the turn, of the throw that ended it; else None."""
        return self.state.throw

    @property
    def throws(self) -> int:
        """How many throws have been made."""
        return self.state.throws

    @property
    def awaits_throw(self) -> bool:
        """Whether a throw is next."""
        return self.state.outcome is None and not self.state.awaits_answer

    @property
    def awaits_move(self) -> bool:
        """Whether a move is next."""
        return self.state.awaits_answer

    @property
    def is_over(self) -> bool:
        """Whether the turn has ended."""
        return self.state.outcome is not None

    @property
    def is_shut(self) -> bool:
        """Whether the turn has ended with the box shut."""
        return self.state.outcome is Outcome.SHUT

    @property
    def outcome(self) -> str | None:
        """How the turn ended; None until then.

        It's "shut", "blocked", "lost" (no legal first move), "ended" (by a throw that ends turns), "time", or
        "unplayed" (the round was over before).
        """
        return self.state.outcome and self.state.outcome.value

    @property
    def score(self) -> int | None:
        """The score of a turn that's over; None until then."""
        return self.state.score

    @property
    def legal_dice(self) -> tuple[int, ...]:
        """How many dice may be thrown, the usual number first; none unless a throw is next."""
        if not self.awaits_throw:
            return ()
        return self.dice or dice_allowed(self.game.profile, self.state.open, self.state.behind)

    @property
    def legal_moves(self) -> tuple[tuple[int, ...], ...]:
        """Every move that may be made, those with the fewest tiles first.

        Never empty if a move is next: if nothing can be done, there's the empty move.
        """
        if not self.awaits_move:
            return ()
        if answers := turns.answers(self.game.profile, self.state):
            return tuple(sorted(map(to_numbers, answers), key=lambda move: (len(move), move)))
        opened = to_numbers(turns.reopenings(self.game.profile, self.state))
        return tuple((-tile,) for tile in opened) or ((),)

    def why_not_throw(self, *faces: int) -> str | None:
        """Why these faces can't be thrown now, in one line; None if they can."""
        return turns.why_not_throw(self.game.profile, self.state, faces, self.dice)

    def why_not_move(self, *tiles: int) -> str | None:
        """Why this move can't be made now, in one line; None if it can.

        >>> turn = Turn.start(Game.from_name("traditional")).throw(3, 5)
        >>> turn.why_not_move(2, 5)
        '2,5 adds up to 7, not 8'
        """
        if opened := opened_by(tiles):
            return turns.why_not_reopen(self.game.profile, self.state, opened)
        return why_no_tiles(tiles) or turns.why_not_move(self.game.profile, self.state, to_tiles(tiles))

    def throw(self, *faces: int) -> Turn:
        """The position after this throw.

        Args:
            faces: what each die shows, or the two ends of a domino.

        Raises:
            ValueError: for the reason that `why_not_throw` gives.
        """
        return Turn(self.game, turns.throw(self.game.profile, self.state, faces, self.dice))

    def roll(self, random: Random, dice: int | None = None) -> tuple[int, ...]:
        """Faces at random, for `throw`; in games with dominoes, one from those left in the bag.

        Args:
            random: where chance comes from, such as `Random(7)`.
            dice: how many, of `legal_dice`; None for the usual number.

        Raises:
            ValueError: no throw is next, or that number of dice isn't allowed.
        """
        legal = self.legal_dice
        if not legal:
            raise ValueError("no throw is next")
        if dice is not None and dice not in legal:
            raise ValueError(f"dice: {dice} is not allowed here; use {' or '.join(map(str, legal))}")
        throws = possible_throws(self, dice or legal[0])
        return throws[random.randrange(len(throws))]

    def move(self, *tiles: int) -> Turn:
        """The position after this move.

        Args:
            tiles: to shut, in any order; see the class for opening one. None to pass.

        Raises:
            ValueError: for the reason that `why_not_move` gives.
        """
        if opened := opened_by(tiles):
            return Turn(self.game, turns.reopen(self.game.profile, self.state, opened))
        turns.refuse(why_no_tiles(tiles))
        return Turn(self.game, turns.move(self.game.profile, self.state, to_tiles(tiles)))

    @property
    def shown(self) -> str:
        """The position in a few words."""
        tiles = ",".join(map(str, self.open)) or "none"
        more = f", thrown {'+'.join(map(str, self.thrown))}" if self.thrown else ""
        more += f", {self.outcome}: {self.score}" if self.is_over else ""
        return f"open {tiles}{more}"

    def __repr__(self) -> str:
        return f"<Turn of {self.game.name}: {self.shown}>"


def possible_throws(turn: Turn, dice: int) -> Sequence[Throw]:
    """What can be thrown with this many dice, or drawn from the bag; each is equally likely."""
    if turn.game.profile.draw is Draw.DOMINOES:
        return turns.bag(turn.game.profile, turn.state)
    return _throws(dice, turn.game.profile.sides)


def rising_throws(turn: Turn, dice: int) -> Sequence[Throw]:
    """The same in the same order, each with its faces rising."""
    throws = possible_throws(turn, dice)
    if turn.game.profile.draw is Draw.DOMINOES or not isinstance(throws, tuple):
        return throws
    return _rising(throws)


@lru_cache(maxsize=16)
def _rising(throws: tuple[Throw, ...]) -> tuple[Throw, ...]:
    return tuple(tuple(sorted(faces)) for faces in throws)


_MAX_LISTED = 6**5
"""With more throws they aren't listed in advance."""


@lru_cache(maxsize=16)
def _throws(dice: int, sides: int) -> Sequence[Throw]:
    if sides**dice <= _MAX_LISTED:
        return tuple(product(range(1, sides + 1), repeat=dice))
    return _ManyThrows(dice, sides)


class _ManyThrows(Sequence[Throw]):
    """All throws of many dice, computed one by one instead of kept in a list."""

    def __init__(self, dice: int, sides: int) -> None:
        self._dice, self._sides = dice, sides

    def __len__(self) -> int:
        count: int = self._sides**self._dice
        return count

    @overload
    def __getitem__(self, at: int) -> Throw: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Throw]: ...
    def __getitem__(self, at: int | slice) -> Throw | Sequence[Throw]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        faces = []
        for _ in range(self._dice):
            at, face = divmod(at, self._sides)
            faces.append(face + 1)
        return tuple(reversed(faces))


def opened_by(tiles: tuple[int, ...]) -> int | None:
    """The tile that a move opens again; None if it shuts tiles, or passes."""
    return -tiles[0] if len(tiles) == 1 and tiles[0] < 0 else None


def why_no_tiles(tiles: tuple[int, ...]) -> str | None:
    """Why a move's numbers are none of tiles; None if they are."""
    for tile in tiles:
        if not 1 <= tile <= 2 * MAX_TILE:
            return f"{tile} is not a tile; use numbers from 1 to {MAX_TILE}"
        if tiles.count(tile) > 1:
            return f"{tile} is named twice"
    return None
