"""Strong play on rows that are too large for exact odds: learned values of tiles, a look ahead, exact ends.

The worth of a turn is the points that it still shuts. With more than `EXACT_TILES` open, the estimate is a
constant for their number plus a value for each of them (`TileValues`, found by
`shutthebox.odds.row_learning`). The best answers are compared by a look ahead over the next throw. With no
more tiles open than that, the rest of the turn is played exactly.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from shutthebox.odds.odds import Odds
from shutthebox.odds.values import Ranked, Value
from shutthebox.rules.moves import legal_moves
from shutthebox.rules.profile import Blocked, Draw, MoveKind, OneDie, Profile, Scoring, Turns
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers
from shutthebox.rules.turn import Turn

EXACT_TILES = 10
"""With so many tiles open or fewer the rest of a turn is solved exactly, in some 10 ms."""

LOOKED_AT = 8
"""Answers whose next throw is looked at; the others have the worse values."""

USUAL_MOST = 3
"""Answers with more tiles are looked for only where there is none with so many or fewer."""

_RARE = 1e-4
"""A look ahead leaves out totals with a smaller chance."""

TileValues: TypeAlias = Mapping[int, Sequence[float]]
"""By the number of open tiles, in points that a turn still shuts: a constant, then a value for every tile."""


def is_plain(profile: Profile) -> bool:
    """Whether the rules are those of a large row: sets of tiles for a total, and open tiles count."""
    return (
        profile.move is MoveKind.SET
        and profile.draw is Draw.DICE
        and profile.one_die is OneDie.NEVER
        and profile.score is Scoring.SUM
        and profile.blocked is Blocked.ENDS_TURN
        and profile.turns is Turns.WHOLE
        and profile.tiles == tuple(range(1, len(profile.tiles) + 1))
        and profile.starting == profile.all_tiles
        and profile.rows == 1
        and not profile.ends_turn_on
        and not profile.difference
        and not profile.insurance
        and not profile.highest_wins
        and profile.max_tiles is None
        and profile.first_move_must_include is None
    )


def total_chances(dice: int, sides: int) -> dict[int, float]:
    """The chance of every total."""
    chances = {0: 1.0}
    for _ in range(dice):
        longer: dict[int, float] = {}
        for total, chance in chances.items():
            for face in range(1, sides + 1):
                longer[total + face] = longer.get(total + face, 0.0) + chance / sides
        chances = longer
    return chances


@dataclass(frozen=True, slots=True)
class BestPlay:
    """The score of best play of a whole turn, as far as it is known.

    Attributes:
        score: the expected score.
        exact: if not, the expected score is at most that, with 99 % confidence.
    """

    score: float
    exact: bool


class LargeRow:
    """Play by learned values on a large row.

    Args:
        profile: the game; `is_plain` holds.
        values: learned for it.
        best_play: as far as it is known; None if it is not.

    Attributes:
        profile: as given.
        best_play: as given.
    """

    def __init__(self, profile: Profile, values: TileValues, best_play: BestPlay | None = None) -> None:
        assert is_plain(profile), "the values are for plain rules"
        self.profile, self.best_play = profile, best_play
        self._few = replace(profile, max_tiles=USUAL_MOST)
        self._values = values
        self._least = min(values)
        chances = total_chances(profile.dice, profile.sides)
        self._chances = {total: chance for total, chance in chances.items() if chance >= _RARE}

    def still_shut(self, open_tiles: Tiles) -> float:
        """The points that a turn still shuts, by the learned values."""
        numbers = to_numbers(open_tiles)
        if not numbers:
            return 0.0
        values = self._of_size(len(numbers))
        return max(0.0, values[0] + sum([values[number] for number in numbers]))

    def answer(self, open_tiles: Tiles, throw: Sequence[int]) -> Tiles:
        """The answer with the best learned value, without a look ahead; none where there is no answer."""
        return max(self._answers(open_tiles, throw), key=self._after(open_tiles), default=0)

    def best(self, turn: Turn) -> Tiles:
        """The answer to the throw on the table; none where there is no answer."""
        ranked = self.ranked(turn)
        return ranked[0].tiles if ranked else 0

    def ranked(self, turn: Turn) -> tuple[Ranked, ...]:
        """The best answers to the throw on the table, with their expected scores, the best first.

        With no more than `EXACT_TILES` open these are all answers and exact; else `LOOKED_AT` and estimates.
        """
        if not turn.awaits_answer or turn.throw is None:
            return ()
        if turn.open.bit_count() <= EXACT_TILES:
            return endgame(self.profile, turn.open).ranked(turn)
        answers = sorted(self._answers(turn.open, turn.throw), key=self._after(turn.open), reverse=True)
        scores = [
            (sum_of(turn.open & ~shut) - self.looked_ahead(turn.open & ~shut), shut)
            for shut in answers[:LOOKED_AT]
        ]
        scores.sort(key=lambda pair: pair[0])
        return tuple(Ranked(shut, Value(score, 0.0), score - scores[0][0]) for score, shut in scores)

    def looked_ahead(self, open_tiles: Tiles) -> float:
        """The points that a turn still shuts, over every next throw and its best answer."""
        if not open_tiles:
            return 0.0
        best: dict[int, float] = {}
        for total, after in self._usual(to_numbers(open_tiles)):
            if after > best.get(total, -1.0):
                best[total] = after
        return sum([self._chances[total] * (total + after) for total, after in best.items()])

    def _answers(self, open_tiles: Tiles, throw: Sequence[int]) -> tuple[Tiles, ...]:
        faces = tuple(throw)
        return legal_moves(self._few, open_tiles, faces) or legal_moves(self.profile, open_tiles, faces)

    def _after(self, open_tiles: Tiles) -> Callable[[Tiles], float]:
        """A key to compare answers by: the points that are still shut after them."""
        return lambda shut: self.still_shut(open_tiles & ~shut)

    def _of_size(self, count: int) -> Sequence[float]:
        return self._values[max(count, self._least)]

    def _usual(self, numbers: tuple[int, ...]) -> Iterator[tuple[int, float]]:
        """Every answer of up to three tiles to any likely total: the total, and the points after it."""
        chances, most = self._chances, max(self._chances)
        for size in range(1, min(USUAL_MOST, len(numbers)) + 1):
            values = self._of_size(len(numbers) - size)
            whole = 0.0
            if len(numbers) > size:
                whole = values[0] + sum([values[number] for number in numbers])
            for total, kept in _sums(numbers, values, size, most):
                if total in chances:
                    yield total, max(0.0, whole - kept) if len(numbers) > size else 0.0


def _sums(
    numbers: tuple[int, ...], values: Sequence[float], size: int, most: int
) -> Iterator[tuple[int, float]]:
    """The sums up to `most` of so many different numbers (1 to 3), each with that of their values."""
    for i, first in enumerate(numbers):
        if size == 1:
            if first <= most:
                yield first, values[first]
            continue
        for j in range(i + 1, len(numbers)):
            two = first + numbers[j]
            if two > most:
                break
            value = values[first] + values[numbers[j]]
            if size == 2:
                yield two, value
                continue
            for third in numbers[j + 1 :]:
                if two + third > most:
                    break
                yield two + third, value + values[third]


@lru_cache(maxsize=16)
def endgame(profile: Profile, open_tiles: Tiles) -> Odds:
    """Exact odds of the rest of a turn, with few tiles open."""
    return Odds(replace(profile, start_open=to_numbers(open_tiles)))
