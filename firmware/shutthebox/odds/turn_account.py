"""Takes a played turn apart into luck and decisions.

A turn is a walk between worths. Before a throw the turn is worth what best play makes of it;
the dice move that up or down, which is luck; an answer other than the best, or another number
of dice than the best, gives some away, which is skill, or a lack of it. So

    start + luck + given away = score

exactly (minus what is given away where the highest score wins), because every worth
appears twice, once with either sign. The worths are kept as fractions to the end.

`shutthebox.odds.coach` reviews a whole match, in points and in chance to win; that takes seconds.
This takes one turn in points, in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shutthebox.odds.values import sign
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Turn

if TYPE_CHECKING:  # a reader of accounts needs no solver
    from shutthebox.odds.odds import Odds


@dataclass(frozen=True, slots=True)
class PlayedThrow:
    """A throw of a played turn and the answer to it.

    Attributes:
        faces: the throw.
        shut: the tiles shut for it; none where it had no move.
        opened: the tile opened by a blocked player, by its number.
        dice: how many dice were thrown, where `faces` is only their total.
    """

    faces: Throw
    shut: Tiles = 0
    opened: int | None = None
    dice: int | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """A turn taken apart, in points.

    Attributes:
        start: what the turn was worth before its first throw.
        luck: what the dice added to the score; against the player where the lowest wins.
        given_away: what the decisions cost against the best ones, 0 or more.
        score: what the turn came to; with luck and decisions so far, for one that is not over.
        worst: the index of the throw whose answer or dice cost most; None if nothing was given away.
        costs: what each throw's answer or dice gave away.
    """

    start: Fraction
    luck: Fraction
    given_away: Fraction
    score: Fraction
    worst: int | None
    costs: tuple[Fraction, ...]


def account(odds: Odds, steps: Iterable[PlayedThrow], start: Turn | None = None) -> Account:
    """Takes a played turn apart into luck and decisions.

    Args:
        odds: of the profile.
        steps: the throws and answers in order; the turn may be unfinished.
        start: where the turn began, if not at its start.

    Raises:
        ValueError: if the rules do not allow a step.
    """
    turn = turns.start(odds.profile) if start is None else start
    at = odds.points(turn)
    begin, luck, costs = at, Fraction(0), []
    best = sign(odds.profile)
    for step in steps:
        cost = Fraction(0)
        dice = _dice(odds, turn, step)
        if dice is not None and dice != odds.best_dice(turn):
            chosen = odds.points_with(turn, dice)
            cost += best * (at - chosen)
            at = chosen
        turn = turns.throw(odds.profile, turn, step.faces)
        thrown = odds.points(turn)
        luck += thrown - at
        at = thrown
        if turn.outcome is None and (step.shut or step.opened or turns.answers(odds.profile, turn) == ()):
            if step.opened is not None:
                turn = turns.reopen(odds.profile, turn, step.opened)
            elif step.shut or not turns.reopenings(odds.profile, turn):
                turn = turns.move(odds.profile, turn, step.shut)
            answered = odds.points(turn)
            cost += best * (at - answered)
            at = answered
        costs.append(cost)
    given = sum(costs, Fraction(0))
    worst = max(range(len(costs)), key=costs.__getitem__) if given > 0 else None
    return Account(begin, luck, given, at, worst, tuple(costs))


def _dice(odds: Odds, turn: Turn, step: PlayedThrow) -> int | None:
    """How many dice a step threw, where that was the player's choice."""
    allowed = dice_allowed(odds.profile, turn.open, turn.behind)
    if len(allowed) < 2:
        return None
    if step.dice is not None:
        return step.dice
    return len(step.faces) if len(step.faces) in allowed else allowed[0]
