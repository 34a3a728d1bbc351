"""The review of a match: for every turn, how much of its score was luck and how much the decisions cost.

Takes time proportional to the length of the match.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shutthebox.odds.coach import Balance, Decision
from shutthebox.odds.coach import review as review_turn
from shutthebox.odds.pick import pick
from shutthebox.odds.worths import OddsError
from shutthebox.rules.actions import Action, apply
from shutthebox.rules.match import Match
from shutthebox.rules.orders import order_of
from shutthebox.rules.record import Record
from shutthebox_league.categories import category_of


@dataclass(frozen=True, slots=True)
class ReviewedTurn:
    """A whole turn of a match.

    Attributes:
        seat: from 1.
        balance: luck and decisions, in points; in a tug, in per cent of the chance to win.
        decisions: the choices that the player had; their throws are numbered from 0.
        scale: the factor that brings their costs to the same unit.
    """

    seat: int
    balance: Balance
    decisions: tuple[Decision, ...]
    scale: int


def prepare(record: Record) -> None:
    """Finds the exact odds of its game.

    Raises:
        OddsError: why its turns can't be reviewed.
    """
    if category_of(record) is None:
        raise OddsError("no box offers these rules by itself")
    if not order_of(record.profile).whole_turns:
        raise OddsError("players throw one after the other; only whole turns are reviewed")
    pick(record.profile).prepare()


def review(record: Record) -> tuple[ReviewedTurn, ...]:
    """All turns of a match.

    Raises:
        OddsError: for rules without exact odds.
    """
    real_dice = record.conditions is not None and record.conditions.real_dice
    return tuple(
        _review_turn(beginning, actions, real_dice=real_dice) for beginning, actions in _whole_turns(record)
    )


def _whole_turns(record: Record) -> Iterator[tuple[Match, Sequence[Action]]]:
    """Every turn that has ended: the match before its first throw, and what happened in it."""
    match, beginning, actions = record.beginning, None, list[Action]()
    for action in record.actions:
        if action.faces and match.turn.throws == 0:
            beginning, actions = match, []
        after = apply(match, action)
        actions.append(action)
        if beginning is not None and after.round.rows[match.player].outcome is not None:
            yield beginning, actions
            beginning = None
        match = after


def _review_turn(beginning: Match, actions: Sequence[Action], *, real_dice: bool) -> ReviewedTurn:
    player = beginning.player
    found = review_turn(beginning, actions, for_win=False, real_dice=real_dice)
    own = found.players[player]
    if own.win is None:
        return ReviewedTurn(player + 1, own.points, found.decisions, 1)
    return ReviewedTurn(player + 1, Balance(*(100 * part for part in own.win)), found.decisions, 100)
