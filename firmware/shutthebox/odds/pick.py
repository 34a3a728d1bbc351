"""Picks what answers the questions to the odds of a game. Nobody else asks what kind of game it is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from shutthebox.odds.bank import Bank
from shutthebox.odds.common_throw import CommonThrow
from shutthebox.odds.match_play import Seats
from shutthebox.odds.odds import Points
from shutthebox.odds.shared_row import SharedRow
from shutthebox.odds.solver import Solver
from shutthebox.odds.tug import Tug
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Profile, Stakes, Turns


class Solvers(NamedTuple):
    """The solvers of a game.

    Attributes:
        turn: for what a turn is played for: points or the bank's payment, or the win if nothing else counts.
        win: for the win; the same one if there's nothing else.
        points: for the score alone; None if a turn has none.
    """

    turn: Solver
    win: Solver
    points: Points | None

    def prepare(self) -> None:
        """Solves in advance what hints and reviews will need first."""
        (self.points or self.turn).prepare()


_BY_ORDER: Mapping[Turns, type[Solver]] = {
    Turns.SHARED: SharedRow,
    Turns.TOGETHER: CommonThrow,
    Turns.TUG: Tug,
}
"""For the win, by order of play; `Seats` says of an order that's missing here that it has no odds."""


@lru_cache(maxsize=2)
def pick(game: Profile) -> Solvers:
    """The solvers of a game; cached for the latest ones."""
    order = order_of(game)
    points = Points(game) if order.has_points else None
    bank = Bank(game) if game.stakes is Stakes.BANK else None
    special = _BY_ORDER.get(game.turns)
    win = special(game) if special else bank or Seats(game)
    if points is None or order.one_row:
        return Solvers(win, win, points)
    return Solvers(bank or points, win, points)
