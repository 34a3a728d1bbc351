"""Playing for the win where throws count: how many have been made is part of the position.

The last layer is the number of throws after which nothing can be won any more by stopping; each
layer before it follows from the next, so rules that open tiles again are no harder.
"""

from collections.abc import Callable

from shutthebox.odds.state_space import Space
from shutthebox.odds.transitions import Event, Events
from shutthebox.rules.turn import Turn

Utility = Callable[[int, bool], float]
"""The chance to win with a number of throws, and the box shut or not."""


class Layers:
    """The chance to win, and the throws it takes on average, at every position and throw count."""

    def __init__(self, space: Space, utility: Utility, last: int) -> None:
        """Solves the throws up to the last one that matters.

        Args:
            space: the positions.
            utility: what an end is worth.
            last: a number of throws from which on the utility does not change.
        """
        self._space = space
        self._events = Events(space)
        self._utility = utility
        self._last = last
        size = space.size
        stop = utility(last, False)
        chances = [utility(last, True)] + [stop] * (size - 1)
        throws = [float(last)] * size
        self._chances, self._throws = [chances], [throws]
        for made in range(last - 1, -1, -1):
            chances, throws = self._layer(made, chances, throws)
            self._chances.append(chances)
            self._throws.append(throws)
        self._chances.reverse()
        self._throws.reverse()

    def with_dice(self, turn: Turn, dice: int) -> tuple[float, float]:
        """The chance to win, and the throws of the whole turn, if so many dice are thrown now."""
        mask = self._space.dense(turn.open)
        at = self._events.index(mask, dice)
        made = min(turn.throws, self._last - 1)
        roll = self._events.rolls(mask)[at]
        if turn.moves == 0 and self._space.profile.first_move_must_include is not None:
            events, lost = self._events.first(mask, at)
            chance, throws = self._mean(made, events, roll.total, mask, lost)
            points = self._space.lost()
            share = lost / roll.total
            return chance + share * self._utility(points, False), throws + share * points
        return self._mean(made, self._events.at[mask][at], roll.total, mask, 0)

    def _layer(self, made: int, chances: list[float], throws: list[float]) -> tuple[list[float], list[float]]:
        new_chances, new_throws = [self._utility(made, True)], [float(made)]
        for mask in range(1, self._space.size):
            best = (-1.0, 0.0)
            for roll, events in zip(self._events.rolls(mask), self._events.at[mask], strict=True):
                found = self._worth(made, events, roll.total, chances, throws, 0)
                if found[0] > best[0]:
                    best = found
            new_chances.append(best[0])
            new_throws.append(best[1])
        return new_chances, new_throws

    def _mean(self, made: int, events: list[Event], total: int, mask: int, lost: int) -> tuple[float, float]:
        return self._worth(made, events, total, self._chances[made + 1], self._throws[made + 1], lost)

    def _worth(
        self,
        made: int,
        events: list[Event],
        total: int,
        chances: list[float],
        throws: list[float],
        lost: int,
    ) -> tuple[float, float]:
        chance = count = 0.0
        stops = total - lost
        for weight, after in events:
            best = max(after, key=chances.__getitem__) if len(after) > 1 else after[0]
            chance += weight * chances[best]
            count += weight * throws[best]
            stops -= weight
        stopped = self._utility(made + 1, False)
        return (chance + stops * stopped) / total, (count + stops * (made + 1)) / total
