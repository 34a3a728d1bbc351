"""Hints: the best that can be done at a position, by look-ups in a solved profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shutthebox.odds.values import Objective, Ranked, Value, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Turn

if TYPE_CHECKING:  # a reader of hints needs no solver
    from shutthebox.odds.odds import Odds


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do now.

    Attributes:
        value: what the turn is worth if the hint is followed.
        dice: how many dice to throw; None with a throw on the table.
        dice_cost: what the other number of dice costs; None where there is no choice.
        moves: every answer to the throw, the best first; empty without one.
        opens: the moves are tiles to open, not to shut.
    """

    value: Value
    dice: int | None
    dice_cost: float | None
    moves: tuple[Ranked, ...]
    opens: bool

    @property
    def best(self) -> Tiles:
        """The tiles of the best move; none if there is none."""
        return self.moves[0].tiles if self.moves else 0


def hint(odds: Odds, turn: Turn, objective: Objective = Objective.SCORE) -> Hint:
    """What to do at a turn that is not over, by look-ups only.

    Raises:
        ValueError: if the turn is over.
    """
    if turn.outcome is not None:
        raise ValueError(f"no hint for a turn that is over: {turn.to_text()}")
    value = odds.value(turn, objective)
    if turn.awaits_answer:
        opens = bool(turns.reopenings(odds.profile, turn))
        return Hint(value, None, None, odds.ranked(turn, objective), opens)
    best = odds.best_dice(turn, objective)
    others = [dice for dice in dice_allowed(odds.profile, turn.open) if dice != best]
    cost = None
    if others:
        other = odds.with_dice(turn, others[0], objective)
        if objective is Objective.SHUT:
            cost = value.shut - other.shut
        else:
            cost = sign(odds.profile) * (value.score - other.score)
        cost = max(0.0, cost)
    return Hint(value, best, cost, (), False)
