"""What a player may do, and what each option costs."""

from enum import StrEnum
from typing import NamedTuple

EQUAL_WITHIN = 1e-9
"""Chances to win that differ by less count as equal."""


class Unit(StrEnum):
    """The unit of a cost."""

    POINTS = "points"
    THROWS = "throws"
    STAKES = "stakes"
    CHANCE = "chance"  # to win, or to shut, from 0 to 1


class Option(NamedTuple):
    """Something the player may do.

    Attributes:
        choice: the tiles to shut (or open) for the throw on the table; before a throw, the number of dice.
        cost: compared with the best option, 0 or more.
    """

    choice: int
    cost: float


class Advice(NamedTuple):
    """The current player's options.

    Attributes:
        options: best first; none if the player can only pass.
        unit: of their costs.
        to_win: the same options by the chance to win, if `options` aren't and it's known; else none.
    """

    options: tuple[Option, ...]
    unit: Unit
    to_win: tuple[Option, ...] = ()

    @property
    def best(self) -> int | None:
        """The best choice; None if there's none."""
        return self.options[0].choice if self.options else None

    @property
    def best_to_win(self) -> int | None:
        """The best choice for the win, if it differs from the best for points."""
        equal = [each.choice for each in self.to_win if each.cost <= EQUAL_WITHIN]
        return equal[0] if equal and self.best not in equal else None
