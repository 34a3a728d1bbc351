"""Hints: the best decisions at a position, by look-ups in a solved profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shutthebox.odds.values import Objective, Ranked, Unit, Value, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Turn

if TYPE_CHECKING:  # a reader of hints needs no solver
    from shutthebox.odds.equilibrium import RankedChance, SeatPlay
    from shutthebox.odds.odds import Odds

_EQUAL = 1e-9
"""Chances to win that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint.

    Attributes:
        value: of the turn if the hint is followed.
        dice: how many dice to throw; None with a throw on the table.
        dice_cost: the cost of the other number of dice; None where there is no choice.
        moves: every answer to the throw, the best first; empty without one.
        opens: the moves are tiles to open, not to shut.
        to_win: every answer by the chance to win, the best first; empty where that is not known.
        unit: of the costs of dice and moves.
    """

    value: Value
    dice: int | None
    dice_cost: float | None
    moves: tuple[Ranked, ...]
    opens: bool
    to_win: tuple[RankedChance, ...] = ()
    unit: Unit = Unit.POINTS

    @property
    def best_to_win(self) -> Tiles | None:
        """The tiles of the best move for the win where they are others than those for the points."""
        if not self.to_win or self.best in (each.tiles for each in self.to_win if not each.cost > _EQUAL):
            return None
        return self.to_win[0].tiles

    @property
    def best(self) -> Tiles:
        """The tiles of the best move; none if there is none."""
        return self.moves[0].tiles if self.moves else 0


def hint(
    odds: Odds, turn: Turn, objective: Objective = Objective.SCORE, play: SeatPlay | None = None
) -> Hint:
    """The hint for a turn that is not over, by look-ups only.

    Args:
        odds: of the profile.
        turn: the turn.
        objective: of the play.
        play: the best play for the win; None where that is not known.

    Raises:
        ValueError: if the turn is over.
    """
    if turn.outcome is not None:
        raise ValueError(f"no hint for a turn that is over: {turn.to_text()}")
    value, unit = odds.value(turn, objective), _unit(odds.profile, objective)
    if turn.awaits_answer:
        opens = bool(turns.reopenings(odds.profile, turn))
        to_win = play.ranked(turn) if play else ()
        return Hint(value, None, None, odds.ranked(turn, objective), opens, to_win, unit)
    best = odds.best_dice(turn, objective)
    others = [dice for dice in dice_allowed(odds.profile, turn.open, turn.behind) if dice != best]
    cost = None
    if others:
        other = odds.with_dice(turn, others[0], objective)
        if objective is Objective.SHUT:
            cost = value.shut - other.shut
        else:
            cost = sign(odds.profile) * (value.score - other.score)
        cost = max(0.0, cost)
    return Hint(value, best, cost, (), opens=False, unit=unit)


def _unit(profile: Profile, objective: Objective) -> Unit:
    if objective is Objective.SHUT:
        return Unit.CHANCE
    return Unit.THROWS if profile.score is Scoring.THROWS else Unit.POINTS
