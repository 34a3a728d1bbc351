"""The best play of a turn for any worth of its ends, in floats: the base of play against others.

Play against others needs the same turn solved for hundreds of different worths. So the graph of a turn is
compiled once: per position the throws with one answer are one weighted sum, and only those with several
need a choice. A position whose ends all have the same worth is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter, mul
from typing import NamedTuple, TypeAlias

from shutthebox.odds.state_space import Space
from shutthebox.odds.turn_graph import TurnGraph, Way
from shutthebox.odds.values import End, OddsError, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.turn import Turn

_NUDGE = 1e-11
"""Added to the worth of the best score, and less to others: of equal answers the better score is chosen."""

Worth: TypeAlias = Callable[[End], float]
"""The worth of an end of a turn."""
_Getter: TypeAlias = Callable[[Sequence[float]], tuple[float, ...]]
_Others: TypeAlias = tuple[int, _Getter, tuple[int, ...]]


class _Compiled(NamedTuple):
    """A way to throw, by how many answers the throws have.

    Attributes:
        weights: of what follows throws with one answer.
        get: gets the values of what follows them.
        singles: what follows them, each with its weight.
        pairs: weights of throws with two answers, and what follows.
        others: weights of those with more, the getter of values, and what follows.
        divisor: the throws that there are, without those that are passed.
    """

    weights: tuple[int, ...]
    get: _Getter
    singles: list[tuple[int, int]]
    pairs: list[tuple[int, int, int]]
    others: list[_Others]
    divisor: int


class CompiledTurn:
    """The graph of a profile's turn, ready to be solved many times.

    Attributes:
        graph: the positions.
        start: the number of the position that a turn starts from.
        order: the ends by their score, the best first; an end's place here is its rank.
    """

    def __init__(self, profile: Profile) -> None:
        """Compiles it.

        Raises:
            OddsError: where throws count, or tiles are opened again.
            TooLargeError: for more than 12 tiles, or rules with too many positions.
        """
        if profile.score is Scoring.THROWS:
            raise OddsError("play against others is not worked out where throws count")
        start = turns.start(profile)
        graph = self.graph = TurnGraph(Space(profile), start)
        if graph.comes_back:
            raise OddsError("play against others is not worked out where tiles are opened again")
        number = graph.number(start)
        assert number is not None, "a turn's start is in its graph"
        self.start = number
        best = sign(profile)
        self.order = sorted(range(len(graph.ends)), key=lambda at: -best * graph.ends[at].score)
        ranks = {at: rank for rank, at in enumerate(self.order)}
        self._nudges = [_NUDGE * (1 - ranks[at] / len(ranks)) for at in range(len(graph.ends))]
        self._low, self._high = [list(map(ranks.__getitem__, range(len(ranks)))) for _ in "ab"]
        self._ways: list[list[_Compiled]] = [[] for _ in graph.ends]
        for number, ways in enumerate(graph.ways[len(graph.ends) :], len(graph.ends)):
            after = {each for way in ways for _, following in way.events for each in following} - {number}
            self._low.append(min(map(self._low.__getitem__, after)))
            self._high.append(max(map(self._high.__getitem__, after)))
            self._ways.append([compiled for way in ways for compiled in _compiled(way, number)])

    def values(self, worth: Worth, known: Sequence[float] = (), below: int = 0) -> list[float]:
        """The worth of every position under best play; the ends come first.

        Args:
            worth: of each end.
            known: the values for another worth.
            below: the worths are the same for ends of a lower rank than this.
        """
        worths = [worth(end) for end in self.graph.ends]
        run = self._run(worths)
        values = [each + nudge for each, nudge in zip(worths, self._nudges, strict=True)]
        order, low, high = self.order, self._low, self._high
        for number in range(len(values), len(self._ways)):
            if high[number] < below:
                values.append(known[number])
                continue
            rank = low[number]
            if run[rank] >= high[number]:
                values.append(values[order[rank]])
                continue
            ways = self._ways[number]
            best = _worth_of(ways[0], values)
            for way in ways[1:]:
                best = max(best, _worth_of(way, values))
            values.append(best)
        return values

    def distribution(
        self, result: Callable[[End], object], values: Sequence[float], below: int = 0
    ) -> list[float]:
        """How a turn ends under that play: the chance of each end of the graph.

        Args:
            result: of each end; of ends with the same result one may get the chances of others.
            values: found for the worth of the ends, which is the same for the same result.
            below: a turn is followed no further than to a position from which all ends have a lower rank than
                this; the chance of such a position is given, too, at its number.
        """
        run = self._run([result(end) for end in self.graph.ends])
        mass = [0.0] * (self.start + 1)
        mass[self.start] = 1.0
        for number in range(self.start, len(self.graph.ends) - 1, -1):
            here = mass[number]
            if not here or self._high[number] < below:
                continue
            mass[number] = 0.0
            rank = self._low[number]
            if run[rank] >= self._high[number]:
                mass[self.order[rank]] += here
                continue
            ways = self._ways[number]
            way = ways[0] if len(ways) == 1 else max(ways, key=lambda way: _worth_of(way, values))
            share = here / way.divisor
            for after, weight in way.singles:
                mass[after] += share * weight
            for weight, one, two in way.pairs:
                mass[one if values[one] >= values[two] else two] += share * weight
            for weight, get, following in way.others:
                found = get(values)
                mass[following[found.index(max(found))]] += share * weight
        return mass

    def expected(
        self, result: Callable[[End], object], values: Sequence[float], below: int, of_ends: Sequence[float]
    ) -> list[float]:
        """The mean of something else than the worth under that play, for each position.

        Args:
            result: of each end; it decides `of_ends`, and the worth.
            values: found for the worth of the ends.
            below: only positions count from which all ends have a lower rank than this; the others get 0.
            of_ends: what it is for each end.
        """
        run = self._run([result(end) for end in self.graph.ends])
        found = list(of_ends)
        for number in range(len(found), len(self._ways)):
            if self._high[number] >= below:
                found.append(0.0)
                continue
            rank = self._low[number]
            if run[rank] >= self._high[number]:
                found.append(found[self.order[rank]])
                continue
            way = max(self._ways[number], key=lambda way: _worth_of(way, values))
            total = sum(map(mul, way.weights, way.get(found)))
            for weight, one, two in way.pairs:
                total += weight * found[one if values[one] >= values[two] else two]
            for weight, get, following in way.others:
                several = get(values)
                total += weight * found[following[several.index(max(several))]]
            found.append(total / way.divisor)
        return found

    def with_dice(self, values: Sequence[float], turn: Turn, dice: int) -> float:
        """The worth of a turn that awaits a throw if so many dice are thrown now.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        number = self.number(turn)
        return _worth_of(self._ways[number][self.graph.way(number, dice)], values)

    def number(self, turn: Turn) -> int:
        """The number of a turn that awaits a throw.

        Raises:
            OddsError: for a turn that cannot be reached from a turn's start.
        """
        number = self.graph.number(turn)
        if number is None:
            raise OddsError(f"{turn.to_text()} cannot be reached")
        return number

    def _run(self, results: Sequence[object]) -> list[int]:
        """By rank of score, up to which rank all ends have the same result."""
        run = list(range(len(results)))
        for rank in range(len(results) - 2, -1, -1):
            if results[self.order[rank]] == results[self.order[rank + 1]]:
                run[rank] = run[rank + 1]
        return run


