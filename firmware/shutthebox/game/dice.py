"""The source of throws. The core is deterministic: whoever assembles the box passes in the randomness."""

from collections.abc import Callable, Sequence
from typing import Protocol

from shutthebox.rules.moves import Throw


class Dice(Protocol):
    """A source of throws."""

    def throw(self, dice: int, sides: int) -> Throw:
        """Throws `dice` dice with `sides` sides each."""
        ...

    def draw(self, bag: Sequence[Throw]) -> Throw:
        """Draws a domino from the bag."""
        ...

    def secret(self) -> str:
        """64 hexadecimal digits that nobody can guess, for a linked match."""
        ...


class RandomDice:
    """Fair dice from a source of whole numbers.

    Args:
        below: returns a uniformly distributed number from 0 up to, but not including, its argument:
            `random.SystemRandom().randrange` on the box, a seeded generator's `randrange` in tests.
    """

    def __init__(self, below: Callable[[int], int]) -> None:
        self._below = below

    def throw(self, dice: int, sides: int) -> Throw:
        """Throws `dice` dice with `sides` sides each."""
        return tuple(self._below(sides) + 1 for _ in range(dice))

    def draw(self, bag: Sequence[Throw]) -> Throw:
        """Draws a domino from the bag."""
        return bag[self._below(len(bag))]

    def secret(self) -> str:
        """64 hexadecimal digits that nobody can guess, for a linked match."""
        return f"{self._below(1 << 256):064x}"
