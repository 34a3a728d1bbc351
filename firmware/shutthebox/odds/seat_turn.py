"""A turn played against others: solved again and again for different worths of its ends, in floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import truediv

from shutthebox.odds.evaluate import TurnPlay, best_play_at, best_worths, leads_to
from shutthebox.odds.model import PositionPlay, TurnModel
from shutthebox.odds.worths import End, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile

_NUDGE = 1e-11
"""Added to the worth of the best score, less to others, so that the better score breaks ties."""


class SeatTurn:
    """A turn, solved again for every standing; what's certain, or already known, is skipped.

    Attributes:
        model: the positions.
        start: the number of the position that a turn starts from.
        order: the ends by score, best first; an end's index here is its rank.
    """

    def __init__(self, rules: Profile) -> None:
        """Finds the best and the worst end of every position.

        Raises:
            TooLargeError: there are more than 12 tiles, or too many positions.
        """
        model = self.model = TurnModel(rules)
        self.start = model.number(turns.start(rules))
        best = sign(rules)
        self.order = sorted(range(len(model.ends)), key=lambda at: -best * model.ends[at].score)
        ranks = {at: rank for rank, at in enumerate(self.order)}
        self._nudges = [_NUDGE * (1 - ranks[at] / len(ranks)) for at in range(len(model.ends))]
        self._low, self._high = [list(map(ranks.__getitem__, range(len(ranks)))) for _ in "ab"]
        for choices in model.choices[len(ranks) :]:
            after = {each for choice in choices for each in choice.forced}
            after.update(each for choice in choices for several in choice.after for each in several)
            self._low.append(min(map(self._low.__getitem__, after)))
            self._high.append(max(map(self._high.__getitem__, after)))

    def worths(
        self, worth: Callable[[End], float], known: Sequence[float] = (), below: int = 0
    ) -> list[float]:
        """The worth of every position under best play; the ends come first.

        Args:
            worth: of each end.
            known: all positions' worths for other worths of the ends.
            below: ends of lower rank have the same worth in both.
        """
        of_ends = [worth(end) for end in self.model.ends]
        run = self._run(of_ends)
        worths = [each + nudge for each, nudge in zip(of_ends, self._nudges, strict=True)]
        order, low, high = self.order, self._low, self._high

        def settled(number: int) -> float | None:
            if high[number] < below:
                return known[number]
            rank = low[number]
            return worths[order[rank]] if run[rank] >= high[number] else None

        return best_worths(self.model, worths, settled=settled)

    def distribution(
        self, result: Callable[[End], object], worths: Sequence[float], below: int = 0
    ) -> list[float]:
        """The chance of each end under that play.

        Args:
            result: of each end; among ends with the same result, one may get the chances of others.
            worths: of all positions; ends with the same result must have the same worth.
            below: don't follow a turn past positions whose ends all have a lower rank; their chances are
                returned under their numbers.
        """
        run = self._run([result(end) for end in self.model.ends])
        mass = [0.0] * (self.start + 1)
        mass[self.start] = 1.0
        for number in range(self.start, len(self.model.ends) - 1, -1):
            here = mass[number]
            if not here or self._high[number] < below:
                continue
            mass[number] = 0.0
            rank = self._low[number]
            if run[rank] >= self._high[number]:
                mass[self.order[rank]] += here
                continue
            choice, chosen = self._play_at(number, worths)
            share = here / choice.lively
            for after, weight in leads_to(choice, chosen):
                mass[after] += share * weight
        return mass

    def expected(
        self, result: Callable[[End], object], worths: Sequence[float], below: int, of_ends: Sequence[float]
    ) -> list[float]:
        """The mean of another quantity under that play, for each position.

        Args:
            result: of each end; determines `of_ends` and the worth.
            worths: of all positions.
            below: only for positions whose ends all have a lower rank; others get 0.
            of_ends: the quantity at each end.
        """
        run = self._run([result(end) for end in self.model.ends])
        found = list(of_ends)
        for number in range(len(found), len(self.model.choices)):
            if self._high[number] >= below:
                found.append(0.0)
                continue
            rank = self._low[number]
            if run[rank] >= self._high[number]:
                found.append(found[self.order[rank]])
                continue
            choice, chosen = self._play_at(number, worths)
            total = sum([weight * found[after] for after, weight in leads_to(choice, chosen)])
            found.append(total / choice.lively)
        return found

    def _play_at(self, number: int, worths: Sequence[float]) -> PositionPlay:
        return best_play_at(self.model, number, worths, 0.0, truediv)

    def _run(self, results: Sequence[object]) -> list[int]:
        """For each rank, the rank up to which all ends have the same result."""
        run = list(range(len(results)))
        for rank in range(len(results) - 2, -1, -1):
            if results[self.order[rank]] == results[self.order[rank + 1]]:
                run[rank] = run[rank + 1]
        return run


@lru_cache(maxsize=4)
def seat_turn(rules: Profile) -> SeatTurn:
    """`SeatTurn`, cached for the latest profiles."""
    return SeatTurn(rules)


def seat_play(rules: Profile, worth: Callable[[End], float]) -> TurnPlay:
    """The best play of one turn for the chance to win, or stakes, or any other worth of its ends.

    Raises:
        OddsError: like `SeatTurn`.
    """
    turn = seat_turn(rules)
    return TurnPlay(turn.model, turn.worths(worth), worth)
