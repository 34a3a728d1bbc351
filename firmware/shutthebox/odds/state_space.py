"""A profile's row as dense bits: the tiles that can be open, numbered 0, 1, 2 … as they rise.

A row may bear any numbers up to 54, but only the tiles that start open ever matter to a turn.
Numbered densely, all their sets are the integers below 2 ** count, and a move, which only
clears bits, leads to a smaller integer.
"""

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property

from shutthebox.odds.values import (
    MOST_TILES,
    MOST_TILES_OF_TWO_ROWS,
    End,
    Goal,
    Objective,
    OddsError,
    TooLargeError,
    sign,
)
from shutthebox.rules.profile import Blocked, Profile, Scoring
from shutthebox.rules.score import lost_score, score
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles

_ADDITIVE = (Scoring.SUM, Scoring.COUNT, Scoring.SHUT_SUM)


TURN_KEYS = frozenset(
    {
        "tiles", "rows", "start_open", "dice", "sides", "draw", "one_die", "move", "max_tiles",
        "difference", "first_move_must_include", "ends_turn_on", "blocked", "insurance", "turns",
        "score", "lost_score", "win",
    }
)  # fmt: skip
"""The keys of a game that decide how a turn goes on, or its worth. The odds know them all."""

OTHER_KEYS = frozenset(
    {
        "name", "titles", "source", "boxes", "shut_wins", "rounds", "match", "limit", "tie",
        "stakes", "stake", "pays", "first", "captain", "teams", "handicap", "turn_seconds",
    }
)  # fmt: skip
"""The keys on which no position of a turn depends."""


def check_keys(profile: Profile) -> None:
    """Checks that the odds know all keys of a game: one they do not know could change every figure.

    Raises:
        OddsError: for a key that they do not know and that is not at its default.
    """
    for key in fields(profile):
        known = key.name in TURN_KEYS or key.name in OTHER_KEYS
        if not known and getattr(profile, key.name) != key.default:
            raise OddsError(f"{profile.name} has no odds: they do not know the key {key.name}")


class Space:
    """The sets of tiles that a turn can meet.

    Attributes:
        profile: the game.
        tiles: the tiles that can be open.
        numbers: their numbers, rising; the index is the dense bit.
        size: how many sets of them there are.
    """

    def __init__(self, profile: Profile, tiles: Tiles | None = None) -> None:
        """Makes it.

        Raises:
            OddsError: for a key that the odds do not know.
            TooLargeError: for too many tiles.
        """
        check_keys(profile)
        self.profile = profile
        # What is shut stays so, unless tiles are opened again.
        opens = profile.blocked is Blocked.OPENS_ONE
        self.tiles = profile.starting if tiles is None else tiles | profile.starting * opens
        self.numbers = to_numbers(self.tiles)
        most = MOST_TILES if profile.rows == 1 else MOST_TILES_OF_TWO_ROWS
        if len(self.numbers) > most:
            raise TooLargeError(f"{len(self.numbers)} tiles are too many for exact odds, {most} are the most")
        self.size = 1 << len(self.numbers)
        self.contiguous = self.tiles == self.size - 1

    def dense(self, tiles: Tiles) -> int:
        """A set in dense bits.

        Raises:
            ValueError: if a tile can never be open.
        """
        if tiles & ~self.tiles:
            raise ValueError(f"tiles {to_numbers(tiles & ~self.tiles)} can never be open here")
        if self.contiguous:
            return tiles
        return sum(1 << i for i, number in enumerate(self.numbers) if tiles >> (number - 1) & 1)

    def sparse(self, mask: int) -> Tiles:
        """The set of tiles that dense bits stand for."""
        if self.contiguous:
            return mask
        return to_tiles(number for i, number in enumerate(self.numbers) if mask >> i & 1)

    def bit(self, number: int) -> int:
        """The dense bit of a tile's number; 0 if that tile cannot be open."""
        return 1 << self.numbers.index(number) if number in self.numbers else 0

    def below(self, number: int) -> int:
        """How many tiles bear a number up to this one."""
        return sum(tile <= number for tile in self.numbers)

    @cached_property
    def masks(self) -> Sequence[int]:
        """The sets that a turn can meet, as dense bits, rising.

        With two rows the bits of the tiles behind open ones stand above those of the numbers of
        which a tile is open.
        """
        if self.profile.rows == 1:
            return range(self.size)
        met = [0]
        for i in range(len(self.numbers)):
            # Both tiles of a number are shut, the one behind is open, or both are.
            low, high = 1 << i, 1 << (i + len(self.numbers))
            met += [mask | low for mask in met] + [mask | low | high for mask in met]
        return sorted(met)

    def mask(self, open_tiles: Tiles, behind: Tiles = 0) -> int:
        """The dense bits of a turn's tiles: those open, and those behind open ones."""
        return self.dense(open_tiles) | self.dense(behind) << len(self.numbers)

    def tiles_of(self, mask: int) -> tuple[Tiles, Tiles]:
        """The tiles that are open, and those behind open ones."""
        return self.sparse(mask & (self.size - 1)), self.sparse(mask >> len(self.numbers))

    def after(self, mask: int, move: int) -> int:
        """The set that a move, in dense bits, leads to."""
        if self.profile.rows == 1:
            return mask ^ move
        in_front = mask >> len(self.numbers) & move
        return mask ^ (in_front << len(self.numbers)) ^ (move ^ in_front)

    def move(self, before: int, after: int) -> int:
        """The move between two sets, in dense bits."""
        changed = before ^ after
        return changed & (self.size - 1) | changed >> len(self.numbers)

    @cached_property
    def scores(self) -> list[int]:
        """The score of a turn that ends with each of the sets open; 0 everywhere if throws count."""
        if self.profile.rows == 2:
            return [score(self.profile, front, 0, behind) for front, behind in map(self.tiles_of, self.masks)]
        if self.profile.score not in _ADDITIVE:
            return [score(self.profile, self.sparse(mask), 0) for mask in range(self.size)]
        empty = score(self.profile, 0, 0)
        scores = [empty]
        for number in self.numbers:
            step = score(self.profile, to_tiles([number]), 0) - empty
            scores += [points + step for points in scores]
        return scores

    @cached_property
    def ends(self) -> list[End]:
        """How a turn ends with each of the sets open; where throws count, without them."""
        return [End(score, not mask) for mask, score in zip(self.masks, self.scores, strict=True)]

    @property
    def lost(self) -> End:
        """The end of a turn lost on its first move."""
        return End(lost_score(self.profile), False)

    def goal(self, objective: Objective) -> Goal:
        """The worth of the ends of a turn to a player with this objective."""
        best = sign(self.profile)
        throw = best if self.profile.score is Scoring.THROWS else 0
        if objective is Objective.SHUT:
            return Goal(lambda end: (int(end.shut), best * end.score), (0, throw))
        return Goal(lambda end: (best * end.score, int(end.shut)), (throw, 0))
