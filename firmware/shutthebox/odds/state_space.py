"""A profile's row as dense bits: the tiles that can be open, numbered 0, 1, 2 … as they rise.

A row may bear any numbers up to 54, but only the tiles that start open ever matter to a turn.
Numbered densely, all their sets are the integers below 2 ** count, and a move, which only
clears bits, leads to a smaller integer.
"""

from shutthebox.odds.values import MOST_TILES, Goal, Objective, TooLargeError, sign
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.score import lost_score, score
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles

_ADDITIVE = (Scoring.SUM, Scoring.COUNT, Scoring.SHUT_SUM)


class Space:
    """The sets of tiles that a turn can meet.

    Attributes:
        profile: the variant.
        tiles: the tiles that can be open.
        numbers: their numbers, rising; the index is the dense bit.
        size: how many sets there are.
    """

    def __init__(self, profile: Profile, tiles: Tiles | None = None) -> None:
        self.profile = profile
        self.tiles = profile.starting if tiles is None else tiles | profile.starting
        self.numbers = to_numbers(self.tiles)
        if len(self.numbers) > MOST_TILES:
            raise TooLargeError(
                f"{len(self.numbers)} tiles are too many for exact odds, {MOST_TILES} are the most"
            )
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

    def scores(self) -> list[int]:
        """The score of a turn that ends with each set open; 0 everywhere if throws count."""
        if self.profile.score not in _ADDITIVE:
            return [score(self.profile, self.sparse(mask), 0) for mask in range(self.size)]
        empty = score(self.profile, 0, 0)
        scores = [empty]
        for number in self.numbers:
            step = score(self.profile, to_tiles([number]), 0) - empty
            scores += [points + step for points in scores]
        return scores

    def lost(self) -> int:
        """The score of a turn lost on its first move."""
        return lost_score(self.profile)

    def goal(self, objective: Objective) -> Goal:
        """What the ends of a turn are worth to a player with this objective."""
        best = sign(self.profile)
        points = [best * score for score in self.scores()]
        throw = best if self.profile.score is Scoring.THROWS else 0
        # A lost turn's score stands whatever was thrown; `per_throw` is added to it again.
        lost = best * self.lost() - throw
        if objective is Objective.SHUT:
            return Goal([(mask == 0, points[mask]) for mask in range(self.size)], (0, lost), (0, throw))
        ends = [(points[mask], int(mask == 0)) for mask in range(self.size)]
        return Goal(ends, (lost, 0), (throw, 0))
