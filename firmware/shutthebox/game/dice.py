"""The source of throws. The core asks for them; the caller that builds the box brings the chance."""

from collections.abc import Callable, Sequence
from typing import Protocol

from shutthebox.rules.moves import Throw


class Dice(Protocol):
    """A source of throws."""

    def throw(self, dice: int, sides: int) -> Throw:
        """So many dice with so many sides each."""
        ...

    def draw(self, bag: Sequence[Throw]) -> Throw:
        """One of the dominoes in the bag."""
        ...


class RandomDice:
    """Fair dice from a source of whole numbers.

    Args:
        below: gives a uniformly distributed number from 0 up to, not including, its argument:
            `secrets.randbelow` on the box, a seeded generator's `randrange` in tests.
    """

    def __init__(self, below: Callable[[int], int]) -> None:
        self._below = below

    def throw(self, dice: int, sides: int) -> Throw:
        """So many dice with so many sides each."""
        return tuple(self._below(sides) + 1 for _ in range(dice))

    def draw(self, bag: Sequence[Throw]) -> Throw:
        """One of the dominoes in the bag."""
        return bag[self._below(len(bag))]