@lru_cache(maxsize=4)
def compiled_turn(profile: Profile) -> CompiledTurn:
    """`CompiledTurn`, kept for the profiles that were asked for last."""
    return CompiledTurn(profile)


def _compiled(way: Way, number: int) -> list[_Compiled]:
    divisor, singles = way.total, dict[int, int]()
    pairs: list[tuple[int, int, int]] = []
    others: list[_Others] = []
    for weight, after in way.events:
        if after == (number,):
            # A throw that is passed is made again.
            divisor -= weight
        elif len(after) == 1:
            singles[after[0]] = singles.get(after[0], 0) + weight
        elif len(after) == 2:
            pairs.append((weight, after[0], after[1]))
        else:
            others.append((weight, itemgetter(*after), after))
    if not divisor:
        return []
    # A getter of fewer than two items gives no tuple: there are two more, without a weight.
    get = itemgetter(*singles, 0, 0)
    return [_Compiled((*singles.values(), 0, 0), get, list(singles.items()), pairs, others, divisor)]


def _worth_of(way: _Compiled, values: Sequence[float]) -> float:
    weights, get, _, pairs, others, divisor = way
    total: float = sum(map(mul, weights, get(values)))
    for weight, one, two in pairs:
        first, second = values[one], values[two]
        total += weight * (first if first >= second else second)
    for weight, several, _ in others:
        total += weight * max(several(values))
    return total / divisor
