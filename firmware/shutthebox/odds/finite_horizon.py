"""Playing for the win where throws count: how many have been made is part of the position.

The last layer is the number of throws after which nothing can be won any more by stopping; each
layer before it follows from the next, so rules that open tiles again are no harder.
"""

from collections.abc import Callable
from typing import TypeAlias

from shutthebox.odds.state_space import Space
from shutthebox.odds.turn_graph import TurnGraph, Way
from shutthebox.rules.turn import Turn

Utility = Callable[[int, bool], float]
"""The chance to win with a number of throws, and the box shut or not."""

_Layer: TypeAlias = tuple[list[float], list[float]]
"""Per position and end: the chance to win, and the throws of the whole turn."""


class Layers:
    """The chance to win, and the throws it takes on average, at every position and throw count."""

    def __init__(self, space: Space, utility: Utility, last: int) -> None:
        """Solves the throws up to the last one that matters.

        Args:
            space: the row.
            utility: what an end is worth.
            last: a number of throws from which on the utility does not change.
        """
        self._graph = TurnGraph(space)
        self._utility = utility
        self._last = last
        self._layers = [self._ends(last, len(self._graph.ways))]
        for made in range(last - 1, -1, -1):
            self._layers.append(self._layer(made, self._layers[-1]))
        self._layers.reverse()

    def with_dice(self, turn: Turn, dice: int) -> tuple[float, float]:
        """The chance to win, and the throws of the whole turn, if so many dice are thrown now."""
        number = self._graph.number(turn)
        assert number is not None, "with dice, all positions are in the graph"
        way = self._graph.ways[number][self._graph.way(number, dice)]
        return _mean(way, self._layers[min(turn.throws, self._last - 1) + 1])

    def _ends(self, made: int, size: int) -> _Layer:
        """What the ends are worth after so many throws, and further positions as if they ended."""
        ends = [(self._utility(made, end.shut), float(made)) for end in self._graph.ends]
        lost = self._graph.ends[self._graph.lost].score
        ends[self._graph.lost] = self._utility(lost, False), float(lost)
        rest = size - len(ends)
        chances, throws = zip(*ends, strict=True)
        return [*chances, *[self._utility(made, False)] * rest], [*throws, *[float(made)] * rest]

    def _layer(self, made: int, following: _Layer) -> _Layer:
        chances, throws = self._ends(made, len(self._graph.ends))
        for ways in self._graph.ways[len(self._graph.ends) :]:
            chance, count = max([_mean(way, following) for way in ways], key=lambda found: found[0])
            chances.append(chance)
            throws.append(count)
        return chances, throws


def _mean(way: Way, following: _Layer) -> tuple[float, float]:
    chances, throws = following
    chance = count = 0.0
    for weight, after in way.events:
        best = max(after, key=chances.__getitem__) if len(after) > 1 else after[0]
        chance += weight * chances[best]
        count += weight * throws[best]
    return chance / way.total, count / way.total
